"""``--sweep``: one setting of an evaluation over several values, as an ablation has it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

SETTINGS = ("max-steps", "exemplars")


@dataclass(frozen=True)
class Sweep:
    """A setting and the values that it takes, in the order given."""

    setting: str
    values: tuple[int, ...]

    def variants(self, out: Path) -> list[tuple[Path, dict[str, int]]]:
        """For each value its own directory below `out`, and the option that it changes."""
        name = self.setting.replace("-", "_")
        return [(out / f"{self.setting}={value}", {name: value}) for value in self.values]


class SweepType(click.ParamType):
    """``max-steps=3,5,7``."""

    name = "SETTING=N,N,…"

    def convert(self, value: Any, param: Any, ctx: Any) -> Sweep:
        if isinstance(value, Sweep):
            return value
        setting, _, listed = value.partition("=")
        if setting not in SETTINGS:
            self.fail(f"{setting!r} cannot be swept: there are {', '.join(SETTINGS)}", param, ctx)
        try:
            values = tuple(dict.fromkeys(map(int, listed.split(","))))
        except ValueError:
            self.fail(f"{listed!r} is no list of numbers such as 3,5,7", param, ctx)
        if min(values) < 1:
            self.fail("the numbers are 1 and more", param, ctx)
        return Sweep(setting, values)
