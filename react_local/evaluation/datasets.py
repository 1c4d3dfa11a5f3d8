"""Files of questions and claims, in formats that are recognised by their fields.

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
    """The gold answer and its aliases, or a claim's label."""
    task: Task = Task.QUESTION
    titles: tuple[str, ...] = ()
    """The gold pages, without repeats."""
    type: str = ""
    level: str = ""

    def record(self) -> dict[str, Any]:
        """This example in our own JSON format, which `read` accepts."""
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
    """The examples in a file of any of the formats above, in order.

    Raises:
        DatasetError: the file cannot be read, or an entry has no question or no answer.
    """
    examples: dict[str, Example] = {}
    for number, place, record in _records(path):
        try:
            example = _example(record, number)
        except ValueError as error:
            raise DatasetError(f"{place} of {path}: {error}") from error
        if example.id in examples:
            raise DatasetError(f"{place} of {path}: the id {example.id!r} is used twice")
        examples[example.id] = example
    if not examples:
        raise DatasetError(f"{path} holds no question: name a file with questions or claims")
    if len({example.task for example in examples.values()}) > 1:
        raise DatasetError(f"{path} holds questions and claims: put them in separate files")
    return tuple(examples.values())


def choose(
    examples: Sequence[Example], limit: int | None = None, seed: int | None = None
) -> tuple[Example, ...]:
    """The first `limit` examples, after shuffling if there is a seed.

    The shuffle is that of the paper's notebooks, whose seed is 233: ``random.Random(seed).shuffle``
    of the indices of all examples.
    """
    indices = list(range(len(examples)))
    if seed is not None:
        random.Random(seed).shuffle(indices)
    return tuple(examples[index] for index in indices[:limit])


