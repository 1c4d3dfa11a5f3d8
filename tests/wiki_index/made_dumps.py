"""Dumps made on the spot: a few pages as MediaWiki would export them."""

from __future__ import annotations

import bz2
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from wiki_index.types import RawPage

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Testipedia</sitename>
    <dbname>testwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
      <namespace key="10" case="first-letter">Template</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>\n"


def page_xml(page: RawPage) -> str:
    redirect = ""
    if page.redirect is not None:
        redirect = f"<redirect title={quoteattr(page.redirect.partition('#')[0])} />"
    return (
        f"  <page><title>{escape(page.title)}</title><ns>{page.namespace}</ns><id>{page.id}</id>"
        f"{redirect}<revision><id>{page.revision or 1}</id><model>{page.model}</model>"
        f'<text xml:space="preserve">{escape(page.text)}</text></revision></page>\n'
    )


def dump_xml(pages: Iterable[RawPage]) -> bytes:
    return (HEAD + "".join(map(page_xml, pages)) + TAIL).encode()


def dump_multistream(pages: list[RawPage], size: int = 5) -> bytes:
    streams = [pages[i : i + size] for i in range(0, len(pages), size)]
    bodies = ["".join(map(page_xml, stream)) for stream in streams]
    return b"".join(bz2.compress(text.encode()) for text in (HEAD, *bodies, TAIL))


def made_pages(count: int) -> list[RawPage]:
    """Articles with every tenth a redirect to the one before and some talk pages between."""
    pages = []
    for i in range(1, count + 1):
        title, text, target, namespace = f"Page {i}", f"'''Page {i}''' is {_prose(i)}", None, 0
        if i % 10 == 0:
            target = f"Page {i - 1}"
            text = f"#REDIRECT [[{target}]]"
        elif i % 17 == 0:
            title, namespace = f"Talk:Page {i}", 1
        pages.append(RawPage(title, namespace, i, text, target, revision=1000 + i))
    return pages


def _prose(number: int) -> str:
    words = (
        "river",
        "ferry",
        "harbour",
        "lamp",
        "chart",
        "gull",
        "basalt",
        "ledger",
        "sea",
        "sign",
    )
    sentences = (
        f"The {words[(number + k) % 10]} of {number * k} stands by the {words[number * k % 10]}."
        for k in range(1, 12)
    )
    return "a place. " + " ".join(sentences)
