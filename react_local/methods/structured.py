"""Structured: ReAct whose actions are tool calls, JSON under a schema.

    Thought 1: I need to find La Scala, so I search Milan.
    Action 1: {"name": "search", "arguments": {"entity": "Milan"}}

The loop, the exemplars and the guides are those of `react`, so that the two channels can be
compared on the same questions. Where the model's chat template has a form for tools of which our
calls are an instance, they are written in it, and the observations are the tools' answers.
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
    """Answer `question` by thoughts and tool calls; the options are those of `react`."""
    return react(question, model, environment, form=STRUCTURED, **options)
