"""What single methods take, from the command line through a run, its trace, and an evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from a_run import QUESTION, SCRIPT, write_dump
from an_evaluation import questions_file
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.cli.model_options import ModelOptions
from react_local.methods import METHODS, SETTINGS, is_method, with_settings
from react_local.models.scripted import ScriptedModel
from react_local.trace import read
from react_local.types import Thoughts
from wiki_index import build_index

GUESS = "Thought 1: I guess.\nAction 1: Finish[1900]"
LESSON = "Reflection: I guessed. Next, read.\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wiki")
    build_index(write_dump(place / "alder.xml"), place / "index", dense=False)
    (place / "model.gguf").write_bytes(b"GGUF")
    questions_file(place / "questions.jsonl")
    return place


@pytest.fixture
def call(built: Path, monkeypatch: pytest.MonkeyPatch):
    def call(command: str, *arguments: object, script=()) -> Result:
        monkeypatch.setattr(ModelOptions, "load", lambda *_: ScriptedModel(script))
        named = ["--index", built / "index", "--model", built / "model.gguf", "--guide", "none"]
        words = [*arguments, *([] if "--resume" in arguments else named)]
        return CliRunner().invoke(main, [command, *map(str, words)])

    return call


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_in_its_docs(name: str) -> None:
    docs = Path(__file__).parents[2] / "docs" / "methods.md"
    assert f"`{name}`" in docs.read_text(encoding="utf-8")


def test_settings_are_of_methods_that_there_are() -> None:
    assert all(is_method(name) for names in SETTINGS.values() for name in names)
    taken = with_settings({"tries": 2, "breadth": 1})
    assert taken.keys() == {"reflexion", "self-refine", "tot"}
    assert taken["tot"].keywords == {"breadth": 1}


def test_tries_are_kept_with_the_run_that_they_are_of(call, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"

    def interrupted(prompt):
        raise KeyboardInterrupt

    first = ["--method", "reflexion", "--tries", 2, "--max-steps", 1, "--trace", path]
    first.append("--no-force-finish")
    assert call("ask", QUESTION, *first, script=interrupted).exit_code == 130
    search = "Thought 1: x\nAction 1: Search[Brae]"
    told = call("ask", "--resume", path, "--json", script=[search, LESSON, search])
    assert told.exit_code == 3, told.output
    run = json.loads(told.stdout)
    assert run["before"]["review"] == {
        "cause": "There is no answer within the steps.",
        "text": "I guessed. Next, read.",
    }
    assert "before" not in run["before"]
    assert read(path).runs[0].setup.settings == {"tries": 2}


def test_thoughts_are_sparse_on_the_command_line(call, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    script = ["Action 1: Search[Alder Sound]", "Action 2: Finish[1957]"]
    done = call("ask", QUESTION, "--thoughts", "sparse", "--trace", path, script=script)
    assert done.exit_code == 0, done.output
    assert read(path).runs[0].trajectory.thoughts is Thoughts.SPARSE
    refused = call("ask", "--resume", path, "--thoughts", "sparse")
    assert "leave --thoughts out" in refused.stderr
    for fixed in (("--method", "act"), ("--claim",)):
        refused = call("ask", "--resume", path, *fixed)
        assert (refused.exit_code, f"leave {fixed[0]} out" in refused.stderr) == (2, True)
    refused = call("ask", "--resume", path, "--samples", 5)
    assert "--samples has no effect on react" in refused.stderr


def test_a_plan_is_in_the_json(call) -> None:
    script = ["Plan: Search it.\n", *SCRIPT]
    done = call("ask", QUESTION, "--method", "plan-and-solve", "--json", script=script)
    assert json.loads(done.stdout)["plan"] == "Search it."


def test_gold_answers_are_a_signal_where_that_is_asked_for(call, built, tmp_path: Path) -> None:
    def evaluated(name: str, *options: object, script) -> dict:
        data = ["--data", built / "questions.jsonl", "--limit", 1, "--out", tmp_path / name]
        done = call("eval", *data, "--method", "reflexion", *options, "--json", script=script)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    wrong = [*SCRIPT[:-1], "Thought 5: x\nAction 5: Finish[1921]"]
    plain = evaluated("plain", script=wrong)
    assert plain["methods"][0]["exact"]["mean"] == 0
    told = evaluated("told", "--gold-signal", script=[*wrong, LESSON, *SCRIPT])
    assert told["methods"][0]["exact"]["mean"] == 1
    assert told["methods"][0]["steps"] == 10
    assert told["manifests"]["told"]["options"]["gold"] is True
    assert "gold" not in plain["manifests"]["plain"]["options"]


@pytest.mark.parametrize("words", [["--breadth", 6], ["--branches", 0], ["--tries", 0],
                                   ["--thoughts", "feedback"]])  # fmt: skip
def test_settings_out_of_their_range_are_refused(call, words: list) -> None:
    refused = call("ask", QUESTION, *words)
    assert refused.exit_code == 2
    assert "Invalid value for" in refused.stderr


@pytest.mark.parametrize("command", ["ask", "eval"])
@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("react", "--samples 5"),
        ("react>act", "--tries 2"),
        ("act", "--breadth 1"),
        ("act", "--branches 2"),
        ("react-im", "--thoughts sparse"),
        ("act", "--thoughts sparse"),
        ("standard", "--thoughts dense"),
        ("cot", "--max-steps 3"),
        ("rag", "--action calculate"),
        ("rag", "--links 3"),
        ("cot-sc", "--temperature 1"),
    ],
)
def test_a_setting_that_the_method_does_not_take_is_refused(
    call, built: Path, tmp_path: Path, command: str, method: str, option: str
) -> None:
    name = option.split()[0]
    asked = [QUESTION] if command == "ask" else ["--data", built / "questions.jsonl"]
    asked += [] if command == "ask" else ["--out", tmp_path / "run"]
    words = [*asked, "--method", method, *option.split()]
    refused = call(command, *words)
    assert refused.exit_code == 2
    assert f"Error: {name} has no effect on {method}: leave it out, or use" in refused.stderr
    assert not (tmp_path / "run").exists()


def test_what_one_side_or_one_of_several_methods_takes_is_taken(call, built, tmp_path) -> None:
    data = ["--data", built / "questions.jsonl", "--limit", 1, "--out", tmp_path / "run"]
    done = call("eval", *data, "--method", "cot>cot-sc", "--method", "cot", "--samples", 2,
                script=lambda _: "Thought: x\nAnswer: y")  # fmt: skip
    assert done.exit_code == 0, done.output
    refused = CliRunner().invoke(main, ["ask", "q", "--method", "rag", "--guide", "titles"])
    assert "--guide has no effect on rag" in refused.stderr
