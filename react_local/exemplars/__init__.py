"""Trajectories written by hand that show a model the form and the manner (few-shot prompting).

Kept as data: `questions.toml` (6) and `claims.toml` (3), over the sample wiki that ships with
`wiki_index`. In the file each exemplar has a `question` and its `step`s, each step a `thought`,
an `action` as it is written in a transcript, and the `observation` (all steps but the last).
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from react_local.errors import ExemplarError
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Task,
    Thought,
    Trajectory,
)

_FILES = {Task.QUESTION: "questions.toml", Task.CLAIM: "claims.toml"}

__all__ = ["load", "read"]


def load(task: Task = Task.QUESTION) -> tuple[Trajectory, ...]:
    """The exemplars that ship with `react_local` for `task`, in prompt order."""
    return read(Path(__file__).with_name(_FILES[task]), task)


def read(path: Path, task: Task = Task.QUESTION) -> tuple[Trajectory, ...]:
    """Read exemplars from a TOML file in the form that this package's own have.

    Raises:
        ExemplarError: the file is missing, no TOML, or not in that form.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return tuple(_trajectory(entry, task) for entry in data["exemplar"])
    except OSError as error:
        raise ExemplarError(f"cannot read exemplars from {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise ExemplarError(f"{path} is not in the form of an exemplar file: {error}") from error


def _trajectory(entry: dict[str, Any], task: Task) -> Trajectory:
    steps = tuple(map(_step, entry["step"]))
    told = Trajectory(entry["question"], "react", task, steps, Outcome.FINISHED)
    if told.answer is None:
        raise ValueError(f"the last step of {told.question!r} is not Finish[…]")
    return told


def _step(entry: dict[str, str]) -> Step:
    observation = entry.get("observation")
    return Step(
        Thought(entry["thought"]),
        _action(entry["action"]),
        None if observation is None else Observation(observation),
    )


def _action(text: str) -> Action:
    name, bracket, argument = text.partition("[")
    if not (bracket and argument.endswith("]")):
        raise ValueError(f"{text!r} is no action such as Search[Bergen]")
    return Action(ActionName(name), argument.removesuffix("]"))
