"""``ask`` and ``replay`` with a scripted model: what is shown, kept, resumed, and refused."""

from __future__ import annotations

import json
from io import BufferedWriter, FileIO
from pathlib import Path

import pytest
from a_run import QUESTION, SCRIPT, write_dump
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.cli.model_options import ModelOptions
from react_local.home import Home
from react_local.methods import registry
from react_local.models.scripted import ScriptedModel
from react_local.trace import read
from wiki_index import build_index


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wiki")
    build_index(write_dump(place / "alder.xml"), place / "index", dense=False)
    (place / "model.gguf").write_bytes(b"GGUF")
    return place


@pytest.fixture
def ask(built, monkeypatch):
    """Call ``ask`` with a model that follows `script`."""

    def call(*arguments: object, script=SCRIPT, **options) -> Result:
        def load(*_):
            model = ScriptedModel(script, **options)
            model.notes = ("the template does not render",)
            return model

        monkeypatch.setattr(ModelOptions, "load", load)
        named = ["--index", built / "index", "--model", built / "model.gguf"]
        if not set(arguments) & {"--paper", "--guide"}:
            named += ["--guide", "none"]  # the script begins with a miss
        words = [*arguments, *([] if "--resume" in arguments else named)]
        return CliRunner().invoke(main, ["ask", *map(str, words)])

    return call


def replay(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["replay", *map(str, arguments)])


def line_of(result: Result) -> str:
    """The last line that a failed command says, which is the only one of its kind."""
    assert "Traceback" not in result.output
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("react-local: ")]
    assert result.stderr.endswith(f"{line}\n")
    return line


def test_ask_shows_the_run_and_the_answer_as_plain_text(ask):
    result = ask(QUESTION)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Question: {QUESTION}\n{SCRIPT[0]}\nObservation 1: Could not")
    assert "\nAnswer: 1957  (Alder Sound)\nPages: Alder Sound\nOutcome: finished" in result.stdout
    assert "\nCost: 5 steps, " in result.stdout
    assert "\x1b" not in result.stdout


def test_ask_takes_its_question_without_quotes(ask):
    assert f"Question: {QUESTION}\n" in ask(*QUESTION.split()).stdout


def test_ask_prints_the_contracts_json_and_nothing_else(ask):
    told = json.loads(ask(QUESTION, "--json").stdout)
    assert told.keys() >= {"question", "answer", "outcome", "method", "steps", "usage"}
    assert (told["question"], told["answer"], told["method"]) == (QUESTION, "1957", "react")
    assert told["outcome"] == "finished"
    assert told["steps"][1] == {
        "thought": "It is called Alder Sound.",
        "action": "Search",
        "argument": "Alder Sound",
        "observation": "Alder Sound is a strait. It parts Alder from Brae. Ferries cross it. "
        "It is deep. It is cold.",
        "title": "Alder Sound",
    }
    assert told["steps"][-1]["observation"] is None
    assert told["usage"].keys() >= {"prompt_tokens", "generated_tokens", "seconds"}


def test_no_answer_has_an_exit_code_of_its_own(ask):
    result = ask(QUESTION, "--max-steps", 2, "--paper", "--json")
    assert result.exit_code == 3
    assert json.loads(result.stdout)["outcome"] == "step_limit"
    assert json.loads(result.stdout)["answer"] is None


def test_what_the_model_notes_is_said_on_standard_error(ask):
    assert "note: the template does not render\n" in ask(QUESTION).stderr


def test_a_claim_is_judged(ask):
    script = ["Thought 1: It is.\nAction 1: Finish[SUPPORTS]"]
    told = json.loads(ask("Alder is an island.", "--claim", "--json", script=script).stdout)
    assert (told["answer"], told["task"]) == ("SUPPORTS", "claim")


def test_a_trace_is_kept_and_shown_again(ask, tmp_path):
    trace = tmp_path / "run.jsonl"
    shown = ask(QUESTION, "--trace", trace).stdout
    assert replay(trace).stdout == shown
    ask(QUESTION, "--trace", trace)
    assert replay(trace).stdout.count("Answer: 1957") == 2
    (first, second) = json.loads(replay(trace, "--json").stdout)
    assert first["answer"] == second["answer"] == "1957"


