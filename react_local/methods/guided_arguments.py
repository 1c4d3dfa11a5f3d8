"""Arguments under the guides: a search for a title in the index, an answer from the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import grammars
from react_local.answers import Kind, evidence_of, kind_of, shaped
from react_local.environments.base import Offering
from react_local.guides import SearchGuide
from react_local.methods.form import Form
from react_local.types import ActionName, Trajectory

if TYPE_CHECKING:
    from react_local.methods.generation import StepWriter

SOFT_PRICE = 1.0
"""The penalty on the free text among the titles, in log-probability per token."""

NEARNESS = 3.0
"""The bonus of the page most relevant to the question, in log-probability per token; the second
gets half of it, the third a third. Measured on the sample's 61 questions: a gold page was chosen in
100 of 123 searches where one was offered; 84 without the bonus; 72 with sums over tokens."""

_MOST_ANSWERS = 32
"""The maximum number of answers to score, those from the last pages first."""


def has_title(run: Trajectory, tried: Sequence[str], environment: Offering) -> bool:
    """Whether there is a title left that `search_argument` can choose."""
    offers = environment.offers(run.question)
    return any(grammars.is_argument(title, tried) for title in (*offers.all, *offers.others))


def search_argument(
    writer: StepWriter,
    run: Trajectory,
    thought: str,
    tried: Sequence[str],
    guide: SearchGuide,
    environment: Offering,
    notation: grammars.Notation = grammars.BRACKETS,
) -> str | None:
    """The grammar of the title that the model finds most likely; None for any text."""
    guess = ""
    if guide is SearchGuide.FREE or (guide is SearchGuide.SIMILAR and not _missed(run)):
        return None
    if guide is SearchGuide.SIMILAR:
        offers = environment.offers(run.question)
        titles = list(dict.fromkeys((*offers.similar, *offers.question)))
    else:
        said = writer.guess(grammars.free_argument(tried, notation=notation))
        guess = notation.unescaped(said.removesuffix(notation.closing))
        offers = environment.offers(run.question, thought, guess)
        titles = list(offers.all)
    allowed = [title for title in titles if grammars.is_argument(title, tried)]
    if not allowed and guide is SearchGuide.TITLES:
        allowed = [title for title in offers.others if grammars.is_argument(title, tried)]
    if not allowed:
        return None
    if guide is SearchGuide.SOFT and guess not in allowed:
        allowed.append(guess)
    weights = writer.weigh([f"{notation.escaped(title)}{notation.closing}" for title in allowed])
    for place, title in enumerate(allowed):
        if title in offers.near:
            weights[place] += NEARNESS / (1 + offers.near.index(title))
    if guide is SearchGuide.SOFT and guess not in titles:
        weights[-1] -= SOFT_PRICE
    return grammars.one_argument([allowed[weights.index(max(weights))]], notation=notation)


def _missed(run: Trajectory) -> bool:
    last = run.steps[-1] if run.steps else None
    return bool(
        last
        and last.action.name == ActionName.SEARCH
        and last.observation
        and last.observation.title is None
    )


def answer_argument(writer: StepWriter, run: Trajectory, form: Form) -> str | None:
    """The grammar of the answers found in the evidence; None if there are none.

    Among a few answers the most likely one is taken, given the question once more in place of the
    thought: a small model's last thought tends to repeat a name from the question, which the answer
    then copies.
    """
    kind = kind_of(run.question)
    evidence = evidence_of(run)
    answers = [a for a in shaped(kind, run.question, evidence) if grammars.is_argument(a)]
    if answers:
        del answers[_MOST_ANSWERS:]
        if form.thoughts:
            label = "" if form.tool else f"Thought {len(run.steps) + 1}: "
            lead = f"{label}{run.question} The answer is"
            weights = writer.weigh([f" {answer}." for answer in answers], lead)
        else:
            weights = writer.weigh([f"{answer}]" for answer in answers])
        best = answers[weights.index(max(weights))]
        return grammars.one_argument([best], notation=form.notation)
    spans = [(evidence, run.question), (evidence, "")]
    if kind is Kind.CHOICE:
        spans.insert(0, ([run.question], ""))
    for texts, but_of in spans:
        try:
            return grammars.span_argument(texts, but_of=but_of, notation=form.notation)
        except ValueError:  # no span of them could be an answer
            continue
    return None
