"""Why runs succeed and fail, labelled by people: Table 2 of the paper (arXiv 2210.03629).

Labels are stored with the evaluation in ``RUN/labels/<person>.jsonl``, one per line; the last label
of a run is the valid one. Each has the digest of its run, and does not count if the run was made
again with another result. A rule suggests each label from the trace (`suggest`); a person decides.
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
"""The number of successes, and of failures, that the paper's authors labelled for each method."""

Key = tuple[str, str]
"""A method and a question's id."""


class Label(StrEnum):
    """The paper's categories: two for successes, four for failures."""

    TRUE_POSITIVE = "true positive"
    FALSE_POSITIVE = "false positive"
    REASONING_ERROR = "reasoning error"
    SEARCH_ERROR = "search result error"
    HALLUCINATION = "hallucination"
    AMBIGUITY = "label ambiguity"


MEANINGS = {
    Label.TRUE_POSITIVE: "the reasoning and the facts are right",
    Label.FALSE_POSITIVE: "the answer is right, but the reasoning or facts are made up",
    Label.REASONING_ERROR: "wrong reasoning, or pointless repetition of steps",
    Label.SEARCH_ERROR: "the searches found nothing, or nothing useful",
    Label.HALLUCINATION: "the reasoning or facts are made up",
    Label.AMBIGUITY: "the answer is right, but differs from the gold answer",
}
SUCCESS = (Label.TRUE_POSITIVE, Label.FALSE_POSITIVE)
FAILURE = tuple(label for label in Label if label not in SUCCESS)


def choices(answered: Answered) -> tuple[Label, ...]:
    """The labels that are possible for a run."""
    return SUCCESS if answered.score.exact else FAILURE


def suggest(answered: Answered) -> Label:
    """The likely label of a run, by the first of these rules that applies.

    - Success: a false positive if no observation states the answer, although one could; else a true
      positive.
    - Label ambiguity: the answer contains the gold answer or the reverse, in whole words.
    - Search result error: no search found a page, or no gold page was seen.
    - Hallucination: there is an answer that no observation states or could have stated.
    - Reasoning error: all others, including runs without an answer.
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
    """A random selection of `each` successes and failures, or of all; reproducible by the seed."""
    chance = random.Random(seed)
    drawn: list[Answered] = []
    for is_success in (True, False):
        found = [a for a in method.answered if bool(a.score.exact) is is_success]
        drawn += chance.sample(found, min(each, len(found)))
    return drawn


class LabelFile:
    """The labels of one person for the runs of `methods` in the evaluation `root`.

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
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise EvaluationError(
                    f"line {number} of {self._path} is damaged: remove it"
                ) from error
        there = {key: labelled for key, labelled in given.items() if key in runs}
        self.labels = {key: label for key, (run, label) in there.items() if run == runs[key]}
        self.outdated = len(there) - len(self.labels)
        """The number of labels whose runs were made again since, with another result."""

    def _lines(self) -> list[bytes]:
        """Bytes of the file without an incomplete last line."""
        data = self._path.read_bytes() if self._path.exists() else b""
        return data[: data.rfind(b"\n") + 1].splitlines()

    @classmethod
    def all(cls, root: Path, methods: Sequence[MethodReport]) -> list[LabelFile]:
        """The label files of everyone who labelled this evaluation."""
        paths = sorted((root / "labels").glob("*.jsonl"))
        return [cls(root, path.stem, methods) for path in paths]

    def add(self, answered: Answered, method: str, label: Label) -> None:
        """Save a label, together with the suggestion for it.

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
    """An identifier of a run's content: the SHA-256 of its steps, shortened."""
    steps = [step_record(step) for part in told.parts for step in part.steps]
    return hashlib.sha256(json.dumps(steps).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Agreement:
    """The agreement of two people on the successes, or on the failures, that both labelled."""

    first: str
    second: str
    labels: tuple[Label, ...]
    runs: int
    kappa: float | None
    """Cohen's kappa; None if they would agree on everything by chance."""


def agreements(files: Sequence[LabelFile]) -> list[Agreement]:
    """The agreement of each two people, separately for successes and failures."""
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
    """The number of runs of a method with each label."""
    return Counter(label for (name, _), label in labels.items() if name == method)


def _holds(text: str, part: str) -> bool:
    wanted = normalise(part)
    return bool(wanted) and f" {wanted} " in f" {normalise(text)} "
