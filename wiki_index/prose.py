"""Turn lines into paragraphs: blocks, quotes, and mending around what was removed.

The templates of the text are rendered and its links resolved. What remains is what MediaWiki does
line by line (https://www.mediawiki.org/wiki/Help:Formatting).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from wiki_index.extensions import decode_entities
from wiki_index.languages import is_tail, opens_hatnote
from wiki_index.marks import ASIDE, BREAK, DROPPED, Stash, unprotect
from wiki_index.normal_form import nfc
from wiki_index.types import Section

_HEADING_LINE = re.compile(r"\n=[^\n]*")
_AFTER_HEADING = f" \t{DROPPED}"
_APOSTROPHES = re.compile(r"('{2,})")
_INVISIBLE = re.compile("[\u200b\ufeff\u00ad\u2060\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c]")
_JOINER = re.compile("[\u200c\u200d]")

# Remarks whose number a dump cannot tell: today's distance from a date, ``(age 40)``,
# ``(5 years ago)``, and today's value of money, ``(equivalent to $90 in current dollars)``.
_CURRENCY = "$£€¥₹"
_UNIT_OF_TIME = "(?:years?|days|months)(?: ago| old)?"
_OF_TODAY = re.compile(
    rf"[(（]\s*+(?:(?:aged?|now|about|over)\s*+{DROPPED}(?:\s*+{_UNIT_OF_TIME})?"
    rf"|{DROPPED}\s*+{_UNIT_OF_TIME}"
    rf"|[^()（）0-9]{{0,40}}[{_CURRENCY}]\s*{DROPPED} (?:[^()（）0-9]|\b[0-9]{{4}}\b){{2,80}}"
    r")\s*[)）]"
)

# Kana, ideographs, and full-width forms on both sides of a line end.
_EAST_ASIAN = "[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]"
_WRAPPED = re.compile(rf"(?<={_EAST_ASIAN})\n(?={_EAST_ASIAN})")
_OPENERS = {"(": ")", "[": "]", "（": "）", "【": "】"}
_CLOSERS = tuple(_OPENERS.values())
_SEPARATORS = (",", ";", "、", "，", "；")
_STOPS = (*_SEPARATORS, ".", ":", "!", "?", "。", "：")
_OPENING = re.escape("".join(_OPENERS))
_CLOSING = re.escape("".join((*_CLOSERS, *_STOPS)))
# Most marks leave nothing to be mended: after a character of a sentence, before another of it.
_HARMLESS = re.compile(
    rf"{DROPPED}(?<=[^\s\x00-\x1f'{_OPENING}{_CURRENCY}*#:;=|]{DROPPED}){DROPPED}*+"
    rf"(?=[ \n]{{0,2}}[^\s\x00-\x1f'&{_CLOSING}])"
)


def assemble(text: str, stash: Stash, lang: str = "en") -> list[Section]:
    """The sections of a page whose `text` has no more templates, links, tables or tags."""
    sections: list[Section] = []
    heading, level, paragraphs = "", 1, []
    for kind, block in _blocks(_HARMLESS.sub("", text)):
        if kind:
            sections.append(Section(heading, level, tuple(paragraphs)))
            heading, level, paragraphs = clean(block, stash), kind, []
        elif paragraphs or not _stands_before_text(block, level, lang):
            lines = plain_quotes(block.removeprefix(":")).split(BREAK)
            paragraphs += [shown for line in lines if (shown := clean(line, stash))]
    sections.append(Section(heading, level, tuple(paragraphs)))
    return [s for s in sections if s.heading or s.paragraphs]


def without_tail(text: str, stash: Stash, lang: str) -> str:
    """`text` without the sections after the prose, such as references and external links."""
    out: list[str] = []
    kept_to, skipped_level = 0, 0
    for line in _HEADING_LINE.finditer(text):
        heading = heading_of(line[0].lstrip("\n"))
        if heading is None:
            continue
        level, inner = heading
        if skipped_level and level > skipped_level:
            continue
        if skipped_level:
            kept_to, skipped_level = line.start(), 0
        if is_tail(clean(plain_quotes(inner), stash), lang):
            out.append(text[kept_to : line.start()])
            skipped_level = level
    if not skipped_level:
        out.append(text[kept_to:])
    return "".join(out)


def _stands_before_text(block: str, level: int, lang: str) -> bool:
    """Whether a section's first block is not part of its text: a box beside the article's start, or
    an indented hatnote, ``:''For the ship, see [[Ship]].''`` or ``:See also: [[Ship]]``."""
    if block.startswith(ASIDE):
        return level == 1
    note = block.lstrip(": ")
    is_italic = note.startswith("''")
    return block[:1] == ":" and opens_hatnote(note.strip("' "), lang, is_italic=is_italic)


def heading_of(line: str) -> tuple[int, str] | None:
    """Level and text of a heading line such as ``== Life ==``; None for any other line."""
    line = line.rstrip(_AFTER_HEADING)
    if len(line) < 3 or line[0] != "=" or line[-1] != "=":
        return None
    left = len(line) - len(line.lstrip("="))
    right = len(line) - len(line.rstrip("="))
    level = min(left, right, 6)
    inner = line[level:-level].strip()
    return (level, inner) if inner else None


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """(level, heading) and (0, paragraph or list item) in order; items keep a leading ``:``."""
    open_paragraph: list[str] = []

    def close() -> Iterator[tuple[int, str]]:
        if open_paragraph:
            yield 0, _joined(open_paragraph)
            open_paragraph.clear()

    for line in text.split("\n"):
        if line[:1].isalpha():  # as most lines
            open_paragraph.append(plain_quotes(line))
            continue
        bare = line.lstrip(DROPPED)
        first = bare[:1]
        if heading := (heading_of(bare) if first == "=" else None):
            yield from close()
            yield heading[0], plain_quotes(heading[1])
        elif not bare.strip(f" \t{DROPPED}"):
            if DROPPED not in line or not open_paragraph:
                yield from close()
        elif first in "*#:;":
            yield from close()
            yield 0, ":" * (first == ":") + bare.lstrip("*#:;")
        elif line[0] == " " or line.startswith("----"):
            yield from close()
            yield 0, line.lstrip("-") if line[0] == "-" else line
        elif line[0] != "|" and not line.startswith("{|"):
            open_paragraph.append(plain_quotes(line))
    yield from close()


def _joined(lines: list[str]) -> str:
    """The lines of a paragraph, joined by blanks, but not between East Asian characters."""
    if len(lines) == 1:
        return lines[0]
    return _WRAPPED.sub("", "\n".join(lines)).replace("\n", " ")


def plain_quotes(line: str) -> str:
    """`line` without the apostrophes that mark bold and italics. Literal ones stay.

    Source: MediaWiki's `Parser::doQuotes`: of unbalanced marks one is an apostrophe and markup.
    """
    if "'''" not in line:
        return line.replace("''", "")
    pieces = _APOSTROPHES.split(line)
    marks: list[int] = []
    for i in range(1, len(pieces), 2):
        count = len(pieces[i])
        size = 3 if count == 4 else min(count, 5)
        pieces[i - 1] += "'" * (count - size)
        marks.append(size)
    bold = sum(m in (3, 5) for m in marks)
    italic = sum(m in (2, 5) for m in marks)
    if bold % 2 and italic % 2 and 3 in marks:
        pieces[2 * _apostrophe(pieces, marks)] += "'"
    return "".join(pieces[::2])


def _apostrophe(pieces: list[str], marks: list[int]) -> int:
    """Which ``'''`` is an apostrophe and ``''``: after a lone letter, a word, or a blank."""
    bolds = [i for i, mark in enumerate(marks) if mark == 3]
    before = {i: pieces[2 * i][-2:] for i in bolds}
    letters = [i for i in bolds if before[i][-1:] != " "]
    lone = [i for i in letters if before[i][:-1] == " "]
    return (lone or letters or bolds)[0]


def clean(text: str, stash: Stash) -> str:
    """One finished line: entities decoded, mended, with single blanks, in NFC."""
    text = decode_entities(text)
    if not text.isprintable():  # most lines are: they hold no marks
        text = stash.restore(unprotect(mend(text)))
        if not text.isascii():
            text = _INVISIBLE.sub("", text)
            text = _JOINER.sub(lambda joiner: _joiner(text, joiner), text)
    elif "  " not in text:
        return nfc(text.strip())
    return " ".join(nfc(text).split())


def _joiner(text: str, match: re.Match[str]) -> str:
    """Keep zero-width joiners only after letters of some scripts and in emoji."""
    before = text[match.start() - 1] if match.start() else ""
    return match[0] if before >= "\u0590" else ""


def mend(text: str) -> str:
    """Mend the text around removed pieces: ``(; Greek)``, ``()``, ``word ,``."""
    if DROPPED not in text:
        return text
    text = _OF_TODAY.sub(DROPPED, text)
    first, *rest = text.split(DROPPED)
    done = _Tail()
    done.append(first)
    pieces = [piece for piece in rest if piece]
    for piece, following in zip_longest(pieces, pieces[1:], fillvalue=""):
        before, after = done.last, piece.lstrip()
        if not before or before in _OPENERS:
            piece = piece.lstrip(" \xa0:" + "".join(_SEPARATORS))
            if not before and (piece + following[:1]).startswith(". "):
                piece = piece[2:]
            else:
                piece = done.without_empty_brackets(piece)
        elif after.startswith(_CLOSERS):
            done.strip(" \xa0" + "".join(_SEPARATORS))
            piece = done.without_empty_brackets(after)  # ``(; {{cn}})``
        elif after.startswith(_STOPS) and not after.startswith(".."):
            done.strip(" \xa0" + "".join(_SEPARATORS) if before in _SEPARATORS else " \xa0")
            piece = after
        if piece.strip() or (piece and not done.ends_blank):
            done.append(piece)
    return "".join(done.pieces)


class _Tail:
    """Text that changes only at its end. It is kept in short pieces, so shortening one is cheap."""

    _LONGEST = 500

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.last = ""
        """The last character that is not a blank."""

    @property
    def ends_blank(self) -> bool:
        return not self.pieces or self.pieces[-1][-1].isspace()

    def append(self, text: str) -> None:
        size = self._LONGEST
        self.pieces += [text[i : i + size] for i in range(0, len(text), size)]
        self.last = text.rstrip()[-1:] or self.last

    def without_empty_brackets(self, following: str) -> str:
        """Take brackets off the end that close at once in what is `following`. Returns its rest."""
        while self.last and following.startswith(_OPENERS.get(self.last, "\0")):
            self.strip(" \xa0")
            self.pieces[-1] = self.pieces[-1][:-1]
            self.strip(" \xa0")
            following = following[1:]
        return following

    def strip(self, characters: str) -> None:
        """Take these characters off the end."""
        pieces = self.pieces
        while pieces:
            pieces[-1] = pieces[-1].rstrip(characters)
            if pieces[-1]:
                break
            pieces.pop()
        self.last = next((p[-1] for p in map(str.rstrip, reversed(pieces)) if p), "")
