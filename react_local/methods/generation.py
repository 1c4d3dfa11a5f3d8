"""Generating steps and remarks: in one go, or in parts where a later one depends on an earlier."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import grammars
from react_local.environments.base import Environment, Offering
from react_local.events import Listener, Remarked, Stepped, Wrote
from react_local.guides import Guides, SearchGuide
from react_local.methods.form import Form
from react_local.methods.guided_arguments import answer_argument, has_title, search_argument
from react_local.methods.truncation import PromptBuilder
from react_local.models.base import Generation, LanguageModel, Piece, Role
from react_local.seeds import derived
from react_local.types import (
    CLAIM_LABELS,
    Action,
    ActionName,
    Remark,
    RemarkKind,
    Step,
    Task,
    Trajectory,
    Usage,
)


class StepWriter:
    """Generates one step after `prompt`, part by part, and adds up its cost."""

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
        """All parts that were generated."""
        return Generation(self._text, self._tokens, self._usage)

    def write(self, grammar: str) -> str:
        """Generate the next part, a text of `grammar`."""
        made = self._generate(grammar, self._on_text)
        usage = made.usage
        if self._tokens:  # a later part only reads what the step itself has generated
            usage = replace(usage, prompt_tokens=0, reused_tokens=0)
        self._usage += usage
        self._text += made.text
        self._tokens += made.tokens
        return made.text

    def guess(self, grammar: str) -> str:
        """The text that `write` would generate, without keeping it."""
        made = self._generate(grammar, None)
        self._weighed(made.usage)
        return made.text

    def weigh(self, texts: Sequence[str], lead: str | None = None) -> list[float]:
        """The mean log-probability per token of each text as the next part.

        The mean is used because a sum favours short titles over right ones with more tokens. `lead`
        replaces the parts generated so far.
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
        """Add the cost of tokens that were evaluated but are not part of the transcript."""
        tokens = usage.prompt_tokens + usage.generated_tokens
        self._usage += Usage(weighed_tokens=tokens, seconds=usage.seconds)

    @property
    def _so_far(self) -> list[Piece]:
        if not self._tokens:
            return self._prompt
        return [*self._prompt, Piece(Role.ASSISTANT, self._text, self._tokens)]


class RunWriter:
    """Generates the steps and remarks of a run from prompts that fit, and reports them."""

    def __init__(
        self,
        form: Form,
        prompts: PromptBuilder,
        model: LanguageModel,
        seed: int,
        on_event: Listener,
    ) -> None:
        self._form, self._prompts, self._model = form, prompts, model
        self._seed, self._on_event = seed, on_event

    def step(self, run: Trajectory) -> StepWriter:
        """A writer for the step after `run`."""
        return self._writer(run, self._form.max_tokens)

    def tell(self, run: Trajectory) -> None:
        """Report the last step of `run` to the listener."""
        number, step = len(run.steps), run.steps[-1]
        if self._form.tool:  # a tool call has no labels to show while it is generated
            self._on_event(Wrote(self._form.text(number, step)))
        self._on_event(Stepped(number, step))

    def remark(
        self, run: Trajectory, kind: RemarkKind, cause: str = "", *asked: Piece
    ) -> Trajectory:
        """`run` with a plan or a review by the model, generated after the prompt and `asked`."""
        writer = self._writer(run, grammars.REMARK_TOKENS, *asked)
        said = grammars.parse_remark(writer.write(grammars.remark(kind)))
        made = writer.generation
        remark = Remark(kind, said, cause, made.tokens, made.usage)
        self._on_event(Remarked(remark))
        return run.with_remark(remark)

    def _writer(self, run: Trajectory, room: int, *asked: Piece) -> StepWriter:
        prompt = self._prompts.prompt(run, room, asked)
        drawn_by = derived(self._seed, len(run.steps))
        return StepWriter(self._model, prompt, room, drawn_by, self._show)

    def _show(self, text: str) -> None:
        if not self._form.tool:
            self._on_event(Wrote(text))


def write_step(
    writer: StepWriter,
    run: Trajectory,
    form: Form,
    actions: Sequence[str],
    tried: Sequence[Action],
    guides: Guides,
    environment: Environment | None,
) -> Step:
    """Generate the step after `run` in two parts, with the argument constrained by the guides."""
    searches = [action.argument for action in tried if action.name == ActionName.SEARCH]
    if guides.search is SearchGuide.TITLES and isinstance(environment, Offering):
        actions = _with_titles(actions, run, searches, environment)
    opening = writer.write(
        grammars.step_opening(
            len(run.steps) + 1,
            actions=actions,
            thought=form.thoughts,
            sparse=form.sparse,
            rules=form.rules,
            notation=form.notation,
        )
    )
    spoken, name = form.opened(opening)
    old = [action.argument for action in tried if action.name == name]
    grammar = None
    if name == ActionName.SEARCH and isinstance(environment, Offering):
        grammar = search_argument(
            writer, run, spoken, old, guides.search, environment, form.notation
        )
    elif name == ActionName.FINISH and run.task is Task.CLAIM:
        grammar = grammars.one_argument(CLAIM_LABELS, notation=form.notation)
    elif name == ActionName.FINISH and guides.answers:
        grammar = answer_argument(writer, run, form)
    rule = form.rules.get(name, "")
    writer.write(grammar or grammars.free_argument(old, rule, notation=form.notation))
    return form.step(writer.generation)


def _with_titles(
    actions: Sequence[str],
    run: Trajectory,
    tried: Sequence[str],
    environment: Offering,
) -> Sequence[str]:
    """`actions` without Search if no title is left to search for and there are other actions."""
    others = [name for name in actions if name != ActionName.SEARCH]
    if len(others) in (0, len(actions)) or has_title(run, tried, environment):
        return actions
    return others
