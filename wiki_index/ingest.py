"""Store the results of parsing, and record which stretches of the dump are done."""

from __future__ import annotations

import contextlib
import heapq
import json
import time
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any

from wiki_index.dump import Key, damaged, describe
from wiki_index.errors import BuildError, DumpError
from wiki_index.export import Damage
from wiki_index.parsing import Parsed, Result
from wiki_index.progress import Reporter
from wiki_index.store_writer import SLOWEST, StoreWriter

_COMMIT_SECONDS = 2.0
_HISTORIES = "histories"
_LIMITED = "articles towards the limit"
"""Names of further counts, stored with the numbers of skipped pages by reason."""
_MOST_NAMED = 50
"""The maximum number of damaged places that the manifest names."""


class Ingest:
    """Stores results in the order of the dump.

    The intact pages of a damaged stretch are stored, but the stretch is not recorded as done, so
    that the next run reads it again. Its counts are added only in `link`.
    """

    def __init__(self, writer: StoreWriter, limit: int | None) -> None:
        done = writer.done().values()
        self.pages = sum(pages for pages, _ in done)
        """Pages of the dump so far: articles, redirects and failures."""
        self.bytes = sum(size for _, size in done)
        self.articles = writer.count("pages")
        self.damages: list[Damage] = []
        self._writer = writer
        self._met: dict[str, None] = dict.fromkeys(json.loads(writer.meta("damages") or "[]"))
        """Damage that precedes pages recorded by number, in this run and earlier ones."""
        self._met_last: dict[Key, list[Damage]] = {}
        self._left = None if limit is None else limit - writer.counts()[_LIMITED]
        self._dropped: Counter[str] = Counter()
        self._slowest: dict[str, float] = {}
        self._held = Counter[str](), Counter[str]()

    @property
    def full(self) -> bool:
        """Whether the limit of articles is reached."""
        return self._left is not None and self._left <= 0

    def take(self, result: Result) -> None:
        dropped: Counter[str] = Counter()
        taken, left = 0, self._left or 0
        for parsed in result.parsed:
            if self.full:
                break
            self._store(parsed)
            dropped.update(parsed.dropped)
            taken += 1
        self.pages += taken
        self.bytes += result.stretch.bytes
        counts = result.tally.skipped + Counter({_HISTORIES: result.tally.histories})
        counts += Counter({_LIMITED: left - (self._left or 0)})
        if result.tally.damages:
            self.damages += result.tally.damages
            self._met_last[result.stretch.key] = result.tally.damages
            self._held[0].update(dropped)
            self._held[1].update(counts)
            return
        if taken:
            self._met.update(dict.fromkeys(map(str, self._met_last.pop(result.stretch.key, ()))))
        self._dropped.update(dropped)
        self._writer.add_counts(counts)
        self._writer.mark_done(*result.stretch.key, taken, result.stretch.bytes)

    def _store(self, parsed: Parsed) -> None:
        is_redirect = parsed.record is not None and parsed.record.target is not None
        if parsed.record is None:
            self._writer.add_failure(parsed.title, parsed.failure)
        else:
            self._writer.add(parsed.record)
            self.articles += not is_redirect
        if parsed.fallback:
            self._writer.add_fallback(parsed.title, parsed.fallback)
        if parsed.seconds:
            self._slowest[parsed.title] = parsed.seconds
        if self._left is not None and not is_redirect:
            self._left -= 1

    def commit(self, seconds: float) -> None:
        """Commit what was stored, with the duration in seconds of all runs so far."""
        self._writer.add_dropped(self._dropped)
        self._dropped.clear()
        self._writer.add_slowest(
            dict(heapq.nlargest(SLOWEST, self._slowest.items(), key=lambda item: item[1]))
        )
        self._slowest.clear()
        self._writer.set_meta("seconds", seconds)
        self._writer.set_meta("damages", json.dumps(list(self._met)))
        self._writer.commit()

    def _tell_of_damaged(self) -> None:
        """Add the counts of damaged stretches to the others."""
        dropped, counts = self._held
        self._writer.add_dropped(dropped)
        self._writer.add_counts(counts)

    def take_all(self, results: Generator[Result], report: Reporter) -> None:
        """Store results until the end or the limit. A transaction takes about two seconds."""
        last_commit = time.monotonic()
        with contextlib.closing(results):
            for result in results:
                self.take(result)
                if time.monotonic() - last_commit > _COMMIT_SECONDS and not self._writer.collecting:
                    self.commit(report.seconds)
                    last_commit = time.monotonic()
                report.articles, report.pages = self.articles, self.pages
                report.bytes_read = self.bytes
                report("pages", self.bytes / report.bytes_total if report.bytes_total else 0.0)
                if self.full:
                    break
        self._writer.flush()
        self.commit(report.seconds)

    def check(self, dump: Path, accept_damage: bool) -> None:
        """Raise an error if the dump cannot be accepted as it is."""
        if not self.full and not self._met.keys() <= set(map(str, self.damages)):
            raise BuildError(
                f"{dump} is no longer damaged where it was when the work on it began: use --fresh "
                "to begin again with all of its pages."
            )
        if self.damages and not self.articles:
            raise DumpError(
                f"{describe(self.damages)}. No article of it can be read: download the dump "
                "again and compare its checksum."
            )
        if self.damages and not accept_damage:
            raise damaged(self.damages)
        if not self.articles:
            raise DumpError(
                f"{dump} holds no articles: a dump with the text of pages is needed "
                "(…-pages-articles.xml.bz2)."
            )

    def link(self) -> dict[str, Any]:
        """Resolve redirects to titles and return the manifest's fields about pages."""
        writer = self._writer
        stored = sum(map(writer.count, ("pages", "redirects", "failed")))
        lost = writer.link_titles()
        self._tell_of_damaged()
        skipped = writer.counts() + lost
        skipped["same page twice"] = self.pages - stored
        skipped["could not be parsed"] = writer.count("failed")
        double, histories = skipped.pop("double redirect", 0), skipped.pop(_HISTORIES, 0)
        del skipped[_LIMITED]
        notes = [f"Damage: {damage}." for damage in self.damages[:_MOST_NAMED]]
        if more := self.damages[_MOST_NAMED:]:
            notes.append(f"Damage at {len(more):,} other places.")
        if histories:
            notes.append(f"Several revisions of {histories:,} pages: the last one counts.")
        if repeated := skipped["same title as another page"]:
            notes.append(
                f"{repeated:,} pages have the same title as another: the last revision counts."
            )
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
            "damage": [str(damage) for damage in self.damages[:_MOST_NAMED]],
            "notes": notes,
            "pages": self.pages,
        }
