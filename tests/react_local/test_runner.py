"""Evaluations: what is kept, how one goes on after any kill, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from a_run import write_dump
from an_evaluation import (
    EXAMPLES,
    FERRY_ID,
    HILL_ID,
    MANIFEST,
    SETUP,
    TOWN_ID,
    answerer,
    begun,
    questions_file,
    write,
)
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.cli.engine import Engine
from react_local.cli.eval import told as told_progress
from react_local.errors import EvaluationError, TraceError
from react_local.evaluation.manifest import describe, difference
from react_local.evaluation.runner import (
    Progress,
    RunLayout,
    evaluate,
    prepare,
    read_manifest,
    read_runs,
)
from react_local.models.base import Generation, Role
from react_local.models.scripted import ScriptedModel
from react_local.types import Outcome, Task
from wiki_index import build_index

STEPS = 9
"""Of all three runs together."""


class Killed(BaseException):
    """Nobody catches it: the program is gone."""


def told(layout: RunLayout, method: str = "react") -> dict:
    """What the finished runs say, without what they cost."""
    return {
        example.id: [(step.thought, step.action, step.observation) for step in run.trajectory.steps]
        for example, run in read_runs(layout, method).items()
    }


def failing_after(calls: int, error: BaseException) -> ScriptedModel:
    """A model that raises `error` at a call after the first `calls`."""
    model = ScriptedModel(
        lambda prompt: write(prompt) if len(model.prompts) <= calls else raising(error)
    )
    return model


def raising(error: BaseException) -> str:
    raise error


@pytest.fixture
def whole(tmp_path: Path, wiki) -> RunLayout:
    layout = begun(tmp_path / "whole")
    evaluate(layout, EXAMPLES, "react", answerer("react", wiki), SETUP)
    return layout


def test_runs_are_kept_by_their_questions(whole: RunLayout) -> None:
    runs = read_runs(whole, "react")
    assert [example.id for example in runs] == [FERRY_ID, TOWN_ID, HILL_ID]
    assert [run.trajectory.answer for run in runs.values()] == ["1957", "Port Alder", "400 metres"]
    assert {run.id for run in runs.values()} == {FERRY_ID, TOWN_ID, HILL_ID}
    assert whole.methods() == ["react"]
    assert read_manifest(whole) == MANIFEST


def test_progress_tells_running_scores(tmp_path: Path, wiki) -> None:
    seen = []
    evaluate(
        begun(tmp_path), EXAMPLES, "react", answerer("react", wiki), SETUP, on_progress=seen.append
    )
    assert [progress.done for progress in seen] == [0, 1, 2, 3]
    assert [progress.exact for progress in seen] == [0, 1, 1, pytest.approx(2 / 3)]
    assert seen[0].seconds_left is None
    assert seen[-1].seconds_left == 0


def test_progress_in_words() -> None:
    progress = Progress("cot", Task.QUESTION, 3, 8, 1 / 3, 0.5, 3725.0)
    assert told_progress(progress) == "cot 3/8 · EM 33.3 · F1 50.0 · 1:02:05 left"
    claims = replace(progress, task=Task.CLAIM, seconds_left=65.2)
    assert told_progress(claims) == "cot 3/8 · accuracy 33.3 · 1:05 left"
    assert told_progress(replace(progress, done=0, seconds_left=None)) == "cot 0/8"


@pytest.mark.parametrize("calls", range(STEPS))
def test_a_run_killed_at_any_step_goes_on_to_the_same_end(
    tmp_path: Path, wiki, whole: RunLayout, calls: int
) -> None:
    layout = begun(tmp_path / "killed")
    with pytest.raises(Killed):
        evaluate(
            layout,
            EXAMPLES,
            "react",
            answerer("react", wiki, failing_after(calls, Killed())),
            SETUP,
        )
    done = told(layout)
    model = ScriptedModel(write)
    evaluate(layout, EXAMPLES, "react", answerer("react", wiki, model), SETUP)
    assert told(layout) == told(whole)
    assert len(model.prompts) == STEPS - sum(map(len, done.values()))


@pytest.mark.parametrize("part", range(1, 20))
def test_a_trace_cut_anywhere_goes_on_to_the_same_end(
    tmp_path: Path, wiki, whole: RunLayout, part: int
) -> None:
    expected, data = told(whole), whole.trace("react").read_bytes()
    whole.trace("react").write_bytes(data[: len(data) * part // 20])
    evaluate(whole, EXAMPLES, "react", answerer("react", wiki), SETUP)
    assert told(whole) == expected


def test_an_interrupted_question_is_asked_again(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path)
    model = failing_after(6, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        evaluate(layout, EXAMPLES, "react", answerer("react", wiki, model), SETUP)
    assert list(told(layout)) == [FERRY_ID]
    evaluate(layout, EXAMPLES, "react", answerer("react", wiki), SETUP)
    assert list(told(layout)) == [FERRY_ID, TOWN_ID, HILL_ID]
    assert len(told(layout)[TOWN_ID]) == 2


def test_a_question_that_no_context_holds_has_no_answer(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path)
    model = ScriptedModel(write, context_length=500)
    evaluate(layout, EXAMPLES, "react", answerer("react", wiki, model), SETUP)
    (run, *_) = read_runs(layout, "react").values()
    assert run.trajectory.outcome is Outcome.CONTEXT_FULL
    assert run.trajectory.answer is None
    assert "more context" in run.notes[0]


def test_a_damaged_trace_is_not_gone_on_with(whole: RunLayout, wiki) -> None:
    data = whole.trace("react").read_bytes()
    whole.trace("react").write_bytes(data.replace(b'"action"', b'"acting"', 1))
    with pytest.raises(TraceError, match=r"line 2 of .* is damaged"):
        evaluate(whole, EXAMPLES, "react", answerer("react", wiki), SETUP)


def test_another_setup_is_refused(whole: RunLayout) -> None:
    prepare(whole, MANIFEST, EXAMPLES)
    other = MANIFEST | {"options": {"max_steps": 5}}
    with pytest.raises(EvaluationError, match=r"another options\.max_steps: 7, now 5; name"):
        prepare(whole, other, EXAMPLES)


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("do not touch")
    with pytest.raises(EvaluationError, match="not empty and no evaluation"):
        prepare(RunLayout(tmp_path), MANIFEST, EXAMPLES)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_beginning_that_was_killed_begins_again(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    layout.questions.write_text("half a l")
    prepare(layout, MANIFEST, EXAMPLES)
    assert read_runs(layout, "react") == {}
    assert read_manifest(layout) == MANIFEST


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "damaged"),
        ("[]", "damaged"),
        ('{"format": "react-local evaluation", "version": 9}', "another version"),
    ],
)
def test_manifests_that_are_none(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(EvaluationError, match=message):
        read_manifest(RunLayout(tmp_path))


def test_differences_between_manifests() -> None:
    assert difference({"a": {"b": 1}}, {"a": {"b": 1}}) is None
    assert difference({"a": {"b": 1}}, {"a": {"b": 2}}) == "a.b: 1, now 2"
    assert difference({"a": None}, {"a": {"b": 2}}) == 'a: null, now {"b": 2}'
    assert difference({}, {"a": "x" * 99}) == f'a: null, now "{"x" * 38}…'


def test_the_manifest_names_everything_by_its_content(tmp_path: Path, built: Path) -> None:
    weights = tmp_path / "model.gguf"
    weights.write_bytes(b"GGUF")

    def made(**changes) -> dict:
        given = {
            "data": tmp_path / "q.jsonl",
            "examples": EXAMPLES,
            "weights": weights,
            "index": built / "index",
            "exemplars": (),
            "options": {"max_steps": 7},
        }
        return describe(**given | changes)

    assert difference(made(), json.loads(json.dumps(made()))) is None
    assert difference(made(), made(examples=EXAMPLES[:2])).startswith("data.count: 3, now 2")
    assert difference(made(), made(examples=EXAMPLES[::-1])).startswith("data.sha256")
    before = made()
    weights.write_bytes(b"GGUH")
    assert difference(before, made()).startswith("model.sha256")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wiki")
    build_index(write_dump(place / "alder.xml"), place / "index", dense=False)
    (place / "model.gguf").write_bytes(b"GGUF")
    questions_file(place / "questions.jsonl")
    return place


@pytest.fixture
def run(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Call ``eval`` with a scripted model, into the same directory each time."""

    def call(*arguments: object, script=write, model: ScriptedModel | None = None) -> Result:
        made = model or (ScriptedModel(script) if script else None)
        load = (lambda *_: made) if made else (lambda *_: raising(Killed()))
        monkeypatch.setattr(Engine, "load", load)
        named = ["--data", built / "questions.jsonl", "--index", built / "index"]
        words = [*named, "--model", built / "model.gguf", "--out", tmp_path / "run", *arguments]
        return CliRunner().invoke(main, ["eval", "--guide", "none", *map(str, words)])

    return call


