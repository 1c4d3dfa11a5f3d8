#!/usr/bin/env python
"""Write a multistream dump of artificial pages, with its index, of any size.

    scripts/make_synthetic_dump.py /tmp/made --pages 1000000 --stubs

With --stubs, articles have only a lead, like most articles of a young wiki. Otherwise pages have
the elements of real ones (leads, sections, links, references, infoboxes, tables, lists, templates,
redirects, a few talk pages), in words of an artificial language whose frequencies follow Zipf's
law. The output is reproducible.
"""

from __future__ import annotations

import bz2
import random
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import click

PAGES_A_STREAM = 100
WORDS = 30_000
SENTENCES = 20_000
HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Made-up Wiki</sitename>
    <dbname>madewiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="10" case="first-letter">Template</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""


class Maker:
    """Pages of a made-up wiki: a stock of words and sentences, and what is built of them."""

    def __init__(self, seed: int, stubs: bool = False) -> None:
        self._stubs = stubs
        self._random = random.Random(seed)
        syllables = [c + v for c in "bdfgklmnprstvz" for v in ("a", "e", "i", "o", "u", "an", "er")]
        self._words = [
            "".join(self._random.choices(syllables, k=self._random.randint(1, 4)))
            for _ in range(WORDS)
        ]
        self._weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
        self._sentences = [self._sentence() for _ in range(SENTENCES)]

    def pages(self, count: int) -> Iterator[str]:
        for number in range(1, count + 1):
            title, redirect, namespace = self.title(number), "", 0
            if number % 5 == 0:
                target = self.title(number - 1)
                redirect = f"<redirect title={quoteattr(target)} />"
                text = f"#REDIRECT [[{target}]]"
            elif number % 97 == 0:
                title, namespace, text = f"Talk:{title}", 1, self._prose(2)
            else:
                text = self._article(title, number)
            yield (
                f"  <page>\n    <title>{escape(title)}</title>\n    <ns>{namespace}</ns>\n"
                f"    <id>{number}</id>{redirect}\n    <revision>\n"
                f"      <id>{10_000_000 + number}</id>\n"
                f"      <timestamp>2026-01-01T00:00:00Z</timestamp>\n"
                f"      <model>wikitext</model>\n      <format>text/x-wiki</format>\n"
                f'      <text xml:space="preserve">{escape(text)}</text>\n'
                "    </revision>\n  </page>\n"
            )

    def title(self, number: int) -> str:
        """The same for the same number, whatever was made before."""
        rng = random.Random(number)
        words = rng.choices(self._words, cum_weights=self._weights, k=rng.randint(1, 3))
        return f"{' '.join(words).capitalize()} {number}"

    def _sentence(self) -> str:
        count = self._random.randint(6, 24)
        words = self._random.choices(self._words, cum_weights=self._weights, k=count)
        return f"{' '.join(words).capitalize()}."

    def _prose(self, sentences: int) -> str:
        return " ".join(self._random.choices(self._sentences, k=sentences))

    def _article(self, title: str, number: int) -> str:
        rng = self._random
        known = self.title(max(1, number - rng.randint(1, 400)))
        parts = [
            f"{{{{Infobox place\n| name = {title}\n| area = {rng.randint(1, 9_999)}\n"
            f"| image = {title}.jpg\n| founded = {rng.randint(900, 2020)}\n}}}}\n"
            f"'''{title}''' is a place by [[{known}]]. {self._prose(4)}"
            f"<ref>{{{{cite book|title={title}|year={rng.randint(1900, 2020)}}}}}</ref>"
        ]
        if self._stubs:
            return parts[0]
        for section in range(rng.choice((0, 1, 1, 2, 3, 6))):
            parts.append(
                f"== Part {section + 1} ==\n{self._prose(rng.randint(3, 9))} It is "
                f"{{{{convert|{rng.randint(1, 900)}|km|mi}}}} from [[{known}|there]].\n\n"
                f"{self._prose(rng.randint(2, 6))}"
            )
        if number % 7 == 0:
            rows = "".join(f"|-\n| {n} || {self._prose(1)}\n" for n in range(rng.randint(2, 20)))
            parts.append(f'{{| class="wikitable"\n! Number !! Words\n{rows}|}}')
        if number % 3 == 0:
            parts.append("== See also ==\n" + f"* [[{known}]]\n" * 3)
        parts.append("{{Reflist}}\n[[Category:Places]]")
        return "\n\n".join(parts)


def write_dump(directory: Path, pages: int, seed: int = 1, stubs: bool = False) -> Path:
    """Write the dump and the index beside it; answer the dump's path."""
    directory.mkdir(parents=True, exist_ok=True)
    kind = "stubs" if stubs else "pages"
    name = f"madewiki-{pages}-{kind}-articles-multistream"
    dump = directory / f"{name}.xml.bz2"
    made = Maker(seed, stubs)
    numbers = iter(range(1, pages + 1))
    source = made.pages(pages)
    with dump.open("wb") as out, bz2.open(directory / f"{name}-index.txt.bz2", "wt") as index:
        out.write(bz2.compress(HEAD.encode()))
        while stream := list(islice(source, PAGES_A_STREAM)):
            for number in islice(numbers, len(stream)):
                index.write(f"{out.tell()}:{number}:{made.title(number)}\n")
            out.write(bz2.compress("".join(stream).encode()))
        out.write(bz2.compress(b"</mediawiki>\n"))
    return dump


@click.command()
@click.argument("directory", type=click.Path(path_type=Path))
@click.option("--pages", type=click.IntRange(min=1), default=100_000, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--stubs", is_flag=True, help="Articles of one paragraph.")
def main(directory: Path, pages: int, seed: int, stubs: bool) -> None:
    """Write a dump of made-up pages and its index into DIRECTORY."""
    click.echo(write_dump(directory, pages, seed, stubs))


if __name__ == "__main__":
    main()
