"""An optional action, and the example of how to add one (docs/actions.md)."""

from __future__ import annotations

from grammars import arithmetic
from react_local.actions.arithmetic import CannotCalculate, calculate
from react_local.sanitise import sanitise
from react_local.types import Observation, Task

CANNOT = "Cannot calculate ["


class Calculate:
    """``Calculate[expression]`` answers the value of an expression, or why it has none."""

    name = "Calculate"
    argument = "expression"
    rule = arithmetic()

    def usage(self, task: Task) -> str:
        return (
            "Calculate[expression] works out numbers, with + - * / ^ % and abs, ceil, floor, max, "
            "min, round, sqrt."
        )

    def act(self, argument: str, environment: object) -> Observation:
        try:
            return Observation(calculate(argument))
        except CannotCalculate as error:
            return Observation(f"{CANNOT}{sanitise(argument)}]: {sanitise(str(error))}.")
