"""``--sweep``: an evaluation for several values of a setting, as for an ablation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import click

from react_local.cli.methods import MOST_BRANCHES
from react_local.types import Thoughts

_MOST = 100
"""Most values of a range."""


def _number(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def _few(text: str) -> int:
    if (number := _number(text)) > MOST_BRANCHES:
        raise ValueError
    return number


def _thoughts(text: str) -> Thoughts:
    if (thoughts := Thoughts(text)) is Thoughts.FEEDBACK:  # react-im's own
        raise ValueError
    return thoughts


SWEPT: dict[str, Callable[[str], Any]] = {
    "max-steps": _number,
    "exemplars": _number,
    "samples": _number,
    "tries": _number,
    "breadth": _few,
    "branches": _few,
    "thoughts": _thoughts,
}
"""The settings that can be swept, and the parser of a value of each."""


_SUCH = {
    _number: f"3,5,7 or 1..21, of 1 and more, a range of {_MOST} values at most",
    _few: f"1,3 or 1..{MOST_BRANCHES}, of 1 to {MOST_BRANCHES}",
    _thoughts: "dense,sparse",
}


@dataclass(frozen=True)
class Sweep:
    """A setting and its values, in the order given."""

    setting: str
    values: tuple[Any, ...]


def variants(sweeps: Sequence[Sweep], out: Path) -> list[tuple[Path, dict[str, Any]]]:
    """For each combination of values, its directory below `out` and the options that it changes.

    Without a sweep, the only directory is `out` itself.
    """
    made = []
    for values in product(*(sweep.values for sweep in sweeps)):
        chosen = {sweep.setting: value for sweep, value in zip(sweeps, values, strict=True)}
        name = ",".join(f"{setting}={value}" for setting, value in chosen.items())
        changed = {setting.replace("-", "_"): value for setting, value in chosen.items()}
        made.append((out / name if name else out, changed))
    return made


class SweepType(click.ParamType):
    """``max-steps=3,5,7``, ``samples=1..21``, ``thoughts=dense,sparse``."""

    name = "SETTING=VALUE,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> Sweep:
        if isinstance(value, Sweep):
            return value
        setting, _, listed = value.partition("=")
        if (read := SWEPT.get(setting)) is None:
            self.fail(f"{setting!r} cannot be swept: choose from {', '.join(SWEPT)}", param, ctx)
        try:
            values = [one for part in listed.split(",") for one in _values(part, read)]
        except ValueError:
            self.fail(f"{listed!r} is not a list such as {_SUCH[read]}", param, ctx)
        return Sweep(setting, tuple(dict.fromkeys(values)))


def _values(part: str, read: Callable[[str], Any]) -> list[Any]:
    """The one value in `part`, or all values of a range such as ``1..21``."""
    first, dots, last = part.partition("..")
    if not dots:
        return [read(part)]
    values = range(_number(first), _number(last) + 1)
    if not 1 <= len(values) <= _MOST:
        raise ValueError
    return [read(str(value)) for value in values]
