"""A tree of steps: growing its branches by a level, and the model's vote on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import chain, takewhile
from math import exp

from grammars.repeats import fold
from react_local.environments.base import Environment
from react_local.guides import Guides
from react_local.methods.form import Form
from react_local.methods.generation import StepWriter
from react_local.methods.react import decide, observe, replay_actions, stopped
from react_local.models.base import Generation, LanguageModel, Piece, Scores
from react_local.models.wrapper import ModelWrapper
from react_local.seeds import derived
from react_local.transcript import CHOICES, ballot
from react_local.types import Step, Trajectory, Usage


@dataclass
class Tree:
    """Grows the branches of a tree; a branch is a run with its steps so far."""

    model: LanguageModel
    environment: Environment
    """In its state before the first step; it is copied for each branch and never changed."""
    form: Form
    exemplars: Sequence[Trajectory]
    guides: Guides
    depth: int
    branches: int
    temperature: float
    seed: int
    spent: dict[int, Usage] = field(default_factory=dict)
    """The cost of each level, by the number of its step."""

    def next_level(self, kept: Sequence[Trajectory]) -> list[Trajectory]:
        """All branches grown from `kept`, sorted by their votes, best first; branches that have
        stopped stay as they are."""
        standing = [run for run in kept if stopped(run, self.depth)]
        growing = [run for run in kept if not stopped(run, self.depth)]
        number = len(growing[0].steps) + 1
        self.spent[number] = Usage()
        grown = [self._grow(run, place) for place, run in enumerate(growing)]
        level = [*standing, *chain.from_iterable(grown)]
        votes = self._vote(level, number)
        ends = [replace(run.steps[-1], share=vote) for run, vote in zip(level, votes, strict=True)]
        for place in range(len(standing), len(level)):
            rivals = [_bare(end) for other, end in enumerate(ends) if other != place]
            last = replace(ends[place], rivals=tuple(rivals), usage=self.spent[number])
            level[place] = replace(level[place], steps=(*level[place].steps[:-1], last))
        order = sorted(range(len(level)), key=lambda place: -votes[place])  # ties keep their order
        return [level[place] for place in order]

    def with_all_costs(self, run: Trajectory) -> Trajectory:
        """`run` with the cost of the levels below it added to its last step."""
        last = run.steps[-1]
        below = (usage for number, usage in self.spent.items() if number > len(run.steps))
        last = replace(last, usage=sum(below, last.usage))
        return replace(run, steps=(*run.steps[:-1], last))

    def _grow(self, run: Trajectory, place: int) -> list[Trajectory]:
        """The branches that extend `run` by a step, each with a different action."""
        number = len(run.steps) + 1
        prompt, seed = self.form.prompt(run, self.exemplars), derived(self.seed, number, place)
        sampler = _StepSampler(self.model, prompt, self.branches, self.temperature, seed)
        grown: dict[tuple[str, str], Trajectory] = {}
        while sampler.has_more():
            world = copy(self.environment)
            replay_actions(run, self.form.names, world, self.guides)
            writer = StepWriter(sampler, prompt, self.form.max_tokens, seed, lambda text: None)
            step = decide(run, writer, self.form, self.guides, world, number == self.depth)
            self.spent[number] += step.usage
            step = observe(step, run.question, world, self.guides)
            action = step.action.name, fold(step.action.argument) or step.action.argument
            grown.setdefault(action, replace(run, steps=(*run.steps, step)))
        return list(grown.values())

    def _vote(self, level: Sequence[Trajectory], number: int) -> list[float]:
        """Each branch's share of the model's vote, averaged over both orders of the branches, since
        a small model prefers certain positions."""
        if len(level) == 1:
            return [1.0]
        start = shared(level)
        asked = self.form.prompt(replace(level[0], steps=level[0].steps[:start]), self.exemplars)
        new = [run.steps[start:] for run in level]
        names = [f" {name}" for name in CHOICES[: len(new)]]
        there, back = (
            self.model.score([*asked, *ballot(choices)], names) for choices in (new, new[::-1])
        )
        for usage in (there.usage, back.usage):
            tokens = usage.prompt_tokens + usage.generated_tokens
            self.spent[number] += Usage(weighed_tokens=tokens, seconds=usage.seconds)
        pairs = zip(_shares(there), _shares(back)[::-1], strict=True)
        return [(one + other) / 2 for one, other in pairs]


def shared(level: Sequence[Trajectory]) -> int:
    """The number of first steps that all branches share."""
    columns = zip(*(run.steps for run in level), strict=False)
    return sum(1 for _ in takewhile(lambda steps: all(s is steps[0] for s in steps), columns))


def _shares(scores: Scores) -> list[float]:
    most = max(scores.log_probabilities)
    weights = [exp(one - most) for one in scores.log_probabilities]
    return [weight / sum(weights) for weight in weights]


def _bare(step: Step) -> Step:
    return replace(step, tokens=(), usage=Usage(), rivals=())


class _StepSampler(ModelWrapper):
    """A model that samples `n` openings of a step as one batch and generates from each in turn."""

    def __init__(
        self,
        model: LanguageModel,
        prompt: Sequence[Piece],
        n: int,
        temperature: float,
        seed: int,
    ) -> None:
        super().__init__(model)
        self._prompt = prompt
        self._n, self._temperature, self._seed = n, temperature, seed
        self._openings: list[Generation] | None = None

    def has_more(self) -> bool:
        """Whether an opening is left that no step was generated from, or none is sampled yet."""
        return self._openings is None or bool(self._openings)

    def generate(
        self,
        prompt: Sequence[Piece],
        grammar: str,
        *,
        max_tokens: int,
        seed: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Generation:
        if len(prompt) > len(self._prompt):  # the step has begun
            return self._model.generate(prompt, grammar, max_tokens=max_tokens, seed=seed)
        if self._openings is None:
            made = self._model.sample(
                prompt,
                grammar,
                self._n,
                temperature=self._temperature,
                seed=self._seed,
                max_tokens=max_tokens,
            )
            whole = sum((one.usage for one in made), Usage())
            texts = {one.text: replace(one, usage=Usage()) for one in reversed(made)}
            first, *others = list(texts.values())[::-1]
            self._openings = [replace(first, usage=whole), *others]
        return self._openings.pop(0)
