"""The records of a trace, one per line, from events and back to runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from react_local.events import Began, Ended, Event, FellBack, Noted, Remarked, Stepped
from react_local.guides import DEFAULT, Guides
from react_local.types import (
    Action,
    Observation,
    Outcome,
    Remark,
    RemarkKind,
    Step,
    Task,
    Thought,
    Thoughts,
    Trajectory,
    Usage,
)

FORMAT = "react-local trace"
VERSION = 1

_TEXT_OR_NULL = (str, type(None))
_PASSAGE = {"text": str, "title": _TEXT_OR_NULL}
_SCHEMA: dict[str, Any] = {
    # the header
    "format": str,
    "version": int,
    "run": str,
    "question": str,
    "task": str,
    "method": str,
    "model": str,
    "index": str,
    "max_steps": int,
    "thoughts": str,
    "guides": {
        "repeats": bool,
        "force_finish": bool,
        "search": str,
        "answers": bool,
        "links": int,
    },
    "actions": [str],
    "settings": {"samples": int, "tries": int, "breadth": int, "branches": int},
    "given": [_PASSAGE],
    # a note, a plan or review, a fallback to another method or try, the end
    "note": str,
    "remark": str,
    "text": str,
    "cause": str,
    "fell_back": str,
    "outcome": str,
    # a step
    "number": int,
    "thought": _TEXT_OR_NULL,
    "action": str,
    "argument": str,
    "observation": _TEXT_OR_NULL,
    "title": _TEXT_OR_NULL,
    "tokens": [int],
    "share": (int, float),
    "usage": {name: (int, type(zero)) for name, zero in asdict(Usage()).items()},
}
_SCHEMA["samples"] = _SCHEMA["rivals"] = [_SCHEMA]
"""The type of every field that is read, where a record has it. ``[schema]`` is a list of values of
that schema, a dict an object. A field means the same in every kind of record."""


@dataclass(frozen=True)
class Setup:
    """The setup of a run, as recorded in the header."""

    model: str = ""
    index: str = ""
    max_steps: int = 7
    guides: Guides = DEFAULT
    actions: tuple[str, ...] = ()
    """The names of the actions of `react_local.actions.OPTIONAL` that were on."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """The settings of `react_local.methods.SETTINGS` that were given."""


@dataclass(frozen=True)
class Run:
    """One run in a trace. `trajectory.outcome` is None if the run was cut off."""

    id: str
    setup: Setup
    trajectory: Trajectory
    notes: tuple[str, ...] = ()


def event_record(run: str, event: Event, setup: Setup) -> dict[str, Any] | None:
    """The record of an event of the run with this id; None for events that are not recorded."""
    match event:
        case Began(told):
            return _header(run, told, setup)
        case Noted(text):
            return {"run": run, "note": text}
        case Stepped(number, step):
            return {"run": run, "number": number, **_whole_step(step)}
        case Remarked(remark):
            return {"run": run, **_remark_record(remark)}
        case FellBack(told):
            return {"run": run, **_fall(told)}
        case Ended(told):
            ending = {"outcome": told.outcome, "answer": told.answer, "source": told.source}
            return {"run": run, **ending}
    return None


def step_record(step: Step) -> dict[str, str | None]:
    """The fields of a step that the command line's JSON and the trace have in common."""
    return {
        "thought": step.thought and step.thought.text,
        "action": step.action.name,
        "argument": step.action.argument,
        "observation": step.observation and step.observation.text,
        "title": step.observation and step.observation.title,
    }


def _whole_step(step: Step) -> dict[str, Any]:
    record = {**step_record(step), "tokens": step.tokens, "usage": asdict(step.usage)}
    if step.samples:
        record["samples"] = list(map(_whole_step, step.samples))
    if step.share is not None:
        record |= {"share": step.share, "rivals": list(map(_whole_step, step.rivals))}
    return record


def _remark_record(remark: Remark) -> dict[str, Any]:
    record = {"remark": remark.kind, "text": remark.text, "cause": remark.cause}
    return {**record, "tokens": remark.tokens, "usage": asdict(remark.usage)}


