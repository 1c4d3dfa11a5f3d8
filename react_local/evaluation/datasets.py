"""Question and claim files, told apart by their shape.

- HotpotQA's own JSON list (Yang et al., arXiv 1809.09600), and 2WikiMultihopQA's (Ho et al.,
  arXiv 2011.01060), which has the same fields: ``supporting_facts`` name the gold pages.
- MuSiQue's JSON lines (Trivedi et al., arXiv 2108.00573): ``paragraphs`` that are supporting,
  ``answer_aliases``.
- FEVER's JSON lines (Thorne et al., arXiv 1803.05355): ``claim``, ``label``, ``evidence``.
- The simplified lists of the ReAct repository: only question and answer, as objects or pairs.
- Our own JSON lines: ``supporting_titles``, or ``evidence_titles`` of a claim.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react_local.errors import DatasetError
from react_local.types import CLAIM_LABELS, Task


@dataclass(frozen=True)
class Example:
    """A question with its gold answer, or a claim with its label."""

    id: str
    question: str
    answers: tuple[str, ...]
    """The gold answer, then its aliases; a claim's label."""
    task: Task = Task.QUESTION
    titles: tuple[str, ...] = ()
    """The gold pages, without repeats."""
    type: str = ""
    level: str = ""

    def record(self) -> dict[str, Any]:
        """This example in our own JSON form, which `read` takes."""
        if self.task is Task.CLAIM:
            asked = {"claim": self.question, "label": self.answers[0]}
            return {"id": self.id, **asked, "evidence_titles": self.titles}
        return {
            "id": self.id,
            "question": self.question,
            "answer": self.answers[0],
            "answer_aliases": self.answers[1:],
            "type": self.type,
            "level": self.level,
            "supporting_titles": self.titles,
        }


def read(path: Path) -> tuple[Example, ...]:
    """The examples of a file in any of the shapes above, in its order.

    Raises:
        DatasetError: the file cannot be read, or an entry of it has no question or no answer.
    """
    examples: dict[str, Example] = {}
    for number, place, record in _records(path):
        try:
            example = _example(record, number)
            json.dumps(example.record(), ensure_ascii=False).encode()  # fails for lone surrogates
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise DatasetError(f"{place} of {path}: {_reason(error)}") from error
        if example.id in examples:
            raise DatasetError(f"{place} of {path}: the id {example.id!r} came before")
        examples[example.id] = example
    if not examples:
        raise DatasetError(f"{path} holds no question: name a file with questions or claims")
    if len({example.task for example in examples.values()}) > 1:
        raise DatasetError(f"{path} holds questions and claims: put them in a file each")
    return tuple(examples.values())


def choose(
    examples: Sequence[Example], limit: int | None = None, seed: int | None = None
) -> tuple[Example, ...]:
    """The first `limit` examples, shuffled before where there is a seed.

    The shuffle is that of the paper's notebooks, whose seed is 233: the indices of all examples
    by ``random.Random(seed).shuffle``.
    """
    indices = list(range(len(examples)))
    if seed is not None:
        random.Random(seed).shuffle(indices)
    return tuple(examples[index] for index in indices[:limit])


def _records(path: Path) -> Iterator[tuple[int, str, Any]]:
    """Each entry with its number from 1, and what a person would call its place."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DatasetError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path} is not UTF-8 text: name a JSON or JSON lines file") from error
    if (whole := _json_list(text)) is not None:
        yield from ((number, f"entry {number}", entry) for number, entry in enumerate(whole, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, f"line {number}", _line(path, number, line)


def _json_list(text: str) -> list[Any] | None:
    """The whole text as one JSON list; None where it is rather JSON lines."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return None
    is_list = isinstance(whole, list) and not (whole and isinstance(whole[0], str))
    return whole if is_list else None  # a list that begins with a string is a lone pair


def _line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DatasetError(
            f"line {number} of {path} is not JSON: a file is one JSON list, or a JSON object a line"
        ) from error


