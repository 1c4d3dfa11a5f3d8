"""Plan-and-Solve: a plan first, then its steps (Wang et al., arXiv 2305.04091).

In the paper, the plan is followed by reasoning in the same text; here it precedes the loop of
ReAct, which follows it by acting.
"""

from __future__ import annotations

from typing import Any

from react_local.environments.base import Environment
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import LanguageModel
from react_local.types import Trajectory

PLAN_AND_SOLVE = Form("plan-and-solve", plans=True)


def plan_and_solve(
    question: str, model: LanguageModel, environment: Environment, **options: Any
) -> Trajectory:
    """Answer `question` with ReAct after writing a plan (the run's `plan`). Options are those of
    `react`."""
    return react(question, model, environment, form=PLAN_AND_SOLVE, **options)
