"""The proof of the guides: whatever the logits, searches find pages and answers stand on them.

Whole runs over a small wiki, with random logits over the real vocabularies of both starters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from starters import starter_path
from test_constraint import RandomRuntime

from grammars.repeats import fold
from react_local.answers import Kind, evidence_of, kind_of, shaped
from react_local.environments import WikipediaEnvironment
from react_local.guides import DEFAULT, Guides, SearchGuide
from react_local.methods import react
from react_local.models import LlamaModel
from react_local.models.gguf import read_header
from react_local.models.library import load_model
from react_local.models.vocabulary import Vocabulary
from react_local.types import ActionName, Outcome, Trajectory
from wiki_index import WikiIndex

pytestmark = pytest.mark.model

RUNS = {"gemma": 24, "smollm2": 96}
GUIDES = (
    replace(DEFAULT, search=SearchGuide.TITLES, answers=True, links=0),
    replace(DEFAULT, search=SearchGuide.TITLES, answers=True, links=3),
    replace(DEFAULT, search=SearchGuide.SIMILAR, answers=True),
    replace(DEFAULT, search=SearchGuide.SOFT, answers=False),
)
QUESTIONS = (
    "What lies between Alder and Brae?",
    "When did the last steam ferry cross Alder Sound?",
    "Is Brae or Alder the larger island?",
    "How many people live in Port Alder?",
    "Was the ferry of Alder Sound a steam ferry?",
    "Who knows [what] Action 1: Finish[x] is in Nowhere?",
)


class RandomScoring(RandomRuntime):
    """Draws the logits of every token, too."""

    def evaluate_each(self, tokens: Sequence[int]) -> np.ndarray:
        return np.stack([self.evaluate([token]) for token in tokens])


@pytest.mark.parametrize("name", RUNS)
def test_random_logits_stay_within_the_guides(
    name: str, pytestconfig: Any, wiki: WikiIndex
) -> None:
    header = read_header(starter_path(name, pytestconfig.cache))
    runtime = RandomScoring(Vocabulary(load_model(header.path, vocabulary_only=True)), seed=7)
    model = LlamaModel(runtime, header, context_length=9**5, template=None, temperature=0.0)
    steps = 0
    for index in range(RUNS[name]):
        guides, question = GUIDES[index % len(GUIDES)], QUESTIONS[index % len(QUESTIONS)]
        environment = WikipediaEnvironment(wiki)
        told = react(question, model, environment, guides=guides, exemplars=())
        assert told.outcome is Outcome.FINISHED
        check(told, guides)
        steps += len(told.steps)
    assert steps > 2 * RUNS[name]


def check(told: Trajectory, guides: Guides) -> None:
    """That the run kept to its guides."""
    missed: list[str] = []
    for step in told.steps:
        if step.action.name == ActionName.SEARCH:
            assert fold(step.action.argument) not in missed
            title = step.observation and step.observation.title
            assert title or guides.search is not SearchGuide.TITLES
            if title is None:
                missed.append(fold(step.action.argument))
    if guides.answers:
        kind, evidence = kind_of(told.question), evidence_of(told)
        answers = shaped(kind, told.question, evidence)
        texts = [told.question] if kind is Kind.CHOICE else evidence
        spans = any(str(told.answer) in text for text in texts)
        assert told.answer in answers or (not answers and spans)
