"""Prose to sentences, by rules: a stop ends a sentence unless what stands around it says not.

Unicode's own rules (UAX #29, section 5) cut after every abbreviation that a capital follows;
`sentence_rules.toml` names, by language, the abbreviations that run on and the words that open
sentences, and that is most of the difference.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from dataclasses import dataclass
from importlib import resources

_CLOSERS = r"\"'”’»›)\]}」』）】〉》"
_OPENERS = r"\"'“‘«‹(\[{„‚¿¡「『（【〈《—–\-"
_STOP = re.compile(
    rf"(?P<stop>[.!?…؟۔।॥]+(?:[ \xa0]\.+(?=[\s{_CLOSERS}]|$))*|[。！？｡．]+)"  # also ". . ."
    rf"(?P<close>[{_CLOSERS}]*)(?P<gap>\s*)"
)
_NEXT = re.compile(rf"[{_OPENERS}\s]*(?P<word>[^\W_](?:[\w'’\-]|\.(?=\w))*\.?)")
_LAST = re.compile(r"(?:[^\W_]|[.'’\-&])+$")
_WORD = re.compile(r"[^\W_]")
_GOES_ON = re.compile(r"\s*(?:[=+/&%,;]|\.(?!\.)|\(\s*[);]|\([12]\d{3}[a-z]?\))")
"""What belongs to what it follows: ``masc. = male``, ``What a Day! (1930)``."""
_ITEM = re.compile(r"[;:](?: and| or)? $")
_LONGEST_WORDS = 60
"""Characters looked back at before a stop: room for any abbreviation and the word before it."""
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}$")
_FULLWIDTH = frozenset("。！？｡．")
_QUOTED_SPEECH_GOES_ON = re.compile(r"(?:と|って|など|という|は|が|を|に|の|も|，|、)")


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


def split(text: str, lang: str = "en") -> list[str]:
    """Cut prose (a paragraph or list item a line) into its sentences, in order.

    No character but white space is lost: the sentences, joined, are the text. A line's end
    always ends a sentence. `lang` is a dump's language code; codes without a table of their
    own get the English one, whose stops cover CJK, Arabic and Devanagari as well.
    """
    rules = _RULES.get(lang.split("-")[0], _RULES["en"])
    return [s for line in text.splitlines() for s in _split_line(line, rules)]


def _split_line(line: str, rules: _Rules) -> list[str]:
    starts, start, searched = [0], 0, 0
    brackets = _bracket_spans(line) if "(" in line else ()
    for match in _STOP.finditer(line):
        if match.start() < start or match.end() == len(line):
            continue
        word = _WORD.search(line, searched, match.start())
        searched = word.start() if word else match.start()
        if (
            word
            and _ends_sentence(line, start, match, rules)
            and not _inside(brackets, match.start(), match.end(), start)
        ):
            start = searched = match.end()
            starts.append(start)
    if len(starts) > 1 and not _WORD.search(line, start):
        starts.pop()  # a quotation mark or an ellipsis after the last stop
    ends = [*starts[1:], len(line)]
    return [s for a, b in zip(starts, ends, strict=True) if (s := line[a:b].strip())]


def _ends_sentence(line: str, start: int, match: re.Match[str], rules: _Rules) -> bool:
    stop, close, gap = match.group("stop", "close", "gap")
    if stop[-1] in _FULLWIDTH:
        return not (close and _QUOTED_SPEECH_GOES_ON.match(line, match.end()))
    if not gap and not _unspaced_script(line[match.end()]):
        return False
    if _GOES_ON.match(line, match.end()):
        return False
    following = _NEXT.match(line, match.end())
    if following is None:
        return True
    word = following["word"]
    if not _can_open(word):
        return False
    if stop != "." or close.strip("'’"):
        return True
    before = line[max(start, match.start() - _LONGEST_WORDS) : match.start()]
    last = _LAST.search(before, before.rfind(" ") + 1)
    return last is None or _word_can_end(last[0], before[: last.start()], word, rules)


def _can_open(word: str) -> bool:
    """Capitals, digits and letters without case open sentences; so does ``iPhone``."""
    return not word[0].islower() or (len(word) > 2 and not word[1:3].islower() and word.isalpha())


def _word_can_end(last: str, before: str, following: str, rules: _Rules) -> bool:
    """Can the word `last`, which has a single stop after it, end a sentence here?"""
    last = last.lstrip("'’-.")
    opens = following in rules.opening
    if last in rules.runs_on:
        return False
    if following[0].isdigit() and last in rules.before_number:
        return False
    if last.isdigit():
        if len(last) <= 2 and following in rules.ordinal_named:
            return False
        is_number = (rules.ordinal_stop and len(last) <= 2) or _ITEM.search(before)
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
    words = before.split()
    return bool(words) and words[-1] in rules.labelled


def _unspaced_script(char: str) -> bool:
    """Scripts that are written without blanks between sentences."""
    return (
        "\u0e00" <= char <= "\u0eff" or "\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"
    )


_LONGEST_ASIDE = 300


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


def _inside(spans: tuple[tuple[int, int], ...], at: int, end: int, start: int) -> bool:
    """Does the stop stand within an aside of the running sentence?

    Brackets that hold whole sentences themselves, from the sentence's start on, are no aside.
    """
    nearest = bisect_left(spans, (at,)) - 1
    if nearest < 0:
        return False
    left, right = spans[nearest]
    return end <= right and left > start
