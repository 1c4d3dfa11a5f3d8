"""Correct runs as training data: what counts for the loss, what is left out, what the card says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from a_run import QUESTION
from an_evaluation import EXAMPLES, SETUP, TOWN, answerer, asked, begun
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.display import replay
from react_local.errors import EvaluationError
from react_local.evaluation.jobs import Job
from react_local.evaluation.report import Report
from react_local.evaluation.runner import RunLayout, evaluate
from react_local.evaluation.sft import collect
from react_local.trace import TraceWriter, read
from react_local.types import Trajectory


@pytest.fixture(scope="module")
def layout(tmp_path_factory: pytest.TempPathFactory, wiki) -> RunLayout:
    layout = begun(tmp_path_factory.mktemp("sft") / "run")
    for method in ("standard", "react"):
        evaluate(layout, EXAMPLES, method, asked(wiki), SETUP)
    return layout


@pytest.fixture
def export(layout: RunLayout, tmp_path: Path):
    def call(*arguments: object, runs: tuple = ()) -> tuple[Result, list[dict]]:
        out = tmp_path / "train.jsonl"
        words = ["export-sft", *(runs or (layout.root,)), "--out", out, *arguments]
        result = CliRunner().invoke(main, list(map(str, words)))
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
        return result, list(map(json.loads, lines))

    return call


def test_only_what_the_model_wrote_counts(export, layout: RunLayout) -> None:
    result, lines = export("--method", "react")
    assert result.exit_code == 0, result.output
    assert [line["source"]["id"] for line in lines] == ["ferry", "town"]
    assert {line["source"]["method"] for line in lines} == {"react"}
    whole = "".join(segment["text"] for segment in lines[1]["segments"])
    assert whole.endswith(
        f"\n\nQuestion: {TOWN}\n"
        "Thought 1: I need to search Alder.\nAction 1: Search[Alder]\n"
        "Observation 1: Alder is an island. Its town is Port Alder.\n"
        "Thought 2: Its town is Port Alder.\nAction 2: Finish[Port Alder]"
    )
    learnt = [segment["text"] for segment in lines[1]["segments"] if segment["label"]]
    assert learnt == [
        "Thought 1: I need to search Alder.\nAction 1: Search[Alder]",
        "Thought 2: Its town is Port Alder.\nAction 2: Finish[Port Alder]",
    ]
    assert [segment["label"] for segment in lines[1]["segments"]] == [False, True] * 2
    for line in lines:
        for segment in line["segments"]:
            assert not (segment["label"] and "Observation" in segment["text"])


def test_chat_form_speaks_in_the_turns_that_a_chat_model_reads(export) -> None:
    _, lines = export("--method", "react", "--form", "chat")
    messages = lines[1]["messages"]
    roles = ["system", "user", "assistant", "user", "assistant"]
    assert [message["role"] for message in messages] == roles
    assert messages[1]["content"] == f"Question: {TOWN}"
    assert messages[3]["content"].startswith("Observation 1: Alder is an island.")
    assert messages[4]["content"].endswith("Finish[Port Alder]")


def test_a_method_without_actions_teaches_its_answer(export) -> None:
    _, lines = export("--method", "standard")
    (line,) = lines
    assert line["segments"] == [
        {"text": f"Question: {QUESTION}\n", "label": False},
        {"text": "Answer: 1957", "label": True},
    ]


def test_the_same_actions_are_written_once(export, layout, tmp_path, wiki) -> None:
    again = begun(tmp_path / "again")
    evaluate(again, EXAMPLES, "react", asked(wiki), SETUP)
    result, lines = export("--method", "react", runs=(layout.root, again.root))
    assert [line["source"]["run"] for line in lines] == ["run", "run"]
    assert "train.jsonl: 2; repetitions left out: 2." in result.stderr


def test_malformed_runs_are_left_out(layout: RunLayout) -> None:
    report = Report.read([layout.root])
    (answered, *_) = next(m for m in report.methods if m.method == "react").answered
    bad = replace(answered, behaviour=replace(answered.behaviour, malformed=1))
    methods = (replace(report.methods[1], answered=(bad,)),)
    with pytest.raises(EvaluationError, match="no correct answer in run"):
        collect(replace(report, methods=methods))


def test_the_card_says_where_it_comes_from(export, tmp_path: Path) -> None:
    export()
    card = (tmp_path / "train.jsonl.card.md").read_text(encoding="utf-8")
    assert card.startswith("# Trajectories for supervised fine-tuning\n")
    assert "| run | standard | 3 | 1 | 0 | 1 |" in card
    assert "| run | react | 3 | 2 | 0 | 2 |" in card
    assert "- run, model: model.gguf" in card
    assert "3 runs of react-local whose answer matches the gold answer, one per line" in card


def test_of_a_hybrid_the_side_that_answered_is_written(tmp_path: Path, export) -> None:
    layout = begun(tmp_path / "hybrid")
    before = Trajectory(QUESTION, "react")
    trace = tmp_path / "other.jsonl"
    with TraceWriter(trace, SETUP) as writer:
        answerer(None)(Job("standard", EXAMPLES[0]), writer)
    (run,) = read(trace).runs
    told = replace(run.trajectory, method="react>standard", before=before)
    with TraceWriter(layout.trace("react>standard"), SETUP) as writer:
        writer.begin("ferry")
        replay(replace(told, before=replace(before, outcome=told.outcome)), writer)
    _, lines = export(runs=(layout.root,))
    (line,) = lines
    assert line["source"]["method"] == "react>standard"
    assert line["segments"][-1] == {"text": "Answer: 1957", "label": True}


def test_without_a_correct_answer_there_is_nothing(export, tmp_path: Path) -> None:
    result, lines = export("--method", "act")
    assert (result.exit_code, lines) == (1, [])
    assert result.stderr == (
        "react-local: act answered no question in run: there are standard, react\n"
    )
    assert not (tmp_path / "train.jsonl.card.md").exists()
