"""How a step is written: at once, or in parts where its argument depends on its thought."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import grammars
from react_local.answers import Kind, evidence_of, kind_of, shaped
from react_local.environments.base import Environment, Offering
from react_local.guides import Guides, SearchGuide
from react_local.methods.form import Form
from react_local.models.base import Generation, LanguageModel, Piece, Role
from react_local.seeds import derived
from react_local.transcript import CLAIM_LABELS
from react_local.types import Action, ActionName, Step, Task, Trajectory, Usage

SOFT_PRICE = 1.0
"""What the free text pays among the titles, as a logarithm of probability a token."""

NEARNESS = 3.0
"""What the page nearest the question gains, as a logarithm of probability a token; the second
nearest gains half of it, the third a third. Measured on the sample's 61 questions: a gold page was
chosen in 100 of 123 searches where one was offered, in 84 without this, in 72 by sums."""

_MOST_ANSWERS = 24
"""Answers that are weighed at most, those of the last pages first."""


class StepWriter:
    """Writes one step after `prompt`, part by part, and counts what it costs."""

    def __init__(
        self,
        model: LanguageModel,
        prompt: Sequence[Piece],
        max_tokens: int,
        seed: int,
        on_text: Callable[[str], None],
    ) -> None:
        self._model = model
        self._prompt = list(prompt)
        self._room = max_tokens
        self._seed = seed
        self._on_text = on_text
        self._text = ""
        self._tokens: tuple[int, ...] = ()
        self._usage = Usage()

    @property
    def generation(self) -> Generation:
        """All that was written."""
        return Generation(self._text, self._tokens, self._usage)

    def write(self, grammar: str) -> str:
        """Go on with a text of `grammar`."""
        made = self._generate(grammar, self._on_text)
        usage = made.usage
        if self._tokens:  # what a later part reads is what the step itself has written
            usage = replace(usage, prompt_tokens=0, reused_tokens=0)
        self._usage += usage
        self._text += made.text
        self._tokens += made.tokens
        return made.text

    def guess(self, grammar: str) -> str:
        """What `write` would write, without going on."""
        made = self._generate(grammar, None)
        self._weighed(made.usage)
        return made.text

    def weigh(self, texts: Sequence[str], lead: str | None = None) -> list[float]:
        """How likely each text is to go on with: the mean over its tokens, as a logarithm.

        The mean, since by the sum a short title wins over a right one of several tokens. `lead`
        stands in place of what was written of the step.
        """
        if len(texts) == 1:
            return [0.0]
        prompt = self._so_far if lead is None else [*self._prompt, Piece(Role.ASSISTANT, lead)]
        scores = self._model.score(prompt, texts)
        self._weighed(scores.usage)
        return [
            total / length
            for total, length in zip(scores.log_probabilities, scores.lengths, strict=True)
        ]

    def _generate(self, grammar: str, on_text: Callable[[str], None] | None) -> Generation:
        done = len(self._tokens)
        return self._model.generate(
            self._so_far,
            grammar,
            max_tokens=self._room - done,
            seed=derived(self._seed, done),
            on_text=on_text,
        )

    def _weighed(self, usage: Usage) -> None:
        """Count what was evaluated beside the transcript."""
        tokens = usage.prompt_tokens + usage.generated_tokens
        self._usage += Usage(weighed_tokens=tokens, seconds=usage.seconds)

    @property
    def _so_far(self) -> list[Piece]:
        if not self._tokens:
            return self._prompt
        return [*self._prompt, Piece(Role.ASSISTANT, self._text, self._tokens)]


def write_step(
    writer: StepWriter,
    run: Trajectory,
    form: Form,
    actions: Sequence[ActionName],
    tried: Sequence[Action],
    guides: Guides,
    environment: Environment | None,
) -> Step:
    """Let the model write the step after `run` in two parts, the argument under the guides."""
    opening = writer.write(
        grammars.step_opening(
            len(run.steps) + 1, actions=actions, thought=form.thoughts, sparse=form.sparse
        )
    )
    *thought, action = opening.removesuffix("[").split("\n")
    name = ActionName(action.partition(": ")[2])
    old = [action.argument for action in tried if action.name is name]
    grammar = None
    if name == ActionName.SEARCH and isinstance(environment, Offering):
        spoken = thought[0].partition(": ")[2] if thought else ""
        grammar = _search(writer, run, spoken, old, guides.search, environment)
    elif name == ActionName.FINISH and run.task is Task.CLAIM:
        grammar = grammars.one_argument(CLAIM_LABELS)
    elif name == ActionName.FINISH and guides.answers:
        grammar = _answer(writer, run, form)
    writer.write(grammar or grammars.free_argument(old))
    return form.step(writer.generation)


def _search(
    writer: StepWriter,
    run: Trajectory,
    thought: str,
    tried: Sequence[str],
    guide: SearchGuide,
    environment: Offering,
) -> str | None:
    """The grammar of the title that the model finds likeliest; None where it is free."""
    free = grammars.free_argument(tried)
    guess = ""
    if guide is SearchGuide.FREE or (guide is SearchGuide.SIMILAR and not _missed(run)):
        return None
    if guide is SearchGuide.SIMILAR:
        offers = environment.offers(run.question)
        titles = list(dict.fromkeys((*offers.similar, *offers.question)))
    else:
        guess = writer.guess(free).removesuffix("]")
        offers = environment.offers(run.question, thought, guess)
        titles = list(offers.all)
    allowed = [title for title in titles if grammars.is_argument(title, tried)]
    if not allowed:
        return None
    if guide is SearchGuide.SOFT and guess not in allowed:
        allowed.append(guess)
    weights = writer.weigh([f"{title}]" for title in allowed])
    for place, title in enumerate(allowed):
        if title in offers.near:
            weights[place] += NEARNESS / (1 + offers.near.index(title))
    if guide is SearchGuide.SOFT and guess not in titles:
        weights[-1] -= SOFT_PRICE
    return grammars.one_argument([allowed[weights.index(max(weights))]])


def _missed(run: Trajectory) -> bool:
    last = run.steps[-1] if run.steps else None
    return bool(
        last
        and last.action.name == ActionName.SEARCH
        and last.observation
        and last.observation.title is None
    )


def _answer(writer: StepWriter, run: Trajectory, form: Form) -> str | None:
    """The grammar of the answers that the evidence holds; None where it holds none.

    Of few answers the likeliest is taken, the question being asked once more in place of the
    thought: a small model's last thought is apt to repeat a name of the question, and what it
    names is copied.
    """
    kind = kind_of(run.question)
    evidence = evidence_of(run)
    answers = [a for a in shaped(kind, run.question, evidence) if grammars.is_argument(a)]
    if answers:
        del answers[_MOST_ANSWERS:]
        if form.thoughts:
            lead = f"Thought {len(run.steps) + 1}: {run.question} The answer is"
            weights = writer.weigh([f" {answer}." for answer in answers], lead)
        else:
            weights = writer.weigh([f"{answer}]" for answer in answers])
        return grammars.one_argument([answers[weights.index(max(weights))]])
    try:
        if kind is Kind.CHOICE:
            return grammars.span_argument([run.question])
        return grammars.span_argument(evidence, but_of=run.question)
    except ValueError:  # nothing was found that could be an answer
        return None
