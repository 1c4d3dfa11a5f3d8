"""What templates, parser functions and magic words show a reader.

`render(Call(...))` answers with plain text. To add a template, decorate a function with
`@template("its name", …)` in the file of its family and give it a golden case.
"""

from __future__ import annotations

from wiki_index.templates import (  # noqa: F401 - each registers its renderers
    citations,
    conversions,
    convert,
    dates,
    functions,
    languages,
    lists,
    media,
    names,
    numbers,
    pronunciation,
    science,
    text,
    wikis,
)
from wiki_index.templates.citations import is_citation
from wiki_index.templates.invisible import is_infobox
from wiki_index.templates.registry import Call, invisible, is_known, normalise, render, template

__all__ = [
    "Call",
    "invisible",
    "is_citation",
    "is_infobox",
    "is_known",
    "normalise",
    "render",
    "template",
]
