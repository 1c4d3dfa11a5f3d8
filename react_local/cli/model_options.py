"""The options that choose a model and how it runs, shared by the commands that load one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.cli.common import Name
from react_local.models.options import RuntimeOptions

if TYPE_CHECKING:
    from react_local.home import Home
    from react_local.models.llama import LlamaModel


@dataclass(frozen=True)
class ModelOptions:
    """Which model to load, how it generates, and how llama.cpp runs it."""

    model: str | None = None
    """A path or a name; None for the one used last."""
    temperature: float = 0.0
    seed: int = 0
    chat: bool | None = None
    prompt_cache: int = 1000
    """Megabytes on disk for the evaluated exemplars; 0 for none."""
    runtime: RuntimeOptions = field(default_factory=RuntimeOptions)

    def find(self, home: Home, before: str = "") -> Path:
        """The model file: the named one, else the one used `before`, else the default."""
        from react_local.models.registry import default_model, resolve

        if name := self.model or before:
            return resolve(name, home.models)
        return default_model(home.models, home.last("model"))

    def load(self, weights: Path) -> LlamaModel:
        from react_local.home import Home
        from react_local.models.llama import LlamaModel
        from react_local.models.prompt_cache import PromptCache

        limit = self.prompt_cache * 10**6
        cache = PromptCache(Home.find().prompts, limit) if limit else None
        return LlamaModel.load(
            weights,
            temperature=self.temperature,
            chat=self.chat,
            prompt_cache=cache,
            **vars(self.runtime),
        )

    def record(self) -> dict[str, Any]:
        """All that can change what the model writes, except the model itself, as JSON values."""
        said = {"temperature": self.temperature, "seed": self.seed, "chat": self.chat}
        return json.loads(json.dumps(said | asdict(self.runtime)))


class _Temperature(click.FloatRange):
    """A range without ``nan`` and ``inf``: JSON has neither, and sampling needs a number."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class _NumberOrAuto(click.IntRange):
    name = "N|auto"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if value == "auto" else super().convert(value, param, ctx)


class _Listed(click.ParamType):
    """Values separated by commas."""

    def __init__(self, name: str, of: Callable[[str], Any]) -> None:
        self.name, self._of = name, of

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        try:
            return value if isinstance(value, tuple) else tuple(map(self._of, value.split(",")))
        except ValueError:
            self.fail(f"{value!r} is not of the form {self.name}", param, ctx)


class _Adapter(click.ParamType):
    name = "FILE[:SCALE]"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if isinstance(value, tuple):
            return value
        file, _, scale = value.rpartition(":")
        try:
            return (file, float(scale)) if file else (value, 1.0)
        except ValueError:  # the colon is part of the file's name
            return value, 1.0


_OPTIONS = (
    click.option(
        "--model",
        type=Name(),
        metavar="FILE",
        help="GGUF model: a path or a name. Default: the one used last.",
    ),
    click.option(
        "--ctx",
        "context",
        type=_NumberOrAuto(256),
        help="Context length in tokens; auto: as long as the memory allows.",
    ),
    click.option(
        "--gpu-layers",
        type=_NumberOrAuto(0),
        help="Layers to put on the GPU. Default: as many as fit.",
    ),
    click.option("--threads", type=click.IntRange(1), help="Default: the number of idle cores."),
    click.option(
        "--threads-batch",
        type=click.IntRange(1),
        help="Threads for prompts. Default: the value of --threads.",
    ),
    click.option("--temperature", type=_Temperature(0), help="Default: 0, which is greedy."),
    click.option("--seed", type=int, help="Random seed. Default: 0."),
    click.option(
        "--chat/--no-chat",
        default=None,
        help="Use the model's chat template. Default: for chat models.",
    ),
    click.option(
        "--lora", type=_Adapter(), multiple=True, help="A LoRA adapter (GGUF); repeatable."
    ),
    click.option(
        "--flash-attn",
        type=click.Choice(["auto", "on", "off"]),
        help="Flash attention. Default: auto.",
    ),
    click.option("--cache-type-k", metavar="TYPE", help="Type of cached keys. Default: f16."),
    click.option("--cache-type-v", metavar="TYPE", help="Type of cached values. Default: f16."),
    click.option(
        "--tensor-split",
        type=_Listed("N,N,…", float),
        help="Proportions in which to split the model over the GPUs.",
    ),
    click.option(
        "--main-gpu",
        type=click.IntRange(0),
        help="The one GPU to use, counted from 0. Default: all.",
    ),
    click.option(
        "--mmap/--no-mmap", default=None, help="Map the model file into memory, or read it."
    ),
    click.option("--mlock", is_flag=True, help="Lock the weights in memory."),
    click.option(
        "--rpc",
        type=_Listed("HOST:PORT,…", str),
        help="Machines that run llama.cpp's rpc-server; on a trusted network only.",
    ),
    click.option(
        "--prompt-cache",
        type=click.IntRange(0),
        metavar="MB",
        help="Disk space for evaluated exemplars. Default: 1000; 0: keep none.",
    ),
)


def model_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the model's options, gathered in its argument `options`."""

    @wraps(command)
    def gathered(*args: Any, **values: Any) -> Any:
        runtime = RuntimeOptions(**_taken(values, RuntimeOptions))
        options = ModelOptions(**_taken(values, ModelOptions), runtime=runtime)
        return command(*args, options=options, **values)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered


def _taken(values: dict[str, Any], kind: type) -> dict[str, Any]:
    """Take the fields of `kind` out of `values`; those not given are left to their defaults."""
    taken = {f.name: values.pop(f.name) for f in fields(kind) if f.name in values}
    return {name: value for name, value in taken.items() if value is not None}
