"""Match a page's brackets, ``{{ }}``, ``[[ ]]`` and ``{| |}``, in one pass with a stack.

Files, categories and invisible templates are cut as a whole, at any depth. Links are replaced by
their labels. Templates and tables are set aside for later steps. Brackets that are never closed are
removed, so no later step has to search for the closing ones.
Sources: https://www.mediawiki.org/wiki/Preprocessor_ABNF, https://www.mediawiki.org/wiki/Help:Links.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from wiki_index.languages import CATEGORY, FILE, Site, is_interlanguage
from wiki_index.links import link_label, resolve_plain
from wiki_index.marks import DROPPED, EQUALS, SEAM

MAX_TEMPLATE_DEPTH = 30
"""Templates nested deeper than this are not given to the parser. MediaWiki's own limit is 40."""
_MAX_OPEN = 1_000
"""The most braces that may be open at once. Further ones are removed; their content stays."""
MAX_TOKENS = 150_000
"""The most brackets of one page. Further ones are removed; their content stays."""
_MAX_LINK_DEPTH = 10
_MAX_TABLE_DEPTH = 10

_TOKEN = re.compile(
    r"\{\{([^{}\[\]|]*+)(?:\|[^{}\[\]]*+)?\}\}(?!\})"  # a template with nothing nested in it
    r"|\[\[([^\[\]{}|\n]*+)(?:\|([^\[\]{}|\n]*+))?\]\]"  # a link with nothing nested in it
    r"|\[\[+|\]\]|\{\{+|\}\}+|\{\||\|\}|<table(?=[\s>])|</table\s*>"
)
_BRACKETS = re.compile(r"\[\[+|\]\]+|\{\{+|\}\}+|\{\||\|\}|</?table(?:\s[^<>]*)?>")
_REST_OF_LINES = re.compile(r"[^\n]*+(?:\n[ \t]*+[|!][^\n]*+)*+")
_DEFINITION = re.compile(r"\n[*#:]*;[^\n]*")
_DEFINITION_TOKEN = re.compile(r"\[\[?|\]\]?|\{\{|\}\}|:(?!//)")
_BEGINS_ITEM = re.compile(r"\n[*#:]+[^.{}\n]*")
_LONGEST_NAME = 200
_NAME = re.compile(rf"[^|{{}}\[\]]{{0,{_LONGEST_NAME}}}")
_ADDRESS = re.compile(r"\s*(?:https?:)?//", re.IGNORECASE)

Shown = Literal["always", "in items", "never"]
"""Where a template shows anything. A citation does so only at the start of a list item."""
SetAside = Callable[[Literal["template", "table", "deep"], str], str]


class _Opener(NamedTuple):
    kind: Literal["{", "[", "|"]
    start: int
    size: int
    records: int
    """The number of records before it. Later records are inside the bracket."""


class _Record(NamedTuple):
    """A range of the source and its replacement."""

    start: int
    end: int
    kind: Literal["cut", "link", "template", "table"]
    text: str = ""
    """The replacement of a cut or a link. Templates and tables are set aside instead."""
    inner: tuple[_Record, ...] = ()
    depth: int = 0


