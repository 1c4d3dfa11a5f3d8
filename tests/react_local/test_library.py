"""llama.cpp as a library: where it cannot be loaded or gives up, one line says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from gguf_files import gguf, write

from react_local.models import library

ROOT = Path(__file__).parents[2]


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_build_whose_driver_is_missing_is_one_line(tmp_path: Path) -> None:
    package = tmp_path / "llama_cpp"
    package.mkdir()
    missing = "libcuda.so.1: cannot open shared object file: No such file or directory"
    refusal = f"Failed to load shared library '{package}/lib/libllama.so': {missing}"
    (package / "__init__.py").write_text(f"raise RuntimeError({refusal!r})")
    model = write(tmp_path / "tiny.gguf", gguf())
    words = ("-m", "react_local", "doctor", "--model", model, "--index", tmp_path / "nowhere")
    done = run(*words, PYTHONPATH=str(tmp_path))
    told = next(line for line in done.stdout.splitlines() if line.startswith("NO  Model"))
    assert f"llama.cpp cannot be loaded: {missing}; install what is missing" in told
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1


def test_where_llama_cpp_would_abort_it_is_one_line_and_exit_code_1() -> None:
    program = (
        "from react_local.models.library import ggml\n"
        "print('a step', end='')\n"
        "ggml().ggml_abort(b'/a b/ggml-cuda.cu', 97, b'%s', b'CUDA error')\n"
    )
    done = run("-c", program)
    assert done.returncode == 1
    assert done.stdout == "a step"
    advice = "ask for fewer --gpu-layers, or a smaller --ctx"
    assert done.stderr == f"react-local: llama.cpp gave up (CUDA error); {advice}\n"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            "init: failed to apply: tensor 'a' is odd (hint: another model?)",
            "tensor 'a' is odd (hint: another model?)",
        ),
        ("load: error loading model: no such tensor", "no such tensor"),
        ("load: all is well", "no reason given"),
    ],
)
def test_the_reason_is_the_last_of_what_was_said(line: str, wanted: str, monkeypatch) -> None:
    monkeypatch.setattr(library, "_complaints", [line])
    assert library.reason() == wanted
