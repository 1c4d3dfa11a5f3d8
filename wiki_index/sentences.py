"""Split prose into sentences by rules. A stop ends a sentence unless its context says otherwise.

Unicode's own rules (UAX #29, section 5) cut after every abbreviation that a capital follows;
`sentence_rules.toml` names, by language, the abbreviations that run on and the words that open
sentences, and that is most of the difference.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

_CLOSERS = r"\"'”’»›)\]}」』）】〉》"
_OPENERS = r"\"'“‘«‹(\[{„‚¿¡「『（【〈《—–\-"
_STOP = re.compile(
    rf"(?P<stop>[.!?…؟۔।॥]+(?:[ \xa0]\.+(?=[\s{_CLOSERS}]|$))*|[。！？｡．]+)"  # also ". . ."
    rf"(?P<close>[{_CLOSERS}]*(?:[ \xa0][”»](?=[\s,.;:]|$))?)(?P<gap>\s*)"
)
_NEXT = re.compile(rf"[{_OPENERS}\s]*(?P<word>[^\W_](?:[\w'’\-]|\.(?=\w))*\.?)")
_LAST = re.compile(r"(?:[^\W_]|[.'’\-&])+$")
_WORD = re.compile(r"[^\W_]")
_GOES_ON = re.compile(r"[=+/&%,;]|\.(?!\.)|\(\s*[);]|\([12]\d{3}[a-z]?\)")
"""What continues a sentence after a stop: ``masc. = male``, ``What a Day! (1930)``."""
_GOING_ON = frozenset("=+/&%,;.(")
_ITEM = re.compile(r"[;:](?: and| or)? $")
_BEFORE_ITEM = "\"“'‘([ "
_QUOTED = re.compile(
    r"(?<![^\s(\[—–\-])[\"“](?=\S)([^\"“”]{1,100})[\"”](?=([.,;:)]|[’']s|\s*[\w(])?)"
)
"""A quotation, and how the line continues after it."""
_QUOTES = frozenset('"“‘«')
_OPENS_QUOTE = re.compile(r"(?:^|\s)[\"“‘«]$")
_INITIALS = re.compile(r"[\"“(] ?(?:[^\W\d_]\.[ \xa0]?){1,4}[\"”)]\s*$")
_LONGEST_WORDS = 60
"""The characters examined before a stop: room for an abbreviation and the word before it."""
_ELISION = re.compile(r"(?:[dl]|qu)['’](?=\w)", re.IGNORECASE)
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}$")
_FULLWIDTH = frozenset("。！？｡．")
_QUOTED_SPEECH_GOES_ON = re.compile(
    r"(?:と|って|など|という|は|が|を|に|の|も|，|、|[他她]?[说說問问喊答])"
)


@dataclass(frozen=True)
class _Rules:
    """One language's table of `sentence_rules.toml`, which says what each field means."""

    runs_on: frozenset[str]
    before_number: frozenset[str]
    may_end: frozenset[str]
    opening: frozenset[str]
    labelled: frozenset[str] = frozenset()
    ordinal_named: frozenset[str] = frozenset()
    ordinal_stop: bool = False


def _read_rules() -> dict[str, _Rules]:
    tables = tomllib.loads(
        resources.files("wiki_index").joinpath("sentence_rules.toml").read_text(encoding="utf-8")
    )
    return {
        lang: _Rules(
            **{k: frozenset(v.split()) if isinstance(v, str) else v for k, v in table.items()}
        )
        for lang, table in tables.items()
    }


_RULES = _read_rules()


def split(text: str, lang: str = "en", title: str = "") -> list[str]:
    """Cut prose (a paragraph or list item a line) into its sentences, in order.

    No character but white space is lost: the sentences, joined, are the text. A line's end
    always ends a sentence. `lang` is a dump's language code; codes without a table of their
    own get the English one, whose stops cover CJK, Arabic and Devanagari as well. `title` is the
    page's: a stop within it (``Oh! What a Day``) ends no sentence.
    """
    rules = _RULES.get(lang.split("-")[0], _RULES["en"])
    name = _name_pattern(title)
    return [s for line in text.splitlines() for s in _split_line(line, rules, name)]


