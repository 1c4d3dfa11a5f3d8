"""Act: acting only, ReAct with the thoughts deleted (arXiv 2210.03629, Section 3.2)."""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.types import Trajectory

ACT = Form("act", thoughts=False)


def act(
    question: str, model: LanguageModel, environment: Environment, **options: Any
) -> Trajectory:
    """Answer `question` with actions but no thoughts. Options are those of `react`."""
    return react(question, model, environment, form=ACT, **options)
