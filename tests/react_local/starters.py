"""The two starter models, where their packages are installed; tests skip where they are not."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from react_local.models import LlamaModel
from react_local.models.registry import installed


def starter_path(name: str, cache: pytest.Cache) -> Path:
    """The file of the starter called `name`, put together once into pytest's cache."""
    for file in installed(cache.mkdir("models")):
        if file.name.lower().startswith(name):
            return file.path
    pytest.skip(f"the package of the starter model {name} is not installed")


@lru_cache
def loaded(path: Path) -> LlamaModel:
    """The model at `path`, loaded once for all tests: leave it as it was."""
    return LlamaModel.load(path, threads=1, context=2048)
