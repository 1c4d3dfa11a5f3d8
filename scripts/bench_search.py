#!/usr/bin/env python
"""Benchmark of the search for titles at scale: time and recall, compared with two other ways.

    scripts/make_title_index.py /tmp/titles --titles 5000000
    scripts/bench_search.py /tmp/titles --others 0
    scripts/bench_search.py /tmp/titles --meaning /tmp/multihop-29k

The queries are titles of ``../shared/data/multihop-29k`` with one edit each. Latencies are
processor time, which a busy machine changes little, and by the clock. With --meaning, an index of
that dump with vectors is queried for pages by other names than their titles, with the vectors and
without. Results go to standard output as JSON, progress to standard error.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import statistics
import string
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import click
from make_title_index import real_titles

from wiki_index import WikiIndex
from wiki_index.leads import lead
from wiki_index.store import PageStore
from wiki_index.titles import fold

ROOT = Path(__file__).resolve().parents[1]
FOUND = 2_000
Edit = Callable[[str, random.Random], str]
Search = Callable[[str], Sequence[str]]

OPENING = """
import sys, time
from wiki_index import WikiIndex
from wiki_index.machine import memory_in_use
began = time.process_time()
index = WikiIndex.open(sys.argv[1])
opened = time.process_time() - began
index.find(sys.argv[2])
index.similar(sys.argv[2])
print(opened, memory_in_use() / 1e6)
"""
# One edit each. An edit that changes nothing is not asked for.


def exact(title: str, rng: random.Random) -> str:
    return title


def typo(title: str, rng: random.Random) -> str:
    """A letter lost, doubled by another, replaced, or swapped with the next."""
    at, letter = rng.randrange(len(title)), rng.choice(string.ascii_lowercase)
    return rng.choice(
        [
            title[:at] + title[at + 1 :],
            title[:at] + letter + title[at:],
            title[:at] + letter + title[at + 1 :],
            title[:at] + title[at + 1 : at + 2] + title[at : at + 1] + title[at + 2 :],
        ]
    )


def two_typos(title: str, rng: random.Random) -> str:
    return typo(typo(title, rng), rng) if len(title) > 8 else title


def swapped_words(title: str, rng: random.Random) -> str:
    words = title.split()
    rng.shuffle(words)
    return " ".join(words)


def missing_word(title: str, rng: random.Random) -> str:
    words = title.split()
    if len(words) < 3:
        return title
    del words[rng.randrange(len(words))]
    return " ".join(words)


def extra_word(title: str, rng: random.Random) -> str:
    words = title.split()
    words.insert(rng.randrange(len(words) + 1), rng.choice(["the", "of", "film", "new", "story"]))
    return " ".join(words)


def plain_letters(title: str, rng: random.Random) -> str:
    """Other spellings of letters: no diacritics, and what a keyboard without them writes."""
    spelled = title.replace("ü", "ue").replace("ö", "oe").replace("ä", "ae").replace("ø", "oe")
    spelled = spelled.replace("å", "aa").replace("š", "sh").replace("č", "ch").replace("ž", "zh")
    decomposed = unicodedata.normalize("NFD", spelled)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def other_gloss(title: str, rng: random.Random) -> str:
    base = re.sub(r" \([^()]*\)$", "", title)
    return f"{base} ({rng.choice(['film', 'album', 'singer', 'place', '1990'])})"


def plural(title: str, rng: random.Random) -> str:
    return title[:-1] if title.endswith("s") else f"{title}s"


def joined(title: str, rng: random.Random) -> str:
    return title.replace(" ", "", 1)


EDITS: tuple[Edit, ...] = (
    exact, typo, two_typos, swapped_words, missing_word, extra_word, plain_letters, other_gloss,
    plural, joined,
)  # fmt: skip


# Other names of a page, from its lead; None where it has none.

WORDS = {
    "film": "movie", "band": "music group", "song": "track", "novel": "book", "ship": "vessel",
    "footballer": "soccer player", "actor": "performer", "singer": "vocalist", "album": "record",
    "TV series": "television show", "politician": "statesman", "company": "firm", "war": "conflict",
    "battle": "fight", "church": "chapel", "river": "stream", "county": "district",
    "school": "academy", "football club": "soccer team", "railway station": "train stop",
    "king": "monarch",
}  # fmt: skip
ALSO = re.compile(
    r"(?:also|better|commonly|formerly) (?:known|called) as ([A-Z][\w .'-]{3,40})[,;)]"
)
IS = re.compile(r" (?:is|was|are|were) (?:an?|the) ([^.;]{20,120})")


def other_name(title: str, text: str) -> str | None:
    """What the lead says it is also known as."""
    found = ALSO.search(text)
    return found[1].strip() if found else None


def synonym(title: str, text: str) -> str | None:
    """A word of the title in another word."""
    for word, other in WORDS.items():
        if re.search(rf"\b{word}\b", title, re.IGNORECASE):
            return re.sub(rf"\b{word}\b", other, title, count=1, flags=re.IGNORECASE)
    return None


def description(title: str, text: str) -> str | None:
    """What the lead says that it is."""
    found = IS.search(text)
    return found[1] if found else None


NAMES = (other_name, synonym, description)


class Timed:
    """How many were asked and found, and the milliseconds of each: of processors, by the clock."""

    def __init__(self) -> None:
        self.found = 0
        self.times: list[float] = []
        self.clock: list[float] = []

    def ask(self, search: Callable[[str], object], query: str, title: str = "") -> None:
        began, spent = time.perf_counter(), time.process_time()
        answer = search(query)
        self.clock.append(1000 * (time.perf_counter() - began))
        self.times.append(1000 * (time.process_time() - spent))
        self.found += isinstance(answer, Sequence) and title in answer

    def times_told(self) -> dict[str, float]:
        told = {}
        for name, times in (("", self.times), ("clock_", self.clock)):
            times = sorted(times)
            told[f"{name}p50_ms"] = round(statistics.median(times), 3)
            told[f"{name}p99_ms"] = round(times[int(0.99 * (len(times) - 1))], 3)
        return told

    def told(self) -> dict[str, float]:
        asked = len(self.times)
        if not asked:
            return {"asked": 0}
        return {"asked": asked, "recall@5": round(self.found / asked, 3)} | self.times_told()


def opening(index: Path, title: str) -> dict[str, float]:
    """Of an index in a fresh process; memory is what it holds after a first search."""
    command = [sys.executable, "-c", OPENING, str(index.resolve()), title]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, told.stdout.split())
    return {"open_s": round(seconds, 4), "megabytes": round(megabytes, 1)}


def finding(index: WikiIndex, path: Path, real: Sequence[str], rng: random.Random) -> dict:
    """Titles that are there as they stand, in other letters, and redirects."""
    redirects = [
        row[0]
        for row in sqlite3.connect(path / "pages.db").execute(
            "SELECT title FROM titles WHERE redirect LIMIT ?", (FOUND,)
        )
    ]
    exact = rng.sample(real, min(FOUND, len(real)))
    kinds = {"exact": exact, "folded": [title.lower() for title in exact], "redirect": redirects}
    told = {}
    for kind, queries in kinds.items():
        timed = Timed()
        for query in queries:
            timed.ask(index.find, query)
        told[kind] = timed.times_told()
    return told


def edited(search: Search, real: Sequence[str], queries: int, seed: int) -> dict[str, dict]:
    told = {}
    for edit in EDITS:
        rng, timed = random.Random(seed), Timed()
        for title in rng.sample(real, len(real)):
            query = edit(title, rng)
            if len(title) >= 4 and (query != title or edit is exact):
                timed.ask(search, query, title)
            if len(timed.times) == queries:
                break
        told[edit.__name__] = timed.told()
        print(edit.__name__, told[edit.__name__], file=sys.stderr)
    return told


def named(path: Path, queries: int, seed: int) -> dict[str, dict]:
    """Pages by other names: those of an index with vectors, by these and by letters alone."""
    told: dict[str, dict] = {}
    pages = [(a.title, lead(a, "en")) for _, a in PageStore(path / "pages.db").pages()]
    with WikiIndex.open(path) as index, WikiIndex.open(path) as by_letters:
        if index.manifest.vectors is None:
            raise click.ClickException(f"{path} has no vectors: build it with --dense.")
        by_letters.manifest = replace(by_letters.manifest, vectors=None)
        for kind in NAMES:
            rng, with_vectors, without = random.Random(seed), Timed(), Timed()
            for title, text in rng.sample(pages, len(pages)):
                query = kind(title, text)
                if query is None or index.find(query) is not None:
                    continue
                with_vectors.ask(index.similar, query, title)
                without.ask(by_letters.similar, query, title)
                if len(with_vectors.times) == queries:
                    break
            told[kind.__name__] = {"vectors": with_vectors.told(), "letters": without.told()}
            print(kind.__name__, told[kind.__name__], file=sys.stderr)
        told["edits with vectors"] = edited(index.similar, [t for t, _ in pages], queries, seed)
        told["edits by letters"] = edited(by_letters.similar, [t for t, _ in pages], queries, seed)
    return told


def all_titles(path: Path) -> list[str]:
    rows = sqlite3.connect(path / "pages.db").execute("SELECT title FROM titles")
    return [title for (title,) in rows]


def by_rapidfuzz(titles: Sequence[str], directory: Path) -> Search:
    """rapidfuzz's best ratios over all titles, both folded."""
    from rapidfuzz import fuzz, process

    folded = [fold(title) for title in titles]

    def search(query: str) -> list[str]:
        best = process.extract(fold(query), folded, scorer=fuzz.ratio, limit=5)
        return [titles[place] for _, _, place in best]

    return search


