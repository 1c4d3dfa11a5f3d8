"""A dump to an index: parsed by workers, written by one, finished by a rename.

Everything is made in a directory beside the index, ``OUT.building``. The stages that follow the
parsing read `pages.db` alone and start over when they were interrupted; the parsing goes on from
its last transaction. The manifest is written last, then the directory is renamed.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import json
import os
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wiki_index import parsing
from wiki_index.dump import Dump
from wiki_index.errors import BuildError, DenseUnavailable, DumpError
from wiki_index.languages import Site
from wiki_index.layout import FORMAT, IndexLayout, Manifest, Part
from wiki_index.passages import PassageWriter
from wiki_index.similar import TitleWriter
from wiki_index.store import PageStore, StoreWriter
from wiki_index.types import RawPage

_COMMIT_SECONDS = 2.0
_REPORT_SECONDS = 0.2
_SMALL_DUMP = 256 * 1024
"""Bytes below which worker processes cost more than they save."""


@dataclass(frozen=True)
class Progress:
    """How far a build is. `fraction` is of the current stage."""

    stage: str
    """One of ``pages``, ``titles``, ``passages``, ``vectors``, ``checksums``."""
    fraction: float
    articles: int
    """Articles and disambiguation pages stored so far, those of interrupted runs included."""
    pages: int
    """Pages of the dump done so far, redirects and failures included."""
    bytes_read: int
    """Compressed bytes of the dump."""
    bytes_total: int
    seconds: float
    """Wall clock since this run began."""


ProgressCallback = Callable[[Progress], None]


def build_index(
    dump: Path | str,
    out: Path | str,
    *,
    workers: int | None = None,
    limit: int | None = None,
    dense: bool | Path = True,
    fresh: bool = False,
    progress: ProgressCallback | None = None,
) -> Manifest:
    """Build the index of a MediaWiki dump.

    An interrupted build goes on where it was when it is called again with the same dump and
    options, and ends with the same index.

    Args:
        dump: ``.xml`` or ``.xml.bz2``, multistream or not.
        out: The index's directory; it appears when the index is whole.
        workers: Parsing processes; None: one a core, 0: parse in this process.
        limit: Stop after so many articles.
        dense: Make vectors of the leads; a path names a sentence-transformers directory.
        fresh: Throw away unfinished work, and replace a finished index once the new one is whole.
        progress: Called a few times a second.

    Raises:
        DumpError: the dump cannot be read; `DumpDamaged` where it breaks off.
        BuildError: the index cannot be written there.
        KeyboardInterrupt: as it comes; the work so far is kept.
    """
    return _build(Dump(dump), Path(out), workers, limit, dense, fresh, progress)


def build_from_pages(pages: Iterable[RawPage], site: Site, out: Path) -> Manifest:
    """Build a small index of given pages in this process, without vectors."""
    return _build(_Pages(list(pages), site), out, 0, None, False, False, None)


class _Pages:
    """Pages in memory, seen as a dump."""

    def __init__(self, pages: list[RawPage], site: Site) -> None:
        self.path = Path("pages")
        self.site = site
        self.skipped: Counter[str] = Counter()
        self.bytes_read = self.bytes_total = sum(len(page.text.encode()) for page in pages)
        self._pages = pages

    def __iter__(self) -> Iterator[RawPage]:
        return iter(self._pages)


def _build(
    dump: Dump | _Pages,
    out: Path,
    workers: int | None,
    limit: int | None,
    dense: bool | Path,
    fresh: bool,
    progress: ProgressCallback | None,
) -> Manifest:
    layout = IndexLayout(out)
    _check_place(layout, fresh)
    options = {"limit": limit, "dense": str(dense) if isinstance(dense, Path) else dense}
    try:
        with _building_directory(layout.building, _identity(dump, options), fresh):
            if layout.building.manifest.is_file():  # Interrupted just before the rename.
                manifest = Manifest.read(layout.building.manifest)
            else:
                build = _Build(dump, layout.building, options, progress)
                manifest = build.run(_worker_count(workers, dump))
            _publish(layout)
    except DumpError:
        shutil.rmtree(layout.building.root, ignore_errors=True)
        raise
    except (OSError, sqlite3.OperationalError) as error:
        raise BuildError(
            f"The index cannot be written to {layout.building.root} ({_reason(error)}): "
            "make room or choose another place, then run the same command again."
        ) from error
    return manifest


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _worker_count(workers: int | None, dump: Dump | _Pages) -> int:
    if workers is not None:
        return workers
    return 0 if dump.bytes_total < _SMALL_DUMP else os.cpu_count() or 1


def _identity(dump: Dump | _Pages, options: dict[str, Any]) -> str:
    """What must agree for unfinished work to be gone on with."""
    facts = {"format": FORMAT, "dump": dump.path.name, "bytes": dump.bytes_total, **options}
    return json.dumps(facts, sort_keys=True)


def _check_place(layout: IndexLayout, fresh: bool) -> None:
    root = layout.root
    if root.is_file():
        raise BuildError(f"{root} is a file: give the name of a directory to make.")
    if not root.is_dir() or not any(root.iterdir()):
        return
    if not layout.manifest.is_file():
        raise BuildError(f"{root} holds other files: give the name of a directory to make.")
    if not fresh:
        raise BuildError(f"{root} already holds an index: --fresh builds it anew.")


@contextlib.contextmanager
def _building_directory(layout: IndexLayout, identity: str, fresh: bool) -> Iterator[None]:
    """Hold the directory of a build, with the unfinished work of the same build or empty."""
    layout.root.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(layout.root, os.O_RDONLY)
    try:
        _lock(descriptor, layout)
        if fresh or not layout.note.exists():
            _empty(layout.root)
            _write_whole(layout.note, identity)
        elif layout.note.read_text(encoding="utf-8") != identity:
            raise BuildError(
                f"{layout.root} holds unfinished work on another dump or with other options: "
                "--fresh throws it away."
            )
        yield
    finally:
        os.close(descriptor)


def _lock(descriptor: int, layout: IndexLayout) -> None:
    """Lock the directory itself, so that no lock file is left behind."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mine = os.fstat(descriptor).st_ino == layout.root.stat().st_ino
    except (BlockingIOError, FileNotFoundError):
        mine = False
    if not mine:
        raise BuildError(f"Another build is writing to {layout.root}: wait until it has ended.")


