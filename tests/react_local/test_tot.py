"""Tree of thoughts: what is drawn, what is voted on, what of it is told, kept and counted."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import replace
from math import log

import pytest
from a_run import QUESTION
from rich.console import Console

from react_local.display import Display, replay
from react_local.environments import WikipediaEnvironment
from react_local.evaluation.behaviour import behaviour
from react_local.events import Began, Ended, Stepped, together
from react_local.guides import PAPER, Guides
from react_local.methods import form_of, method, tot
from react_local.models.base import Piece, Scores
from react_local.models.scripted import ScriptedModel
from react_local.trace import Setup, TraceWriter, read
from react_local.types import Outcome, Task, Trajectory, Usage

FIRST = [
    "Thought 1: It is the strait.\nAction 1: Search[Strait of Alder]",
    "Thought 1: It is Alder Sound.\nAction 1: Search[Alder Sound]",
    "Thought 1: It is the Sound.\nAction 1: Search[alder sound]",
]
SECOND = [
    "Thought 2: I look it up.\nAction 2: Lookup[ferry]",
    "Thought 2: It is 1957.\nAction 2: Finish[1957]",
    "Thought 2: It is 1921.\nAction 2: Finish[1921]",
]
VOTES = [r"Search\[Alder Sound\]", r"Finish\[1957\]"]


class Voter(ScriptedModel):
    """Gives 0.8 to what holds the next of `favoured`, 0.4 to what holds the second of a pair there,
    0.1 to each other, and 0.15 more to whatever stands first."""

    def __init__(self, script: Sequence[str], favoured: Sequence[str]) -> None:
        super().__init__(script)
        self.favoured, self.ballots = favoured, []

    def score(self, prompt: Sequence[Piece], texts: Sequence[str]) -> Scores:
        if not prompt[-1].text.endswith("The best is"):
            return super().score(prompt, texts)
        *_, question, _ = prompt
        choices = question.text.splitlines()[1:]
        assert [choice[0] for choice in choices] == [text[1:] for text in texts]
        wanted = self.favoured[len(self.ballots) // 2]
        first, *second = [wanted] if isinstance(wanted, str) else wanted
        self.ballots.append(choices)
        votes = [
            0.8 if re.search(first, choice[3:]) else 0.4 if re.search(*second or ["$^"], choice[3:])
            else 0.1
            for choice in choices
        ]  # fmt: skip
        votes[0] += 0.15
        found = tuple(map(log, votes))
        return Scores(found, (1,) * len(texts), Usage(generated_tokens=len(texts)))


def ask(wiki, script=(*FIRST, *SECOND), favoured=VOTES, **options) -> tuple[Trajectory, Voter]:
    model = Voter(script, favoured)
    options = {"guides": PAPER, "exemplars": (), "breadth": 1} | options
    return tot(QUESTION, model, WikipediaEnvironment(wiki), **options), model


def test_the_vote_chooses_among_steps_by_what_they_brought(wiki) -> None:
    run, model = ask(wiki)
    assert (run.method, run.answer, run.outcome) == ("tot", "1957", Outcome.FINISHED)
    assert [str(step.action) for step in run.steps] == ["Search[Alder Sound]", "Finish[1957]"]
    assert len(model.ballots[0]) == 2  # one action, spelt in two ways, is one branch
    assert model.ballots[0][1].startswith("B. It is Alder Sound. Search[Alder Sound]: Alder Sound ")
    assert [choice[3:] for choice in model.ballots[1][::-1]] == [c[3:] for c in model.ballots[0]]
    assert run.steps[0].observation.title == "Alder Sound"


def test_no_place_on_the_ballot_is_better_than_another(wiki) -> None:
    run, _ = ask(wiki)
    last = run.steps[-1]
    assert last.share + sum(rival.share for rival in last.rivals) == pytest.approx(1)
    lookup, other = last.rivals
    assert lookup.share == pytest.approx(other.share + 0.15 / 1.15 / 2 - 0.15 / 1.15 / 2)


def test_the_cost_is_that_of_the_whole_tree(wiki) -> None:
    run, _ = ask(wiki)
    assert run.usage.generated_tokens == sum(map(len, [*FIRST, *SECOND]))
    assert run.usage.weighed_tokens == 2 * 2 + 2 * 3
    assert all(rival.usage == Usage() and not rival.tokens for rival in run.steps[0].rivals)


def test_all_branches_that_are_kept_go_on(wiki) -> None:
    run, model = ask(wiki, (*FIRST, *SECOND, *SECOND), breadth=2)
    assert len(model.ballots[-1]) == 6
    assert run.answer == "1957"
    assert run.usage.generated_tokens == sum(map(len, [*FIRST, *SECOND, *SECOND]))
    pages = [told.title for told in run.observations]
    assert pages == ["Alder Sound"]  # no branch acts in the world of another


def test_a_finished_branch_waits_for_one_that_the_vote_puts_before_it(wiki) -> None:
    third = [step.replace(" 2:", " 3:") for step in SECOND]
    votes = [VOTES[0], ("cold. I look it up", "cold. It is 1957")]
    script = [*FIRST, *SECOND, *SECOND, *third]
    run, model = ask(wiki, script, [*votes, "It is 1921"], breadth=2)
    assert (run.answer, len(run.steps)) == ("1921", 3)
    assert len(model.ballots[-1]) == 4
    run, _ = ask(wiki, script, [*votes, "^It is 1957"], breadth=2)
    assert (run.answer, len(run.steps)) == ("1957", 2)
    assert run.usage.generated_tokens == sum(map(len, script))


def test_at_its_depth_it_ends(wiki) -> None:
    run, _ = ask(wiki, FIRST, max_steps=1)
    assert (run.outcome, run.answer, len(run.steps)) == (Outcome.STEP_LIMIT, None, 1)
    forced = [f"Thought 1: x\nAction 1: Finish[{n}]" for n in range(3)]
    run, _ = ask(
        wiki, forced, [r"Finish\[1\]"], max_steps=1, guides=replace(PAPER, force_finish=True)
    )
    assert (run.outcome, run.answer) == (Outcome.FINISHED, "1")


def test_a_full_context_ends_it_with_the_steps_so_far(wiki) -> None:
    _, model = ask(wiki)
    taken = [model.count_tokens(prompt) for prompt in model.prompts]
    small = Voter([*FIRST, *SECOND], VOTES)
    small.context_length = taken[3] + 448 - 1
    run = tot(QUESTION, small, WikipediaEnvironment(wiki), exemplars=(), breadth=1, guides=PAPER)
    assert (run.outcome, [str(step.action) for step in run.steps]) == (
        Outcome.CONTEXT_FULL,
        ["Search[Alder Sound]"],
    )


def test_guides_hold_in_every_branch(wiki) -> None:
    first = ["Thought 1: a\nAction 1: Search[Brae]", "Thought 1: b\nAction 1: Search[Alder Sound]",
             "Thought 1: b\nAction 1: Search[Alder Sound]"]  # fmt: skip
    opened = [f"{text.partition('[')[0]}[" for text in first]
    titles = ["Brae]", "Brae]", "Alder Sound]", "Alder Sound]"]  # guessed, and then weighed
    second = ["Thought 2: x\nAction 2: Finish["] * 3 + ["strait]"]
    model = Voter([*opened, *titles, *second], [VOTES[0], "x"])
    run = tot(QUESTION, model, WikipediaEnvironment(wiki), exemplars=(), breadth=1,
              guides=Guides(answers=False))  # fmt: skip
    assert (run.pages, run.answer) == (("Alder Sound",), "strait")


def test_a_claim_is_judged(wiki) -> None:
    script = [f"Thought 1: x\nAction 1: Finish[{v}]" for v in ("SUPPORTS", "REFUTES", "REFUTES")]
    run, _ = ask(wiki, script, ["REFUTES"], task=Task.CLAIM)
    assert run.answer == "REFUTES"


def test_it_is_told_kept_and_shown_whole(wiki, tmp_path) -> None:
    shown, again, seen = io.StringIO(), io.StringIO(), []
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        listener = together(writer, Display(Console(file=shown)), seen.append)
        run, _ = ask(wiki, on_event=listener)
    (kept,) = read(tmp_path / "t.jsonl").runs
    assert kept.trajectory == run
    replay(kept.trajectory, Display(Console(file=again)))
    assert again.getvalue() == shown.getvalue()
    assert "Votes: 83% this; 17% Search[Strait of Alder]\n" in shown.getvalue()
    kinds = [type(event) for event in seen if not hasattr(event, "text")]
    assert kinds == [Began, Stepped, Stepped, Ended]
    assert behaviour(run).malformed == 0
    assert form_of(run).method == "tot"


@pytest.mark.parametrize("stop", range(7))
def test_a_run_stopped_anywhere_goes_on_from_what_is_settled(wiki, tmp_path, stop: int) -> None:
    asked: list[str] = []

    def script(prompt) -> str:
        if len(asked) == stop and not resumed:
            raise KeyboardInterrupt
        asked.append("")
        return (*FIRST, *SECOND)[len(asked) - 1]

    path, resumed = tmp_path / "t.jsonl", False
    with TraceWriter(path, Setup()) as writer:
        ask(wiki, script, on_event=writer)
    (kept,) = read(path).runs
    settled = len(kept.trajectory.steps)
    assert settled == (stop >= 3) + (stop == 6)
    del asked[3 * settled :]
    resumed = True
    with TraceWriter(path, Setup(), resume=kept.id) as writer:
        run, _ = ask(wiki, script, VOTES[settled:], on_event=writer, resume=kept.trajectory)
    assert read(path).runs[0].trajectory == run
    assert [str(step.action) for step in run.steps] == ["Search[Alder Sound]", "Finish[1957]"]


def test_it_may_be_a_side_of_a_hybrid(wiki) -> None:
    model = Voter([*FIRST, "Answer: 1957"], VOTES)
    run = method("tot>standard")(QUESTION, model, WikipediaEnvironment(wiki), exemplars=(),
                                 guides=PAPER, max_steps=1)  # fmt: skip
    assert [form_of(part).method for part in run.parts] == ["tot", "standard"]
    assert run.answer == "1957"


def test_more_branches_than_letters_are_refused(wiki) -> None:
    with pytest.raises(ValueError, match="9 times 3 branches are too many: a vote can name 26"):
        ask(wiki, breadth=9)