def test_eval_shows_progress_and_a_table(run) -> None:
    result = run("--method", "standard", "--method", "react")
    assert result.exit_code == 0, result.output
    assert "standard 3/3 · EM 33.3 · F1" in result.stderr
    assert "react 3/3 · EM 66.7 · F1" in result.stderr
    assert "EM" in result.stdout
    again = run("--method", "react", script=None)
    assert "every question was answered before" in again.stderr
    assert again.exit_code == 0


def test_eval_prints_json(run) -> None:
    result = run("--json")
    (method,) = json.loads(result.stdout)["methods"]
    assert (method["method"], method["questions"], method["of"]) == ("react", 3, 3)


def test_eval_goes_on_and_takes_methods_later(run) -> None:
    def stop(prompt):
        raise KeyboardInterrupt

    stopped = run(script=stop)
    assert stopped.exit_code == 130
    assert stopped.stderr.endswith("react-local: interrupted\n")
    assert run().exit_code == 0
    assert run("--method", "act", script=lambda _: "Action 1: Finish[x]").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--limit", 2], "another data.count: 3, now 2"),
        (["--seed", 233], "another data.sha256"),
        (["--max-steps", 3], "another options.max_steps: 7, now 3"),
        (["--temperature", 0.7], "another options.temperature: 0.0, now 0.7"),
        (["--threads", 99], "another options.threads: "),
    ],
)
def test_eval_never_mixes_two_setups(run, arguments: list, message: str) -> None:
    assert run().exit_code == 0
    refused = run(*arguments, script=None)
    assert refused.exit_code == 1
    (line,) = refused.stderr.splitlines()
    assert message in line
    assert line.startswith("react-local: ")


