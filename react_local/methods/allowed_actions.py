"""Which actions the state of a run allows: none that could only repeat what was observed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grammars.repeats import fold
from react_local.answers import evidence_of
from react_local.guides import PAPER, Guides
from react_local.methods.form import Form
from react_local.types import CLAIM_LABELS, Action, ActionName, Step, Task, Trajectory


def step_grammar(run: Trajectory, form: Form, guides: Guides = PAPER, *, last: bool = False) -> str:
    """The grammar of the whole step after `run`; `last` if it is the last one allowed."""
    finish = CLAIM_LABELS if run.task is Task.CLAIM else None
    actions, redundant = allowed_actions(run, guides, form.names, last=last)
    tried = [(action.name, action.argument) for action in redundant]
    return form.grammar(len(run.steps) + 1, actions=actions, finish=finish, tried=tried)


def allowed_actions(
    run: Trajectory, guides: Guides, names: Sequence[str] = tuple(ActionName), *, last: bool
) -> tuple[tuple[str, ...], tuple[Action, ...]]:
    """The names of `names` that are allowed after `run`, and the actions not to be repeated."""
    barred = set()
    if guides.repeats and open_page(run) is None:
        barred.add(ActionName.LOOKUP)
    if guides.answers and run.task is Task.QUESTION and not evidence_of(run):
        barred.add(ActionName.FINISH)
    if guides.force_finish and last:
        names, barred = (ActionName.FINISH,), set()
    actions = tuple(name for name in names if name not in barred)
    tried = redundant_actions(run) if guides.repeats else ()
    return actions, tuple(action for action in tried if action.name in actions)


def open_page(run: Trajectory) -> str | None:
    """The title of the page that the last successful search opened."""
    return next((page for _, page in reversed(list(_pages(run))) if page), None)


def redundant_actions(run: Trajectory) -> tuple[Action, ...]:
    """The earlier actions that, taken now, could only repeat an observation.

    These are a search that missed; a search that opened the page now open, or was made while it was
    open; a lookup on the open page, unless its next result would come now; and any action of
    another kind.
    """
    now, going_on = open_page(run), _looked_up(run)
    before: str | None = None
    found = []
    for step, page in _pages(run):
        missed = step.observation is not None and step.observation.title is None
        match step.action.name:
            case ActionName.SEARCH:
                is_redundant = missed or now in (before, page)
            case ActionName.LOOKUP:
                goes_on = not missed and fold(step.action.argument) == going_on
                is_redundant = before == now and not goes_on
            case name:
                is_redundant = name != ActionName.FINISH
        if is_redundant:
            found.append(step.action)
        before = page
    return tuple(dict.fromkeys(found))


def _looked_up(run: Trajectory) -> str | None:
    """The folded string of the last lookup since a page was opened, if any."""
    for step in reversed(run.steps):
        if step.action.name == ActionName.LOOKUP:
            return fold(step.action.argument)
        if step.observation and step.observation.title:
            return None
    return None


def _pages(run: Trajectory) -> Iterator[tuple[Step, str | None]]:
    """Each step with the title of the page that is open after it."""
    page: str | None = None
    for step in run.steps:
        if step.action.name == ActionName.SEARCH and step.observation is not None:
            page = step.observation.title or page
        yield step, page
