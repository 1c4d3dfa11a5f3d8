"""Finding mentions of births and deaths in the text of an encyclopedia.

A page on a person begins with the name and the dates of their life in parentheses, ``(30 May 1904 –
22 March 1990)`` or ``(born 30 May 1904 in Rome)``; other mentions are in sentences with *born* or
*died*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum


class LifeEvent(StrEnum):
    BIRTH = "birth"
    DEATH = "death"


_ASKED = {
    LifeEvent.BIRTH: r"\b(?:date|day|year|place) of birth\b|\bbirthplace\b",
    LifeEvent.DEATH: r"\b(?:date|day|year|place) of death\b",
}
_AT_THE_END = {
    LifeEvent.BIRTH: r"\bborn(?: in| on)?\W*$",
    LifeEvent.DEATH: r"\bdied?(?: in| on)?\W*$",
}
_QUESTION_WORDS = re.compile(r"\b(?:when|where|who|whom|which|what|that)\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]*\b[0-9]{3,4}\b[^()]*)\)")
_UNTIL = re.compile(r"\s*[–—]\s*|\s+-\s+|-\s+")
_TOLD = {
    LifeEvent.BIRTH: re.compile(r"\b(?:[Bb]orn|native of)\b([^.;()]*)"),
    LifeEvent.DEATH: re.compile(r"\b(?:[Dd]ied|death)\b([^.;()]*)"),
}


def event_asked(question: str) -> LifeEvent | None:
    """The event that the question asks about, if any."""
    is_simple = len(_QUESTION_WORDS.findall(question)) == 1
    for event in LifeEvent:
        if re.search(_ASKED[event], question, re.IGNORECASE) or (
            is_simple and re.search(_AT_THE_END[event], question, re.IGNORECASE)
        ):
            return event
    return None


def mentions(event: LifeEvent, text: str) -> Iterator[str]:
    """The parts of `text` about `event`, those in parentheses first."""
    for match in _BRACKETS.finditer(text):
        before, *after = _UNTIL.split(match[1], maxsplit=1)
        if event is LifeEvent.BIRTH and (after or re.search(r"\bb(?:orn\b|\.)", before)):
            yield before
        elif event is LifeEvent.DEATH and (after or re.search(r"\bd(?:ied\b|\.)", before)):
            yield after[0] if after else before
    yield from (match[1] for match in _TOLD[event].finditer(text))
