"""The values that flow through `wiki_index`: a dump's page, a reader's article, an answer.

All are frozen; nothing here does any work beyond joining its own parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["article", "disambiguation"]
Via = Literal["exact", "normalised", "folded", "redirect"]


@dataclass(frozen=True)
class RawPage:
    """One page as a dump holds it (https://www.mediawiki.org/wiki/Help:Export)."""

    title: str
    namespace: int
    id: int
    text: str
    redirect: str | None = None
    """The target's title, with `#Section` where the redirect names one; None for a page."""
    revision: int | None = None
    model: str = "wikitext"


@dataclass(frozen=True)
class Section:
    """A heading and the prose below it, up to the next heading. The lead's heading is ``""``."""

    heading: str
    level: int
    """2 for ``== … ==`` and so on (https://www.mediawiki.org/wiki/Help:Formatting); 1: the lead."""
    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Article:
    """A page as its reader sees it: prose without markup, and the data beside it."""

    title: str
    kind: Kind
    sections: tuple[Section, ...]
    links: tuple[str, ...] = ()
    """Titles the page links to, in order, without repeats; for a disambiguation its entries."""
    infobox: Mapping[str, str] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Templates that have no renderer and whose text was therefore left out: name -> count."""
    via: Literal["parser", "fallback"] = "parser"
    """``"fallback"`` where a part of the page was beyond the parser's limits: see `fallback`."""

    @property
    def text(self) -> str:
        """The prose, a paragraph a line; headings are structure and not part of it."""
        return "\n".join(p for section in self.sections for p in section.paragraphs)


@dataclass(frozen=True)
class SearchResult:
    """What `search` answers: a page's first sentences, or the most similar titles."""

    query: str
    title: str | None
    """The page's own title; None for a miss (a disambiguation page answers as a miss)."""
    via: Via | None
    sentences: tuple[str, ...]
    similar: tuple[str, ...]
    """At most five, best first; empty where a page was found."""
    section: str | None = None
    """The heading of the section that a redirect led to and the sentences are from; None else."""


@dataclass(frozen=True)
class Passage:
    """A stretch of whole sentences of one page, with its retrieval score (higher is better)."""

    title: str
    text: str
    score: float
    section: str = ""
    """The heading it stands under; ``""`` for the lead."""
