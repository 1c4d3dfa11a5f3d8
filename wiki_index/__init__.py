"""A Wikipedia dump, indexed on this machine: titles, pages, sentences and passages, offline."""

from __future__ import annotations

from wiki_index.build import build_index, update_index
from wiki_index.errors import (
    BuildError,
    DenseUnavailable,
    DumpDamaged,
    DumpError,
    IndexDamaged,
    IndexUnreadable,
    WikiIndexError,
)
from wiki_index.index import WikiIndex
from wiki_index.layout import Manifest
from wiki_index.progress import Progress
from wiki_index.types import Article, Passage, RawPage, SearchResult, Section

__all__ = [
    "Article",
    "BuildError",
    "DenseUnavailable",
    "DumpDamaged",
    "DumpError",
    "IndexDamaged",
    "IndexUnreadable",
    "Manifest",
    "Passage",
    "Progress",
    "RawPage",
    "SearchResult",
    "Section",
    "WikiIndex",
    "WikiIndexError",
    "build_index",
    "update_index",
]