def _records(path: Path) -> Iterator[tuple[int, str, Any]]:
    """Each entry with its number from 1 and a description of its place for error messages."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DatasetError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DatasetError(
            f"line {line} of {path} is not UTF-8 text: name a JSON or JSON lines file"
        ) from error
    try:
        whole = _parsed(text)
    except (ValueError, RecursionError) as error:
        yield from _lines(path, text, error)
        return
    is_list = isinstance(whole, list) and not (whole and isinstance(whole[0], str))
    if is_list:
        yield from ((number, f"entry {number}", entry) for number, entry in enumerate(whole, 1))
    else:  # an object or a pair
        yield 1, "line 1", whole


def _lines(path: Path, text: str, error: Exception) -> Iterator[tuple[int, str, Any]]:
    """The entries of JSON lines; `error` is why `text` as a whole is not JSON."""
    is_first = True
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = _parsed(line)
        except (ValueError, RecursionError) as found:
            if (
                is_first
            ):  # also the beginning of a list over several lines with an error further down
                raise _not_json(path, error) from error
            raise _not_json(path, found, number) from found
        yield number, f"line {number}", record
        is_first = False


def _not_json(path: Path, error: Exception, first: int = 1) -> DatasetError:
    """The error for a text that begins at line `first` of the file and cannot be parsed."""
    line, reason = first, str(error)
    if isinstance(error, json.JSONDecodeError):
        line += error.lineno - 1
        reason = f"column {error.colno}: {error.msg}"
    return DatasetError(
        f"line {line} of {path} is not JSON ({reason}): a file is one JSON list, or a JSON object "
        "a line"
    )


def _parsed(text: str) -> Any:
    return json.loads(
        text, parse_constant=lambda name: None
    )  # NaN is how some programs write a missing value


def _example(record: Any, number: int) -> Example:
    """The example in entry `number` of any format.

    Raises:
        ValueError: it is in none of the formats; the message names the wrong field.
    """
    if isinstance(record, list) and len(record) == 2:
        record = dict(zip(("question", "answer"), record, strict=True))
    if not isinstance(record, dict):
        raise ValueError(f"neither an object nor a pair of question and answer: {_short(record)}")
    example = _claim(record, number) if "claim" in record else _asked(record, number)
    for name, value in example.record().items():
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"{name!r} contains half a character (a lone surrogate)") from error
    return example


def _claim(record: dict[str, Any], number: int) -> Example:
    label = _text(record, "label")
    if label not in CLAIM_LABELS:
        raise ValueError(f"the label {label!r} is none of {', '.join(CLAIM_LABELS)}")
    claim = _question(record, "claim")
    return Example(_identity(record, number), claim, (label,), Task.CLAIM, _titles(record))


def _asked(record: dict[str, Any], number: int) -> Example:
    if record.get("answerable") is False:
        raise ValueError("the question has no answer: use MuSiQue's answerable half (musique_ans)")
    identity = _identity(record, number)
    return Example(
        identity,
        _question(record, "question"),
        _answers(record),
        titles=_titles(record),
        type=_type(record, identity),
        level=_name(record, "level"),
    )


def _identity(record: dict[str, Any], number: int) -> str:
    """The id of an entry, or its number if it has none."""
    named = [record[field] for field in ("id", "_id") if record.get(field) not in (None, "")]
    identity = named[0] if named else number
    if isinstance(identity, bool) or not isinstance(identity, int | str):
        raise ValueError(f"the id {_short(identity)} is neither a string nor a number")
    return str(identity)


def _text(record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(
            f"no {field!r}: an entry needs a question and an answer, or a claim and a label"
        )
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(f"{field!r} is not a string: {_short(value)}")
    return value.strip()


def _question(record: dict[str, Any], field: str) -> str:
    question = _text(record, field)
    if not any(character.isalnum() for character in question):
        raise ValueError(f"the {field} {question!r} contains no word")
    return question


def _answers(record: dict[str, Any]) -> tuple[str, ...]:
    aliases = _list(record, "answer_aliases")
    if not all(isinstance(alias, str | int | float) for alias in aliases):
        raise ValueError("'answer_aliases' is not a list of strings")
    said = (str(alias).strip() for alias in aliases)
    return tuple(dict.fromkeys([_text(record, "answer"), *filter(None, said)]))


def _titles(record: dict[str, Any]) -> tuple[str, ...]:
    """The gold pages, from the field that the format has for them."""
    if isinstance(facts := record.get("supporting_facts"), dict):
        field, named = "supporting_facts", _list(facts, "title")
    elif facts is not None:
        field, facts = "supporting_facts", _list(record, "supporting_facts")
        if not all(isinstance(fact, list) and fact for fact in facts):
            raise ValueError(f"{field!r} is not a list of titles with sentence numbers")
        named = [fact[0] for fact in facts]
    elif "paragraphs" in record:
        field, parts = "paragraphs", _list(record, "paragraphs")
        if not all(isinstance(part, dict) and {"title", "is_supporting"} <= part.keys()
                   for part in parts):  # fmt: skip
            raise ValueError(f"{field!r} is not a list of objects with 'title' and 'is_supporting'")
        named = [part["title"] for part in parts if part["is_supporting"]]
    elif "evidence" in record:
        field, sets = "evidence", _list(record, "evidence")
        pieces = [piece for found in sets for piece in (found if isinstance(found, list) else [0])]
        if not all(isinstance(piece, list) and len(piece) > 2 for piece in pieces):
            raise ValueError(f"{field!r} is not a list of sets of [annotation, evidence, page, …]")
        named = [_fever_title(str(piece[2])) for piece in pieces if piece[2]]
    else:
        field = "evidence_titles" if "claim" in record else "supporting_titles"
        named = _list(record, field)
    if not all(isinstance(title, str | int) for title in named):
        raise ValueError(f"a title of {field!r} is not a string")
    return tuple(dict.fromkeys(map(str, named)))


def _list(record: dict[str, Any], field: str) -> list[Any]:
    """The list in a field that may be absent or null; a string does not count as a list."""
    value = record.get(field)
    if value is not None and not isinstance(value, list):
        raise ValueError(f"{field!r} is not a list")
    return value or []


def _fever_title(page: str) -> str:
    """A page name as FEVER spells it, with its brackets and colons tokenised away."""
    spelt = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-COLON-": ":", "_": " "}
    for code, character in spelt.items():
        page = page.replace(code, character)
    return page


def _type(record: dict[str, Any], identity: str) -> str:
    """The type of question; in MuSiQue it is the first part of the id, such as ``2hop``."""
    return identity.partition("__")[0] if "paragraphs" in record else _name(record, "type")


def _name(record: dict[str, Any], field: str) -> str:
    """A string or number that may be absent or null."""
    value = record.get(field)
    if not isinstance(value, str | int | None):
        raise ValueError(f"{field!r} is not a string")
    return "" if value is None else str(value)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:39]}…"