def test_eval_takes_hybrids_by_name(run, tmp_path: Path) -> None:
    result = run("--method", "act>standard", "--method", "standard", "--json",
                 script=act_in_vain)  # fmt: skip
    assert result.exit_code == 0, result.output
    methods = json.loads(result.stdout)["methods"]
    assert [(m["method"], m["exact"]["mean"]) for m in methods] == [
        ("standard", pytest.approx(1 / 3)),
        ("act>standard", pytest.approx(1 / 3)),
    ]
    assert [m["steps"] for m in methods] == [1, 8]
    names = {path.name for path in (tmp_path / "run").glob("*.jsonl")}
    assert names == {"questions.jsonl", "standard.jsonl", "act+standard.jsonl"}
    refused = run("--method", "act>dance", script=None)
    assert refused.exit_code == 2
    assert "there is no method act>dance: there are standard, cot" in refused.stderr


def test_eval_sweeps_a_setting(run, tmp_path: Path) -> None:
    result = run("--sweep", "max-steps=1,7", "--method", "standard", "--json",
                 script=act_in_vain)  # fmt: skip
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [m["run"] for m in told["methods"]] == ["max-steps=1", "max-steps=7"]
    steps = {name: made["options"]["max_steps"] for name, made in told["manifests"].items()}
    assert steps == {"max-steps=1": 1, "max-steps=7": 7}
    assert "max-steps=1:\n" in result.stderr
    again = run("--sweep", "max-steps=7", "--method", "standard", script=None)
    assert "every question was answered before" in again.stderr


