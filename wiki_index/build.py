"""A dump to an index: parsed by workers, written by one, finished by a rename.

Everything is made in a directory beside the index, ``OUT.building``. The stages that follow the
parsing read `pages.db` alone and start over when they were interrupted; the parsing goes on from
its last transaction. The manifest is written last, then the directory is renamed.
"""

from __future__ import annotations

import contextlib
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

from wiki_index import dense as vectors
from wiki_index import parsing, workplace
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
    dense: bool | Path | str = True,
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
    return _build(Dump(dump), out, workers, limit, dense, fresh, progress)


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
    out: Path | str,
    workers: int | None,
    limit: int | None,
    dense: bool | Path | str,
    fresh: bool,
    progress: ProgressCallback | None,
) -> Manifest:
    layout = IndexLayout.at(out)
    workplace.check_place(layout, fresh)
    if not isinstance(dense, bool):
        dense = str(vectors.find_model(os.path.abspath(dense)))
    options = {"limit": limit, "dense": dense}
    try:
        with workplace.held(layout.building, _identity(dump, options), fresh):
            if layout.building.manifest.is_file():  # Interrupted just before the rename.
                manifest = Manifest.read(layout.building.manifest)
            else:
                build = _Build(dump, layout.building, options, progress)
                manifest = build.run(_worker_count(workers, dump))
            workplace.publish(layout)
    except DumpError:
        shutil.rmtree(layout.building.root, ignore_errors=True)
        raise
    except (OSError, sqlite3.OperationalError) as error:
        raise BuildError(
            f"The index cannot be written to {layout.building.root} ({_reason(error)}): "
            "make room or choose another place, then run the same command again."
        ) from error
    except sqlite3.DatabaseError as error:
        raise BuildError(
            f"The unfinished work in {layout.building.root} is damaged ({error}): "
            "--fresh throws it away."
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
        self._index_titles(store, facts["articles"] + facts["redirects"] + 1)
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
        begun = list(itertools.islice(pages, 1))  # The site is known from here on.
        remaining = itertools.islice(itertools.chain(begun, pages), self._pages, None)
        if workers:
            results = parsing.parse_in_workers(remaining, self._dump.site, workers)
        else:
            results = parsing.parse_here(remaining, self._dump.site)
        with contextlib.closing(results):
            self._write(writer, results)
        if not self._articles:
            raise DumpError(
                f"{self._dump.path} holds no articles: a dump with the text of pages is needed "
                "(…-pages-articles.xml.bz2)."
            )

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

    def _index_titles(self, store: PageStore, total: int) -> None:
        shutil.rmtree(self._layout.titles, ignore_errors=True)
        writer = TitleWriter(self._layout.titles)
        for number, (title, page, size) in enumerate(store.all_titles()):
            writer.add(title, page, size)
            self._report("titles", number / total)
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
        self._report("vectors", 0.0)
        name = vectors.PACKAGED if choice is True else choice
        try:
            encoder = vectors.Encoder(vectors.find_model(name))
        except DenseUnavailable as error:
            if choice is not True:
                raise
            self._notes.append(f"No vectors were made. {error}")
            return None
        work = self._layout.root / "leads.f32"
        ids = vectors.encode_leads(
            store.pages(),
            self._dump.site.lang,
            encoder,
            work,
            lambda done: self._report("vectors", done / self._articles),
        )
        self._layout.vectors.unlink(missing_ok=True)
        kind = vectors.make_faiss(work, ids, encoder.dimensions, self._layout.vectors)
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
            workplace.sync(self._layout.root / name)
            parts[str(name)] = Part.measure(self._layout.root / name)
        workplace.sync(self._layout.titles)
        workplace.sync(self._layout.passages)
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
            options=self._options,
            notes=tuple(self._notes),
            parts=parts,
        )
        workplace.write_whole(self._layout.manifest, manifest.to_json())
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
