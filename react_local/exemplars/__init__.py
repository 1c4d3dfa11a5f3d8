"""Hand-written trajectories for few-shot prompting.

They are data files, `questions.toml` (6) and `claims.toml` (3) with one more in each for every
optional action (`react_local.actions`), about the sample wiki that ships with `wiki_index`. Each
exemplar has a `question` and `step`s, each step a `thought`, an `action` as written in a
transcript, and an `observation` (except the last). It may have a `plan`, and an earlier try in
`before`: its `step`s, the signal by which it `failed`, and the `review` after it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from react_local.actions import OPTIONAL
from react_local.errors import ExemplarError
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Remark,
    RemarkKind,
    Step,
    Task,
    Thought,
    Trajectory,
)

_FILES = {Task.QUESTION: "questions.toml", Task.CLAIM: "claims.toml"}
_ACTIONS = (*ActionName, *(kind.name for kind in OPTIONAL.values()))

__all__ = ["load", "read", "with_actions"]


def load(
    task: Task = Task.QUESTION, actions: Collection[str] = tuple(ActionName)
) -> tuple[Trajectory, ...]:
    """The exemplars of `react_local` for `task` that use only these `actions`, in prompt order.

    So exemplars with an optional action are only shown if it is on.
    """
    return with_actions(read(Path(__file__).with_name(_FILES[task]), task), actions)


def with_actions(
    exemplars: Iterable[Trajectory], actions: Collection[str]
) -> tuple[Trajectory, ...]:
    """The exemplars that use only these `actions`."""
    return tuple(
        told for told in exemplars if all(step.action.name in actions for step in told.steps)
    )


def read(
    path: Path, task: Task = Task.QUESTION, actions: Collection[str] = _ACTIONS
) -> tuple[Trajectory, ...]:
    """Read exemplars from a TOML file in the format of this package's own.

    `actions` are those that they may use; by default, all of `react_local.actions`.

    Raises:
        ExemplarError: the file is missing, not TOML, or not in that format.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(_trajectory(entry, task, actions) for entry in data["exemplar"])
    except OSError as error:
        raise ExemplarError(f"cannot read exemplars from {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ExemplarError(f"{path} is not in the format of an exemplar file: {error}") from error


def _trajectory(entry: dict[str, Any], task: Task, actions: Collection[str]) -> Trajectory:
    steps = tuple(_step(step, actions) for step in entry["step"])
    told = Trajectory(entry["question"], "react", task, steps, Outcome.FINISHED)
    if told.answer is None:
        raise ValueError(f"the last step of {told.question!r} is not Finish[…]")
    if plan := entry.get("plan"):
        told = told.with_remark(Remark(RemarkKind.PLAN, plan))
    if before := entry.get("before"):
        told = replace(told, before=_failed_try(before, told, actions))
    return told


def _failed_try(entry: dict[str, Any], told: Trajectory, actions: Collection[str]) -> Trajectory:
    review = Remark(RemarkKind.REFLECTION, entry["review"], entry["failed"])
    steps = tuple(_step(step, actions) for step in entry["step"])
    return replace(told, plan=None, steps=steps, review=review)


def _step(entry: dict[str, str], actions: Collection[str]) -> Step:
    observation = entry.get("observation")
    return Step(
        Thought(entry["thought"]),
        _action(entry["action"], actions),
        None if observation is None else Observation(observation),
    )


def _action(text: str, actions: Collection[str]) -> Action:
    name, bracket, argument = text.partition("[")
    if name not in actions or not (bracket and argument.endswith("]")):
        raise ValueError(f"{text!r} is not an action such as Search[Bergen]")
    return Action(name, argument.removesuffix("]"))