class Brackets:
    """Match the brackets of `source`. `text` is the result, with marks for what was set aside.

    `shown` tells where a template of a given name, as written, shows anything; elsewhere it is cut.
    `set_aside` takes the source of a template or table and returns a mark for it, or the text of a
    template that is nested too deep.
    """

    def __init__(
        self, source: str, site: Site, shown: Callable[[str], Shown], set_aside: SetAside
    ) -> None:
        self._source = source = resolve_plain(source)
        self._site = site
        self._shown = shown
        self._set_aside = set_aside
        self._stack: list[_Opener] = []
        self._open = {"{": 0, "[": 0, "|": 0}
        self._records: list[_Record] = []
        self._scan()
        self._give_up()
        self.text = self._join(0, len(self._source), self._records, set_aside)

    def _scan(self) -> None:
        search, source, position = _TOKEN.search, self._source, 0
        for _ in range(MAX_TOKENS):
            if (token := search(source, position)) is None:
                return
            position = self._take(token)
        self._source = source[:position] + _BRACKETS.sub("", source[position:])

    def _take(self, token: re.Match[str]) -> int:
        """Handle one token. Returns where to search for the next."""
        start, end = token.span()
        if token.lastindex == 1:
            self._simple_template(start, end, token[1])
            return end
        if token.lastindex:
            self._simple_link(start, end, token[2], token[3])
            return end
        text = token[0]
        if text[:2] == "{{":
            if self._open["{"] < _MAX_OPEN:
                self._push("{", start, end - start)
            else:
                self._cut(start, end)
        elif text[:2] == "}}":
            self._close_braces(start, end)
        elif text[:2] == "[[":
            self._open_link(start, end)
        elif text == "]]":
            return self._close_link(start, end)
        elif text == "|}":
            return self._close_wikitable(start, end)
        elif text[0] == "{" or text == "<table":
            if self._open["|"] < _MAX_TABLE_DEPTH and (text[0] == "<" or self._starts_line(start)):
                self._push("|", start, 2)
        else:
            self._close_table(start, end)
        return end

    def _push(self, kind: Literal["{", "[", "|"], start: int, size: int) -> None:
        self._stack.append(_Opener(kind, start, size, len(self._records)))
        self._open[kind] += 1

    def _pop_to(self, kind: Literal["{", "[", "|"]) -> _Opener:
        """The last open bracket of this kind. Brackets opened after it were never closed."""
        while (opener := self._stack.pop()).kind != kind:
            self._open[opener.kind] -= 1
            self._cut(opener.start, opener.start + opener.size)
        self._open[kind] -= 1
        return opener

    def _cut(self, start: int, end: int, text: str = "") -> None:
        if not text and self._records:
            last = self._records[-1]
            if last.end == start and last.kind == "cut" and not last.text:
                start = last.start
                self._records.pop()
        self._records.append(_Record(start, end, "cut", text))

    def _take_inner(self, records: int) -> list[_Record]:
        """The records after this many of them."""
        inner = self._records[records:]
        if inner:
            del self._records[records:]
        return inner

    def _starts_line(self, start: int) -> bool:
        source = self._source
        while start and source[start - 1] in f" \t:*#;{DROPPED}":
            start -= 1
        return start == 0 or source[start - 1] == "\n"

    # Links

    def _simple_link(self, start: int, end: int, target: str, label: str | None) -> None:
        if _ADDRESS.match(target):
            self._cut(start, start + 1)
            self._cut(end - 1, end)
        elif self._is_shown(target):
            self._records.append(_Record(start, end, "link", link_label(target, label)))
        else:
            self._cut(start, end, DROPPED)

    def _open_link(self, start: int, end: int) -> None:
        """Of more than two brackets the last two open a link. A third is text: ``[[[a]] b]``."""
        if end - start > 3:
            self._cut(start, end - 2)
        if self._open["["] < _MAX_LINK_DEPTH:
            self._push("[", end - 2, 2)
        else:
            self._cut(end - 2, end)

    def _close_link(self, start: int, end: int) -> int:
        if not self._stack or self._stack[-1].kind != "[":
            if not self._closes_single_brackets(start):
                self._cut(start, end)
            return end
        opener = self._pop_to("[")
        if self._source.startswith("]", end) and self._holds_single_bracket(opener.start, start):
            start, end = start + 1, end + 1
        bar = self._source.find("|", opener.start, start)
        target = self._source[opener.start + 2 : bar if bar >= 0 else start]
        if "\n" in target.strip():
            self._cut(opener.start, opener.start + 2)
            self._cut(start, end)
        elif self._is_shown(target):
            label_start = bar + 1 if bar >= 0 else opener.start + 2
            self._records.append(_Record(opener.start, label_start, "link", SEAM))
            self._records.append(_Record(start, end, "link", SEAM))
        else:
            self._take_inner(opener.records)
            self._cut(opener.start, end, DROPPED)
        return end

    def _holds_single_bracket(self, start: int, end: int) -> bool:
        """Whether the first of ``]]]`` closes a bracket within the link, ``[[File:A|of [1880]]]``.

        Source: MediaWiki's `Parser::handleInternalLinks2`.
        """
        label = self._source[start + 2 : end]
        return label.count("[") > label.count("]")

    def _closes_single_brackets(self, end: int) -> bool:
        """Whether ``]]`` may end ``[http://… [sic]]``: a single ``[`` is open shortly before."""
        start, source = max(0, end - 300), self._source
        if source.rfind("[", start, end) < 0:  # as after most
            return False
        return source.count("[", start, end) > source.count("]", start, end)

    def _is_shown(self, target: str) -> bool:
        """Whether a link is part of the text. Files, categories and interlanguage links are not."""
        target = target.strip()
        if ":" not in target or target[0] == ":":
            return True
        return self._site.namespace(target) not in (FILE, CATEGORY) and not is_interlanguage(target)

    # Templates

    def _simple_template(self, start: int, end: int, name: str) -> None:
        if self._is_cut(name[:_LONGEST_NAME].strip(), start):
            self._cut(start, end, DROPPED)
        else:
            self._records.append(_Record(start, end, "template", depth=1))

    def _is_cut(self, name: str, start: int) -> bool:
        """Whether a template that starts there shows nothing."""
        shown = self._shown(name)
        return shown == "never" or (shown == "in items" and not self._begins_item(start))

    def _close_braces(self, start: int, end: int) -> None:
        while end - start >= 2 and self._open["{"]:
            opener = self._pop_to("{")
            size = min(3, opener.size, end - start)
            left = opener.size - size
            self._close_template(opener.start + left, start + size, opener.records)
            if left >= 2:
                self._stack.append(opener._replace(size=left))
                self._open["{"] += 1
            start += size
        if end - start >= 2:
            self._cut(start, end)

    def _close_template(self, start: int, end: int, records: int) -> None:
        inner = self._take_inner(records)
        if self._is_cut(self._name(start), start):
            self._cut(start, end, DROPPED)
            return
        if not inner:
            self._records.append(_Record(start, end, "template", depth=1))
            return
        depth = 1 + max(r.depth for r in inner)
        if depth > MAX_TEMPLATE_DEPTH:
            source = self._join(start, end, inner, _whole)
            self._cut(start, end, self._set_aside("deep", source))
            return
        cuts = tuple(c for r in inner for c in _cuts(r))
        self._records.append(_Record(start, end, "template", inner=cuts, depth=depth))

    def _begins_item(self, start: int) -> bool:
        """Whether a list item begins here, perhaps after a word or two."""
        line = self._source.rfind("\n", max(0, start - 80), start)
        return line >= 0 and _BEGINS_ITEM.fullmatch(self._source, line, start) is not None

    def _name(self, start: int) -> str:
        """The name after the bracket that opens there."""
        return _NAME.match(self._source, start + 2)[0].strip()  # type: ignore[index]

    # Tables

    def _close_wikitable(self, start: int, end: int) -> int:
        """``|}`` at the start of a line closes a table. ``|}}`` may end a template instead."""
        innermost = next((o.kind for o in reversed(self._stack) if o.kind != "["), "")
        ends_template = innermost == "{" and self._source.startswith("}", end)
        if ends_template or not self._open["|"] or not self._starts_line(start):
            return start + 1
        self._close_table(start, end)
        return end

    def _close_table(self, start: int, end: int) -> None:
        if not self._open["|"]:
            self._cut(start, end)
            return
        opener = self._pop_to("|")
        inner = tuple(self._take_inner(opener.records))
        depth = max((r.depth for r in inner), default=0)
        self._records.append(_Record(opener.start, end, "table", inner=inner, depth=depth))

    # The end

    def _give_up(self) -> None:
        """Handle what is never closed. A file, table or invisible template is cut with its line and
        the lines of cells or arguments below. Anything else loses only its brackets."""
        done = 0
        for opener in self._stack:
            if opener.start < done:
                continue
            done = opener.start + opener.size
            if self._goes_with_its_line(opener):
                done = _REST_OF_LINES.match(self._source, opener.start).end()  # type: ignore[union-attr]
            self._cut(opener.start, done)

    def _goes_with_its_line(self, opener: _Opener) -> bool:
        name = self._name(opener.start)
        if opener.kind == "[":
            return self._site.namespace(name) in (FILE, CATEGORY)
        return opener.kind == "|" or self._shown(name) != "always"

    def _join(
        self,
        start: int,
        end: int,
        records: list[_Record] | tuple[_Record, ...],
        set_aside: SetAside,
    ) -> str:
        """The source from `start` to `end`, with each record replaced by its text."""
        if not records:  # as in most templates
            return self._source[start:end]
        out: list[str] = []
        for record in sorted(records):
            if record.start < start:
                continue
            out.append(self._source[start : record.start])
            start = record.end
            if record.kind in ("template", "table"):
                source = self._join(record.start, record.end, record.inner, set_aside)
                out.append(set_aside(record.kind, source))  # type: ignore[arg-type]
            else:
                out.append(record.text)
        out.append(self._source[start:end])
        return "".join(out)


