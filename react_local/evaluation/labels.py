"""Why runs succeed and fail, labelled by people: Table 2 of the paper (arXiv 2210.03629).

Labels are kept beside the evaluation, ``RUN/labels/<person>.jsonl``, a line each, the last one of
a run being the one that holds. Each has the digest of the run that it was given to, and does not
count for another one in its place. Each is suggested by a rule first (`suggest`), which only reads
the trace: a person decides.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from pathlib import Path

from react_local.errors import EvaluationError
from react_local.evaluation.files import cannot_write
from react_local.evaluation.report import Answered, MethodReport
from react_local.evaluation.statistics import cohens_kappa
from react_local.normalise import normalise
from react_local.trace_records import step_record
from react_local.types import Trajectory

EACH = 50
"""Successes, and failures, that the paper's authors labelled for each method."""

Key = tuple[str, str]
"""A method and a question's id."""


class Label(StrEnum):
    """The paper's categories: two of successes, four of failures."""

    TRUE_POSITIVE = "true positive"
    FALSE_POSITIVE = "false positive"
    REASONING_ERROR = "reasoning error"
    SEARCH_ERROR = "search result error"
    HALLUCINATION = "hallucination"
    AMBIGUITY = "label ambiguity"


MEANINGS = {
    Label.TRUE_POSITIVE: "reasoning and facts are right",
    Label.FALSE_POSITIVE: "the answer is right, its reasoning or facts are made up",
    Label.REASONING_ERROR: "wrong reasoning, steps repeated in vain",
    Label.SEARCH_ERROR: "searches brought nothing, or nothing of use",
    Label.HALLUCINATION: "reasoning or facts are made up",
    Label.AMBIGUITY: "the answer is right, but not as the gold answer has it",
}
SUCCESS = (Label.TRUE_POSITIVE, Label.FALSE_POSITIVE)
FAILURE = tuple(label for label in Label if label not in SUCCESS)


def choices(answered: Answered) -> tuple[Label, ...]:
    """The labels that a run may have."""
    return SUCCESS if answered.score.exact else FAILURE


def suggest(answered: Answered) -> Label:
    """The label that a run is likely to have, by the first of these rules that fits.

    - Of a success: a false positive where no observation states the answer, though some could;
      else a true positive.
    - Label ambiguity: answer and gold answer hold one another, in whole words.
    - Search result error: no search found a page, or no gold page was seen.
    - Hallucination: there is an answer, which no observation states or could have stated.
    - Reasoning error: the rest, runs without an answer among them.
    """
    done, answer = answered.behaviour, answered.run.trajectory.answer
    golds = answered.example.answers
    if answered.score.exact:
        return Label.FALSE_POSITIVE if done.grounded is False else Label.TRUE_POSITIVE
    if answer and any(_holds(answer, gold) or _holds(gold, answer) for gold in golds):
        return Label.AMBIGUITY
    if 0 < done.searches == done.missed or done.gold_reached == 0:
        return Label.SEARCH_ERROR
    sees_nothing = done.searches == 0 and done.gold_reached is None
    if answer and (sees_nothing or done.grounded is False):
        return Label.HALLUCINATION
    return Label.REASONING_ERROR


def draw(method: MethodReport, each: int = EACH, seed: int = 0) -> list[Answered]:
    """`each` successes and as many failures, or all there are; the same for the same seed."""
    chance = random.Random(seed)
    drawn: list[Answered] = []
    for is_success in (True, False):
        found = [a for a in method.answered if bool(a.score.exact) is is_success]
        drawn += chance.sample(found, min(each, len(found)))
    return drawn


class LabelFile:
    """The labels that one person gave to the runs of `methods`, which are of the evaluation `root`.

    Raises:
        EvaluationError: a line of the file is damaged.
    """

    def __init__(self, root: Path, person: str, methods: Iterable[MethodReport]) -> None:
        self.person = person
        self._path = root / "labels" / f"{person}.jsonl"
        runs = {(m.method, a.example.id): digest(a.run.trajectory) for m in methods
                for a in m.answered}  # fmt: skip
        given: dict[Key, tuple[str, Label]] = {}
        for number, line in enumerate(self._lines(), start=1):
            try:
                record = json.loads(line)
                key = record["method"], record["id"]
                given[key] = record["digest"], Label(record["label"])
            except (ValueError, KeyError, TypeError) as error:
                raise EvaluationError(
                    f"line {number} of {self._path} is damaged: remove it"
                ) from error
        there = {key: labelled for key, labelled in given.items() if key in runs}
        self.labels = {key: label for key, (run, label) in there.items() if run == runs[key]}
        self.outdated = len(there) - len(self.labels)
        """How many labels are of runs that were made again since, and came out otherwise."""

    def _lines(self) -> list[bytes]:
        """Without what was cut off in writing."""
        data = self._path.read_bytes() if self._path.exists() else b""
        return data[: data.rfind(b"\n") + 1].splitlines()

    @classmethod
    def all(cls, root: Path, methods: Sequence[MethodReport]) -> list[LabelFile]:
        """Of everybody who labelled this evaluation."""
        paths = sorted((root / "labels").glob("*.jsonl"))
        return [cls(root, path.stem, methods) for path in paths]

    def add(self, answered: Answered, method: str, label: Label) -> None:
        """Keep a label, with what was suggested for it.

        Raises:
            EvaluationError: it cannot be written.
        """
        record = {
            "method": method,
            "id": answered.example.id,
            "label": label,
            "suggested": suggest(answered),
            "digest": digest(answered.run.trajectory),
        }
        try:
            self._path.parent.mkdir(exist_ok=True)
            with self._path.open("a+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise cannot_write(self._path, error) from error
        self.labels[method, answered.example.id] = label


def digest(told: Trajectory) -> str:
    """What tells a run from another one of the same question: SHA-256 of its steps, cut short."""
    steps = [step_record(step) for part in told.parts for step in part.steps]
    return hashlib.sha256(json.dumps(steps).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Agreement:
    """How far two people agree, on the successes or the failures that both labelled."""

    first: str
    second: str
    labels: tuple[Label, ...]
    runs: int
    kappa: float | None
    """Cohen's; None where chance alone would have them agree on all."""


def agreements(files: Sequence[LabelFile]) -> list[Agreement]:
    """Of each two people, apart for successes and failures, whose labels never mix."""
    found = []
    for one, other in combinations(files, 2):
        for kind in (SUCCESS, FAILURE):
            shared = [
                (label, other.labels[key])
                for key, label in one.labels.items()
                if label in kind and other.labels.get(key) in kind
            ]
            if shared:
                kappa = cohens_kappa(*zip(*shared, strict=True))
                found.append(Agreement(one.person, other.person, kind, len(shared), kappa))
    return found


def counts(labels: Mapping[Key, Label], method: str) -> Counter[Label]:
    """How many runs of a method have each label."""
    return Counter(label for (name, _), label in labels.items() if name == method)


def _holds(text: str, part: str) -> bool:
    wanted = normalise(part)
    return bool(wanted) and f" {wanted} " in f" {normalise(text)} "
