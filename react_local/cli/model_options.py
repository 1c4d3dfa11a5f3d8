"""The options that choose a model and how it runs, shared by the commands that load one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.cli.common import Name

if TYPE_CHECKING:
    from react_local.home import Home
    from react_local.models.llama import LlamaModel


@dataclass(frozen=True)
class Engine:
    """What was said about the model: `model`, its draws and form, and how it is run."""

    model: str | None = None
    temperature: float = 0.0
    seed: int = 0
    chat: bool | None = None
    context: int | str | None = None
    gpu_layers: int | str = "auto"
    threads: int | None = None
    threads_batch: int | None = None
    flash_attn: str = "auto"
    cache_type_k: str = "f16"
    cache_type_v: str = "f16"
    tensor_split: tuple[float, ...] = ()
    main_gpu: int = 0
    mmap: bool = True
    mlock: bool = False
    lora: tuple[tuple[str, float], ...] = ()
    rpc: tuple[str, ...] = ()
    prompt_cache: int = 1000
    """Megabytes on disk for the states of exemplars; 0 for none."""

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

        said = {k: v for k, v in vars(self).items() if k not in ("model", "seed", "prompt_cache")}
        limit = self.prompt_cache * 10**6
        cache = PromptCache(Home.find().prompts, limit) if limit else None
        return LlamaModel.load(weights, prompt_cache=cache, **said)

    def record(self) -> dict[str, Any]:
        """What was said besides the model's name, and can change what it writes, as JSON has it."""
        said = {k: v for k, v in asdict(self).items() if k not in ("model", "prompt_cache")}
        return json.loads(json.dumps(said))


class _Temperature(click.FloatRange):
    """A range without ``nan`` and ``inf``, which no manifest can hold and no draw heeds."""

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value!r} is no finite number", param, ctx)
        return number


class _NumberOrAuto(click.IntRange):
    name = "N|auto"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        return value if value == "auto" else super().convert(value, param, ctx)


class _Listed(click.ParamType):
    """Values between commas."""

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
        except ValueError:  # a colon of the file's own name
            return value, 1.0


def _cache_type(option: str, what: str) -> Callable[..., Any]:
    return click.option(option, default="f16", metavar="TYPE", help=f"What {what} are kept as.")


_OPTIONS = (
    click.option(
        "--model", type=Name(), metavar="FILE", help="GGUF: a path or a name. Default: used last."
    ),
    click.option(
        "--ctx", "context", type=_NumberOrAuto(256), help="Context in tokens; auto: what fits."
    ),
    click.option("--gpu-layers", type=_NumberOrAuto(0), default="auto", help="Default: what fits."),
    click.option("--threads", type=click.IntRange(1), help="Default: the free cores."),
    click.option("--threads-batch", type=click.IntRange(1), help="For prompts. Default: as many."),
    click.option("--temperature", type=_Temperature(0), default=0.0, help="0: greedy."),
    click.option("--seed", type=int, default=0, help="Of all that is drawn."),
    click.option("--chat/--no-chat", default=None, help="Use the model's chat template or not."),
    click.option("--lora", type=_Adapter(), multiple=True, help="An adapter, GGUF; repeatable."),
    click.option(
        "--flash-attn", type=click.Choice(["auto", "on", "off"]), default="auto", help="Attention."
    ),
    _cache_type("--cache-type-k", "keys"),
    _cache_type("--cache-type-v", "values"),
    click.option(
        "--tensor-split", type=_Listed("N,N,…", float), default=(), help="Shares of the GPUs."
    ),
    click.option("--main-gpu", type=click.IntRange(0), default=0, help="The first GPU is 0."),
    click.option("--mmap/--no-mmap", default=True, help="Map the file or read it."),
    click.option("--mlock", is_flag=True, help="Keep the weights in memory."),
    click.option(
        "--rpc",
        type=_Listed("HOST:PORT,…", str),
        default=(),
        help="Machines with rpc-server, on a trusted network only.",
    ),
    click.option(
        "--prompt-cache",
        type=click.IntRange(0),
        default=1000,
        metavar="MB",
        help="Disk for the exemplars' states. Default: 1000; 0: keep none.",
    ),
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