def _empty(directory: Path) -> None:
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


class _Build:
    """One run of a build in its directory; `run` goes through the stages."""

    def __init__(
        self,
        dump: Dump | _Pages,
        layout: IndexLayout,
        options: dict[str, Any],
        progress: ProgressCallback | None,
    ) -> None:
        self._dump = dump
        self._layout = layout
        self._options = options
        self._callback = progress
        self._started = time.monotonic()
        self._seconds_before = 0.0
        self._last_report = 0.0
        self._articles = 0
        self._pages = 0
        self._notes: list[str] = []

    def run(self, workers: int) -> Manifest:
        writer = StoreWriter(self._layout.pages)
        try:
            self._parse(writer, workers)
            self._report("titles", 0.0)
            facts = self._link(writer)
            writer.finish()
        except BaseException:
            writer.close()
            raise
        store = PageStore(self._layout.pages)
        self._index_titles(store)
        facts["passages"] = self._index_passages(store)
        facts["vectors"] = self._make_vectors(store)
        store.close()
        return self._finish(facts)

    def _parse(self, writer: StoreWriter, workers: int) -> None:
        """Store the dump's pages, from where the last run left off."""
        self._seconds_before = writer.meta("seconds") or 0.0
        self._articles = writer.count("pages")
        self._pages = writer.meta("pages_done") or 0
        pages = self._limited(iter(self._dump))
        first = next(pages, None)  # The site is known from here on.
        if first is None:
            raise DumpError(
                f"{self._dump.path} holds no articles: a dump with the text of pages is needed "
                "(…-pages-articles.xml.bz2)."
            )
        remaining = itertools.islice(itertools.chain([first], pages), self._pages, None)
        if workers:
            results = parsing.parse_in_workers(remaining, self._dump.site, workers)
        else:
            results = parsing.parse_here(remaining, self._dump.site)
        with contextlib.closing(results):
            self._write(writer, results)

    def _write(self, writer: StoreWriter, results: Iterator[list[parsing.Parsed]]) -> None:
        dropped: Counter[str] = Counter()
        last_commit = time.monotonic()
        for batch in results:
            for parsed in batch:
                self._store(writer, parsed)
                dropped.update(parsed.dropped)
            self._pages += len(batch)
            if time.monotonic() - last_commit > _COMMIT_SECONDS and not writer.collecting:
                self._commit(writer, dropped)
                last_commit = time.monotonic()
            self._report("pages", self._dump.bytes_read / max(self._dump.bytes_total, 1))
        writer.flush()
        self._commit(writer, dropped)

    def _commit(self, writer: StoreWriter, dropped: Counter[str]) -> None:
        """Keep what is stored; the template counts since the last time go with it."""
        writer.add_dropped(dropped)
        dropped.clear()
        writer.set_meta("seconds", self._seconds_before + self._seconds)
        writer.commit(self._pages)

    def _limited(self, pages: Iterator[RawPage]) -> Iterator[RawPage]:
        """Pages up to the article that the limit names."""
        left = self._options["limit"]
        for page in pages:
            if left is not None and page.redirect is None:
                if left <= 0:
                    return
                left -= 1
            yield page

    def _store(self, writer: StoreWriter, parsed: parsing.Parsed) -> None:
        if parsed.record is None:
            writer.add_failure(parsed.title, parsed.failure)
            return
        writer.add(parsed.record)
        self._articles += parsed.record.target is None

    def _link(self, writer: StoreWriter) -> dict[str, Any]:
        """Join titles and redirects; answer what the manifest says of the pages."""
        skipped = self._dump.skipped + writer.link_titles()
        if failures := writer.count("failed"):
            skipped["could not be parsed"] = failures
        return {
            "articles": writer.count("pages WHERE kind = 'article'"),
            "disambiguations": writer.count("pages WHERE kind = 'disambiguation'"),
            "redirects": writer.count("titles WHERE redirect"),
            "skipped": dict(skipped),
            "failed": writer.failed(),
            "dropped": writer.commonest_dropped(),
        }

    def _index_titles(self, store: PageStore) -> None:
        shutil.rmtree(self._layout.titles, ignore_errors=True)
        writer = TitleWriter(self._layout.titles)
        for title, page, size in store.all_titles():
            writer.add(title, page, size)
        writer.finish()

    def _index_passages(self, store: PageStore) -> int:
        shutil.rmtree(self._layout.passages, ignore_errors=True)
        writer = PassageWriter(self._layout.passages, self._dump.site.lang)
        for number, (page, article) in enumerate(store.pages()):
            writer.add(page, article)
            self._report("passages", number / self._articles)
        writer.finish()
        return writer.count

    def _make_vectors(self, store: PageStore) -> dict[str, Any] | None:
        choice = self._options["dense"]
        if not choice:
            return None
        from wiki_index import dense

        self._report("vectors", 0.0)
        name = dense.PACKAGED if choice is True else choice
        try:
            encoder = dense.Encoder(dense.find_model(name))
        except DenseUnavailable as error:
            if choice is not True:
                raise
            self._notes.append(f"No vectors were made. {error}")
            return None
        work = self._layout.root / "leads.f32"
        ids = dense.encode_leads(
            store.pages(),
            self._dump.site.lang,
            encoder,
            work,
            lambda done: self._report("vectors", done / self._articles),
        )
        self._layout.vectors.unlink(missing_ok=True)
        kind = dense.make_faiss(work, ids, encoder.dimensions, self._layout.vectors)
        work.unlink()
        return {
            "model": name,
            "dimensions": encoder.dimensions,
            "count": len(ids),
            "kind": kind,
        }

    def _finish(self, facts: dict[str, Any]) -> Manifest:
        """Sync and measure all parts, then write the manifest."""
        parts: dict[str, Part] = {}
        names = self._layout.parts()
        for number, name in enumerate(names):
            self._report("checksums", number / len(names))
            _sync(self._layout.root / name)
            parts[str(name)] = Part.measure(self._layout.root / name)
        site = self._dump.site
        manifest = Manifest(
            **facts,
            dump=self._dump.path.name,
            dump_bytes=self._dump.bytes_total,
            bytes=sum(part.bytes for part in parts.values()),
            seconds=round(self._seconds_before + self._seconds, 3),
            lang=site.lang,
            sitename=site.sitename,
            case=site.case,
            namespaces=dict(site.namespaces),
            options=self._options,
            notes=tuple(self._notes),
            parts=parts,
        )
        _write_whole(self._layout.manifest, manifest.to_json())
        return manifest

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._started

    def _report(self, stage: str, fraction: float) -> None:
        now = time.monotonic()
        if self._callback is None or (now - self._last_report < _REPORT_SECONDS and fraction > 0):
            return
        self._last_report = now
        self._callback(
            Progress(
                stage=stage,
                fraction=min(fraction, 1.0),
                articles=self._articles,
                pages=self._pages,
                bytes_read=self._dump.bytes_read,
                bytes_total=self._dump.bytes_total,
                seconds=self._seconds,
            )
        )


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_whole(path: Path, text: str) -> None:
    """Write a file that after a power cut is whole or not there."""
    draft = path.with_name(path.name + ".draft")
    try:
        draft.write_text(text, encoding="utf-8")
        _sync(draft)
        draft.rename(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def _publish(layout: IndexLayout) -> None:
    """Rename the finished directory to its place; an older index goes when the new one is there."""
    shutil.rmtree(layout.replaced, ignore_errors=True)
    if layout.manifest.is_file():
        layout.root.rename(layout.replaced)
    layout.building.root.rename(layout.root)
    _sync(layout.root.absolute().parent)
    layout.note.unlink()
    shutil.rmtree(layout.replaced, ignore_errors=True)
