"""``ask`` and ``replay``: a run as it happens, and a past one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from react_local.actions import OPTIONAL
from react_local.cli.common import INTERRUPTED, NO_ANSWER, as_json, index_option, print_json, say
from react_local.cli.guides import guide_options
from react_local.cli.methods import (
    NAMES,
    MethodName,
    action_option,
    is_said,
    method_options,
    needed_index,
    refuse_unused,
)
from react_local.cli.model_options import ModelOptions, model_options
from react_local.errors import TraceError
from react_local.events import Began, Event, Listener, Noted, ignore, together
from react_local.methods import form_of, is_method, with_settings
from react_local.methods import method as method_named
from react_local.types import Outcome, Step, Task, Thoughts, Trajectory

if TYPE_CHECKING:
    from react_local.guides import Guides
    from react_local.models.llama import LlamaModel
    from react_local.trace import Run, Setup

_CODES = {Outcome.FINISHED: 0, Outcome.INTERRUPTED: INTERRUPTED}


@click.command()
@click.argument("question", nargs=-1)
@index_option
@click.option("--claim", is_flag=True, help="QUESTION is a claim to verify.")
@click.option("--method", type=MethodName(), default="react", help=f"{NAMES}. Default: react.")
@click.option("--max-steps", type=click.IntRange(min=1), help="Default: 7, or 5 for a claim.")
@click.option("--trace", type=click.Path(path_type=Path), help="Append the run to this file.")
@click.option("--resume", type=click.Path(path_type=Path), help="Continue a trace's last run.")
@method_options
@action_option
@guide_options
@model_options
@as_json
@click.pass_context
def ask(
    ctx: click.Context,
    question: tuple[str, ...],
    index: str | None,
    claim: bool,
    method: str,
    max_steps: int | None,
    trace: Path | None,
    resume: Path | None,
    actions: tuple[str, ...],
    guides: Guides | None,
    options: ModelOptions,
    as_json: bool,
    thoughts: str | None,
    **settings: int | None,
) -> None:
    """Answer QUESTION from an index, showing each thought, action and observation.

    Exit codes: 0 answered, 3 no answer, 130 interrupted (the steps so far are in the trace).

    \b
    Examples:
      react-local ask "Which sea surrounds the Faroe Islands?"
      react-local ask --claim "Tórshavn is in Norway." --trace run.jsonl
      react-local ask --resume run.jsonl
    """
    from react_local.display import replay
    from react_local.home import Home
    from react_local.trace import Setup

    _check_question_or_resume(ctx)
    home = Home.find()
    listener = together(tell_notes, ignore if as_json else display())
    run = _last_run(resume) if resume else _new_run(" ".join(question), method, claim, thoughts)
    refuse_unused(ctx, [run.trajectory.method])
    if run.trajectory.outcome is Outcome.FINISHED:
        say(
            "this run is finished; here it is again. To continue from a step, delete the lines "
            "after it in the trace"
        )
        told = run.trajectory
        replay(told, listener)
    else:
        place = needed_index(home, index or run.setup.index or None, [run.trajectory.method])
        setup = Setup(
            model=str(options.find(home, run.setup.model).absolute()),
            index=str(place.absolute()) if place else "",
            max_steps=max_steps or run.setup.max_steps,
            guides=guides or run.setup.guides,
            actions=tuple(dict.fromkeys(actions)) or run.setup.actions,
            settings={**run.setup.settings, **{k: n for k, n in settings.items() if n is not None}},
        )
        told = _answer(run, setup, options, resume or trace, listener)
    if as_json:
        print_json(_record(told))
    ctx.exit(_CODES.get(told.outcome, NO_ANSWER))


def _check_question_or_resume(ctx: click.Context) -> None:
    """Make sure that there is a question or a run to resume, and no option that the run fixes.

    Raises:
        click.UsageError: it is not so.
    """
    resume = ctx.params["resume"]
    if bool(ctx.params["question"]) == bool(resume):
        raise click.UsageError("give either a QUESTION or --resume with a trace")
    if not resume:
        return
    if ctx.params["trace"]:
        raise click.UsageError("a resumed run is appended to its own trace: leave --trace out")
    for fixed in ("method", "claim", "thoughts"):
        if is_said(ctx, fixed):
            raise click.UsageError(f"a resumed run continues as it began: leave --{fixed} out")


def _new_run(question: str, method: str, claim: bool, thoughts: str | None) -> Run:
    from react_local.methods import MAX_STEPS
    from react_local.trace import Run, Setup
    from react_local.transcript import clean_question

    task = Task.CLAIM if claim else Task.QUESTION
    density = Thoughts(thoughts or Thoughts.DENSE)
    asked = Trajectory(clean_question(question), method, task, thoughts=density)
    return Run("", Setup(max_steps=MAX_STEPS[task]), asked)


def _last_run(path: Path) -> Run:
    runs = _read(path)
    if not runs:
        raise TraceError(f"{path} holds no run to continue: ask the question again")
    if not is_method(name := runs[-1].trajectory.method):
        raise TraceError(f"{path} was made by a method that this program does not have: {name}")
    if unknown := set(runs[-1].setup.actions) - OPTIONAL.keys():
        raise TraceError(
            f"{path} was made with actions that this program does not have: "
            f"{', '.join(sorted(unknown))}"
        )
    return runs[-1]


def _read(path: Path) -> tuple[Run, ...]:
    """The runs of a trace, with a note on standard error where its last line was cut off."""
    from react_local.trace import read

    trace = read(path)
    if trace.cut:
        say(f"note: writing of {path} was cut off; its incomplete last line is ignored")
    return trace.runs


def _answer(
    run: Run, setup: Setup, options: ModelOptions, trace: Path | None, listener: Listener
) -> Trajectory:
    """Load what `setup` names and let the method continue from the steps that `run` has."""
    from react_local.actions import with_optional
    from react_local.environments import WikipediaEnvironment
    from react_local.home import Home
    from wiki_index import WikiIndex

    weights = Path(setup.model)
    opened = WikiIndex.open(setup.index) if setup.index else nullcontext()
    with opened as wiki, _writing(trace, setup, run.id) as writer:
        say(f"Loading {weights.name} …")
        model = options.load(weights)
        Home.find().remember(model=weights, **({"index": Path(setup.index)} if wiki else {}))
        told = _without_foreign_tokens(run.trajectory, model)
        told = method_named(told.method, with_settings(setup.settings))(
            told.question,
            model,
            WikipediaEnvironment(wiki, with_optional(setup.actions)) if wiki else None,
            max_steps=setup.max_steps,
            guides=setup.guides,
            seed=options.seed,
            resume=told,
            on_event=together(listener, writer),
        )
    for note in model.notes:
        say(f"note: {note}")
    return told


def _without_foreign_tokens(told: Trajectory, model: LlamaModel) -> Trajectory:
    """`told` without tokens that do not spell its texts: another model's, or of a text edited in
    the trace. The model then reads the text itself."""
    notation = form_of(told).notation

    def own(tokens: tuple[int, ...], *texts: str) -> tuple[int, ...]:
        spelt = model.spell(tokens)
        return tokens if all(text in spelt for text in texts) else ()

    def read(step: Step) -> Step:
        argument = notation.escaped(step.action.argument)
        thoughts = [step.thought.text] if step.thought else []
        return replace(step, tokens=own(step.tokens, *thoughts, argument))

    plan = told.plan and replace(told.plan, tokens=own(told.plan.tokens, told.plan.text))
    return replace(told, steps=tuple(map(read, told.steps)), plan=plan)


@contextmanager
def _writing(path: Path | None, setup: Setup, run: str) -> Iterator[Listener]:
    """A listener that appends to the trace at `path`; without a path it ignores everything."""
    from react_local.trace import TraceWriter

    if path is None:
        yield ignore
        return
    with TraceWriter(path, setup, resume=run or None) as writer:
        yield writer


def display() -> Listener:
    """A listener that shows a run on standard output."""
    from rich.console import Console

    from react_local.display import Display

    return Display(Console(highlight=False))


def tell_notes(event: Event) -> None:
    """Print on standard error what is not part of the run itself."""
    match event:
        case Began(exemplars=number) if number:
            say(f"Reading {number} exemplars …")
        case Noted(text):
            say(f"note: {text}")


def _record(told: Trajectory) -> dict[str, Any]:
    """The JSON of ``ask --json``; its names are a contract."""
    from react_local.trace_records import step_record

    return {
        "question": told.question,
        "answer": told.answer,
        "source": told.source,
        "outcome": told.outcome,
        "method": told.method,
        "task": told.task,
        "pages": told.pages,
        "steps": [step_record(step) for step in told.steps],
        "usage": asdict(told.usage),
        **_beside(told),
    }


def _beside(told: Trajectory) -> dict[str, Any]:
    """The fields of single methods: passages given, votes, a plan, a review, the run before it."""
    from react_local.methods import votes

    found: dict[str, Any] = {}
    if told.given:
        found["given"] = [{"title": seen.title, "text": seen.text} for seen in told.given]
    if samples := [sample for step in told.steps for sample in step.samples]:
        found["votes"] = [{"answer": answer, "count": n} for answer, n in votes(samples)]
    if told.plan:
        found["plan"] = told.plan.text
    if told.review:
        found["review"] = {"cause": told.review.cause, "text": told.review.text}
    if told.before:
        found["before"] = _record(told.before)
    return found


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@as_json
def replay(trace: Path, as_json: bool) -> None:
    """Show the runs in a TRACE again.

    \b
    Example:
      react-local replay run.jsonl
    """
    from react_local import display as shown

    runs = _read(trace)
    if as_json:
        print_json([_record(run.trajectory) for run in runs])
        return
    for place, run in enumerate(runs):
        if place:
            click.echo()
        for note in run.notes:
            say(f"note: {note}")
        shown.replay(run.trajectory, display())
    if not runs:
        say(f"{trace} holds no run")
