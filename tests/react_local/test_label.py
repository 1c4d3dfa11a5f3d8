"""Labels of runs: what is drawn and suggested, how a session goes on, and the table of Table 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, asked, begun, write
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.errors import EvaluationError
from react_local.evaluation.behaviour import behaviour
from react_local.evaluation.datasets import Example
from react_local.evaluation.files import write_whole
from react_local.evaluation.labels import FAILURE, SUCCESS, Label, LabelFile, draw, suggest
from react_local.evaluation.metrics import score
from react_local.evaluation.report import Answered, MethodReport, Report
from react_local.evaluation.runner import RunLayout, evaluate
from react_local.models.scripted import ScriptedModel
from react_local.trace import Run
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Thought,
    Trajectory,
)

SEARCH, LOOKUP, FINISH = ActionName
FOUND = (SEARCH, "Alder", Observation("Its town is Port Alder.", "Alder"))
MISSED = (SEARCH, "Elder", Observation("Could not find [Elder]. Similar: ['Alder']."))


def answered(*steps: tuple, gold: str = "Port Alder", method: str = "react", id: str = "1"):
    made = tuple(Step(Thought("x"), Action(*step[:2]), *step[2:]) for step in steps)
    has_end = bool(steps) and steps[-1][0] is FINISH
    told = Trajectory("What?", method, steps=made,
                      outcome=Outcome.FINISHED if has_end else Outcome.STEP_LIMIT)  # fmt: skip
    example = Example(id, "What?", (gold,), titles=("Alder",))
    return Answered(
        example,
        Run(id, SETUP, told),
        score(told.answer, example.answers),
        behaviour(told, example.titles),
    )


@pytest.mark.parametrize(
    ("steps", "gold", "expected"),
    [
        ([FOUND, (FINISH, "Port Alder")], "Port Alder", Label.TRUE_POSITIVE),
        ([FOUND, (FINISH, "Brae")], "Brae", Label.FALSE_POSITIVE),
        ([FOUND, (FINISH, "yes")], "yes", Label.TRUE_POSITIVE),
        ([FOUND, (FINISH, "the town of Port Alder")], "Port Alder", Label.AMBIGUITY),
        ([FOUND, (FINISH, "Alder")], "Port Alder", Label.AMBIGUITY),
        ([MISSED, MISSED, (FINISH, "Brae")], "Port Alder", Label.SEARCH_ERROR),
        ([(FINISH, "Brae")], "Port Alder", Label.SEARCH_ERROR),
        ([FOUND, (FINISH, "Brae")], "Port Alder", Label.HALLUCINATION),
        ([FOUND, (FINISH, "town")], "Port Alder", Label.REASONING_ERROR),
        ([FOUND, MISSED], "Port Alder", Label.REASONING_ERROR),
    ],
)
def test_what_is_suggested(steps: list, gold: str, expected: Label) -> None:
    assert suggest(answered(*steps, gold=gold)) is expected


def test_a_wrong_answer_of_chain_of_thought_is_taken_for_made_up() -> None:
    assert suggest(answered((FINISH, "Brae"), method="cot")) is Label.HALLUCINATION
    assert suggest(answered((FINISH, "Port Alder"), method="cot")) is Label.TRUE_POSITIVE


def test_successes_and_failures_are_drawn_the_same_for_all() -> None:
    right = [answered((FINISH, "Port Alder"), id=f"r{n}") for n in range(9)]
    wrong = [answered((FINISH, "Brae"), id=f"w{n}") for n in range(3)]
    method = MethodReport("run", "react", 12, tuple(right + wrong))
    ids = [one.example.id for one in draw(method, 5)]
    assert [id[0] for id in ids] == ["r"] * 5 + ["w"] * 3
    assert len(set(ids)) == 8
    assert ids == [one.example.id for one in draw(method, 5)]
    assert ids != [one.example.id for one in draw(method, 5, seed=1)]


@pytest.fixture
def layout(tmp_path: Path, wiki) -> RunLayout:
    layout = begun(tmp_path / "run")
    evaluate(layout, EXAMPLES, "react", asked(wiki), SETUP)
    return layout


def label(layout: RunLayout, *words: str, answers: str = "") -> Result:
    return CliRunner().invoke(main, ["label", str(layout.root), *words], input=answers)


def kept(layout: RunLayout, person: str) -> list[str]:
    methods = Report.read([layout.root]).methods
    return [str(label) for label in LabelFile(layout.root, person, methods).labels.values()]


def test_a_session_shows_runs_and_keeps_what_is_said(layout: RunLayout) -> None:
    result = label(layout, "--by", "anna", answers="\n2\n\n")
    assert result.exit_code == 0, result.output
    assert kept(layout, "anna") == ["true positive", "false positive", "search result error"]
    assert "--- 1 of 3: react ---" in result.stdout
    assert "Action 1: Search[Hill of Brae]" in result.stdout
    assert "Gold: 321 metres / 321 m\nGold pages: Brae" in result.stdout
    assert "1  reasoning error: wrong reasoning, or pointless repetition of steps" in result.stdout
    table = result.stdout[result.stdout.index("Success") :]
    assert "true positive      1 (50 %)" in table
    assert "search result error    1 (100 %)" in table
    line = json.loads((layout.root / "labels" / "anna.jsonl").read_text().splitlines()[1])
    assert (line["label"], line["suggested"]) == ("false positive", "true positive")


def test_a_session_goes_on_where_it_was_left(layout: RunLayout) -> None:
    left = label(layout, "--by", "anna", answers="1\nq\n")
    assert "2 of 3 are left; run the same command again to continue" in left.stderr
    broken = label(layout, "--by", "anna", answers="1\n")
    assert broken.exit_code == 130
    assert len(kept(layout, "anna")) == 2
    last = label(layout, "--by", "anna", answers="\n")
    assert "--- 3 of 3: react ---" in last.stdout
    assert "--- 2 of 3" not in last.stdout
    again = label(layout, "--by", "anna")
    assert (again.exit_code, "---" in again.stdout) == (0, False)


def test_a_full_disk_names_the_file_and_what_to_do(layout: RunLayout, monkeypatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    said = "No space left on device: fix that, then run the same command again to continue"
    result = label(layout, "--by", "anna", answers="1\n")
    assert result.exit_code == 1
    path = layout.root / "labels" / "anna.jsonl"
    assert result.stderr.endswith(f"react-local: cannot write {path}: {said}\n")
    with pytest.raises(EvaluationError) as caught:
        write_whole(layout.manifest, "{}")
    assert str(caught.value) == f"cannot write {layout.manifest}: {said}"
    assert not list(layout.root.glob("*.writing"))


def test_one_may_go_back_but_not_say_what_there_is_not(layout: RunLayout) -> None:
    result = label(layout, "--by", "anna", answers="1\nb\n2\n3\n1\nq\n")
    assert result.exit_code == 0, result.output
    assert kept(layout, "anna") == ["false positive", "true positive"]
    assert "is not one of" in result.stdout


def test_a_label_cut_off_in_writing_is_asked_again(layout: RunLayout) -> None:
    label(layout, "--by", "anna", answers="1\n1\n1\n")
    path = layout.root / "labels" / "anna.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    assert len(kept(layout, "anna")) == 2
    label(layout, "--by", "anna", answers="4\n")
    assert kept(layout, "anna")[2] == "label ambiguity"
    for line in ("{}", "[" * 200_000):
        path.write_text(f"{line}\n")
        with pytest.raises(EvaluationError, match=r"line 1 of .* is damaged"):
            kept(layout, "anna")


def test_two_people_are_compared(layout: RunLayout) -> None:
    assert "nothing is labelled yet" in label(layout, "--summary").stderr
    label(layout, "--by", "anna", answers="1\n2\n2\n")
    label(layout, "--by", "bo", answers="1\n1\n2\n")
    result = label(layout, "--summary")
    assert "Cohen's kappa of anna and bo on 2 successes: 0.00" in result.stdout
    assert "Cohen's kappa of anna and bo on 1 failures: undefined" in result.stdout
    told = json.loads(label(layout, "--json").stdout)
    assert [(k["of"], k["runs"], k["kappa"]) for k in told["kappa"]] == [
        ("successes", 2, 0.0),
        ("failures", 1, None),
    ]
    assert told["labels"][1] == {
        "method": "react",
        "by": "bo",
        "counts": {"true positive": 2, "search result error": 1},
    }


@pytest.mark.parametrize("name", ["../x", "", "a b", ".x"])
def test_names_that_are_no_file(layout: RunLayout, name: str) -> None:
    assert label(layout, "--by", name).exit_code == 2


def test_labels_change_nothing_of_the_evaluation(layout: RunLayout) -> None:
    before = Report.read([layout.root]).record()
    label(layout, "--by", "questions", answers="1\n1\n1\n")
    assert Report.read([layout.root]).record() == before
    assert {*SUCCESS, *FAILURE} == set(Label)


def test_labels_of_a_run_that_came_out_otherwise_are_asked_again(layout: RunLayout, wiki) -> None:
    label(layout, "--by", "anna", answers="1\n1\n1\n")
    label(layout, "--by", "bo", answers="1\n1\nq\n")

    def made_again(script) -> None:
        layout.trace("react").unlink()
        evaluate(layout, EXAMPLES, "react", asked(wiki, ScriptedModel(script)), SETUP)

    made_again(write)
    assert len(kept(layout, "anna")) == 3
    made_again(lambda prompt: write(prompt).replace("I guess it is", "It may be"))
    assert len(kept(layout, "anna")) == 2
    told = label(layout, "--summary")
    assert told.stderr == "note: 1 labels by anna are of runs that changed since\n"
    assert "on 2 successes" in told.stdout
    assert "failures" not in told.stdout
    again = label(layout, "--by", "anna", answers="3\n")
    assert "--- 3 of 3: react ---" in again.stdout
    assert kept(layout, "anna")[2] == "hallucination"


def test_two_sessions_of_one_person_keep_each_others_labels(layout: RunLayout) -> None:
    (method,) = Report.read([layout.root]).methods
    first, second = (LabelFile(layout.root, "anna", [method]) for _ in range(2))
    for file, one in zip((first, second, first), method.answered, strict=True):
        file.add(one, "react", suggest(one))
    assert len(kept(layout, "anna")) == 3


def test_the_summary_of_a_method_is_of_its_runs_alone(layout: RunLayout, wiki) -> None:
    evaluate(layout, EXAMPLES, "standard", asked(wiki), SETUP)
    for person in ("anna", "bo"):
        label(layout, "--by", person, answers="1\n" * 6)
    both, one = (label(layout, "--summary", *words) for words in ((), ("--method", "react")))
    assert "on 3 successes" in both.stdout
    assert "on 2 successes" in one.stdout
    assert "standard" not in one.stdout
