"""The home directory of models and indexes, and which of them were used last."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from react_local.errors import NotFound
from wiki_index.layout import IndexLayout

VARIABLE = "REACT_LOCAL_HOME"
"""The environment variable that sets another home directory."""

_PASSING = (".building", ".replaced")  # temporary directories of a build


@dataclass(frozen=True)
class Home:
    """A directory with `models/`, `indexes/`, `prompts/`, and `state.json`: what was used last."""

    path: Path

    @classmethod
    def find(cls) -> Home:
        """The directory in `REACT_LOCAL_HOME`, or else in the user's data directory."""
        named = os.environ.get(VARIABLE)
        path = Path(named).expanduser() if named else platformdirs.user_data_path("react-local")
        return cls(path.absolute())

    @property
    def models(self) -> Path:
        return self.path / "models"

    @property
    def indexes(self) -> Path:
        return self.path / "indexes"

    @property
    def prompts(self) -> Path:
        """The cache of evaluated prompts; its content may be deleted."""
        return self.path / "prompts"

    def index_names(self) -> list[str]:
        """The names of the complete indexes in this home, sorted."""
        complete = filter(_is_index, self.indexes.glob("*"))
        return sorted(path.name for path in complete if path.suffix not in _PASSING)

    def index(self, name: str | None = None) -> Path:
        """The directory of an index, given as a path or a name in this home; None for the default.

        The default is the one used last, or else the only one.

        Raises:
            NotFound: there is no such index, or no default.
        """
        if name is not None:
            places = (Path(name), self.indexes / name)
            for there in (_is_index, _is_begun):
                if found := next(filter(there, places), None):
                    return found
            raise NotFound(
                f"there is no index {name!r}, neither as a path nor by name: "
                + self._offer("give one of these names")
            )
        if (last := self.last("index")) and Path(last).is_dir():
            return Path(last)
        names = self.index_names()
        if len(names) == 1:
            return self.indexes / names[0]
        raise NotFound(f"no index has been used yet: {self._offer('name one with --index')}")

    def _offer(self, advice: str) -> str:
        if names := self.index_names():
            return f"{advice} ({', '.join(names)})"
        return (
            "build one with react-local build-index DUMP --out DIR (react-local sample DIR writes "
            "a small dump), or run scripts/quickstart, which does both"
        )

    def last(self, kind: str) -> str | None:
        """The `model` or `index` used last, as given to `remember`."""
        value = self._state().get(kind)
        return value if isinstance(value, str) else None

    def remember(self, **used: Path) -> None:
        """Remember what was used: ``remember(index=directory)``. If the home cannot be written,
        nothing is saved, since only a default is lost."""
        state = {**self._state(), **{kind: str(path.absolute()) for kind, path in used.items()}}
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=self.path, delete=False) as file:
                json.dump(state, file)
            os.replace(file.name, self.path / "state.json")
        except OSError:
            return

    def _state(self) -> Mapping[str, object]:
        """The content of `state.json`; empty if it is missing or damaged."""
        try:
            state = json.loads((self.path / "state.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        return state if isinstance(state, dict) else {}


def _is_index(path: Path) -> bool:
    return IndexLayout(path).manifest.is_file()


def _is_begun(path: Path) -> bool:
    """Whether something exists at `path`, so that opening it says why it is not an index."""
    return path.is_dir() or IndexLayout(path).building.root.is_dir()
