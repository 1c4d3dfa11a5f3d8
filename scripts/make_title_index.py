#!/usr/bin/env python
"""Make an index with any number of titles, to benchmark the search for titles.

    scripts/make_title_index.py /tmp/titles-5m --titles 5000000
    scripts/make_title_index.py /tmp/titles-5m --titles 5000000 --vectors /tmp/multihop-29k

The real titles are those of ``../shared/data/multihop-29k``; the others consist of their words and
of new words, with the same lengths. One in ten is a redirect. Pages have one sentence, but are
recorded with the sizes of real ones. With --vectors, the real titles get those of an index of that
dump, and the others made ones around them (`bench_vectors.py`). The output is reproducible.
"""

from __future__ import annotations

import bz2
import html
import random
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import bench_vectors
import click
import numpy as np

from wiki_index.dense import VectorIndex
from wiki_index.encoder import PACKAGED
from wiki_index.layout import IndexLayout, Manifest, Part
from wiki_index.passages import PassageWriter
from wiki_index.similar import TitleWriter
from wiki_index.store import PageStore, Record, encode
from wiki_index.store_writer import StoreWriter
from wiki_index.types import Article, Section

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
DUMP = DATA / "multihop-29k-multistream.xml.bz2"
FIRST_REDIRECT = 30_010
REDIRECT_EVERY = 10


def real_titles() -> dict[str, int]:
    """Title -> size of the text, of every page of the dump."""
    if not DUMP.exists():
        raise click.ClickException(f"{DUMP} is not there: nothing is measured.")
    pages = re.compile(r"<title>(.*?)</title>.*?<text[^>]*bytes=\"(\d+)\"", re.DOTALL)
    with bz2.open(DUMP, "rt", encoding="utf-8") as dump:
        found = pages.findall(dump.read())
    return {html.unescape(title): int(size) for title, size in found}


def made_titles(real: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Titles of as many words as the real ones, of these words and, one in five, of new ones."""
    words = [word for title in real for word in title.split()]
    lengths = [len(title.split()) for title in real]
    syllables = [w[i : i + 3] for w in words for i in range(0, len(w) - 2, 3) if w.isalpha()]
    while True:
        chosen = [
            "".join(rng.choices(syllables, k=rng.randint(2, 3))).capitalize()
            if rng.random() < 0.2
            else rng.choice(words)
            for _ in range(rng.choice(lengths))
        ]
        yield " ".join(chosen)


def all_titles(count: int, rng: random.Random) -> Iterator[tuple[str, int]]:
    """So many different titles, the real ones first, with sizes that real pages have."""
    real = real_titles()
    sizes = list(real.values())
    yield from real.items()
    seen = set(real)
    for title in made_titles(list(real), rng):
        if len(seen) >= count:
            return
        if title not in seen:
            seen.add(title)
            yield title, rng.choice(sizes)


def is_redirect(number: int) -> bool:
    return number >= FIRST_REDIRECT and number % REDIRECT_EVERY == 0


def fill_store(layout: IndexLayout, count: int, rng: random.Random) -> None:
    """Pages, and redirects to the pages before them."""
    writer = StoreWriter(layout.pages)
    page = ""
    for number, (title, size) in enumerate(all_titles(count, rng), start=1):
        if is_redirect(number):
            writer.add(Record(number, title, target=page))
            continue
        page = title
        body = encode(Article(title, "article", (Section("", 1, (f"{title} is a thing.",)),)))
        writer.add(Record(number, title, size=size, body=body))
    writer.flush()
    writer.link_titles()
    writer.finish()


def fill_titles(layout: IndexLayout, store: PageStore) -> None:
    writer = TitleWriter(layout.titles)
    for title, page, size in store.all_titles():
        writer.add(title, page, size)
    writer.finish()


def fill_vectors(layout: IndexLayout, count: int, source: Path) -> dict[str, Any]:
    """Vectors of the real titles, from an index that has them, and made ones of the others."""
    of_real = read_vectors(source)
    real = list(real_titles())
    kept = [number for number, title in enumerate(real, start=1) if title in of_real]
    rows = np.stack([of_real[real[number - 1]] for number in kept])
    made = [number for number in range(len(real) + 1, count + 1) if not is_redirect(number)]
    kind = bench_vectors.make(rows, np.array(made), layout.vectors, kept)
    if (encoder := IndexLayout.at(source).encoder).is_dir():
        shutil.copytree(encoder, layout.encoder)
    dimensions, count = rows.shape[1], len(made) + len(kept)
    return {"model": PACKAGED, "dimensions": dimensions, "count": count, "kind": kind}


def read_vectors(index: Path) -> dict[str, np.ndarray]:
    """Title -> the vector of its lead."""
    layout = IndexLayout.at(index)
    described = Manifest.read(layout.manifest).vectors
    if described is None:
        raise click.ClickException(f"{index} has no vectors: build it with --dense.")
    vectors, store = VectorIndex(layout.vectors, described), PageStore(layout.pages)
    found = ((article.title, vectors.vector(page)) for page, article in store.pages())
    return {title: vector for title, vector in found if vector is not None}


def make_index(directory: Path, count: int, seed: int, vectors: Path | None) -> None:
    """Make the index, unless it is there."""
    layout = IndexLayout.at(directory)
    if layout.manifest.exists():
        return
    shutil.rmtree(layout.root, ignore_errors=True)
    layout.root.mkdir(parents=True)
    fill_store(layout, count, random.Random(seed))
    store = PageStore(layout.pages)
    fill_titles(layout, store)
    store.close()
    PassageWriter(layout.passages, "en").finish()
    described = fill_vectors(layout, count, vectors) if vectors else None
    parts = {str(name): Part.measure(layout.root / name) for name in layout.parts()}
    redirects = sum(map(is_redirect, range(1, count + 1)))
    manifest = Manifest(
        articles=count - redirects,
        redirects=redirects,
        disambiguations=0,
        passages=0,
        dump="made titles",
        bytes=sum(part.bytes for part in parts.values()),
        seconds=0.0,
        skipped={},
        dump_bytes=0,
        lang="en",
        sitename="Made-up Wiki",
        case="first-letter",
        options={"limit": None, "dense": vectors is not None},
        parts=parts,
        vectors=described,
    )
    layout.manifest.write_text(manifest.to_json(), encoding="utf-8")


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--titles", type=click.IntRange(min=30_001), default=100_000, show_default=True)
@click.option("--seed", type=int, default=7, show_default=True)
@click.option("--vectors", type=click.Path(exists=True, path_type=Path), help="An index with some.")
def main(directory: Path, titles: int, seed: int, vectors: Path | None) -> None:
    """Make an index of made-up titles in DIRECTORY, unless it is there."""
    make_index(directory, titles, seed, vectors)
    click.echo(directory)


if __name__ == "__main__":
    main()