@lru_cache(maxsize=100)
def _name_pattern(title: str) -> re.Pattern[str] | None:
    """A pattern for the page's name in its text, if the name contains a stop. An ellipsis may be
    spaced or written differently."""
    name = _PARENTHESIS.sub("", title)
    if not _STOP.search(name):
        return None
    parts = map(re.escape, _ELLIPSIS.split(name))
    return re.compile(_ELLIPSIS.pattern.join(parts), re.IGNORECASE)


def _split_line(line: str, rules: _Rules, name: re.Pattern[str] | None) -> list[str]:
    if _STOP.search(line) is None:  # as in many items of lists
        return [line] if (line := line.strip()) else []
    starts, start, searched = [0], 0, 0
    asides = _bracket_spans(line) if "(" in line else ()
    names = _name_spans(line, name)
    quotes = [quote.start() for quote in re.finditer('"', line)]
    for match in _STOP.finditer(line):
        at = match.start()
        if at < start or match.end() == len(line):
            continue
        if at > searched and line[at - 1].isalnum():  # as before most stops
            searched, has_word = at - 1, True
        else:
            word = _WORD.search(line, searched, at)
            searched, has_word = word.start() if word else at, word is not None
        if (
            has_word
            and _ends_sentence(line, start, match, rules, quotes)
            and not _goes_on_after_aside(line, match.end(), asides)
            and not _inside(asides, at, match.end(), start)
            and not _inside(names, at, match.end("stop") + 1, -1)
        ):
            start = searched = match.end()
            starts.append(start)
    if len(starts) > 1 and not _WORD.search(line, start):
        starts.pop()  # a quotation mark or an ellipsis after the last stop
    ends = [*starts[1:], len(line)]
    return [s for a, b in zip(starts, ends, strict=True) if (s := line[a:b].strip())]


def _opens_quote(match: re.Match[str], start: int, quotes: list[int]) -> bool:
    """Is the quotation mark after a stop an opening one, as in ``Henry J." Red" Lee``?"""
    if match["close"] != '"':
        return False
    return (bisect_left(quotes, match.start("close")) - bisect_left(quotes, start)) % 2 == 0


def _ends_sentence(
    line: str, start: int, match: re.Match[str], rules: _Rules, quotes: list[int]
) -> bool:
    stop, close, gap = match.groups()
    if stop[-1] in _FULLWIDTH:
        return not (close and _QUOTED_SPEECH_GOES_ON.match(line, match.end()))
    if not gap and not _unspaced_script(line[match.end()]):
        return False
    at, end = match.span()
    if line[at - 1] in _QUOTES and _OPENS_QUOTE.search(line, max(start, at - 2), at):
        return False
    if line[end] in _GOING_ON and _GOES_ON.match(line, end):
        return False
    following = _NEXT.match(line, end)
    word = following["word"] if following else ""
    if word and not _can_open(word):
        return False
    if stop != ".":
        return not (word.endswith(".") and word[:-1] in rules.may_end)  # Yahoo! Inc.
    if close.strip("'’") and not _opens_quote(match, start, quotes):
        is_nickname = _INITIALS.search(line, max(start, at - 12), end)
        return not is_nickname or word in rules.opening
    begin = max(start, at - _LONGEST_WORDS)
    last = _LAST.search(line, max(begin, line.rfind(" ", begin, at) + 1), at)
    return last is None or _word_can_end(last[0], line[begin : last.start()], word, rules)


def _can_open(word: str) -> bool:
    """Can `word` open a sentence? Capitals, digits, letters without case and ``iPhone`` can."""
    return not word[0].islower() or (len(word) > 2 and not word[1:3].islower() and word.isalpha())


