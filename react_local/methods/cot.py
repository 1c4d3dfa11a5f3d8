"""CoT: reasoning only, ReAct without actions and observations (arXiv 2210.03629, Section 3.2).

Chain of thought was introduced by Wei et al., arXiv 2201.11903.
"""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.types import Trajectory

COT = Form("cot", actions=False)


def cot(
    question: str, model: LanguageModel, environment: Environment | None = None, **options: Any
) -> Trajectory:
    """Answer `question` with one step of reasoning, without an environment. See `react`."""
    return react(question, model, environment, form=COT, **options)
