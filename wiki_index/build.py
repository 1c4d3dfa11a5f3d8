"""Build an index from a dump: workers parse, this process writes, a rename finishes the build.

All files are written to a directory beside the index, ``OUT.building``. An interrupted build
continues after the last transaction of `pages.db`. The later stages read `pages.db` only. The
checksums of a stage's files are computed once, when it ends, and compared when an interrupted build
continues. The manifest is written last, then the directory is renamed.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from wiki_index import build_directory, cluster, leads, machine, parsing
from wiki_index.dump import Dump, Key, Pages, Stretch
from wiki_index.earlier import Earlier
from wiki_index.errors import BuildError, DumpDamaged, DumpError, IndexDamaged
from wiki_index.ingest import Ingest
from wiki_index.languages import Site
from wiki_index.layout import FORMAT, IndexLayout, Manifest
from wiki_index.passages import PassageWriter
from wiki_index.progress import ProgressCallback, Reporter
from wiki_index.similar import TitleWriter
from wiki_index.store import PageStore
from wiki_index.store_writer import StoreWriter
from wiki_index.types import RawPage
from wiki_index.workers import parse_in_workers


@dataclass(frozen=True)
class Options:
    """The options of a build. `wiki_index.build_index` documents them."""

    workers: int | None = None
    limit: int | None = None
    dense: bool | Path | str | None = None
    fresh: bool = False
    memory: int | None = None
    accept_damage: bool = False
    ray: str | None = None
    progress: ProgressCallback | None = None
    templates: bool = False

    def of_the_index(self) -> dict[str, Any]:
        """The options that change the content of the index."""
        dense = leads.model_name(self.dense)
        return {"limit": self.limit, "dense": dense, "templates": self.templates}


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
    templates: bool = False,
    progress: ProgressCallback | None = None,
) -> Manifest:
    """Build the index of a MediaWiki dump.

    To continue an interrupted build, call this again with the same dump and options. The result is
    the same index.

    Args:
        dump: ``.xml``, ``.bz2`` (multistream or not), ``.gz``, ``.zst``, a directory of part
            files, or ``-`` for standard input.
        out: The directory of the index. It exists only when the index is complete.
        workers: The number of parsing processes. None: one per core; 0: parse in this process.
        limit: The maximum number of articles.
        dense: Make vectors of the leads; a path names a sentence-transformers directory; None:
            where there is a GPU or there are at most 5,000 articles.
        fresh: Delete unfinished work, and replace an existing index when the new one is complete.
        memory: Bytes for the whole build. None: 2 GiB, and 300 MiB per worker.
        multistream_index: The index file of a multistream dump, if it is not beside the dump.
        accept_damage: Build the index of a damaged dump without the parts that cannot be read.
        ray: Parse on the Ray cluster at this address (``auto``, ``host:port`` or ``local``).
        templates: Expand templates that are not known to this program from their pages in the
            dump, which is therefore read once more.
        progress: Called a few times a second.

    Raises:
        DumpError: the dump cannot be read, or no article of it; `DumpDamaged` where a part of it
            can't: all else is kept as unfinished work.
        BuildError: the index cannot be written there.
        KeyboardInterrupt: as it comes; the work so far is kept.
    """
    options = Options(workers, limit, dense, fresh, memory, accept_damage, ray, progress, templates)
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
    """Replace an index with the index of a newer dump. Unchanged pages are not parsed again.

    The result is the same as that of `build_index` with the options of the existing index. A page
    is unchanged if it has the same revision and this version of the program parsed it.

    Raises:
        IndexUnreadable: there is no index to update.
        DumpError, BuildError, KeyboardInterrupt: as `build_index`.
    """
    earlier = Earlier.at(index)
    options = Options(
        workers=workers,
        dense=earlier.manifest.options["dense"],
        templates=earlier.manifest.options.get("templates", False),
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
    """Pages in memory, with the interface of `Dump`."""

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
    dump: Dump | _Given, out: Path | str, options: Options, earlier: Earlier | None = None
) -> Manifest:
    layout = IndexLayout.at(out)
    build_directory.check_place(layout, options.fresh or earlier is not None)
    decisive = options.of_the_index()
    plan = machine.plan(options.workers, options.memory, dump.bytes_total)
    try:
        identity = json.dumps({"format": FORMAT, **dump.identity, **decisive}, sort_keys=True)
        with build_directory.held(layout.building, identity, options.fresh):
            build = _Build(dump, layout.building, options, decisive, plan)
            if earlier is not None:
                build.take_over(earlier)
            manifest = build.run()
            build_directory.publish(layout)
    except DumpDamaged:
        raise
    except DumpError:
        build_directory.throw_away(layout.building)
        raise
    except MemoryError as error:
        raise BuildError(
            "There is not enough memory for the build: end other programs, raise `ulimit -v`, or "
            "use fewer --workers, then run the same command again."
        ) from error
    except (OSError, sqlite3.OperationalError) as error:
        raise BuildError(
            f"The index cannot be written to {layout.building.root} ({_reason(error)}): "
            "make room or choose another place, then run the same command again."
        ) from error
    except sqlite3.DatabaseError as error:
        raise build_directory.damaged(layout.building, error) from error
    except IndexDamaged as error:
        raise build_directory.damaged(layout.building, layout.pages.name) from error
    return manifest


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def _rules(site: Site, templates: str = "") -> str:
    """A digest of everything except the page itself that determines a page's text."""
    return hashlib.sha256(f"{asdict(site)!r}{templates}".encode() + _program()).hexdigest()


