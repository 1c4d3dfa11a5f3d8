"""CoT-SC: many sampled chains of thought and a majority vote (arXiv 2210.03629, Section 3.2).

Self-consistency was introduced by Wang et al., arXiv 2203.11171. Answers are compared after
the same normalisation as for scores; in a tie, the answer that was sampled first wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from react_local.environments.base import Environment
from react_local.events import Ended, Event, Listener, Stepped, ignore
from react_local.methods.form import Form
from react_local.methods.react import react
from react_local.models.base import Generation, LanguageModel, Piece
from react_local.models.wrapper import ModelWrapper
from react_local.normalise import normalise
from react_local.types import Step, Trajectory, Usage

COT_SC = Form("cot-sc", actions=False)

SAMPLES = 21
TEMPERATURE = 0.7
"""Both of Section 3.2 of the paper."""


def self_consistency(
    question: str,
    model: LanguageModel,
    environment: Environment | None = None,
    *,
    samples: int = SAMPLES,
    temperature: float = TEMPERATURE,
    on_event: Listener = ignore,
    **options: Any,
) -> Trajectory:
    """Answer `question` by the majority of `samples` chains of thought. See `react`.

    The run has one step, the first sample with the winning answer. The step's `samples` are all of
    them, and its usage is their total.
    """
    voter = _MajorityVoter(model, samples, temperature)

    def tell(event: Event) -> None:
        match event:
            case Stepped(number, step):
                on_event(Stepped(number, voter.with_samples(step)))
            case Ended(told):
                on_event(Ended(voter.told(told)))
            case _:
                on_event(event)

    return voter.told(react(question, voter, None, form=COT_SC, on_event=tell, **options))


def votes(samples: Sequence[Step]) -> tuple[tuple[str, int], ...]:
    """The answers of `samples`, as first worded, with their numbers of votes; the winner first."""
    answers = [step.action.argument for step in samples]
    worded = {normalise(answer): answer for answer in reversed(answers)}
    counts = Counter(map(normalise, answers))  # most_common keeps the first of equals first
    return tuple((worded[answer], count) for answer, count in counts.most_common())


class _MajorityVoter(ModelWrapper):
    """A model that generates `n` samples and returns the first with the majority's answer."""

    def __init__(self, model: LanguageModel, n: int, temperature: float) -> None:
        super().__init__(model)
        self._n = n
        self._temperature = temperature
        self._samples: tuple[Step, ...] = ()

    def generate(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        *,
        max_tokens: int,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        made = self._model.sample(
            prompt,
            grammar,
            self._n,
            temperature=self._temperature,
            seed=seed,
            max_tokens=max_tokens,
        )
        self._samples = tuple(map(COT_SC.step, made))
        winner, _ = votes(self._samples)[0]
        place = [step.action.argument for step in self._samples].index(winner)
        if on_text is not None:
            on_text(made[place].text)
        return replace(made[place], usage=sum((one.usage for one in made), Usage()))

    def with_samples(self, step: Step) -> Step:
        return replace(step, samples=self._samples)

    def told(self, run: Trajectory) -> Trajectory:
        """`run` with the samples in its step, if one was generated here."""
        if not self._samples or not run.steps:
            return run
        return replace(run, steps=tuple(map(self.with_samples, run.steps)))
