"""Possible answers by the type of question: words of the evidence, of the type asked for.

The evidence consists of the observations and the titles of their pages; for a choice between things
named in the question, of the question itself. Numbers and dates keep the form of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

from react_local.environments.wikipedia import found_nothing
from react_local.life_events import event_asked, mentions
from react_local.normalise import normalise
from react_local.types import Task, Trajectory


class Kind(StrEnum):
    """The type of answer that a question asks for."""

    VERDICT = "verdict"
    """Yes or no: the question begins with an auxiliary verb or has no question word."""
    CHOICE = "choice"
    """One of the two things around the question's "or"."""
    YEAR = "year"
    DATE = "date"
    NUMBER = "number"
    COUNTRY = "country"
    """A place, or the word after an indefinite article: `an American composer`."""
    PLACE = "place"
    """A name after a preposition, a comma, a bracket, a dash or a year. That is half of all names,
    and includes 93 of the 109 answers that the first five sentences of the gold pages of
    `qa_train.jsonl` state."""
    PERSON = "person"
    """A name without a year in it; this applies to places and countries, too."""
    NAME = "name"
    OPEN = "open"
    """Anything: a span of the evidence."""


_OF_LIVES = (Kind.YEAR, Kind.DATE, Kind.PLACE)
"""Kinds that a birth or a death can be asked for."""

_NOT_QUOTED = frozenset({"", "yes", "no", "noanswer"})
"""Normalised answers that no page is expected to state."""

_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b"
_RULES = (
    (Kind.CHOICE, r"\w[!?)]?,? (?-i:or) (?!around|about|near)"),  # titles have "Or" in capitals
    (Kind.CHOICE, r"(?:^\W*between|\bout of) .*\w and "),
    (Kind.VERDICT, rf"^\W*{_AUXILIARY}"),
    (
        Kind.OPEN,
        r"\b(?:what|which) (?:(?:is|was|are|were) the )?(?:type|kind|sort|genre|profession|"
        r"occupation|role|position|cause)\b",
    ),
    (Kind.YEAR, r"\b(?:what|which) year\b"),
    (Kind.DATE, r"(?:^\W*|, )(?:(?:in|on|by|since|until) )?when\b"),
    (Kind.DATE, r"\b(?:what|which) (?:(?:is|was) the )?(?:date|day|month)\b"),
    (Kind.NUMBER, r"\bhow (?:many|much|long|tall|old|far|high|deep|wide|large|big|fast|heavy)\b"),
    (Kind.NUMBER, r"\b(?:what|which) (?:(?:is|was) the )?(?:population|number|age)\b"),
    (Kind.NAME, r"\bwhere\b.* (?:study|studied|graduate|graduated|educated|work|worked)\b"),
    (Kind.PLACE, r"(?:^\W*|, |\b(?:from|in|to) )where\b"),
    (Kind.PLACE, r"\b(?:what|which) (?:is|was) the (?:birth)?place\b"),
    (Kind.COUNTRY, r"\b(?:what|which) (?:\w+ )?(?:country|nationality)\b"),
    (
        Kind.PLACE,
        r"\b(?:what|which) (?:\w+ )?(?:city|town|village|state|county|province|island|"
        r"continent|region|district|place)\b",
    ),
    (Kind.PERSON, r"(?:^\W*|, |\b(?:by|of|to|from|with|in) )(?:who|whom|whose)\b"),
    (
        Kind.PERSON,
        r"\b(?:what|which) (?:\w+ )?(?:person|man|woman|actor|actress|author|writer|composer|"
        r"painter|king|queen|president|scientist|director|playwright|empress|emperor)\b",
    ),
    (
        Kind.NAME,
        r"\b(?:what|which) (?:\w+ )?(?:river|company|band|film|album|song|team|club|university|"
        r"college|school)\b",
    ),
    (Kind.OPEN, r"\b(?:called|titled|named|known as|by|in|of|from|for|with)\W*$"),
    (Kind.OPEN, r"\b(?:who|whom|whose|what|which|where|when|why|how|name)\b"),
    (Kind.VERDICT, ""),
)

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"(?:Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)\.)"
)
_YEAR = r"[12][0-9]{3}|[0-9]{3}(?! ?[a-z])"
_DATES = re.compile(
    rf"\b(?:[0-9]{{1,2}} {_MONTH}(?: [0-9]{{3,4}})?|{_MONTH} (?:[0-9]{{1,2}}(?:, [0-9]{{3,4}})?"
    rf"|[0-9]{{3,4}})|{_YEAR})\b"
)
_YEARS = re.compile(rf"\b(?:{_YEAR})\b")
_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|"
    "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|hundred|thousand|once|twice"
)
_NUMBERS = re.compile(
    rf"\b(?:[0-9]+(?:[.,][0-9]+)*(?: (?:thousand|million|billion|trillion))?"
    rf"|(?i:{_NUMBER_WORDS}))\b"
)
_MEASURES = re.compile(rf"({_NUMBERS.pattern})( [a-z²³°/]+)?")
_LINK = r"(?:of|the|de|la|le|von|van|der|den|di|da|du|del|and|in|on|for|to|with|at|&)"
_CAPITAL = r"(?:[^\W\d_a-z]|[0-9])[^\s,;:()\"“”\[\]!?]*"
_NAME = rf"{_CAPITAL}(?: (?:{_LINK} ){{0,2}}{_CAPITAL})*"
_NAMES = re.compile(rf"{_NAME}(?:, (?![0-9]+\b){_NAME})?")
_ONE = rf"{_NAME}(?: \([^()]*\))?|\w+"
_SIDES = re.compile(rf"(?P<left>{_ONE})[!?]?,? or (?P<right>(?:the )?(?:{_ONE}))")
_BETWEEN = re.compile(
    rf"(?:[Bb]etween|out of) (?:[a-z]+ )*(?P<left>{_NAME}) and (?P<right>{_NAME})"
)
_BETWEEN_NAMES = re.compile(r", | (?:and|in|on|for|to|with|at|&) |(?<=\b[0-9]{4}) ")
_OF_NAMES = re.compile(r"[^\W\d_a-z]")  # a capital, or a letter of a script without case
_BEFORE_PLACE = re.compile(
    r"(?:\b(?:in|at|near|from|to|of|on|into|around|for|between|and)(?: the)?(?: [\w-]+)? |, |\( ?"
    r"|[–—-] |\b[0-9]{4} )$"
)
_BEFORE_COUNTRY = re.compile(rf"{_BEFORE_PLACE.pattern}|\ban? $")
_BEFORE = {Kind.PLACE: _BEFORE_PLACE, Kind.COUNTRY: _BEFORE_COUNTRY}
_SENTENCE_END = re.compile(r"(?<=\w{4}\.) ")
_NO_NAME = re.compile(
    r"a|an|the|its?|he|his|she|her|they|their|this|that|these|those|there|in|on|at|by|from|as|of|"
    r"and|but|after|before|when|while|during|since|for|with|one",
    re.IGNORECASE,
)