def by_fts5(titles: Sequence[str], directory: Path) -> Search:
    """SQLite's full text index of trigrams, any of them, ranked by BM25."""
    db = sqlite3.connect(directory / "fts5.db")
    db.execute("CREATE VIRTUAL TABLE t USING fts5(title, tokenize='trigram', detail=full)")
    db.executemany("INSERT INTO t (rowid, title) VALUES (?, ?)", enumerate(map(fold, titles), 1))
    db.commit()

    def search(query: str) -> list[str]:
        text = fold(query)
        grams = dict.fromkeys(text[i : i + 3] for i in range(len(text) - 2))
        match = " OR ".join(f'"{gram}"' for gram in grams)
        sql = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 5"
        return [titles[row - 1] for (row,) in db.execute(sql, (match,))] if match else []

    return search


@click.command()
@click.argument("index", type=click.Path(exists=True, path_type=Path))
@click.option("--queries", default=300, show_default=True, help="Queries of each kind.")
@click.option(
    "--others", default=20, show_default=True, help="Queries of each kind for the other ways."
)
@click.option(
    "--meaning", type=click.Path(exists=True, path_type=Path), help="An index with vectors."
)
@click.option("--seed", default=7, show_default=True)
def main(index: Path, queries: int, others: int, meaning: Path | None, seed: int) -> None:
    """Measure the search for titles on an INDEX of `make_title_index.py`."""
    real = list(real_titles())
    with WikiIndex.open(index) as opened:
        opened.similar("The first loads the model")
        result: dict = {
            "titles": opened.manifest.articles + opened.manifest.redirects,
            "bytes": opened.manifest.bytes,
            "opening": opening(index, real[0]),
            "finding": finding(opened, index, real, random.Random(seed)),
            "similar": edited(opened.similar, real, queries, seed),
        }
    if others:
        titles = all_titles(index)
        with tempfile.TemporaryDirectory(prefix="bench-search-") as place:
            for other in (by_rapidfuzz, by_fts5):
                print(other.__name__, file=sys.stderr)
                search = other(titles, Path(place))
                result[other.__name__] = edited(search, real, others, seed)
    if meaning is not None:
        result["meaning"] = named(meaning, queries, seed)
    click.echo(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