def _example(record: Any, number: int) -> Example:
    if isinstance(record, list):
        question, answer = record
        record = {"question": question, "answer": answer}
    identity = _identity(record, number)
    if "claim" in record:
        label = _text(record, "label")
        if label not in CLAIM_LABELS:
            raise ValueError(f"the label {label!r} is none of {', '.join(CLAIM_LABELS)}")
        claim = _question(record, "claim")
        return Example(identity, claim, (label,), Task.CLAIM, _titles(record))
    if record.get("answerable") is False:
        raise ValueError("the question has no answer: use MuSiQue's answerable half (musique_ans)")
    return Example(
        identity,
        _question(record, "question"),
        _answers(record),
        titles=_titles(record),
        type=_type(record, identity),
        level=str(record.get("level") or ""),
    )


def _identity(record: dict[str, Any], number: int) -> str:
    """What an entry calls itself; where that is nothing, its number."""
    named = [record[field] for field in ("id", "_id") if record.get(field) not in (None, "")]
    identity = named[0] if named else number
    if not isinstance(identity, int | str):
        raise ValueError(f"the id {identity!r} is neither a text nor a number")
    return str(identity)


def _text(record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(
            f"no {field!r}: an entry is a question with an answer, or a claim with a label"
        )
    return value.strip()


def _question(record: dict[str, Any], field: str) -> str:
    question = _text(record, field)
    if not any(character.isalnum() for character in question):
        raise ValueError(f"the {field} {question!r} has no word in it")
    return question


def _answers(record: dict[str, Any]) -> tuple[str, ...]:
    aliases = _list(record, "answer_aliases")
    if not all(isinstance(alias, str | int | float) for alias in aliases):
        raise ValueError("'answer_aliases' is no list of texts")
    said = (str(alias).strip() for alias in aliases)
    return tuple(dict.fromkeys([_text(record, "answer"), *filter(None, said)]))


def _titles(record: dict[str, Any]) -> tuple[str, ...]:
    """The gold pages, from whichever field the shape keeps them in."""
    if isinstance(facts := record.get("supporting_facts"), dict):
        named = _list(facts, "title")
    elif facts is not None:
        facts = _list(record, "supporting_facts")
        if not all(isinstance(fact, list) for fact in facts):
            raise ValueError("'supporting_facts' is no list of titles with a sentence's number")
        named = [fact[0] for fact in facts]
    elif "paragraphs" in record:
        named = [part["title"] for part in record["paragraphs"] if part["is_supporting"]]
    elif "evidence" in record:
        pages = (piece[2] for pieces in _list(record, "evidence") for piece in pieces)
        named = [_fever_title(page) for page in pages if page]
    else:
        named = _list(record, "supporting_titles") or _list(record, "evidence_titles")
    if not all(isinstance(title, str | int) for title in named):
        raise ValueError("the title of a gold page is no text")
    return tuple(dict.fromkeys(map(str, named)))


def _list(record: dict[str, Any], field: str) -> list[Any]:
    """The list in a field that may be absent or null; a text there is no list of its letters."""
    value = record.get(field)
    if value is not None and not isinstance(value, list):
        raise ValueError(f"{field!r} is no list")
    return value or []


def _fever_title(page: str) -> str:
    """A page name as FEVER spells it, with its brackets and colons tokenised away."""
    spelt = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":", "_": " "}
    for code, character in spelt.items():
        page = page.replace(code, character)
    return page


def _type(record: dict[str, Any], identity: str) -> str:
    """The kind of question; MuSiQue tells it by the first part of the id, such as ``2hop``."""
    if "paragraphs" in record:
        return identity.partition("__")[0]
    return str(record.get("type") or "")


def _reason(error: Exception) -> str:
    if type(error) is ValueError and error.args and "unpack" not in str(error):
        return str(error)
    return "not in a shape that is known: question and answer, or claim and label"
