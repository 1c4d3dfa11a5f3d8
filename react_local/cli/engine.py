"""The options that choose a model and how it runs, shared by the commands that load one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from react_local.home import Home
    from react_local.models.llama import LlamaModel


@dataclass(frozen=True)
class Engine:
    """What was said about the model; None where nothing was said."""

    model: str | None = None
    ctx: int | None = None
    gpu_layers: int | str = "auto"
    threads: int | None = None
    temperature: float = 0.0
    seed: int = 0
    chat: bool | None = None

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

        return LlamaModel.load(
            weights,
            context=self.ctx,
            gpu_layers=self.gpu_layers,
            threads=self.threads,
            temperature=self.temperature,
            seed=self.seed,
            chat=self.chat,
            prompt_cache=PromptCache(Home.find().prompts),
        )


class _Layers(click.ParamType):
    name = "N|auto"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        if value == "auto" or isinstance(value, int):
            return value
        if value.isdecimal():
            return int(value)
        self.fail(f"{value!r} is neither a number of layers nor auto", param, ctx)


_OPTIONS = (
    click.option("--model", metavar="FILE", help="GGUF: a path or a name. Default: used last."),
    click.option("--ctx", type=click.IntRange(min=256), help="Context in tokens."),
    click.option("--gpu-layers", type=_Layers(), default="auto", help="Default: what fits."),
    click.option("--threads", type=click.IntRange(min=1), help="Default: the free cores."),
    click.option("--temperature", type=click.FloatRange(min=0), default=0.0, help="0: greedy."),
    click.option("--seed", type=int, default=0, help="Of sampling, with a temperature."),
    click.option("--chat/--no-chat", default=None, help="Use the model's chat template or not."),
)


def engine_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give `command` the model's options, gathered in its argument `engine`."""

    @wraps(command)
    def gathered(*args: Any, **options: Any) -> Any:
        engine = Engine(**{field.name: options.pop(field.name) for field in fields(Engine)})
        return command(*args, engine=engine, **options)

    for option in reversed(_OPTIONS):
        gathered = option(gathered)
    return gathered
