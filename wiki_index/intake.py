"""The results of parsing into the store, each with the mark that it is done."""

from __future__ import annotations

import heapq
from collections import Counter

from wiki_index.export import Damage
from wiki_index.parsing import Parsed, Result
from wiki_index.store import SLOWEST, StoreWriter

HISTORIES = "histories"
"""The name of a count beside the reasons for which pages are skipped."""


class Intake:
    """Stores results in the order of the dump.

    What of a damaged stretch is whole is stored, but not marked as done, so that the next run
    tries it again; what is to be told of it is held back until `accept_damage`.
    """

    def __init__(self, writer: StoreWriter, limit: int | None) -> None:
        done = writer.done().values()
        self.pages = sum(pages for pages, _ in done)
        """Of the dump: articles, redirects and failures."""
        self.bytes = sum(size for _, size in done)
        self.articles = writer.count("pages")
        self.damages: list[Damage] = []
        self._writer = writer
        self._left = None if limit is None else limit - self.articles - writer.count("failed")
        self._dropped: Counter[str] = Counter()
        self._slowest: dict[str, float] = {}
        self._held = Counter[str](), Counter[str]()

    @property
    def full(self) -> bool:
        """Whether the limit of articles is reached."""
        return self._left is not None and self._left <= 0

    def take(self, result: Result) -> None:
        dropped: Counter[str] = Counter()
        taken = 0
        for parsed in result.parsed:
            if self.full:
                break
            self._store(parsed)
            dropped.update(parsed.dropped)
            taken += 1
        self.pages += taken
        self.bytes += result.stretch.bytes
        counts = result.tally.skipped + Counter({HISTORIES: result.tally.histories})
        if result.tally.damage is not None:
            self.damages.append(result.tally.damage)
            self._held[0].update(dropped)
            self._held[1].update(counts)
            return
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
        """Keep all that was taken, with the seconds that it took since the first run began."""
        self._writer.add_dropped(self._dropped)
        self._dropped.clear()
        self._writer.add_slowest(
            dict(heapq.nlargest(SLOWEST, self._slowest.items(), key=lambda item: item[1]))
        )
        self._slowest.clear()
        self._writer.set_meta("seconds", seconds)
        self._writer.commit()

    def accept_damage(self) -> None:
        """Tell of damaged stretches as of the others."""
        dropped, counts = self._held
        self._writer.add_dropped(dropped)
        self._writer.add_counts(counts)
