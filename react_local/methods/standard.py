"""Standard: the answer only, ReAct without thoughts and actions (arXiv 2210.03629, Section 3.2)."""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.types import Trajectory

STANDARD = Form("standard", thoughts=False, actions=False)


def standard(
    question: str, model: LanguageModel, environment: Environment | None = None, **options: Any
) -> Trajectory:
    """Answer `question` directly in one step, without an environment. See `react`."""
    return react(question, model, environment, form=STANDARD, **options)