def test_an_interrupted_run_is_kept_and_gone_on_with(ask, tmp_path):
    def interrupted(prompt):
        done = sum(piece.tokens is not None for piece in prompt)
        if done == 2:
            raise KeyboardInterrupt
        return SCRIPT[done]

    trace = tmp_path / "run.jsonl"
    result = ask(QUESTION, "--trace", trace, script=interrupted)
    assert result.exit_code == 130
    assert "interrupted" in result.stdout
    assert len(read(trace).runs[0].trajectory.steps) == 2
    result = ask("--resume", trace, script=SCRIPT[2:])
    assert result.exit_code == 0
    assert result.stdout.count("Thought 1: ") == 1
    assert "Answer: 1957" in result.stdout
    (run,) = read(trace).runs
    assert run.trajectory.answer == "1957"
    again = ask("--resume", trace, script=())
    assert (again.exit_code, "delete the lines after it" in again.stderr) == (0, True)


def test_an_interrupt_anywhere_else_ends_quietly(ask, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setitem(registry._ALONE, "react", interrupt)
    result = ask(QUESTION)
    assert result.exit_code == 130
    assert line_of(result) == "react-local: interrupted"


@pytest.mark.parametrize(
    ("changed", "is_read"),
    [
        ({}, False),
        ({"thought": "I was told to look for Alder Sound."}, True),
        ({"tokens": [68, 250, 1]}, True),
        ({"tokens": [10**9, -1]}, True),
    ],
)
def test_tokens_that_do_not_spell_their_text_are_not_used(ask, tmp_path, changed, is_read):
    """They are of another model, or the text was edited."""
    trace = tmp_path / "run.jsonl"
    ask(QUESTION, "--trace", trace, "--max-steps", 1, "--paper")
    header, step, _end = trace.read_text().splitlines()
    trace.write_text(f"{header}\n{json.dumps(json.loads(step) | changed)}\n")
    texts = []

    def checked(prompt):
        texts.extend(piece.text for piece in prompt if piece.tokens is None)
        return "Thought 2: x\nAction 2: Finish[x]"

    result = ask("--resume", trace, "--max-steps", 2, script=checked)
    assert result.exit_code == 0, result.output
    thought = changed.get("thought") or "I need to find the strait."
    assert (f"Thought 1: {thought}\nAction 1: Search[Strait of Alder]" in texts) is is_read


def test_a_cut_trace_is_said_and_gone_on_with(ask, tmp_path):
    trace = tmp_path / "run.jsonl"
    ask(QUESTION, "--trace", trace)
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    result = ask("--resume", trace, script=SCRIPT[2:])
    assert "was cut off" in result.stderr
    assert "Answer: 1957" in result.stdout


def test_what_was_used_last_is_the_default(ask, built, monkeypatch):
    ask(QUESTION)
    home = Home.find()
    assert home.last("model") == str(built / "model.gguf")
    assert home.index() == built / "index"
    result = CliRunner().invoke(main, ["ask", QUESTION, "--guide", "none", "--json"])
    assert json.loads(result.stdout)["pages"] == ["Alder Sound"]


def test_exemplars_that_do_not_fit_are_said_on_standard_error(ask):
    result = ask(QUESTION, context_length=4_000)
    assert "exemplars" in result.stderr
    assert "note: the context of scripted (4,000 tokens) has room for " in result.stderr
    assert result.exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--resume", "x", QUESTION),
        ("--resume", "x", "--trace", "y"),
        (QUESTION, "--max-steps", 0),
        (QUESTION, "--method", "guess"),
        (QUESTION, "--gpu-layers", "many"),
        (QUESTION, "--nonsense"),
        (QUESTION, "--guide", "titles", "--guide", "soft"),
        (QUESTION, "--guide", "none", "--guide", "answers"),
        (QUESTION, "--paper", "--links", 3),
        (QUESTION, "--links", -1),
    ],
)
def test_wrong_usage_is_exit_code_2(ask, arguments):
    result = CliRunner().invoke(main, ["ask", *map(str, arguments)])
    assert result.exit_code == 2
    assert "Usage: " in result.stderr


@pytest.mark.parametrize("question", ["", "   ", "\x01\x02", "??"])
def test_a_question_of_nothing_is_one_clear_line(ask, question):
    result = ask(question)
    assert result.exit_code == 1
    assert "question is empty" in line_of(result)


def test_a_question_of_ten_thousand_words_is_refused_with_the_numbers(ask):
    result = ask("word " * 10_000, context_length=8_192)
    assert result.exit_code == 1
    assert "takes 50,350 tokens" in line_of(result)
    assert "8,192" in line_of(result)


