"""ReAct: think, act, observe, repeat (Yao et al., arXiv 2210.03629, Section 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from react_local import exemplars as shipped
from react_local.environments.base import Environment, Offering
from react_local.errors import ContextTooSmall, TraceError
from react_local.events import Began, Ended, Listener, Noted, ignore
from react_local.guides import DEFAULT, Guides, SearchGuide
from react_local.methods.allowed_actions import allowed_actions, step_grammar
from react_local.methods.form import Form
from react_local.methods.generation import RunWriter, StepWriter, write_step
from react_local.methods.truncation import PromptBuilder, exemplars_that_fit, omission
from react_local.models.base import LanguageModel
from react_local.sanitise import sanitise
from react_local.transcript import clean_question, review_question
from react_local.types import (
    ActionName,
    Outcome,
    RemarkKind,
    Step,
    Task,
    Thoughts,
    Trajectory,
)

REACT = Form("react")

MAX_STEPS = {Task.QUESTION: 7, Task.CLAIM: 5}
"""Section 3.2 of the paper."""


def react(
    question: str,
    model: LanguageModel,
    environment: Environment | None,
    *,
    form: Form = REACT,
    task: Task = Task.QUESTION,
    max_steps: int | None = None,
    exemplars: Sequence[Trajectory] | None = None,
    guides: Guides = DEFAULT,
    thoughts: Thoughts = Thoughts.DENSE,
    seed: int = 0,
    review: Callable[[Trajectory], str | None] | None = None,
    resume: Trajectory | None = None,
    on_event: Listener = ignore,
) -> Trajectory:
    """Answer `question` with ReAct and return the whole run; its `outcome` says how it ended.

    Args:
        environment: a fresh one, since its state belongs to this run. None if the form has no
            actions.
        form: the parts that are written; the paper's other methods are this one with parts deleted.
        max_steps: the maximum number of steps; None for the paper's 7, or 5 for a claim.
        exemplars: trajectories to show first; None for those shipped with the program. Those with
            actions that are not available are left out. What does not fit the model's context is
            truncated (`react_local.methods.truncation`), and reported to `on_event`.
        guides: the constraints on steps; `PAPER` for the paper's plain behaviour.
        thoughts: whether to think before every action or where the model chooses to; for forms
            with thoughts and actions.
        seed: the random seed for a model with a temperature; the draws of a step depend only on it
            and on the step's number.
        review: a function that is called with the run at its end and returns the reason for the
            model to review it, or None. The kind of review is the form's `review`.
        resume: a run to continue (its question, task and thoughts are used); its actions are
            repeated in `environment`, and its steps are kept.
        on_event: called with everything that happens (`react_local.events`).

    A KeyboardInterrupt ends the run as INTERRUPTED, with the steps done so far.

    Raises:
        QuestionError: the question is empty.
        ContextTooSmall: the model's context cannot hold the question and a step.
        TraceError: the environment lacks an action of `resume`, or now answers differently.
    """
    run = resume or Trajectory(clean_question(question), form.method, task, thoughts=thoughts)
    run, form, max_steps, shown = begin(
        run, model, environment, form, max_steps, exemplars, on_event
    )
    replay_actions(run, form.names, environment, guides)
    writing = RunWriter(form, PromptBuilder(model, form, shown, on_event), model, seed, on_event)
    outcome = None
    try:
        if form.plans and run.plan is None:
            run = writing.remark(run, RemarkKind.PLAN)
        while (outcome := stopped(run, max_steps)) is None:
            last = len(run.steps) + 1 == max_steps
            step = decide(run, writing.step(run), form, guides, environment, last)
            step = observe(step, run.question, environment, guides)
            run = replace(run, steps=(*run.steps, step))
            writing.tell(run)
        run = replace(run, outcome=outcome)
        if review and run.review is None and (cause := review(run)) is not None:
            asked = review_question(form.review, cause)
            run = writing.remark(run, form.review, cause, asked)
    except ContextTooSmall:
        if outcome:
            on_event(Noted("the context has no room for a review, so there is no further try"))
        outcome = outcome or Outcome.CONTEXT_FULL
    except KeyboardInterrupt:
        outcome = Outcome.INTERRUPTED
    run = replace(run, outcome=outcome)
    on_event(Ended(run))
    return run


def begin(
    run: Trajectory,
    model: LanguageModel,
    environment: Environment | None,
    form: Form,
    max_steps: int | None,
    exemplars: Sequence[Trajectory] | None,
    on_event: Listener,
) -> tuple[Trajectory, Form, int, Sequence[Trajectory]]:
    """Begin or resume `run`: the run, its form, the maximum of steps, the exemplars that fit."""
    run, form = replace(run, outcome=None), form.of(run).within(environment).spoken_by(model)
    max_steps = (max_steps or MAX_STEPS[run.task]) if form.actions else 1
    every = shipped.load(run.task, form.names) if exemplars is None else exemplars
    given = shipped.with_actions(every, form.names)
    shown = exemplars_that_fit(given, run, model, form)
    on_event(Began(run, max_steps, len(shown)))
    if len(shown) < len(given):
        on_event(omission(len(given), len(shown), model))
    return run, form, max_steps, shown


def decide(
    run: Trajectory,
    writer: StepWriter,
    form: Form,
    guides: Guides,
    environment: Environment | None,
    last: bool,
) -> Step:
    """Let the model generate the next step, without its observation."""
    if form.actions and (guides.answers or guides.search is not SearchGuide.FREE):
        actions, tried = allowed_actions(run, guides, form.names, last=last)
        return write_step(writer, run, form, actions, tried, guides, environment)
    writer.write(step_grammar(run, form, guides, last=last))
    return form.step(writer.generation)


def observe(step: Step, question: str, environment: Environment | None, guides: Guides) -> Step:
    """`step` with the environment's observation, and the page's links if the guides want them."""
    if step.action.name == ActionName.FINISH or environment is None:
        return step
    told = environment.act(step.action)
    if guides.links and told.title and step.action.name == ActionName.SEARCH:
        links = _links(question, environment, guides.links)
        told = replace(told, text=f"{told.text}{links}")
    return replace(step, observation=told)


def _links(question: str, environment: Environment, number: int) -> str:
    """The links at the end of a page's observation, the most relevant to the question first."""
    if not isinstance(environment, Offering):
        return ""
    links = environment.offers(question).links[:number]
    return f" Links: {'; '.join(map(sanitise, links))}." if links else ""


def stopped(run: Trajectory, max_steps: int) -> Outcome | None:
    """The outcome of `run` if it has finished or has no steps left, else None."""
    if run.answer is not None:
        return Outcome.FINISHED
    return Outcome.STEP_LIMIT if len(run.steps) >= max_steps else None


def replay_actions(
    run: Trajectory, names: Sequence[str], environment: Environment | None, guides: Guides
) -> None:
    """Repeat the run's actions, so that the environment is in the state after them.

    Raises:
        TraceError: an action is not available, or is answered differently now.
    """
    for number, step in enumerate(run.steps, start=1):
        if step.action.name not in names:
            raise TraceError(
                f"step {number}, {step.action}, uses an action that is not available now"
            )
        if step.observation and observe(step, run.question, environment, guides) != step:
            raise TraceError(
                f"step {number}, {step.action}, is answered differently now: resume with the "
                "index that the run began with"
            )