def _word_can_end(last: str, before: str, following: str, rules: _Rules) -> bool:
    """Can the word `last`, followed by a single stop, end a sentence here?"""
    last = last.lstrip("'’-.")
    if "'" in last or "’" in last:
        last = _ELISION.sub("", last)
    opens = following in rules.opening
    if last in rules.runs_on or (len(last) > 1 and last[0].lower() + last[1:] in rules.runs_on):
        return False
    if following[:1].isdigit() and last in rules.before_number:
        return False
    if last.isdigit():
        is_item = _ITEM.search(before) or not before.strip(_BEFORE_ITEM)
        if len(last) <= 2 and (is_item or following in rules.ordinal_named):
            return False
        is_number = (rules.ordinal_stop and len(last) <= 2) or is_item
        return not is_number or opens
    if last in rules.may_end:
        return opens
    if len(last) == 1 and last.isalpha() and last.isupper():
        return opens or _numbered(before, rules)
    if _DOTTED.fullmatch(last):
        return opens
    return True


def _numbered(before: str, rules: _Rules) -> bool:
    """Is the single capital a number or label (``World War I``) rather than an initial?"""
    words = before.rsplit(None, 1)
    return bool(words) and words[-1] in rules.labelled


def _unspaced_script(char: str) -> bool:
    """Is the character of a script without blanks between sentences?"""
    return (
        "\u0e00" <= char <= "\u0eff" or "\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"
    )


_LONGEST_ASIDE = 300
_COMMAS = (",", ";", ":")
_PARENTHESIS = re.compile(r"\s*\([^()]*\)$")
_ELLIPSIS = re.compile(r"\s*(?:\.{3}|…)")


def _bracket_spans(line: str) -> tuple[tuple[int, int], ...]:
    """The outermost round brackets that close within `_LONGEST_ASIDE` characters."""
    spans, opened, depth = [], 0, 0
    for match in re.finditer(r"[()]", line):
        at = match.start()
        if depth and at - opened > _LONGEST_ASIDE:
            depth = 0
        if match[0] == "(":
            opened = opened if depth else at
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((opened, at))
    return tuple(spans)


def _name_spans(line: str, name: re.Pattern[str] | None) -> tuple[tuple[int, int], ...]:
    """The ranges of titles, whose stops end no sentence: `name`, and quotations after which the
    sentence continues, ``"Man! I Feel It" is a song``."""
    spans = [found.span() for found in name.finditer(line)] if name else []
    spans += [found.span(1) for found in _QUOTED.finditer(line) if _is_within_sentence(found)]
    merged: list[tuple[int, int]] = []
    for left, right in sorted(spans):
        if merged and left < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(right, merged[-1][1]))
        else:
            merged.append((left, right))
    return tuple(merged)


def _is_within_sentence(quotation: re.Match[str]) -> bool:
    text, after = quotation.groups()
    if not after or text[-1] in ",.":
        return False
    return not after[-1].isalnum() or after[-1].islower()


def _goes_on_after_aside(line: str, at: int, asides: tuple[tuple[int, int], ...]) -> bool:
    """Does the sentence continue after an aside, as in ``Stop! (1990) is a film``?"""
    place = bisect_left(asides, (at,))
    if place == len(asides) or asides[place][0] != at:
        return False
    end = asides[place][1] + 1
    following = _NEXT.match(line, end)
    return line[end : end + 2].lstrip(" ").startswith(_COMMAS) or (
        following is not None and following["word"][0].islower()
    )


def _inside(spans: tuple[tuple[int, int], ...], at: int, end: int, start: int) -> bool:
    """Is the stop inside an aside of the current sentence?

    Brackets that hold whole sentences themselves, from the sentence's start on, are no aside.
    """
    nearest = bisect_left(spans, (at,)) - 1
    if nearest < 0:
        return False
    left, right = spans[nearest]
    return end <= right and left > start
