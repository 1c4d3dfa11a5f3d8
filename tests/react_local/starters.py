"""The two starter models, where their packages are installed; tests skip where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from react_local.models.registry import installed


def starter_path(name: str, cache: pytest.Cache) -> Path:
    """The file of the starter called `name`, put together once into pytest's cache."""
    for file in installed(cache.mkdir("models")):
        if file.name.lower().startswith(name):
            return file.path
    pytest.skip(f"the package of the starter model {name} is not installed")
