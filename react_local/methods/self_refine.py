"""Self-Refine: answer, feedback on the answer, another try (Madaan et al., arXiv 2303.17651).

The model is its own judge. Without an external signal, this often makes answers worse (Huang et
al., arXiv 2310.01798); `reflexion` is the method that has one.
"""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.retry import TRIES, retry
from react_local.models.base import LanguageModel
from react_local.types import RemarkKind, Trajectory

SELF_REFINE = Form("self-refine", review=RemarkKind.FEEDBACK)


def self_refine(
    question: str,
    model: LanguageModel,
    environment: Environment,
    *,
    tries: int = TRIES,
    **options: Any,
) -> Trajectory:
    """Answer `question` with ReAct, up to `tries` times, until the model is satisfied with its
    answer. Other options are those of `react`. A run without an answer is not retried."""
    return retry(
        question,
        model,
        environment,
        form=SELF_REFINE,
        tries=tries,
        review=lambda run: None if run.answer is None else "",
        is_forced=True,
        **options,
    )
