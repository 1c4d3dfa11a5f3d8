"""Prompts in the tool format of a chat template: a thought is text, an action is a call, and an
observation is the tool's response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from grammars import Calls, Notation
from react_local.actions import ActionKind
from react_local.models.base import Piece, Role, Tool, ToolCall
from react_local.transcript import instruction, question_line
from react_local.types import Step, Task, Thoughts, Trajectory


def tools_of(
    kinds: Iterable[ActionKind], notation: Calls, task: Task = Task.QUESTION
) -> tuple[Tool, ...]:
    """The actions as function definitions for a chat template, with their JSON schemas."""
    return tuple(
        {
            "type": "function",
            "function": {
                "name": kind.name.lower(),
                "description": kind.usage(task).partition("] ")[2],
                "parameters": notation.parameters(kind.name),
            },
        }
        for kind in kinds
    )


def call_prompt(
    run: Trajectory,
    exemplars: Iterable[Trajectory],
    kinds: Sequence[ActionKind],
    notation: Calls,
    tool: ToolCall,
    *,
    density: Thoughts,
) -> list[Piece]:
    """The pieces that a model continues with the next step of `run`; see `transcript.prompt`."""
    said = instruction(run.task, density)
    shown = [Piece(Role.SYSTEM, said, tools=tools_of(kinds, notation, run.task))]
    for exemplar in exemplars:
        shown += _told(exemplar, notation, tool)
    return [*(replace(piece, stable=True) for piece in shown), *_told(run, notation, tool)]


def _told(told: Trajectory, notation: Notation, tool: ToolCall) -> Iterator[Piece]:
    yield Piece(Role.USER, question_line(told))
    for step in told.steps:
        yield from _written(step, notation, tool)
        yield Piece(Role.ASSISTANT, tool.after, is_control=True)
        seen = step.observation
        yield Piece(Role.TOOL, seen.text if seen else "The task has ended.")


def _written(step: Step, notation: Notation, tool: ToolCall) -> Iterator[Piece]:
    """The step as the model generated it, or would generate it."""
    call = notation.spelt(step.action.name, step.action.argument)
    thought = step.thought.text if step.thought else ""
    if step.tokens:
        yield Piece(Role.ASSISTANT, f"{thought}{tool.before}{call}", step.tokens)
        return
    yield Piece(Role.ASSISTANT, thought)
    yield Piece(Role.ASSISTANT, tool.before, is_control=True)
    yield Piece(Role.ASSISTANT, call)
