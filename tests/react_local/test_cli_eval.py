"""The command that evaluates: what it shows and keeps, how it goes on, what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from an_evaluation import Drawing, write
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.cli.model_options import ModelOptions
from react_local.evaluation.runner import RunLayout, read_runs
from react_local.home import Home
from react_local.models.base import Role
from react_local.models.scripted import ScriptedModel


def test_eval_shows_progress_and_a_table(run_eval) -> None:
    result = run_eval("--method", "standard", "--method", "react")
    assert result.exit_code == 0, result.output
    assert "standard 3/3 · EM 33.3 · F1" in result.stderr
    assert "react 3/3 · EM 66.7 · F1" in result.stderr
    assert "EM" in result.stdout
    again = run_eval("--method", "react", script=None)
    assert "all questions are answered already" in again.stderr
    assert again.exit_code == 0


def test_eval_prints_json(run_eval) -> None:
    result = run_eval("--json")
    (method,) = json.loads(result.stdout)["methods"]
    assert (method["method"], method["questions"], method["of"]) == ("react", 3, 3)


def test_eval_goes_on_and_takes_methods_later(run_eval) -> None:
    def stop(prompt):
        raise KeyboardInterrupt

    stopped = run_eval(script=stop)
    assert stopped.exit_code == 130
    assert stopped.stderr.endswith("react-local: interrupted\n")
    assert run_eval().exit_code == 0
    assert run_eval("--method", "act", script=lambda _: "Action 1: Finish[x]").exit_code == 0


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
def test_eval_never_mixes_two_setups(run_eval, arguments: list, message: str) -> None:
    assert run_eval().exit_code == 0
    refused = run_eval(*arguments, script=None)
    assert refused.exit_code == 1
    (line,) = refused.stderr.splitlines()
    assert message in line
    assert line.startswith("react-local: ")


def test_eval_takes_hybrids_by_name(run_eval, tmp_path: Path) -> None:
    result = run_eval("--method", "act>standard", "--method", "standard", "--json",
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
    refused = run_eval("--method", "act>dance", script=None)
    assert refused.exit_code == 2
    assert "unknown method act>dance: choose from standard, cot" in refused.stderr


def test_eval_sweeps_a_setting(run_eval, tmp_path: Path) -> None:
    result = run_eval("--sweep", "max-steps=1,7", "--method", "act", "--no-force-finish", "--json",
                 script=act_in_vain)  # fmt: skip
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert [m["run"] for m in told["methods"]] == ["max-steps=1", "max-steps=7"]
    steps = {name: made["options"]["max_steps"] for name, made in told["manifests"].items()}
    assert steps == {"max-steps=1": 1, "max-steps=7": 7}
    assert "max-steps=1:\n" in result.stderr
    again = run_eval("--sweep", "max-steps=7", "--method", "act", "--no-force-finish", script=None)
    assert "all questions are answered already" in again.stderr


def test_eval_shows_the_last_exemplars(run_eval, tmp_path: Path) -> None:
    prompts: list = []

    def script(prompt) -> str:
        prompts.append(prompt)
        return act_in_vain(prompt)

    result = run_eval("--sweep", "exemplars=1,3", "--method", "standard", "--json", script=script)
    made = json.loads(result.stdout)["manifests"]
    assert [m["exemplars"]["count"] for m in made.values()] == [1, 3]
    shown = [sum(piece.text.startswith("Answer:") for piece in prompt) for prompt in prompts]
    assert shown == [1, 1, 1, 3, 3, 3]
    assert prompts[0][0].text.strip() == prompts[-1][4].text.strip()


def test_eval_sweeps_several_settings_at_once(run_eval, tmp_path: Path) -> None:
    result = run_eval("--sweep", "samples=1..3,7", "--sweep", "exemplars=1,2",
                      "--method", "cot-sc", "--json",
                      script=lambda _: "Thought: x\nAnswer: y")  # fmt: skip
    assert result.exit_code == 0, result.output
    runs = [told["run"] for told in json.loads(result.stdout)["methods"]]
    assert runs == [f"samples={n},exemplars={m}" for n in (1, 2, 3, 7) for m in (1, 2)]
    for run in runs:
        found = read_runs(RunLayout(tmp_path / "run" / run), "cot-sc")
        (count,) = {len(told.trajectory.steps[0].samples) for told in found.values()}
        assert run.startswith(f"samples={count},")


def test_what_asks_no_index_needs_none(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelOptions, "load", lambda *_: ScriptedModel(write))

    def call(*words: object) -> Result:
        named = ["--data", built / "questions.jsonl", "--model", built / "model.gguf",
                 "--out", tmp_path / "run"]  # fmt: skip
        return CliRunner().invoke(
            main,
            ["eval", *map(str, (*named, "--out", tmp_path / "run", "--guide", "none", *words))],
        )

    def index() -> dict | None:
        return json.loads((tmp_path / "run" / "manifest.json").read_text())["index"]

    refused = call("--method", "standard", "--method", "react")
    assert (refused.exit_code, "no index has been used yet" in refused.stderr) == (1, True)
    assert call("--method", "standard").exit_code == 0
    assert index() is None
    assert call("--method", "react", "--index", built / "index").exit_code == 0
    assert index()["articles"] == 4
    assert call("--method", "standard").exit_code == 0  # the index is the default by now


@pytest.mark.parametrize(
    "sweep",
    ["steps=1", "max-steps", "max-steps=", "exemplars=0,1", "=1", "samples=1..999999999",
     "samples=3..1", "thoughts=feedback", "breadth=6"],
)  # fmt: skip
def test_eval_refuses_a_sweep_of_nothing(run_eval, sweep: str) -> None:
    refused = run_eval("--sweep", sweep, script=None)
    assert refused.exit_code == 2
    assert "Error: Invalid value for '--sweep'" in refused.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--sweep", "max-steps=3", "--sweep", "max-steps=5"), "swept twice"),
        (("--sweep", "max-steps=3", "--max-steps", "5"), "--max-steps is swept as well"),
        (("--sweep", "samples=3"), "--sweep samples has no effect on react"),
        (("--gold-signal",), "--gold-signal has no effect on react: leave it out"),
        (("--exemplars", "7"), "--exemplars 7 is too many: there are 6"),
        (("--sweep", "exemplars=3,7"), "--exemplars 7 is too many: there are 6"),
        (("--address", "10.0.0.1:6379"), "add --engine ray"),
        (("--temperature", "nan"), "not a finite number"),
        (("--temperature", "inf"), "not a finite number"),
    ],
)
def test_eval_refuses_what_it_would_not_heed(run_eval, words: tuple[str, ...], told: str) -> None:
    refused = run_eval(*words, script=None)
    assert refused.exit_code == 2
    assert told in refused.stderr


def drawn(root: Path) -> dict[str, str]:
    runs = read_runs(RunLayout(root), "standard")
    return {example.id: run.trajectory.answer for example, run in runs.items()}


def test_what_a_question_draws_is_of_the_seed_and_its_id_alone(run_eval, tmp_path: Path) -> None:
    def made(name: str, *options: object, model: ScriptedModel | None = None) -> dict[str, str]:
        run_eval(
            "--method", "standard", "--out", tmp_path / name, *options, model=model or Drawing()
        )
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


def test_eval_says_a_note_once(run_eval) -> None:
    result = run_eval("--method", "standard", model=ScriptedModel(write, context_length=1200))
    assert result.exit_code == 0, result.output
    assert "has room for" in result.stderr
    assert result.stderr.count("note: ") == 1


def test_eval_keeps_its_number_of_threads(run_eval, tmp_path: Path) -> None:
    assert run_eval("--threads", 7).exit_code == 0
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["options"]["threads"] == 7
    assert run_eval(script=None).exit_code == 0


def test_eval_of_no_file(run_eval) -> None:
    result = run_eval("--data", "absent.jsonl", script=None)
    assert result.exit_code == 1
    assert result.stderr == "react-local: cannot read absent.jsonl: No such file or directory\n"


def test_eval_goes_on_with_what_it_was_begun_with(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The default model and index are those used last, which another command may change."""

    monkeypatch.setattr(ModelOptions, "load", lambda *_: ScriptedModel(write))

    def call(*words: object) -> Result:
        named = ["--data", built / "questions.jsonl", "--guide", "none", "--out", tmp_path / "run"]
        return CliRunner().invoke(main, ["eval", *map(str, (*named, *words))])

    begun = ("--model", built / "model.gguf", "--index", built / "index")
    assert call("--method", "standard", *begun).exit_code == 0
    (tmp_path / "other.gguf").write_bytes(b"GGUF, too")
    Home.find().remember(model=tmp_path / "other.gguf", index=tmp_path)
    assert call("--method", "standard", "--method", "react").exit_code == 0
    refused = call("--method", "act", "--model", tmp_path / "other.gguf")
    assert "was made with another model.file" in refused.stderr
