"""A Wikipedia dump, indexed on this machine: titles, pages, sentences and passages, offline.

Names are imported when they are first used: each process that parses pages imports the package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_HOMES = {
    "Article": "types",
    "Manifest": "layout",
    "Passage": "types",
    "Progress": "progress",
    "RawPage": "types",
    "SearchResult": "types",
    "Section": "types",
    "WikiIndex": "index",
    "build_index": "build",
    "update_index": "build",
}

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


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)


def __dir__() -> list[str]:
    return __all__
