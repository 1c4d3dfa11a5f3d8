"""What lies where in an index, and the manifest that says so. Written last, it proves the rest."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from wiki_index.errors import IndexDamaged, IndexUnreadable

FORMAT = 2
"""Version of the layout and of the rule that makes passages; an index of another is refused."""


_DIGEST = "digest"


@dataclass(frozen=True)
class IndexLayout:
    """The paths of an index.

    ``manifest.json``, ``pages.db`` (SQLite: pages, titles, redirects), ``titles.tantivy/`` (similar
    titles), ``passages.tantivy/`` (full text), ``leads.faiss`` (vectors; optional),
    ``leads.encoder/`` (the model that made them, in 8 bits; optional).
    """

    root: Path

    @classmethod
    def at(cls, path: Path | str) -> IndexLayout:
        """The layout at a path, symbolic links followed: a rename must meet the directory."""
        return cls(Path(os.path.realpath(path)))

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def pages(self) -> Path:
        return self.root / "pages.db"

    @property
    def titles(self) -> Path:
        return self.root / "titles.tantivy"

    @property
    def passages(self) -> Path:
        return self.root / "passages.tantivy"

    @property
    def vectors(self) -> Path:
        return self.root / "leads.faiss"

    @property
    def encoder(self) -> Path:
        return self.root / "leads.encoder"

    @property
    def templates(self) -> Path:
        """While pages are parsed: what they transclude."""
        return self.root / "templates.db"

    @property
    def note(self) -> Path:
        """While an index is made: of which dump and with which options."""
        return self.root / "build.json"

    @property
    def stages(self) -> Path:
        """While an index is made: the stages that are finished, and what they found."""
        return self.root / "stages.json"

    @property
    def building(self) -> IndexLayout:
        """Where an index is made before it is renamed to `root`."""
        return IndexLayout(self.root.with_name(self.root.name + ".building"))

    @property
    def replaced(self) -> Path:
        """Where an older index waits for the moment of the exchange."""
        return self.root.with_name(self.root.name + ".replaced")

    def parts(self) -> list[Path]:
        """All files that the manifest vouches for, relative to `root`, sorted."""
        places = [self.pages, self.titles, self.passages]
        places += [place for place in (self.vectors, self.encoder) if place.exists()]
        files = [file for place in places for file in files_at(place)]
        return sorted(path.relative_to(self.root) for path in files)


def files_at(place: Path) -> list[Path]:
    """A file by itself, or those below a directory but for tantivy's locks."""
    if not place.is_dir():
        return [place]
    files = (path for path in place.rglob("*") if path.is_file())
    return sorted(path for path in files if path.suffix != ".lock")


@dataclass(frozen=True)
class Part:
    """A file of the index: size in bytes and SHA-256 in hexadecimal."""

    bytes: int
    sha256: str

    @classmethod
    def measure(cls, path: Path) -> Part:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return cls(path.stat().st_size, digest)

    def is_at(self, path: Path) -> bool:
        """Whether the file at a path is as it was measured."""
        return path.is_file() and Part.measure(path) == self


@dataclass(frozen=True)
class Manifest:
    """What an index holds and how it was made. `info --json` prints it without `parts`."""

    articles: int
    redirects: int
    """Redirects that lead to a page of this index."""
    disambiguations: int
    passages: int
    dump: str
    """File name of the dump."""
    bytes: int
    """Size of all parts together."""
    seconds: float
    """Wall clock of the build, summed over its resumed runs."""
    skipped: Mapping[str, int]
    """Pages of the dump that are not in the index, by reason."""
    dump_bytes: int
    lang: str
    sitename: str
    case: str
    options: Mapping[str, Any]
    dropped: Mapping[str, int] = field(default_factory=dict)
    """The commonest templates whose text was left out for want of a renderer: name -> uses."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """The first pages that could not be parsed: title -> why."""
    fallbacks: Mapping[str, str] = field(default_factory=dict)
    """The first pages that were read without the parser, in part or wholly: title -> why."""
    slowest: Mapping[str, float] = field(default_factory=dict)
    """The pages that took longest to parse: title -> seconds."""
    double_redirects: int = 0
    """Redirects that lead to a redirect; they are followed."""
    damage: tuple[str, ...] = ()
    """The places where the dump could not be read, each with its byte offset."""
    stages: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each stage."""
    memory: int = 0
    """Bytes that the build and its workers held at the most, mapped files aside."""
    rules: str = ""
    """A digest of the program that parsed the pages and of the wiki's namespaces."""
    vectors: Mapping[str, Any] | None = None
    """Model, dimensions, count and faiss kind of the vectors, or None."""
    notes: tuple[str, ...] = ()
    """Lines a user should see once, such as why there are no vectors."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    format: int = FORMAT

    def summary(self) -> dict[str, Any]:
        """All fields but `parts`, as JSON takes them."""
        values = asdict(self)
        del values["parts"]
        values |= {"notes": list(self.notes), "damage": list(self.damage)}
        return values

    def to_json(self) -> str:
        """All fields, and the digest of the rest by which `read` knows that it is whole."""
        values = asdict(self)
        return json.dumps(values | {_DIGEST: digest(values)}, ensure_ascii=False, indent=1)

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read a manifest.

        Raises:
            IndexUnreadable: it is of another format version.
            IndexDamaged: it is not a manifest.
        """
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            version, known = values["format"], values.pop(_DIGEST, None)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise IndexDamaged(f"{path} is damaged: build the index again with --fresh.") from error
        if version != FORMAT:
            raise IndexUnreadable(
                f"{path.parent} has index format {version}, this version reads {FORMAT}: "
                "build it again with --fresh."
            )
        if known is not None and known != digest(values):
            raise IndexDamaged(f"{path} is damaged: build the index again with --fresh.")
        try:
            return cls._from_json(values)
        except (ValueError, KeyError, TypeError) as error:
            raise IndexDamaged(f"{path} is damaged: build the index again with --fresh.") from error

    @classmethod
    def _from_json(cls, values: dict[str, Any]) -> Manifest:
        known = {f.name for f in fields(cls)}
        values = {name: value for name, value in values.items() if name in known}
        values["parts"] = {name: Part(**part) for name, part in values["parts"].items()}
        values |= {"notes": tuple(values["notes"]), "damage": tuple(values["damage"])}
        return cls(**values)


def digest(values: Mapping[str, Any]) -> str:
    """SHA-256 of values as JSON, by which a file that holds them is known to be whole."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
