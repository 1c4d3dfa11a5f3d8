"""The program as a process: exit codes, one line on standard error, signals, pipes, the models."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from a_run import write_dump

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "react_local"]


def run(*arguments: object, **options) -> subprocess.CompletedProcess[str]:
    words = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, **options)


@pytest.mark.parametrize(
    ("arguments", "code", "lines"),
    [
        (("--help",), 0, 0),
        (("search", "nowhere", "x"), 1, 1),
        (("ask", ""), 1, 1),
        (("build-index", "none.xml", "--out", "none"), 1, 1),
        (("replay", "none.jsonl"), 1, 1),
        (("ask", "q", "--model", "README.md", "--index", "nowhere"), 1, 1),
        (("nonsense",), 2, 4),
        (("ask",), 2, 4),
    ],
)
def test_exit_codes_and_one_line_on_standard_error(arguments, code, lines):
    done = run(*arguments)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == lines
    assert "Traceback" not in done.stderr


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    dump = write_dump(tmp_path / "alder.xml")
    run("build-index", dump, "--out", tmp_path / "index", "--no-dense")
    read, write = os.pipe()
    os.close(read)
    words = [*PROGRAM, "info", tmp_path / "index"]
    done = subprocess.run(words, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert done.stderr == b""


def test_an_output_that_is_full_is_one_line():
    with Path("/dev/full").open("w") as full:
        words = [*PROGRAM, "home"]
        done = subprocess.run(words, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == b"react-local: cannot write the output: No space left on device\n"


def test_an_interrupt_from_outside_is_exit_code_130_and_one_line():
    program = (
        "import sys, time, wiki_index.build as build\n"
        "def wait(*_, **__):\n"
        "    print('waiting', flush=True)\n"
        "    time.sleep(1_800)\n"
        "build.build_index = wait\n"
        "from react_local.cli import main\n"
        "main(['build-index', 'x.xml', '--out', 'y'])\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout.readline() == "waiting\n"
    started.send_signal(signal.SIGINT)
    _, told = started.communicate(timeout=900)
    assert started.returncode == 130
    assert told == "react-local: interrupted\n"


IMPORTING = """
import builtins
imported = builtins.__import__
def interrupted(name, *rest, **named):
    if name == "click":
        signal.raise_signal(signal.SIGINT)
    return imported(name, *rest, **named)
builtins.__import__ = interrupted
"""
ENDING = "import atexit; atexit.register(signal.raise_signal, signal.SIGINT)\n"


@pytest.mark.parametrize(("before", "told"), [(IMPORTING, False), (ENDING, True)])
def test_an_interrupt_before_and_after_all_work_ends_the_program_in_silence(before, told):
    program = (
        f"import signal\n{before}\nimport runpy; runpy.run_module('react_local', {{}}, '__main__')"
    )
    words = [sys.executable, "-c", program, "--version"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")
    assert bool(done.stdout) is told


def test_models_lists_what_is_here_and_what_is_worth_bringing(tmp_path):
    home = {**os.environ, "REACT_LOCAL_HOME": str(tmp_path)}
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "broken.gguf").write_bytes(b"GGUF")
    (tmp_path / "models" / "page.gguf").write_text("<html>")
    program = (
        "import react_local.models.registry as registry\n"
        "registry.assemble_starter = lambda models: None\n"
        "from react_local.cli import main\n"
        "main()\n"
    )
    words = [sys.executable, "-c", program, "models"]
    plain = subprocess.run(words, cwd=ROOT, env=home, capture_output=True, text=True, check=True)
    assert "quantisation" in plain.stdout
    assert plain.stdout.count("not usable: ") == 2
    assert "Qwen3-4B" in plain.stdout
    told = json.loads(
        subprocess.run(
            [*words, "--json"], cwd=ROOT, env=home, capture_output=True, text=True, check=True
        ).stdout
    )
    assert {"broken", "page"} <= {file["name"] for file in told["installed"] if file["problem"]}
    assert told["recommended"][0].keys() == {"name", "file", "licence", "bytes", "memory_bytes"}


def test_home_prints_its_directories(tmp_path):
    home = {**os.environ, "REACT_LOCAL_HOME": str(tmp_path)}
    told = [run("home", *part, env=home).stdout for part in ([], ["models"], ["indexes"])]
    assert told == [f"{tmp_path}\n", f"{tmp_path / 'models'}\n", f"{tmp_path / 'indexes'}\n"]


@pytest.mark.parametrize("as_json", [False, True])
def test_doctor_says_what_is_missing_and_what_to_do(tmp_path, as_json):
    (tmp_path / "broken.gguf").write_bytes(b"GGUF")
    words = ["doctor", "--model", tmp_path / "broken.gguf", *(["--json"] if as_json else [])]
    done = run(*words)
    assert done.returncode == 1
    assert done.stderr == "react-local: ask would not work yet: see Model and Index above\n"
    if not as_json:
        assert "NO  Model" in done.stdout
        assert "NO  Index" in done.stdout
        assert "build-index" in done.stdout
        assert "react-local sample DIR" in done.stdout
        assert "scripts/quickstart" in done.stdout
        return
    told = json.loads(done.stdout)
    assert told["ready"] is False
    wrong = {check["name"] for check in told["checks"] if check["needed"] and not check["ok"]}
    assert wrong == {"Model", "Index"}


@pytest.mark.model
def test_the_starter_answers_and_doctor_is_content(tmp_path):
    from react_local.models.registry import assemble_starter

    model = assemble_starter(Path(os.environ["REACT_LOCAL_HOME"]) / "models")
    if model is None:
        pytest.skip("the starter model's package is not installed")
    dump = write_dump(tmp_path / "alder.xml")
    run("build-index", dump, "--out", tmp_path / "index", "--no-dense")
    done = run("doctor")
    assert done.returncode == 0, done.stdout
    assert "ok  Model" in done.stdout
    trace = tmp_path / "run.jsonl"
    few = ("--ctx", 1_024)  # too little for the exemplars, which makes it quick
    asked = run("ask", "How high is the hill of Brae?", *few, "--trace", trace, "--json")
    told = json.loads(asked.stdout)
    assert asked.returncode == 0
    assert "has room for 0 of 6 exemplars" in asked.stderr
    assert told["outcome"] == "finished"
    assert told["answer"]
    assert json.loads(run("replay", trace, "--json").stdout)[0]["steps"] == told["steps"]
    assert run("ask", "--resume", trace, "--json").returncode == 0
