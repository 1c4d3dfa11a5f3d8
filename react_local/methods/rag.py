"""RAG: retrieve once, then reason once, a baseline that the paper does not have.

After Lewis et al., arXiv 2005.11401. Its exemplars are those of ReAct without the actions, with all
observations before the reasoning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from react_local.environments.base import Retrieving
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.transcript import clean_question
from react_local.types import Task, Trajectory

if TYPE_CHECKING:
    from wiki_index.index import Mode

RAG = Form("rag", actions=False, passages=True)
RAG_DENSE = replace(RAG, method="rag-dense")
RAG_HYBRID = replace(RAG, method="rag-hybrid")
_FORMS = {"bm25": RAG, "dense": RAG_DENSE, "hybrid": RAG_HYBRID}

PASSAGES = 3


def rag(
    question: str,
    model: LanguageModel,
    environment: Retrieving,
    *,
    mode: Mode = "bm25",
    passages: int = PASSAGES,
    task: Task = Task.QUESTION,
    resume: Trajectory | None = None,
    **options: Any,
) -> Trajectory:
    """Answer `question` by reasoning once over the best `passages` for it. See `react`.

    The passages are the run's `given`. `mode` ranks them by words, by vectors, or by both.

    Raises:
        DenseUnavailable: `mode` is dense and the index has no vectors, or their model is missing.
    """
    form = _FORMS[mode]
    run = resume or Trajectory(clean_question(question), form.method, task)
    if not run.given:
        run = replace(run, given=environment.retrieve(run.question, passages, mode))
    return react(question, model, None, form=form, resume=run, **options)
