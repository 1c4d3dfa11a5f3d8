"""Question answering with ReAct on a machine without a network.

    from react_local import LlamaModel, WikipediaEnvironment, react
    from wiki_index import WikiIndex

Names are imported when they are first used, so importing the package is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from react_local.environments.wikipedia import WikipediaEnvironment
    from react_local.errors import ReactLocalError
    from react_local.methods.react import react
    from react_local.models.llama import LlamaModel
    from react_local.models.scripted import ScriptedModel
    from react_local.types import (
        Action,
        ActionName,
        Observation,
        Outcome,
        Step,
        Task,
        Thought,
        Trajectory,
        Usage,
    )

_HOMES = {
    "LlamaModel": "models.llama",
    "ReactLocalError": "errors",
    "ScriptedModel": "models.scripted",
    "WikipediaEnvironment": "environments.wikipedia",
    "react": "methods.react",
}

__all__ = [
    "Action",
    "ActionName",
    "LlamaModel",
    "Observation",
    "Outcome",
    "ReactLocalError",
    "ScriptedModel",
    "Step",
    "Task",
    "Thought",
    "Trajectory",
    "Usage",
    "WikipediaEnvironment",
    "react",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'types')}"), name)


def __dir__() -> list[str]:
    return __all__
