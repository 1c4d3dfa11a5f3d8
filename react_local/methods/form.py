"""The form of a method's text: the paper's ablations by deletion (arXiv 2210.03629, Section 3.2).

A trajectory consists of thoughts, actions and observations. Act is ReAct without thoughts, CoT is
ReAct without actions and observations, Standard is ReAct without any of them. All four are one loop
over one set of exemplars; without actions, a run is a single step, the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from grammars import (
    ACTIONS,
    ANSWER_TOKENS,
    BRACKETS,
    STEP_TOKENS,
    AnswerText,
    Calls,
    Notation,
    answer_text,
    parse_answer,
    parse_call,
    parse_step,
    react_step,
)
from react_local.actions import OPTIONAL, WIKIPEDIA, Acting, ActionKind
from react_local.methods.thought_density import rewritten
from react_local.methods.tool_calls import call_prompt, tools_of
from react_local.models.base import CallsTools, Generation, LanguageModel, Piece, ToolCall
from react_local.transcript import STANDS, prompt, step_text
from react_local.types import (
    Action,
    ActionName,
    Remark,
    RemarkKind,
    Step,
    Thought,
    Thoughts,
    Trajectory,
    Usage,
)


@dataclass(frozen=True)
class Form:
    """The parts of a trajectory that a method writes, and their notation.

    `method` is the method's name.
    """

    method: str
    thoughts: bool = True
    actions: bool = True
    passages: bool = False
    """Whether a run begins with retrieved passages instead of having actions."""
    density: Thoughts = Thoughts.DENSE
    """The density of its thoughts, if it has thoughts and actions."""
    plans: bool = False
    """Whether a plan is written first."""
    review: RemarkKind | None = None
    """The kind of review that is written between tries, if there are several."""
    kinds: tuple[ActionKind, ...] = WIKIPEDIA
    """The available actions, if it has actions."""
    calls: bool = False
    """Whether actions are written as tool calls in JSON."""
    tool: ToolCall | None = None
    """The tool format of the model's chat template; None for lines with the transcript's labels."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the actions."""
        return tuple(kind.name for kind in self.kinds)

    @property
    def rules(self) -> dict[str, str]:
        """The grammar rules of the arguments of actions that have one."""
        return {kind.name: kind.rule for kind in self.kinds if kind.name not in ACTIONS}

    @property
    def notation(self) -> Notation:
        """The notation of an action."""
        if not self.calls:
            return BRACKETS
        arguments = {kind.name: kind.argument for kind in (*OPTIONAL.values(), *self.kinds)}
        return Calls(arguments, self.tool.grammar if self.tool else "")

    def within(self, environment: object) -> Form:
        """This form with the actions of `environment`."""
        return replace(self, kinds=environment.actions) if isinstance(environment, Acting) else self

    def spoken_by(self, model: LanguageModel) -> Form:
        """This form in the tool format of the model's chat template, if it has one."""
        if not self.calls or not isinstance(model, CallsTools):
            return self
        return replace(self, tool=model.tool_call(tools_of(self.kinds, self.notation)))

    @property
    def observes(self) -> bool:
        """Whether runs of this form read anything from the index."""
        return self.actions or self.passages

    @property
    def sparse(self) -> bool:
        """Whether a step may have no thought."""
        return self.density is Thoughts.SPARSE

    @property
    def can_be_sparse(self) -> bool:
        """Whether it can leave it to the model when to think."""
        return self.thoughts and self.actions and self.density is not Thoughts.FEEDBACK

    def of(self, run: Trajectory) -> Form:
        """This form with the density of thoughts that `run` has, if the form allows it."""
        return replace(self, density=run.thoughts) if self.can_be_sparse else self

    @property
    def max_tokens(self) -> int:
        """The maximum number of tokens of a step."""
        return STEP_TOKENS if self.actions else ANSWER_TOKENS

    def prompt(self, run: Trajectory, exemplars: Sequence[Trajectory] = ()) -> list[Piece]:
        """The prompt for the next step, with the parts of exemplars and run that the form has."""
        shown = [self.shown(exemplar) for exemplar in exemplars]
        if self.tool:
            return call_prompt(
                run, shown, self.kinds, self.notation, self.tool, density=self.density
            )
        return prompt(
            run,
            shown,
            thoughts=self.thoughts,
            actions=self.actions,
            passages=self.passages,
            density=self.density,
            plans=self.plans,
            kinds=self.kinds,
            notation=self.notation,
        )

    def shown(self, exemplar: Trajectory) -> Trajectory:
        """The exemplar in this form: with its density of thoughts, and with the failed try only if
        tries are reviewed. If the model judges its own answers, the feedback is that it stands."""
        told = replace(rewritten(exemplar, self.density), before=None)
        if self.review and exemplar.before and exemplar.before.review:
            failed = rewritten(exemplar.before, self.density)
            told = replace(
                told, before=failed.with_remark(replace(failed.review, kind=self.review))
            )
        if self.review is RemarkKind.FEEDBACK:
            told = told.with_remark(Remark(self.review, STANDS))
        return told

    def grammar(
        self,
        number: int,
        *,
        actions: Sequence[str] | None = None,
        finish: Sequence[str] | None = None,
        tried: Sequence[tuple[str, str]] = (),
    ) -> str:
        """The grammar of step `number` (see `grammars.react_step`); by default with all actions."""
        if not self.actions:
            return answer_text(finish=finish, thought=self.thoughts)
        return react_step(
            number,
            actions=self.names if actions is None else actions,
            finish=finish,
            tried=tried,
            thought=self.thoughts,
            sparse=self.sparse,
            rules=self.rules,
            notation=self.notation,
        )

    def step(self, generation: Generation) -> Step:
        """The generated text as a step without its observation.

        Raises:
            ValueError: the text is not of this form.
        """
        if self.tool:
            _, thought, name, argument = parse_call(generation.text, 1, self.names, self.notation)
        else:
            thought, name, argument = self._parse(generation.text, self.names)
        return Step(
            None if thought is None else Thought(thought),
            Action(name, argument),
            tokens=generation.tokens,
            usage=generation.usage,
        )

    def opened(self, text: str) -> tuple[str, str]:
        """The thought and the action's name in the text of a step up to its argument.

        Raises:
            ValueError: no argument can follow.
        """
        any_argument = f"{text}{self.notation.escaped('x')}{self.notation.closing}"
        step = self.step(Generation(any_argument, (), Usage()))
        return step.thought.text if step.thought else "", step.action.name

    def text(self, number: int, step: Step) -> str:
        """The text of the step in this form."""
        if self.actions:
            return step_text(number, step, notation=self.notation)
        return str(AnswerText(step.thought and step.thought.text, step.action.argument))

    def holds(self, number: int, step: Step) -> bool:
        """Whether the step, written out and parsed again, is valid in this form, whatever actions
        were available."""
        try:
            parsed = self._parse(self.text(number, step), [step.action.name])
        except ValueError:
            return False
        thought = step.thought and step.thought.text
        return parsed == (thought, step.action.name, step.action.argument)

    def _parse(self, text: str, names: Collection[str]) -> tuple[str | None, str, str]:
        if self.actions:
            _, thought, name, argument = parse_step(text, names, self.notation)
        else:
            (thought, argument), name = parse_answer(text), ActionName.FINISH
        if (thought is not None) != self.thoughts and not self.sparse:
            raise ValueError(f"not a step of {self.method}: {text!r}")
        return thought, name, argument