@functools.cache
def _program() -> bytes:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


class _Build:
    """One run of a build in its directory. `run` executes the stages."""

    def __init__(
        self,
        dump: Dump | _Given,
        layout: IndexLayout,
        options: Options,
        decisive: dict[str, Any],
        plan: tuple[int, int],
    ) -> None:
        self._dump = dump
        self._layout = layout
        self._options = options
        self._decisive = decisive
        self._workers, self._worker_memory = plan
        self._rules = _rules(dump.site)
        self._stages = build_directory.Stages(layout)
        self._earlier: Earlier | None = None
        self._report = Reporter(dump.bytes_total, options.progress)
        self._notes = list(dump.notes)

    def take_over(self, earlier: Earlier) -> None:
        """Reuse the unchanged pages and vectors of an earlier index, unless it is damaged."""
        if earlier.is_whole():
            self._earlier = earlier
        else:
            self._notes.append("All pages were parsed: the index before is damaged.")

    def run(self) -> Manifest:
        machine.check_addresses()
        with self._report.measuring_memory():
            return self._run_stages()

    def _run_stages(self) -> Manifest:
        if damaged := self._stages.damaged(self._check):
            self._stages.forget(damaged)
            self._notes.append(
                "Made again, because it was damaged while the build was interrupted: "
                f"{', '.join(damaged)}."
            )
        if self._decisive["templates"]:
            found = self._stage("templates", self._gather_templates)
            self._rules = _rules(self._dump.site, found["digest"])
        if self._earlier is not None and not self._same_rules:
            what = "templates have changed, or " if self._decisive["templates"] else ""
            self._notes.append(
                f"All pages were parsed: {what}another version has made the index before."
            )
        facts = self._stage("pages", self._store_pages)
        self._report.articles = facts["articles"] + facts["disambiguations"]
        self._report.pages = facts.pop("pages")
        self._report.bytes_read = self._report.bytes_total
        self._notes += facts.pop("notes")
        store = PageStore(self._layout.pages)
        total = self._report.articles + facts["redirects"] + 1
        self._stage("titles", lambda: self._index_titles(store, total))
        facts["passages"] = self._stage("passages", lambda: self._index_passages(store))
        dense = self._stage("vectors", lambda: self._make_vectors(store))
        self._notes += dense.pop("notes")
        store.close()
        return self._finish({**facts, **dense, "damage": tuple(facts["damage"])})

    def _check(self, fraction: float) -> None:
        self._report("checksums", fraction)

    def _stage(self, name: str, work: Callable[[], Any]) -> Any:
        """The result of a stage. It is computed now, unless an earlier run finished the stage."""
        if name not in self._stages:
            self._report.begin()
            found = work()
            self._stages.finish(name, found, self._report.seconds, self._report.memory)
        return self._stages.found(name)

    def _gather_templates(self) -> dict[str, Any]:
        from wiki_index.template_pages import gather

        accept = self._options.accept_damage
        return gather(self._dump, self._layout.templates, self._report, accept)

    def _store_pages(self) -> dict[str, Any]:
        """Write the dump to `pages.db` and return the manifest's fields about pages."""
        writer = StoreWriter(self._layout.pages)
        try:
            self._report.begin(writer.meta("seconds") or 0.0)
            facts = writer.meta("facts")
            if facts is None:
                ingest = Ingest(writer, self._decisive["limit"])
                done = {key: pages for key, (pages, _) in writer.done().items()}
                ingest.take_all(self._results(self._dump.stretches(done)), self._report)
                ingest.check(self._dump.path, self._options.accept_damage)
                self._report("titles", 0.0)
                facts = json.dumps(ingest.link())
                writer.set_meta("facts", facts)
            writer.finish()
        except BaseException:
            writer.close()
            raise
        return json.loads(facts)

    def _results(self, stretches: Iterator[Stretch]) -> Generator[parsing.Result]:
        earlier = self._earlier.layout.pages if self._same_rules else None
        templates = self._layout.templates if self._decisive["templates"] else None
        settings = parsing.Settings(
            self._dump.site, self._worker_memory, earlier, templates=templates
        )
        if self._options.ray is not None:
            total = self._dump.bytes_total
            return cluster.parse_on_ray(stretches, settings, self._options.ray, total)
        if self._workers:
            return parse_in_workers(stretches, settings, self._workers)
        return parsing.parse_here(stretches, settings)

    @property
    def _same_rules(self) -> bool:
        return self._earlier is not None and self._earlier.manifest.rules == self._rules

    def _index_titles(self, store: PageStore, total: int) -> None:
        writer = TitleWriter(self._layout.titles)
        titles = islice(store.all_titles(), writer.count, None)
        for number, (title, page, size) in enumerate(titles, start=writer.count):
            writer.add(title, page, size)
            self._report("titles", number / total)
        writer.finish()

    def _index_passages(self, store: PageStore) -> int:
        writer = PassageWriter(self._layout.passages, self._dump.site.lang)
        done = store.count_up_to(writer.last_page)
        pages = store.pages(after=writer.last_page)
        for number, (page, article) in enumerate(pages, start=done):
            writer.add(page, article)
            self._report("passages", number / self._report.articles)
        writer.finish()
        return writer.count

    def _make_vectors(self, store: PageStore) -> dict[str, Any]:
        """The manifest's entry for the vectors, or a note that says why there are none."""
        if self._decisive["dense"] is not False:
            self._report("vectors", 0.0)
        quantised = self._layout.encoder
        name, encoding = leads.load_encoder(
            self._decisive["dense"], self._report.articles, quantised
        )
        if encoding is None:
            return {"vectors": None, "notes": [name] if name else []}
        vectors = leads.make_vectors(
            store,
            self._layout,
            self._dump.site.lang,
            name,
            encoding,
            lambda done: self._report("vectors", done / self._report.articles),
            self._earlier and self._earlier.vectors(name, quantised),
        )
        return {"vectors": vectors, "notes": []}

    def _finish(self, facts: dict[str, Any]) -> Manifest:
        stages = ("pages", "titles", "passages", "vectors")
        parts = {k: part for stage in stages for k, part in self._stages.parts(stage).items()}
        site = self._dump.site
        manifest = Manifest(
            **facts,
            dump=self._dump.name,
            dump_bytes=self._dump.bytes_total,
            bytes=sum(part.bytes for part in parts.values()),
            seconds=round(sum(self._stages.seconds.values()), 3),
            stages={name: round(took, 3) for name, took in self._stages.seconds.items()},
            memory=max(self._report.memory, self._stages.memory),
            rules=self._rules,
            lang=site.lang,
            sitename=site.sitename,
            case=site.case,
            options=self._decisive,
            notes=tuple(self._notes),
            parts=parts,
        )
        build_directory.write_whole(self._layout.manifest, manifest.to_json())
        return manifest