def evidence_of(run: Trajectory) -> tuple[str, ...]:
    """The titles and texts of the observations of `run`, the last first."""
    seen = [step.observation for step in reversed(run.steps) if step.observation]
    found = (told for told in seen if told.title or not found_nothing(told))
    return tuple(dict.fromkeys(text for told in found for text in (told.title, told.text) if text))


def is_stated(run: Trajectory) -> bool | None:
    """Whether an observation states the answer, in whole words and normalised as for scores. None
    without an answer, and for yes, no and verdicts, which no observation is expected to state."""
    answer = normalise(run.answer or "")
    if answer in _NOT_QUOTED or run.task is Task.CLAIM:
        return None
    return any(f" {answer} " in f" {normalise(seen.text)} " for seen in run.observations)


def kind_of(question: str) -> Kind:
    """The kind by the first rule that matches the question."""
    return next(kind for kind, rule in _RULES if re.search(rule, question, re.IGNORECASE))


def shaped(kind: Kind, question: str, evidence: Sequence[str]) -> tuple[str, ...]:
    """The possible answers of this kind, as written in the evidence; none for OPEN."""
    if kind is Kind.VERDICT:
        return ("yes", "no")
    if kind is Kind.CHOICE:
        return _sides(question)
    event = event_asked(question) if kind in _OF_LIVES else None
    told = [f"({told}" for text in evidence for told in mentions(event, text)] if event else []
    found = _all(kind, question, told) or _all(kind, question, evidence)
    if kind is Kind.DATE and re.search(r"\b(?:date|day)\b", question, re.IGNORECASE):
        return tuple(date for date in found if re.search(_MONTH, date)) or found
    return found


def _all(kind: Kind, question: str, texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_found(kind, question, texts)))


def _found(kind: Kind, question: str, evidence: Iterable[str]) -> Iterator[str]:
    asked = f" {_plain(question)} "
    for text in evidence:
        match kind:
            case Kind.YEAR:
                yield from (m[0] for m in _YEARS.finditer(text))
            case Kind.DATE:
                yield from _dates(text)
            case Kind.NUMBER:
                yield from _measures(question, text)
            case Kind.NAME | Kind.PERSON | Kind.PLACE | Kind.COUNTRY:
                before = _BEFORE.get(kind)
                for start, name in names(text):
                    is_new = f" {_plain(name)} " not in asked
                    is_dated = kind is not Kind.NAME and _YEARS.search(name)
                    if is_new and not is_dated and (not before or before.search(text, 0, start)):
                        yield name


def _plain(text: str) -> str:
    """The words of `text` in lower case, separated by blanks."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _sides(question: str) -> tuple[str, ...]:
    """The two things around the question's "or", or in its "between … and"."""
    found = _SIDES.search(question) or _BETWEEN.search(question)
    if found is None:
        return ()
    left = re.sub(rf"^{_AUXILIARY} ", "", found["left"], flags=re.IGNORECASE)
    return left, found["right"]


def _dates(text: str) -> Iterator[str]:
    """Dates as written, and the years in them."""
    for match in _DATES.finditer(text):
        yield match[0]
        yield from _YEARS.findall(match[0])


def _measures(question: str, text: str) -> Iterator[str]:
    """Numbers; also with their units, unless the question asks for a count."""
    counted = re.search(r"\bhow many\b", question, re.IGNORECASE)
    for match in _MEASURES.finditer(text):
        yield match[1]
        if not counted and match[2]:
            yield match[0]


def names(text: str) -> Iterator[tuple[int, str]]:
    """Runs of capitalised words with their positions, without words that only begin a sentence,
    and the parts of runs such as `Bergen, Norway` or `Oslo and Bergen`. Dates are left out."""
    for match in _NAMES.finditer(text):
        start = match.start()
        for run in _SENTENCE_END.split(match[0]):
            parts = dict.fromkeys((run, run.partition(", ")[0], *_BETWEEN_NAMES.split(run)))
            for part in parts:
                if name := _name(part):
                    yield start + run.index(part) + part.index(name), name
            start += len(run) + 1


def _name(run: str) -> str:
    words = run.rstrip(".'’").split(" ")
    while words and _NO_NAME.fullmatch(words[0]):
        words.pop(0)
    while words and _NO_NAME.fullmatch(words[-1]):
        words.pop()
    name = " ".join(words).rstrip(".").removesuffix("'s").removesuffix("’s")
    is_date = re.search(rf"\b{_MONTH}", name) or not _OF_NAMES.search(name)
    return "" if is_date else name