def _whole(kind: str, source: str) -> str:
    """The replacement of a template or table inside a template that is nested too deep."""
    return source if kind == "template" else DROPPED


def _cuts(record: _Record) -> tuple[_Record, ...]:
    """What is cut or replaced in the source of a template that contains `record`.

    Links that contain other brackets stay, for the parser.
    """
    if record.kind == "table":
        return (_Record(record.start, record.end, "cut", DROPPED),)
    if record.kind == "link":
        return () if record.text == SEAM else (_named(record),)
    return (record,)


def _named(link: _Record) -> _Record:
    """A link inside a template. Its label must not be read as a named argument."""
    return link._replace(text=link.text.replace("=", EQUALS))


def split_definitions(source: str) -> str:
    """Split ``; term : definition`` into two lines. A colon in a link or template is no separator.

    Source: MediaWiki's `BlockLevelPass::findColonNoLinks`.
    """
    return _DEFINITION.sub(_split_definition, f"\n{source}")


def _split_definition(line: re.Match[str]) -> str:
    if ":" not in line[0]:
        return line[0]
    depth = 0
    for token in _DEFINITION_TOKEN.finditer(line[0], line[0].index(";")):
        if token[0] == ":" and depth == 0:
            return f"{line[0][: token.start()]}\n:{line[0][token.end() :]}"
        depth += 1 if token[0][0] in "[{" else -1 if token[0][0] in "]}" else 0
    return line[0]
