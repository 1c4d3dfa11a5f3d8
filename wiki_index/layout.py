"""The files of an index, and its manifest. The manifest is written last: it proves completeness."""

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
"""Version of the layout and of the division into passages. Other versions are rejected."""


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
        """The layout at a path. Symbolic links are resolved, for renames act on directories."""
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
        """During a build: the pages that others transclude."""
        return self.root / "templates.db"

    @property
    def note(self) -> Path:
        """During a build: the identity of the dump and the options."""
        return self.root / "build.json"

    @property
    def stages(self) -> Path:
        """During a build: the finished stages and their results."""
        return self.root / "stages.json"

    @property
    def building(self) -> IndexLayout:
        """The directory of a build, which is renamed to `root` at the end."""
        return IndexLayout(self.root.with_name(self.root.name + ".building"))

    @property
    def replaced(self) -> Path:
        """The temporary place of an older index while it is being replaced."""
        return self.root.with_name(self.root.name + ".replaced")

    def parts(self) -> list[Path]:
        """All files that the manifest has checksums of, relative to `root`, sorted."""
        places = [self.pages, self.titles, self.passages]
        places += [place for place in (self.vectors, self.encoder) if place.exists()]
        files = [file for place in places for file in files_at(place)]
        return sorted(path.relative_to(self.root) for path in files)


def files_at(place: Path) -> list[Path]:
    """The file itself, or all files below a directory except tantivy's lock files."""
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
        """Whether the file at a path has this size and checksum."""
        return path.is_file() and Part.measure(path) == self


@dataclass(frozen=True)
class Manifest:
    """The content of an index and how it was built. `info --json` prints it without `parts`."""

    articles: int
    redirects: int
    """Redirects to pages of this index."""
    disambiguations: int
    passages: int
    dump: str
    """File name of the dump."""
    bytes: int
    """Total size of all parts."""
    seconds: float
    """Wall-clock time of the build, summed over its runs."""
    skipped: Mapping[str, int]
    """Pages of the dump that are not in the index, by reason."""
    dump_bytes: int
    lang: str
    sitename: str
    case: str
    options: Mapping[str, Any]
    dropped: Mapping[str, int] = field(default_factory=dict)
    """The most common templates that were left out because they have no renderer: name -> uses."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """The first pages that could not be parsed: title -> why."""
    fallbacks: Mapping[str, str] = field(default_factory=dict)
    """The first pages that were read without the parser, in part or wholly: title -> why."""
    slowest: Mapping[str, float] = field(default_factory=dict)
    """The pages that were slowest to parse: title -> seconds."""
    double_redirects: int = 0
    """Redirects to redirects, which are followed."""
    damage: tuple[str, ...] = ()
    """The places where the dump could not be read, with their byte offsets."""
    stages: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each stage."""
    memory: int = 0
    """The highest memory use in bytes of the build and its workers, without mapped files."""
    rules: str = ""
    """A digest of the program that parsed the pages and of the wiki's namespaces."""
    vectors: Mapping[str, Any] | None = None
    """Model, dimensions, count and faiss kind of the vectors, or None."""
    notes: tuple[str, ...] = ()
    """Lines for the user, such as why there are no vectors."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    format: int = FORMAT

    def summary(self) -> dict[str, Any]:
        """All fields except `parts`, with types that JSON has."""
        values = asdict(self)
        del values["parts"]
        values |= {"notes": list(self.notes), "damage": list(self.damage)}
        return values

    def to_json(self) -> str:
        """All fields, and a digest of them that `read` compares."""
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
    """SHA-256 of values as JSON, which shows that a file with them is complete."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def check_there(layout: IndexLayout) -> None:
    """Make sure that there is a finished index.

    Raises:
        IndexUnreadable: there is none, or it is being built.
    """
    if layout.manifest.is_file():
        return
    root = layout.root
    if layout.note.exists() or layout.building.root.is_dir():
        raise IndexUnreadable(
            f"{root} is being built or was interrupted: wait, or run the same build-index "
            "command again to finish it."
        )
    if not root.exists():
        raise IndexUnreadable(f"{root} does not exist: build an index there with build-index.")
    if not root.is_dir():
        raise IndexUnreadable(f"{root} is a file: an index is a directory that build-index makes.")
    raise IndexUnreadable(f"{root} is not an index: it has no manifest.json.")


def check_size(path: Path, part: Part) -> None:
    """Make sure that a part is there in its size.

    Raises:
        IndexDamaged: it is not.
    """
    size = path.stat().st_size if path.is_file() else None
    if size != part.bytes:
        what = "is missing" if size is None else f"has {size} bytes instead of {part.bytes}"
        raise IndexDamaged(f"{path} {what}: build the index again with --fresh.")