def test_a_missing_model_or_index_is_one_clear_line(ask, built, tmp_path):
    def failed(*options):
        result = CliRunner().invoke(main, ["ask", QUESTION, *map(str, options)])
        assert result.exit_code == 1
        return line_of(result)

    index, model = ("--index", built / "index"), ("--model", built / "model.gguf")
    assert "none.gguf" in failed(*index, "--model", tmp_path / "none.gguf")
    assert "there is no model 'no-such-model'" in failed(*index, "--model", "no-such-model")
    assert "no index 'none'" in failed(*model, "--index", "none")
    assert "no index has been used yet" in failed(*model)
    assert "model.gguf" in failed(*index, *model)  # four bytes are no whole header


@pytest.mark.parametrize("command", [("ask", "q"), ("doctor",)])
@pytest.mark.parametrize("option", ["--model", "--index"])
@pytest.mark.parametrize("blank", ["", " "])
def test_a_blank_model_or_index_is_refused_and_not_the_default(command, option, blank):
    result = CliRunner().invoke(main, [*command, option, blank])
    assert result.exit_code == 2
    assert f"'{option}': it is blank: give a path or a name" in result.stderr
    assert result.stdout == ""


def test_a_full_disk_names_the_trace_and_what_to_do(ask, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "react_local.trace._open", lambda _: BufferedWriter(FileIO("/dev/full", "w"))
    )
    path = tmp_path / "run.jsonl"
    result = ask(QUESTION, "--trace", path)
    assert result.exit_code == 1
    assert line_of(result) == (
        f"react-local: cannot write the trace {path}: No space left on device: "
        "free some space, or name another file"
    )


@pytest.mark.parametrize("command", [("replay",), ("ask", "--resume")])
def test_a_file_that_is_no_trace_is_one_clear_line(tmp_path, command):
    path = tmp_path / "notes.txt"
    path.write_text("not a trace\n")
    result = CliRunner().invoke(main, [*command, str(path)])
    assert result.exit_code == 1
    assert "is not a trace" in line_of(result)
    assert path.read_text() == "not a trace\n"


def test_a_trace_with_nothing_to_go_on_with_is_one_clear_line(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"format": "react-lo')
    result = CliRunner().invoke(main, ["ask", "--resume", str(path)])
    assert result.exit_code == 1
    assert "holds no run" in line_of(result)


def test_a_trace_is_not_written_over_another_file(ask, tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text("precious\n")
    result = ask(QUESTION, "--trace", path)
    assert result.exit_code == 1
    assert "is not a trace" in line_of(result)
    assert path.read_text() == "precious\n"


def test_an_error_nobody_thought_of_is_one_line_with_the_way_to_report_it(ask, monkeypatch):
    result = ask(QUESTION, script=[])
    assert result.exit_code == 1
    assert "unexpected ValueError" in line_of(result)
    assert "REACT_LOCAL_DEBUG=1" in line_of(result)
    monkeypatch.setenv("REACT_LOCAL_DEBUG", "1")
    assert "Traceback" in ask(QUESTION, script=[]).stderr


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("standard", "Answer: 1957"),
        ("cot", "Thought: It sailed in 1957.\nAnswer: 1957"),
        ("act", "Action 1: Finish[1957]"),
    ],
)
def test_ask_answers_by_another_method(ask, tmp_path, method, text):
    result = ask(QUESTION, "--method", method, "--trace", tmp_path / "run.jsonl", script=[text])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"Question: {QUESTION}\n{text}\n\nAnswer: 1957\n")
    (run,) = read(tmp_path / "run.jsonl").runs
    assert (run.trajectory.method, run.trajectory.answer) == (method, "1957")


def test_a_run_of_an_unknown_method_is_refused(ask, tmp_path):
    trace = tmp_path / "run.jsonl"
    ask(QUESTION, "--trace", trace)
    trace.write_text(trace.read_text().replace('"method": "react"', '"method": "magic"'))
    assert "a method that this program does not have: magic" in line_of(ask("--resume", trace))


def test_a_method_that_reads_nothing_needs_no_index(built, tmp_path, monkeypatch):
    monkeypatch.setattr(ModelOptions, "load", lambda *_: ScriptedModel(["Answer: 1957"]))

    def asked(*words: object) -> Result:
        return CliRunner().invoke(main, ["ask", *map(str, words)])

    model = ("--model", built / "model.gguf", "--trace", tmp_path / "run.jsonl")
    answered = asked(QUESTION, "--method", "standard", *model)
    assert answered.exit_code == 0, answered.output
    assert "Answer: 1957" in answered.stdout
    assert read(tmp_path / "run.jsonl").runs[0].setup.index == ""
    assert "no index has been used yet" in asked(QUESTION, *model).stderr
    named = asked(QUESTION, "--method", "standard", *model, "--index", "nowhere")
    assert (named.exit_code, "no index 'nowhere'" in named.stderr) == (1, True)
