"""Read a page, or one of its templates, without a parser, where it exceeds the parser's limits.

One pass over the brackets keeps a list of pieces that changes only at its end. The cost is linear
in the text, whatever it contains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wiki_index import templates
from wiki_index.extensions import strip_extensions, strip_tags
from wiki_index.languages import (
    CATEGORY,
    FILE,
    Site,
    is_disambiguation,
    is_disambiguation_category,
    is_interlanguage,
    is_tail,
)
from wiki_index.links import link_label
from wiki_index.marks import DROPPED, Stash, without_marks
from wiki_index.prose import assemble
from wiki_index.titles import normalise
from wiki_index.types import Article, RawPage, Section

MAX_DEPTH = 40
"""Beyond this depth, a template is replaced by its unnamed arguments, a link by its label."""

_TOKEN = re.compile(r"\{\{|\}\}|\[\[|\]\]|(?:(?<=\n)|\A)[ \t:*#]*\{\||\n[ \t]*\|\}(?!\})|\||=")

Argument = tuple[str | None, str]
"""A template's argument: its name, None where it has none, and its value."""
Show = Callable[[str, Sequence[Argument]], str]
"""From a template's name and arguments to its text."""


@dataclass
class _Frame:
    """An open bracket, and where its arguments begin among the pieces."""

    kind: str
    start: int
    arguments: list[int] = field(default_factory=list)
    """Where each begins, after a piece for the bar; the first is a template's name or a link's
    target."""
    equals: dict[int, int] = field(default_factory=dict)
    """Of a named argument, by its place in `arguments`: where its value begins, after ``=``."""


class Flattened:
    """`source` with its templates shown by `show`, links as their labels, and tables left out.

    Brackets that are never closed are removed; their content stays.
    """

    def __init__(self, source: str, site: Site, show: Show) -> None:
        self.links: list[str] = []
        self.categories: list[str] = []
        self._site = site
        self._show = show
        self._out: list[str] = []
        self._stack: list[_Frame] = []
        self._open = {"{{": 0, "[[": 0, "{|": 0}
        self._read(source)
        self.text = "".join(self._out)

    def _read(self, source: str) -> None:
        position = 0
        for token in _TOKEN.finditer(source):
            self._out.append(source[position : token.start()])
            position = token.end()
            self._take(token[0])
        self._out.append(source[position:])

    def _take(self, token: str) -> None:
        kind = token.strip()[-2:]
        if kind in self._open:
            self._stack.append(_Frame(kind, len(self._out), [len(self._out)]))
            self._open[kind] += 1
        elif kind in _OPENING:
            self._close(_OPENING[kind], token)
        elif not self._stack or self._stack[-1].kind == "{|":
            self._out.append(token)
        elif token == "|":
            if len(self._stack) > MAX_DEPTH:
                self._drop_unshown(self._stack[-1])
            self._out.append(" ")
            self._stack[-1].arguments.append(len(self._out))
        else:
            self._equals()

    def _equals(self) -> None:
        """A first ``=`` in a template's argument parts its name from its value."""
        frame = self._stack[-1]
        argument = len(frame.arguments) - 1
        self._out.append("=")
        if frame.kind == "{{" and argument:
            frame.equals.setdefault(argument, len(self._out))

    def _close(self, kind: str, token: str) -> None:
        if not self._open[kind]:
            if kind == "{|":
                self._out.append(token)
            return
        while (frame := self._stack.pop()).kind != kind:
            self._open[frame.kind] -= 1
        self._open[kind] -= 1
        if kind == "{|":
            self._replace(frame.start, "\n\n")
        elif len(self._stack) >= MAX_DEPTH:
            if kind == "{{":
                self._drop_unshown(frame)
        elif kind == "[[":
            self._close_link(frame)
        else:
            self._close_template(frame)

    def _drop_unshown(self, frame: _Frame) -> None:
        """Of what is nested too deep drop the argument that ends here if it is the first, a name or
        a target, or a named one."""
        argument = len(frame.arguments) - 1
        if argument == 0 or argument in frame.equals:
            del self._out[frame.arguments[argument] :]

    def _replace(self, start: int, text: str) -> None:
        self._out[start:] = [text]

    def _ends(self, frame: _Frame) -> list[int]:
        """Where each argument ends."""
        return [*(start - 1 for start in frame.arguments[1:]), len(self._out)]

    def _close_template(self, frame: _Frame) -> None:
        ends = self._ends(frame)
        name = "".join(self._out[frame.start : ends[0]]).strip()
        arguments = [
            self._argument(start, frame.equals.get(number), end)
            for number, (start, end) in enumerate(zip(frame.arguments, ends, strict=True))
        ]
        self._replace(frame.start, self._show(name, arguments[1:]))

    def _argument(self, start: int, value: int | None, end: int) -> Argument:
        if value is None:
            return None, "".join(self._out[start:end])
        return "".join(self._out[start : value - 1]).strip(), "".join(self._out[value:end]).strip()

    def _close_link(self, frame: _Frame) -> None:
        ends = self._ends(frame)
        target = "".join(self._out[frame.start : ends[0]]).strip()
        namespace = 0 if target.startswith(":") else self._site.namespace(target)
        if namespace == CATEGORY:
            self.categories.append(target.partition(":")[2].strip())
        if namespace in (FILE, CATEGORY) or is_interlanguage(target):
            self._replace(frame.start, DROPPED)
            return
        if "\n" in target:
            return
        self.links.append(target)
        label = "".join(self._out[frame.arguments[-1] :]) if len(frame.arguments) > 1 else None
        self._replace(frame.start, link_label(target, label))


_OPENING = {"}}": "{{", "]]": "[[", "|}": "{|"}


def parse_plain(page: RawPage, site: Site) -> Article:
    """The article of a page that `parse` cannot read in time, without a parser or renderers.

    All prose and links are kept. A template is replaced by its unnamed arguments: a language
    template by the last, a measurement by number and unit. Infoboxes and tables are left out.
    """
    literals = Stash("literal")
    source = strip_tags(strip_extensions(without_marks(page.text), literals))
    is_disambiguation_page = False

    def show(name: str, arguments: Sequence[Argument]) -> str:
        nonlocal is_disambiguation_page
        is_disambiguation_page |= is_disambiguation(templates.normalise(name), site.lang)
        values = [value for key, value in arguments if key is None]
        return _plain_template(templates.normalise(name), values, site.lang)

    flat = Flattened(source, site, show)
    is_disambiguation_page |= any(is_disambiguation_category(c, site.lang) for c in flat.categories)
    targets = dict.fromkeys(normalise(target, site.case) for target in flat.links)
    return Article(
        title=page.title,
        kind="disambiguation" if is_disambiguation_page else "article",
        sections=tuple(_prose(assemble(flat.text, literals, site.lang), site.lang)),
        links=tuple(filter(None, targets)),
        via="fallback",
    )


def _plain_template(name: str, values: Sequence[str], lang: str) -> str:
    if not values or templates.is_infobox(name) or templates.invisible(name, lang):
        return DROPPED
    if name.startswith(("lang", "transl", "script")):
        return values[-1]
    if name in ("convert", "cvt"):
        return " ".join(values[:2])
    return " ".join(values)


def _prose(sections: list[Section], lang: str) -> list[Section]:
    """The sections without those after the prose, and without what is below these."""
    kept: list[Section] = []
    skipped_level = 0
    for section in sections:
        if skipped_level and section.level > skipped_level:
            continue
        skipped_level = section.level if is_tail(section.heading, lang) else 0
        if not skipped_level:
            kept.append(section)
    return kept