def _fall(told: Trajectory) -> dict[str, Any]:
    """The method that the run falls back from, and the passages given to the next part."""
    record = {"fell_back": told.before.method, "outcome": told.before.outcome}
    return {**record, **_given(told)}


def _given(told: Trajectory) -> dict[str, Any]:
    return {"given": list(map(asdict, told.given))} if told.given else {}


def _header(run: str, trajectory: Trajectory, setup: Setup) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "run": run,
        "question": trajectory.question,
        "task": trajectory.task,
        "method": trajectory.method,
        "thoughts": trajectory.thoughts,
        **asdict(setup),
        **_given(trajectory),
    }


def with_record(run: Run | None, record: Any) -> Run:
    """`run` (None before its header) extended by one record.

    Raises:
        ValueError, KeyError, TypeError: it is not a record of this format, or not the next one.
    """
    if not _matches(record, _SCHEMA):
        raise ValueError("a field has another type")
    if "format" in record:
        if (record["format"], record["version"]) != (FORMAT, VERSION):
            raise ValueError("a run of another version")
        told = Trajectory(
            record["question"],
            record["method"],
            Task(record["task"]),
            given=_passages(record),
            thoughts=Thoughts(record.get("thoughts", Thoughts.DENSE)),
        )
        guides = Guides.read(record["guides"])
        setup = Setup(
            record["model"],
            record["index"],
            record["max_steps"],
            guides,
            tuple(record.get("actions", ())),
            record.get("settings", {}),
        )
        return Run(record["run"], setup, told)
    if run is None:
        raise ValueError("a run without its header")
    if "note" in record:
        return replace(run, notes=(*run.notes, record["note"]))
    told = run.trajectory
    if "remark" in record:
        return replace(run, trajectory=told.with_remark(_remark(record)))
    if "fell_back" in record:
        before = replace(told, method=record["fell_back"], outcome=Outcome(record["outcome"]))
        begun = Trajectory(
            told.question,
            told.method,
            told.task,
            given=_passages(record),
            thoughts=told.thoughts,
            before=before,
        )
        return replace(run, trajectory=begun)
    if "outcome" in record:
        return replace(run, trajectory=replace(told, outcome=Outcome(record["outcome"])))
    if record["number"] != len(told.steps) + 1:
        raise ValueError("a step is missing")
    return replace(run, trajectory=replace(told, steps=(*told.steps, _step(record)), outcome=None))


def _step(record: dict[str, Any]) -> Step:
    thought, observation = record["thought"], record["observation"]
    if not record["action"].isalpha():
        raise ValueError("no name of an action")
    return Step(
        None if thought is None else Thought(thought),
        Action(record["action"], record["argument"]),
        None if observation is None else Observation(observation, record["title"]),
        tuple(record["tokens"]),
        Usage(**record["usage"]),
        tuple(map(_step, record.get("samples", ()))),
        record.get("share"),
        tuple(map(_step, record.get("rivals", ()))),
    )


def _remark(record: dict[str, Any]) -> Remark:
    kind, tokens = RemarkKind(record["remark"]), tuple(record["tokens"])
    return Remark(kind, record["text"], record["cause"], tokens, Usage(**record["usage"]))


def _passages(record: dict[str, Any]) -> tuple[Observation, ...]:
    return tuple(Observation(**passage) for passage in record.get("given", ()))


def _matches(value: Any, schema: Any) -> bool:
    """Whether `value`, parsed from JSON, is of this schema (see `_SCHEMA`)."""
    match schema:
        case dict():
            known = schema.keys() & value.keys() if isinstance(value, dict) else None
            return known is not None and all(_matches(value[name], schema[name]) for name in known)
        case [each]:
            return isinstance(value, list) and all(_matches(item, each) for item in value)
        case _:
            kinds = schema if isinstance(schema, tuple) else (schema,)
            return type(value) in kinds  # not isinstance: a bool is not a number here
