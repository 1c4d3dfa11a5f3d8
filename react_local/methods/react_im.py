"""ReAct-IM: thoughts that only state feedback from the environment, the paper's Inner Monologue
ablation (arXiv 2210.03629, Section 4).
"""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.types import Thoughts, Trajectory

REACT_IM = Form("react-im", density=Thoughts.FEEDBACK)


def react_im(
    question: str, model: LanguageModel, environment: Environment, **options: Any
) -> Trajectory:
    """Answer `question` with ReAct and exemplars whose thoughts are rewritten by
    `thought_density.feedback`. Options are those of `react`."""
    return react(question, model, environment, form=REACT_IM, **options)
