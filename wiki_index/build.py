"""A dump to an index: parsed by workers, written by one, finished by a rename.

Everything is made in a directory beside the index, ``OUT.building``. The pages go on from their
last transaction when they were interrupted; the stages behind them read `pages.db` alone, and an
interrupted one starts over. The manifest is written last, then the directory is renamed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wiki_index import cluster, encoder, machine, parsing, workplace
from wiki_index import dense as vectors
from wiki_index.dump import Dump, Key, Pages, Stretch, describe
from wiki_index.errors import (
    BuildError,
    DenseUnavailable,
    DumpDamaged,
    DumpError,
    IndexUnreadable,
)
from wiki_index.intake import HISTORIES, Intake
from wiki_index.languages import Site
from wiki_index.layout import FORMAT, IndexLayout, Manifest, Part
from wiki_index.passages import PassageWriter
from wiki_index.similar import TitleWriter
from wiki_index.store import PageStore, StoreWriter
from wiki_index.types import RawPage

_COMMIT_SECONDS = 2.0
_REPORT_SECONDS = 0.2
_SMALL_DUMP = 256 * 1024
"""Bytes below which more than one worker process costs more than it saves."""
_OWN_MEMORY = 512 * 1024**2
"""Bytes that the build itself may take while its workers run."""
_LEAST_WORKER_MEMORY = 160 * 1024**2
_MOST_LEADS_ON_CPU = 5_000
"""Articles up to which vectors are made unasked where there is no GPU: some twelve a second."""


@dataclass(frozen=True)
class Progress:
    """How far a build is. `fraction` is of the current stage."""

    stage: str
    """One of ``pages``, ``titles``, ``passages``, ``vectors``, ``checksums``."""
    fraction: float
    """0 where the size of the dump is not known."""
    articles: int
    """Articles and disambiguation pages stored so far, those of interrupted runs included."""
    pages: int
    """Pages of the dump done so far, redirects and failures included."""
    bytes_read: int
    """Compressed bytes of the dump, those of interrupted runs included."""
    bytes_total: int
    seconds: float
    """Wall clock since this run began."""
    memory: int = 0
    """Bytes that the build and its workers hold, mapped files aside."""


ProgressCallback = Callable[[Progress], None]


@dataclass(frozen=True)
class Options:
    """How to build. `wiki_index.build_index` says what each means."""

    workers: int | None = None
    limit: int | None = None
    dense: bool | Path | str | None = None
    fresh: bool = False
    memory: int | None = None
    accept_damage: bool = False
    ray: str | None = None
    progress: ProgressCallback | None = None

    def of_the_index(self) -> dict[str, Any]:
        """Those that the index depends on."""
        dense = self.dense
        if dense is not None and not isinstance(dense, bool):
            dense = str(encoder.find_model(os.path.abspath(dense)))
        return {"limit": self.limit, "dense": dense}


def build_index(
    dump: Path | str,
    out: Path | str,
    *,
    workers: int | None = None,
    limit: int | None = None,
    dense: bool | Path | str | None = None,
    fresh: bool = False,
    memory: int | None = None,
    multistream_index: Path | str | None = None,
    accept_damage: bool = False,
    ray: str | None = None,
    progress: ProgressCallback | None = None,
) -> Manifest:
    """Build the index of a MediaWiki dump.

    An interrupted build goes on where it was when it is called again with the same dump and
    options, and ends with the same index.

    Args:
        dump: ``.xml``, ``.bz2`` (multistream or not), ``.gz``, ``.zst``, a directory of part
            files, or ``-`` for standard input.
        out: The index's directory; it appears when the index is whole.
        workers: Parsing processes; None: one a core, 0: parse in this process.
        limit: Stop after so many articles.
        dense: Make vectors of the leads; a path names a sentence-transformers directory; None:
            where there is a GPU or there are at most 5,000 articles.
        fresh: Throw away unfinished work, and replace a finished index once the new one is whole.
        memory: Bytes for the whole build; None: 2 GiB and 300 MiB a worker.
        multistream_index: The index of a multistream dump, if it does not lie beside it.
        accept_damage: Finish the index of a damaged dump, without what can't be read.
        ray: Parse on the Ray cluster at this address (``auto``, ``host:port`` or ``local``).
        progress: Called a few times a second.

    Raises:
        DumpError: the dump cannot be read, or no article of it; `DumpDamaged` where a part of it
            can't: all else is kept as unfinished work.
        BuildError: the index cannot be written there.
        KeyboardInterrupt: as it comes; the work so far is kept.
    """
    options = Options(workers, limit, dense, fresh, memory, accept_damage, ray, progress)
    return _build(Dump(dump, multistream_index), out, options)


def update_index(
    index: Path | str,
    dump: Path | str,
    *,
    workers: int | None = None,
    fresh: bool = False,
    memory: int | None = None,
    multistream_index: Path | str | None = None,
    accept_damage: bool = False,
    progress: ProgressCallback | None = None,
) -> Manifest:
    """Replace an index by that of a newer dump; what did not change is not parsed again.

    The result is that of `build_index` with the options that the index was built with. Pages are
    taken over by their revision, unless another version of this program has parsed them.

    Raises:
        IndexUnreadable: there is no index to update.
        DumpError, BuildError, KeyboardInterrupt: as `build_index`.
    """
    layout = IndexLayout.at(index)
    places = [place for place in (layout, IndexLayout(layout.replaced)) if place.manifest.is_file()]
    if not places:
        raise IndexUnreadable(f"{layout.root} is not an index: make one with build-index.")
    earlier = Manifest.read(places[0].manifest)  # The second: killed between two renames.
    options = Options(
        workers=workers,
        dense=earlier.options["dense"],
        fresh=fresh,
        memory=memory,
        accept_damage=accept_damage,
        progress=progress,
    )
    return _build(Dump(dump, multistream_index), index, options, earlier)


def build_from_pages(pages: Iterable[RawPage], site: Site, out: Path) -> Manifest:
    """Build a small index of given pages in this process, without vectors."""
    return _build(_Given(tuple(pages), site), out, Options(workers=0, dense=False))


class _Given:
    """Pages in memory, seen as a dump."""

    def __init__(self, pages: tuple[RawPage, ...], site: Site) -> None:
        self.path = Path("pages")
        self.name = "pages"
        self.site = site
        self.notes: list[str] = []
        self.bytes_total = sum(len(page.text.encode()) for page in pages)
        self.identity = {"dump": self.name, "bytes": self.bytes_total}
        self._pages = pages

    def stretches(self, done: Mapping[Key, int] | None = None) -> Iterator[Pages]:
        if not done:
            yield Pages((0, 0), self._pages, self.bytes_total)


def _build(
    dump: Dump | _Given, out: Path | str, options: Options, earlier: Manifest | None = None
) -> Manifest:
    layout = IndexLayout.at(out)
    workplace.check_place(layout, options.fresh or earlier is not None)
    decisive = options.of_the_index()
    try:
        identity = json.dumps({"format": FORMAT, **dump.identity, **decisive}, sort_keys=True)
        with workplace.held(layout.building, identity, options.fresh):
            if layout.building.manifest.is_file():  # Interrupted just before the rename.
                manifest = Manifest.read(layout.building.manifest)
            else:
                build = _Build(dump, layout.building, options, decisive)
                if earlier is not None:
                    build.take_over(layout.pages, earlier)
                manifest = build.run()
            workplace.publish(layout)
    except DumpDamaged:
        raise
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


def _plan(workers: int | None, memory: int | None, dump: Dump | _Given) -> tuple[int, int]:
    """How many workers, and how many bytes of memory each may take."""
    if workers is None:
        small = 0 < dump.bytes_total < _SMALL_DUMP
        workers = 1 if small else machine.cores()
    if memory is None or not workers:
        return workers, parsing.WORKER_MEMORY
    left = memory - _OWN_MEMORY
    if left < _LEAST_WORKER_MEMORY:
        least = (_OWN_MEMORY + _LEAST_WORKER_MEMORY) >> 20
        raise BuildError(f"A build needs at least {least} MiB of memory: say --memory {least}M.")
    workers = min(workers, left // _LEAST_WORKER_MEMORY)
    return workers, left // workers


def _rules(site: Site) -> str:
    """A digest of all that the text of a page depends on beside the page."""
    return hashlib.sha256(repr(asdict(site)).encode() + _program()).hexdigest()


@functools.cache
def _program() -> bytes:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


class _Build:
    """One run of a build in its directory; `run` goes through the stages."""

    def __init__(
        self,
        dump: Dump | _Given,
        layout: IndexLayout,
        options: Options,
        decisive: dict[str, Any],
    ) -> None:
        self._dump = dump
        self._layout = layout
        self._options = options
        self._decisive = decisive
        self._workers, self._worker_memory = _plan(options.workers, options.memory, dump)
        self._rules = _rules(dump.site)
        self._stages = workplace.Stages(layout)
        self._earlier: Path | None = None
        self._intake: Intake | None = None
        self._started = self._stage_began = time.monotonic()
        self._seconds_before = 0.0
        self._last_report = 0.0
        self._memory = 0
        self._articles = 0
        self._pages = 0
        self._notes = list(dump.notes)

    def take_over(self, store: Path, earlier: Manifest) -> None:
        """Take pages of the same revision from the store of an earlier index."""
        if earlier.rules == self._rules:
            self._earlier = store
        else:
            self._notes.append("All pages were parsed: another version has made the index before.")

    def run(self) -> Manifest:
        facts = self._stage("pages", self._store_pages, self._layout.pages)
        self._intake = None
        self._articles = facts["articles"] + facts["disambiguations"]
        self._pages = facts.pop("pages")
        self._notes += facts.pop("notes")
        store = PageStore(self._layout.pages)
        total = self._articles + facts["redirects"] + 1
        self._stage("titles", lambda: self._index_titles(store, total), self._layout.titles)
        facts["passages"] = self._stage(
            "passages", lambda: self._index_passages(store), self._layout.passages
        )
        dense = self._stage("vectors", lambda: self._make_vectors(store), self._layout.vectors)
        self._notes += dense.pop("notes")
        store.close()
        return self._finish({**facts, **dense, "damage": tuple(facts["damage"])})

    def _stage(self, name: str, work: Callable[[], Any], made: Path) -> Any:
        """What a stage found: now, or when an earlier run finished it."""
        if name not in self._stages:
            self._stage_began, self._seconds_before = time.monotonic(), 0.0
            found = work()
            self._stages.finish(name, found, self._seconds, self._memory, made)
        return self._stages.found(name)

    def _store_pages(self) -> dict[str, Any]:
        """The dump to `pages.db`; answers what the manifest says of the pages."""
        writer = StoreWriter(self._layout.pages)
        try:
            self._seconds_before = writer.meta("seconds") or 0.0
            facts = writer.meta("facts")
            if facts is None:
                intake = self._parse(writer)
                self._report("titles", 0.0)
                facts = json.dumps(self._link(writer, intake))
                writer.set_meta("facts", facts)
            writer.finish()
        except BaseException:
            writer.close()
            raise
        return json.loads(facts)

    def _parse(self, writer: StoreWriter) -> Intake:
        """Store the dump's pages, from where the last run left off."""
        intake = self._intake = Intake(writer, self._decisive["limit"])
        done = {key: pages for key, (pages, _) in writer.done().items()}
        with contextlib.closing(self._results(self._dump.stretches(done))) as results:
            self._take_all(writer, intake, results)
        if intake.damages and not intake.articles:
            raise DumpError(
                f"{describe(intake.damages)}. No article of it can be read: download the dump "
                "again and compare its checksum."
            )
        if intake.damages and not self._options.accept_damage:
            raise DumpDamaged(
                f"{describe(intake.damages)}. What is whole is kept: the same command with "
                "--accept-damage makes an index of it; or download the dump again, compare its "
                "checksum, and start with --fresh."
            )
        if not intake.articles:
            raise DumpError(
                f"{self._dump.path} holds no articles: a dump with the text of pages is needed "
                "(…-pages-articles.xml.bz2)."
            )
        return intake

    def _results(self, stretches: Iterator[Stretch]) -> Iterator[parsing.Result]:
        settings = parsing.Settings(self._dump.site, self._worker_memory, self._earlier)
        if self._options.ray is not None:
            total = self._dump.bytes_total
            return cluster.parse_on_ray(stretches, settings, self._options.ray, total)
        if self._workers:
            return parsing.parse_in_workers(stretches, settings, self._workers)
        return parsing.parse_here(stretches, settings)

    def _take_all(
        self, writer: StoreWriter, intake: Intake, results: Iterator[parsing.Result]
    ) -> None:
        last_commit = time.monotonic()
        for result in results:
            intake.take(result)
            if time.monotonic() - last_commit > _COMMIT_SECONDS and not writer.collecting:
                intake.commit(self._seconds)
                last_commit = time.monotonic()
            total = self._dump.bytes_total
            self._report("pages", intake.bytes / total if total else 0.0)
            if intake.full:
                break
        writer.flush()
        intake.commit(self._seconds)

    def _link(self, writer: StoreWriter, intake: Intake) -> dict[str, Any]:
        """Join titles and redirects; answer what the manifest says of the pages."""
        stored = sum(map(writer.count, ("pages", "redirects", "failed")))
        lost = writer.link_titles()
        intake.accept_damage()
        skipped = writer.counts() + lost
        skipped["same page twice"] = intake.pages - stored
        skipped["could not be parsed"] = writer.count("failed")
        double, histories = skipped.pop("double redirect", 0), skipped.pop(HISTORIES, 0)
        notes = [f"Damage: {damage}." for damage in intake.damages]
        if histories:
            notes.append(f"A history: of {histories:,} pages the last of their revisions counts.")
        if repeated := skipped["same title as another page"]:
            notes.append(f"{repeated:,} pages have the title of another: the last revision counts.")
        return {
            "articles": writer.count("pages WHERE kind = 'article'"),
            "disambiguations": writer.count("pages WHERE kind = 'disambiguation'"),
            "redirects": writer.count("titles WHERE redirect"),
            "skipped": dict(+skipped),
            "failed": writer.failed(),
            "fallbacks": writer.fallbacks(),
            "slowest": writer.slowest(),
            "double_redirects": double,
            "dropped": writer.commonest_dropped(),
            "damage": [str(damage) for damage in intake.damages],
            "notes": notes,
            "pages": intake.pages,
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

    def _make_vectors(self, store: PageStore) -> dict[str, Any]:
        """What the manifest says of the vectors, or a note why there are none."""
        choice = self._decisive["dense"]
        if choice is False:
            return {"vectors": None, "notes": []}
        self._report("vectors", 0.0)
        many = self._articles > _MOST_LEADS_ON_CPU
        if choice is None and many and not encoder.has_accelerator():
            note = (
                f"No vectors were made: there is no GPU and more than {_MOST_LEADS_ON_CPU:,} "
                "articles. Build with --dense to make them all the same."
            )
            return {"vectors": None, "notes": [note]}
        name = choice if isinstance(choice, str) else encoder.PACKAGED
        try:
            encoding = encoder.load(encoder.find_model(name), many=True)
        except DenseUnavailable as error:
            if isinstance(choice, str):
                raise
            return {"vectors": None, "notes": [f"No vectors were made. {error}"]}
        return {"vectors": self._encode(store, name, encoding), "notes": []}

    def _encode(self, store: PageStore, name: str, encoding: encoder.Encoder) -> dict[str, Any]:
        work = self._layout.root / "leads.f32"
        ids = vectors.encode_leads(
            store.pages(),
            self._dump.site.lang,
            encoding,
            work,
            lambda done: self._report("vectors", done / self._articles),
        )
        self._layout.vectors.unlink(missing_ok=True)
        kind = vectors.make_faiss(work, ids, encoding.dimensions, self._layout.vectors)
        work.unlink()
        return {
            "model": name,
            "dimensions": encoding.dimensions,
            "count": len(ids),
            "kind": kind,
        }

    def _finish(self, facts: dict[str, Any]) -> Manifest:
        """Measure all parts, then write the manifest."""
        parts: dict[str, Part] = {}
        names = self._layout.parts()
        for number, name in enumerate(names):
            self._report("checksums", number / len(names))
            parts[str(name)] = Part.measure(self._layout.root / name)
        site = self._dump.site
        manifest = Manifest(
            **facts,
            dump=self._dump.name,
            dump_bytes=self._dump.bytes_total,
            bytes=sum(part.bytes for part in parts.values()),
            seconds=round(sum(self._stages.seconds.values()), 3),
            stages={name: round(took, 3) for name, took in self._stages.seconds.items()},
            memory=max(self._memory, self._stages.memory),
            rules=self._rules,
            lang=site.lang,
            sitename=site.sitename,
            case=site.case,
            options=self._decisive,
            notes=tuple(self._notes),
            parts=parts,
        )
        workplace.write_whole(self._layout.manifest, manifest.to_json())
        return manifest

    @property
    def _seconds(self) -> float:
        """Of the current stage, its interrupted runs included."""
        return self._seconds_before + time.monotonic() - self._stage_began

    def _report(self, stage: str, fraction: float) -> None:
        now = time.monotonic()
        if now - self._last_report < _REPORT_SECONDS and fraction > 0:
            return
        self._last_report = now
        held = machine.memory_in_use()
        self._memory = max(self._memory, held)
        if self._options.progress is None:
            return
        self._options.progress(
            Progress(
                stage=stage,
                fraction=min(fraction, 1.0),
                articles=self._intake.articles if self._intake else self._articles,
                pages=self._intake.pages if self._intake else self._pages,
                bytes_read=self._intake.bytes if self._intake else self._dump.bytes_total,
                bytes_total=self._dump.bytes_total,
                seconds=now - self._started,
                memory=held,
            )
        )
