"""A small wiki, a question about it, and the steps of a run that answers it."""

from __future__ import annotations

import bz2
from pathlib import Path
from xml.sax.saxutils import escape

from react_local.guides import Guides, SearchGuide

PLAIN = Guides(search=SearchGuide.FREE, answers=False)
"""What is forbidden, without what is offered: `SCRIPT` begins with a search that misses."""

PAGES = {
    "Alder Sound": (
        "'''Alder Sound''' is a strait. It parts [[Alder]] from [[Brae]]. Ferries cross it. "
        "It is deep. It is cold. Seals live in it.\n\n== Ferries ==\n"
        "The first ferry sailed in 1921. The last steam ferry sailed in 1957."
    ),
    "Alder": "'''Alder''' is an island. Its town is [[Port Alder]].",
    "Brae": "'''Brae''' is an island west of Alder. Its hill is 321 metres high.",
    "Port Alder": "'''Port Alder''' is a town of 412 people.",
    "Alder (disambiguation)": (
        "'''Alder''' may be:\n* [[Alder]], an island\n* [[Alder Sound]], a strait\n"
        "{{disambiguation}}"
    ),
    "Sund": "#REDIRECT [[Alder Sound]]",
}

QUESTION = "When did the last steam ferry cross the strait between Alder and Brae?"

SCRIPT = (
    "Thought 1: I need to find the strait.\nAction 1: Search[Strait of Alder]",
    "Thought 2: It is called Alder Sound.\nAction 2: Search[Alder Sound]",
    "Thought 3: I need to find the last steam ferry.\nAction 3: Lookup[ferry]",
    "Thought 4: That is the first one.\nAction 4: Lookup[ferry]",
    "Thought 5: It sailed in 1957.\nAction 5: Finish[1957]",
)


def write_dump(path: Path) -> Path:
    """Write `PAGES` as a MediaWiki export, compressed where the name ends in .bz2."""
    pages = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id>{_redirect(text)}"
        f"<revision><id>{number}</id><model>wikitext</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
        for number, (title, text) in enumerate(PAGES.items(), start=1)
    )
    data = f"{_HEAD}{pages}</mediawiki>\n".encode()
    path.write_bytes(bz2.compress(data) if path.suffix == ".bz2" else data)
    return path


def _redirect(text: str) -> str:
    target = text.removeprefix("#REDIRECT [[").removesuffix("]]")
    return "" if target == text else f'<redirect title="{target}" />'


_HEAD = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
<siteinfo><sitename>Alder</sitename><dbname>alderwiki</dbname><case>first-letter</case>
<namespaces><namespace key="0" case="first-letter" /></namespaces></siteinfo>
"""
