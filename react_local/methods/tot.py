"""Tree of Thoughts: breadth-first over steps, kept by the model's own vote (Yao et al., arXiv
2305.10601, Section 3, Algorithm 1).

In the paper, thoughts are about puzzles and texts and have no observations; here a thought comes
with its action and observation, and all are voted on together. Steps are proposed by sampling and
evaluated by one vote across all branches of a level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from react_local.environments.base import Environment
from react_local.errors import ContextTooSmall
from react_local.events import Ended, Listener, Stepped, Wrote, ignore
from react_local.guides import DEFAULT, Guides
from react_local.methods.form import Form
from react_local.methods.react import begin, stopped
from react_local.methods.tree import Tree, shared
from react_local.models.base import LanguageModel
from react_local.transcript import CHOICES, clean_question
from react_local.types import Outcome, Task, Thoughts, Trajectory

TOT = Form("tot")

BREADTH = 2
BRANCHES = 3
TEMPERATURE = 0.7


def tot(
    question: str,
    model: LanguageModel,
    environment: Environment,
    *,
    breadth: int = BREADTH,
    branches: int = BRANCHES,
    temperature: float = TEMPERATURE,
    task: Task = Task.QUESTION,
    max_steps: int | None = None,
    exemplars: Sequence[Trajectory] | None = None,
    guides: Guides = DEFAULT,
    thoughts: Thoughts = Thoughts.DENSE,
    seed: int = 0,
    resume: Trajectory | None = None,
    on_event: Listener = ignore,
) -> Trajectory:
    """Answer `question` by a path through a tree of steps. Other options are those of `react`.

    The run ends when the branch that wins the vote has an answer, or at the depth `max_steps`. A
    step is reported, and written to a trace, once all remaining branches share it; its usage is
    that of its whole level, and its `rivals` are the other steps in the vote.

    Args:
        breadth: the number of branches that are kept after a vote.
        branches: the number of steps that are sampled from each of them, as one batch at
            `temperature`.

    Raises:
        ValueError: a level would have more branches than a vote can name, 26.
    """
    if breadth * branches > len(CHOICES):
        raise ValueError(
            f"{breadth} times {branches} branches are too many: a vote can name {len(CHOICES)}"
        )
    run = resume or Trajectory(clean_question(question), TOT.method, task, thoughts=thoughts)
    run, form, depth, shown = begin(run, model, environment, TOT, max_steps, exemplars, on_event)
    tree = Tree(model, environment, form, shown, guides, depth, branches, temperature, seed)
    beam, told, outcome = [run], len(run.steps), None
    try:
        while stopped(beam[0], depth) is None:
            beam = tree.next_level(beam)[:breadth]
            told = _tell(beam[0], form, told, shared(beam), on_event)
    except ContextTooSmall:
        outcome = Outcome.CONTEXT_FULL
    except KeyboardInterrupt:
        outcome = Outcome.INTERRUPTED
    best = next((branch for branch in beam if branch.answer is not None), beam[0])
    if outcome is Outcome.INTERRUPTED:
        best = replace(best, steps=best.steps[:told])
    elif len(best.steps) > told:
        best = tree.with_all_costs(best)
    _tell(best, form, told, len(best.steps), on_event)
    run = replace(best, outcome=stopped(best, depth) or outcome)
    on_event(Ended(run))
    return run


def _tell(run: Trajectory, form: Form, start: int, end: int, listener: Listener) -> int:
    """Report the steps of `run` from `start` to `end`, and return `end`."""
    for place in range(start, end):
        listener(Wrote(form.text(place + 1, run.steps[place])))
        listener(Stepped(place + 1, run.steps[place]))
    return end