def test_eval_shows_the_last_exemplars(run, tmp_path: Path) -> None:
    prompts: list = []

    def script(prompt) -> str:
        prompts.append(prompt)
        return act_in_vain(prompt)

    result = run("--sweep", "exemplars=1,3", "--method", "standard", "--json", script=script)
    made = json.loads(result.stdout)["manifests"]
    assert [m["exemplars"]["count"] for m in made.values()] == [1, 3]
    shown = [sum(piece.text.startswith("Answer:") for piece in prompt) for prompt in prompts]
    assert shown == [1, 1, 1, 3, 3, 3]
    assert prompts[0][0].text.strip() == prompts[-1][4].text.strip()


@pytest.mark.parametrize("sweep", ["steps=1", "max-steps", "max-steps=", "exemplars=0,1", "=1"])
def test_eval_refuses_a_sweep_of_nothing(run, sweep: str) -> None:
    refused = run("--sweep", sweep, script=None)
    assert refused.exit_code == 2
    assert "Error: Invalid value for '--sweep'" in refused.stderr


class Drawing(ScriptedModel):
    """A model that answers with the number that it draws."""

    def __init__(self, questions: int = 9) -> None:
        super().__init__(lambda _: f"Answer: {self._seed}")
        self._left = questions

    def generate(self, prompt, grammar, *, seed=0, **options) -> Generation:
        self._seed, self._left = seed, self._left - 1
        if self._left < 0:
            raise KeyboardInterrupt
        return super().generate(prompt, grammar, **options)


def drawn(root: Path) -> dict[str, str]:
    runs = read_runs(RunLayout(root), "standard")
    return {example.id: run.trajectory.answer for example, run in runs.items()}


def test_what_a_question_draws_is_of_the_seed_and_its_id_alone(run, tmp_path: Path) -> None:
    def made(name: str, *options: object, model: ScriptedModel | None = None) -> dict[str, str]:
        run("--method", "standard", "--out", tmp_path / name, *options, model=model or Drawing())
        return drawn(tmp_path / name)

    in_order = made("in-order")
    assert len(set(in_order.values())) == 3
    shuffled = made("shuffled", "--seed", 0)
    assert list(shuffled) != list(in_order)
    assert shuffled == in_order
    assert set(made("other", "--seed", 1).values()).isdisjoint(in_order.values())
    assert len(made("killed", model=Drawing(questions=2))) == 2
    assert made("killed") == in_order


def act_in_vain(prompt) -> str:
    """Standard's answer; of Act a search that misses, at every step."""
    if any(piece.text.startswith("Answer:") for piece in prompt):
        return write(prompt)
    done = sum(piece.role is Role.ASSISTANT and piece.tokens is not None for piece in prompt)
    return f"Action {done + 1}: Search[Nowhere {done}]"


def test_eval_keeps_its_number_of_threads(run, tmp_path: Path) -> None:
    assert run("--threads", 7).exit_code == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["options"]["threads"] == 7
    assert run(script=None).exit_code == 0


def test_eval_of_no_file(run) -> None:
    result = run("--data", "absent.jsonl", script=None)
    assert result.exit_code == 1
    assert result.stderr == "react-local: cannot read absent.jsonl: No such file or directory\n"
