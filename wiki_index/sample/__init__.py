"""The sample wiki: pages of our own in real wikitext, with questions and claims about them.

`write_dump` makes the dump that Wikimedia would publish of it, the same bytes every time
(https://meta.wikimedia.org/wiki/Data_dumps/Dump_format): a bz2 stream of siteinfo, streams of up
to a hundred pages, a closing stream, and beside it the index of the streams.
"""

from __future__ import annotations

import bz2
import hashlib
import json
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from wiki_index.languages import Site, redirect_target
from wiki_index.types import RawPage

__all__ = ["claims", "questions", "sample_pages", "write_dump"]

_PAGES_A_STREAM = 100
_FIRST_REVISION = 1_000_000
_TIMESTAMP = "2026-01-01T00:00:00Z"
_NAME = "react-local sample wiki"
_EXPORT = "http://www.mediawiki.org/xml/export-0.11/"
_BASE_36 = "0123456789abcdefghijklmnopqrstuvwxyz"


def sample_pages() -> list[RawPage]:
    """All pages and redirects, ids from 1 in the order of their titles."""
    site = Site.default()
    sources = sorted(_sources())
    return [
        RawPage(
            title=title,
            namespace=0,
            id=number,
            text=text,
            redirect=redirect_target(text, site),
            revision=_FIRST_REVISION + number,
        )
        for number, (title, text) in enumerate(sources, start=1)
    ]


def questions() -> list[dict[str, Any]]:
    """Questions that the sample answers, with ``question``, ``answer``, ``supporting_titles``."""
    return _read_lines("questions.jsonl")


def claims() -> list[dict[str, Any]]:
    """Claims on the sample, with ``claim``, ``label`` and ``evidence_titles``."""
    return _read_lines("claims.jsonl")


def write_dump(directory: Path | str) -> Path:
    """Write ``sample-multistream.xml.bz2`` and its index there; answer the dump's path."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    dump = directory / "sample-multistream.xml.bz2"
    lines: list[str] = []
    pages = iter(sample_pages())
    with dump.open("wb") as file:
        file.write(bz2.compress(_siteinfo().encode()))
        while stream := list(islice(pages, _PAGES_A_STREAM)):
            lines.extend(f"{file.tell()}:{page.id}:{page.title}\n" for page in stream)
            file.write(bz2.compress("".join(map(_page, stream)).encode()))
        file.write(bz2.compress(b"</mediawiki>\n"))
    index = directory / "sample-multistream-index.txt.bz2"
    index.write_bytes(bz2.compress("".join(lines).encode()))
    return dump


def _sources() -> Iterator[tuple[str, str]]:
    for theme in (files(__name__) / "pages").iterdir():
        if theme.is_dir():
            for file in theme.iterdir():
                name = unicodedata.normalize("NFC", file.name)
                if name.endswith(".wiki"):
                    title = name.removesuffix(".wiki").replace("_", " ")
                    yield title, file.read_text(encoding="utf-8").strip()


def _read_lines(name: str) -> list[dict[str, Any]]:
    text = (files(__name__) / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _siteinfo() -> str:
    names = {0: "", **Site.default().namespaces}
    namespaces = "".join(
        f'      <namespace key="{key}" case="first-letter">{escape(name)}</namespace>\n'
        for key, name in sorted(names.items())
    )
    return (
        f'<mediawiki xmlns="{_EXPORT}" version="0.11" xml:lang="en">\n'
        "  <siteinfo>\n"
        f"    <sitename>{_NAME}</sitename>\n"
        "    <dbname>samplewiki</dbname>\n"
        "    <generator>react-local</generator>\n"
        "    <case>first-letter</case>\n"
        f"    <namespaces>\n{namespaces}    </namespaces>\n"
        "  </siteinfo>\n"
    )


def _page(page: RawPage) -> str:
    digest = _sha1(page.text)
    redirect = ""
    if page.redirect is not None:
        redirect = f"    <redirect title={quoteattr(page.redirect.partition('#')[0])} />\n"
    return (
        "  <page>\n"
        f"    <title>{escape(page.title)}</title>\n"
        f"    <ns>{page.namespace}</ns>\n"
        f"    <id>{page.id}</id>\n"
        f"{redirect}"
        "    <revision>\n"
        f"      <id>{page.revision}</id>\n"
        f"      <timestamp>{_TIMESTAMP}</timestamp>\n"
        "      <contributor><username>react-local</username><id>1</id></contributor>\n"
        "      <model>wikitext</model>\n"
        "      <format>text/x-wiki</format>\n"
        f'      <text bytes="{len(page.text.encode())}" sha1="{digest}" xml:space="preserve">'
        f"{escape(page.text)}</text>\n"
        f"      <sha1>{digest}</sha1>\n"
        "    </revision>\n"
        "  </page>\n"
    )


def _sha1(text: str) -> str:
    """SHA-1 as MediaWiki writes it: 31 digits in base 36."""
    number = int.from_bytes(hashlib.sha1(text.encode()).digest(), "big")
    digits = []
    while number:
        number, digit = divmod(number, 36)
        digits.append(_BASE_36[digit])
    return "".join(reversed(digits)).rjust(31, "0")
