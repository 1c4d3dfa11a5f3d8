"""Structured: ReAct with tool calls, JSON that follows a schema, as actions.

    Thought 1: I need to find La Scala, so I search Milan.
    Action 1: {"name": "search", "arguments": {"entity": "Milan"}}

The loop, the exemplars and the guides are those of `react`, so the two notations can be compared on
the same questions. If the model's chat template has a tool format that fits our calls, they are
written in it, and observations are the tools' responses.
"""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.types import Trajectory

STRUCTURED = Form("structured", calls=True)


def structured(
    question: str, model: LanguageModel, environment: Environment, **options: Any
) -> Trajectory:
    """Answer `question` with thoughts and tool calls. Options are those of `react`."""
    return react(question, model, environment, form=STRUCTURED, **options)
