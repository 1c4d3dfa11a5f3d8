"""CoT-SC: the majority of sampled answers, and what its run tells of the votes."""

from __future__ import annotations

import io

import pytest
from a_run import QUESTION
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from react_local.display import Display, replay
from react_local.events import Began, Ended, Stepped, Wrote
from react_local.methods import self_consistency, votes
from react_local.models.base import Generation
from react_local.models.scripted import ScriptedModel
from react_local.normalise import normalise
from react_local.trace import Setup, TraceWriter, read
from react_local.types import Action, ActionName, Outcome, Step

TEXTS = (
    "Thought: The first one sailed then.\nAnswer: 1921",
    "Thought: The last steam ferry sailed in 1957.\nAnswer: The 1957.",
    "Thought: It is the last one.\nAnswer: 1957",
    "Thought: I guess.\nAnswer: 1960",
)


class Drawing(ScriptedModel):
    """A scripted model that keeps what it was asked to draw."""

    def sample(self, prompt, grammar, n, *, temperature, seed, max_tokens) -> list[Generation]:
        self.drawn = (n, temperature, seed)
        return super().sample(
            prompt, grammar, n, temperature=temperature, seed=seed, max_tokens=max_tokens
        )


def finishes(*answers: str) -> list[Step]:
    return [Step(None, Action(ActionName.FINISH, answer)) for answer in answers]


def ask(texts=TEXTS, **options):
    model = Drawing(texts)
    return self_consistency(QUESTION, model, samples=len(texts), exemplars=(), **options), model


def test_the_answer_of_most_samples_wins_once_normalised() -> None:
    run, _ = ask()
    (step,) = run.steps
    assert (run.method, run.answer, run.outcome) == ("cot-sc", "The 1957.", Outcome.FINISHED)
    assert step.thought.text == "The last steam ferry sailed in 1957."
    assert [one.action.argument for one in step.samples] == ["1921", "The 1957.", "1957", "1960"]
    assert votes(step.samples) == (("The 1957.", 2), ("1921", 1), ("1960", 1))


def test_of_answers_with_equally_many_votes_the_first_sampled_wins() -> None:
    assert votes(finishes("b", "a", "A", "B", "c"))[:2] == (("b", 2), ("a", 2))
    run, _ = ask(("Thought: x\nAnswer: b", "Thought: y\nAnswer: a"))
    assert run.answer == "b"


@given(st.lists(st.sampled_from(["a", "The A", "b!", "B", "c", "1 2", "1  2"]), min_size=1))
def test_votes_are_a_count_of_all_samples(answers: list[str]) -> None:
    counted = votes(finishes(*answers))
    names = [normalise(answer) for answer, _ in counted]
    assert sum(count for _, count in counted) == len(answers)
    assert sorted(set(names)) == sorted(set(map(normalise, answers)))
    assert len(set(names)) == len(names)
    assert [count for _, count in counted] == sorted((c for _, c in counted), reverse=True)
    assert counted[0][0] in answers


def test_it_draws_as_the_paper_says_unless_told_otherwise() -> None:
    model = Drawing(lambda _: TEXTS[0])
    run = self_consistency(QUESTION, model, None, exemplars=())
    assert model.drawn[:2] == (21, 0.7)
    assert len(run.steps[0].samples) == 21
    _, model = ask(temperature=1.0)
    assert model.drawn[:2] == (4, 1.0)


def test_it_draws_by_its_seed() -> None:
    seeds = [ask(seed=seed)[1].drawn[2] for seed in (5, 5, 6, -1)]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3
    assert min(seeds) >= 0


def test_a_run_costs_what_all_its_samples_cost() -> None:
    run, _ = ask()
    assert run.usage.generated_tokens == sum(len(text.encode()) for text in TEXTS)
    assert run.usage.prompt_tokens == sum(s.usage.prompt_tokens for s in run.steps[0].samples)


def test_the_listener_is_told_of_the_winner_and_the_votes() -> None:
    seen: list = []
    run, _ = ask(on_event=seen.append)
    began, wrote, stepped, ended = seen
    assert isinstance(began, Began)
    assert began.trajectory.method == "cot-sc"
    assert wrote == Wrote(TEXTS[1])
    assert stepped == Stepped(1, run.steps[0])
    assert ended == Ended(run)


def test_the_votes_are_kept_and_shown(tmp_path) -> None:
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        run, _ = ask(on_event=writer)
    (kept,) = read(tmp_path / "t.jsonl").runs
    assert kept.trajectory == run
    out = io.StringIO()
    replay(run, Display(Console(file=out)))
    assert "Answer: The 1957.\nVotes: 2 of 4 The 1957.; 1 1921; 1 1960\n" in out.getvalue()


def test_an_interrupted_vote_is_an_interrupted_run() -> None:
    def interrupt(prompt):
        raise KeyboardInterrupt

    run = self_consistency(QUESTION, Drawing(interrupt), exemplars=())
    assert (run.outcome, run.steps) == (Outcome.INTERRUPTED, ())


@pytest.mark.model
def test_a_real_model_votes(pytestconfig: pytest.Config) -> None:
    from starters import starter_path

    from react_local import exemplars
    from react_local.models.llama import LlamaModel

    model = LlamaModel.load(starter_path("gemma", pytestconfig.cache), context=2048)
    shown = exemplars.load()[-1:]
    run, again = (
        self_consistency("Is Rome in Italy?", model, samples=3, exemplars=shown) for _ in range(2)
    )
    assert run.outcome is Outcome.FINISHED
    assert len(run.steps[0].samples) == 3
    assert [s.action for s in run.steps[0].samples] == [s.action for s in again.steps[0].samples]
