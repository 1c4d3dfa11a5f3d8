"""Similar titles at scale: recall among five and latency, against two other ways to find them.

    python scripts/bench_search.py --titles 1000000

The titles are those of ``../shared/data/multihop-29k``, asked for with one edit each, among
script-made ones of their words and of new words. Latencies are processor time, so that a busy
machine does not change them. Results go to standard output as JSON, progress to standard error.
"""

from __future__ import annotations

import argparse
import bz2
import html
import json
import random
import re
import resource
import sqlite3
import statistics
import string
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wiki_index.similar import TitleIndex, TitleWriter
from wiki_index.titles import fold

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DUMP = DATA / "multihop-29k-multistream.xml.bz2"
Edit = Callable[[str, random.Random], str]
Search = Callable[[str], Sequence[str]]


def real_titles() -> list[tuple[str, int]]:
    """Title and size of the text of every page of the dump."""
    if not DUMP.exists():
        raise SystemExit(f"{DUMP} is not there: nothing is measured")
    pages = re.compile(r"<title>(.*?)</title>.*?<text[^>]*bytes=\"(\d+)\"", re.DOTALL)
    with bz2.open(DUMP, "rt", encoding="utf-8") as dump:
        text = dump.read()
    return [(html.unescape(title), int(size)) for title, size in pages.findall(text)]


def made_titles(real: Sequence[str], count: int, rng: random.Random) -> Iterator[str]:
    """Titles of as many words as the real ones, of these words and, one in five, of new ones."""
    words = [word for title in real for word in title.split()]
    lengths = [len(title.split()) for title in real]
    syllables = [w[i : i + 3] for w in words for i in range(0, len(w) - 2, 3) if w.isalpha()]
    for _ in range(count):
        chosen = [
            "".join(rng.choices(syllables, k=rng.randint(2, 3))).capitalize()
            if rng.random() < 0.2
            else rng.choice(words)
            for _ in range(rng.choice(lengths))
        ]
        yield " ".join(chosen)


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


def measure(search: Search, real: Sequence[str], queries: int, seed: int) -> dict[str, dict]:
    """Recall among five, and processor time in milliseconds, by kind of edit."""
    told = {}
    for edit in EDITS:
        rng = random.Random(seed)
        asked, found, times = 0, 0, []
        for title in rng.sample(real, len(real)):
            query = edit(title, rng)
            if (query == title and edit is not exact) or len(title) < 4:
                continue
            start = time.process_time()
            answer = search(query)
            times.append(1000 * (time.process_time() - start))
            found += title in answer
            asked += 1
            if asked == queries:
                break
        times.sort()
        told[edit.__name__] = {
            "asked": asked,
            "recall@5": round(found / max(asked, 1), 3),
            "p50_ms": round(statistics.median(times), 2) if times else None,
            "p99_ms": round(times[int(0.99 * (len(times) - 1))], 2) if times else None,
        }
        print(edit.__name__, told[edit.__name__], file=sys.stderr)
    return told


def ours(titles: Sequence[str], sizes: Sequence[int], directory: Path) -> Search:
    writer = TitleWriter(directory / "titles")
    for page in sorted(range(len(titles)), key=lambda page: -sizes[page]):
        writer.add(titles[page], page, sizes[page])
    writer.finish()
    index = TitleIndex(directory / "titles")
    return lambda query: [titles[page] for page in index.similar(query, 5)]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--titles", type=int, default=100_000, help="how many in all")
    parser.add_argument("--queries", type=int, default=300, help="of each kind")
    parser.add_argument("--others", type=int, default=20, help="queries of each kind to the others")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    pages = real_titles()
    real = [title for title, _ in pages]
    titles = list(dict.fromkeys(real))
    size_of = dict(pages)
    sizes = [size_of[title] for title in titles]
    extra = max(options.titles - len(titles), 0)
    titles += made_titles(real, extra, rng)
    sizes += [rng.randrange(500, 20_000) for _ in range(extra)]
    result: dict = {"titles": len(titles), "seed": options.seed}
    with tempfile.TemporaryDirectory(prefix="bench-search-") as place:
        start = time.process_time()
        search = ours(titles, sizes, Path(place))
        result["build_cpu_s"] = round(time.process_time() - start, 1)
        index = Path(place) / "titles"
        result["bytes"] = sum(part.stat().st_size for part in index.iterdir())
        print(result, file=sys.stderr)
        result["ours"] = measure(search, real, options.queries, options.seed)
        if options.others:
            for other in (by_rapidfuzz, by_fts5):
                print(other.__name__, file=sys.stderr)
                found = other(titles, Path(place))
                result[other.__name__] = measure(found, real, options.others, options.seed)
    result["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
