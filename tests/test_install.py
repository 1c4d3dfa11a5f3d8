"""scripts/install, with a Python that only says what it was asked."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def install(tmp_path):
    (tmp_path / "scripts").mkdir()
    for name in ("pyproject.toml", "constraints.txt", "scripts/install"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    program(python, 'echo "$@ $CMAKE_ARGS $LDFLAGS" >> asked')

    def run(*arguments: str, **environment: str) -> str:
        asked = tmp_path / "asked"
        asked.write_text("")
        script = ["bash", tmp_path / "scripts" / "install", *arguments]
        subprocess.run(script, check=True, capture_output=True, env={**os.environ, **environment})
        return asked.read_text()

    return run


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def toolkit(tmp_path):
    """The environment in which --cuda finds an nvcc that does as it is told, and no GPU."""

    def made(script: str) -> dict[str, str]:
        directory = tmp_path / "toolkit"
        directory.mkdir(exist_ok=True)
        program(directory / "nvcc", script)
        program(directory / "nvidia-smi", "exit 1")
        path = f"{directory}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "CMAKE_ARGS": "-DCMAKE_CUDA_ARCHITECTURES=90"}

    return made


def test_extras_add_up_and_nothing_is_done_twice(install):
    assert ".[starter]" in install("starter")
    assert ".[starter,dev]" in install("dev")
    assert install("starter", "dev") == install("starter") == install() == ""


def test_a_change_of_the_versions_installs_all_again(install, tmp_path):
    install("starter", "dev")
    with (tmp_path / "constraints.txt").open("a") as file:
        file.write("# another\n")
    assert ".[starter,dev]" in install("starter")


def test_a_cuda_build_stays_one_and_is_made_once_a_version(install, toolkit, tmp_path):
    there = toolkit("exit 0")
    build = "--no-binary llama-cpp-python --no-deps llama-cpp-python -DGGML_CUDA=on"
    assert "GGML_CUDA" not in install("starter")
    asked = install("--cuda", "starter", **there)
    assert build in asked
    assert f"-Wl,-rpath,{tmp_path}/lib64" in asked
    assert install("--cuda", "starter", **there) == install("starter") == ""
    asked = install("dev")
    assert ".[starter,dev]" in asked
    assert "GGML_CUDA" not in asked
    constraints = tmp_path / "constraints.txt"
    constraints.write_text(constraints.read_text().replace("python==", "python==9."))
    assert build in install(**there)


@pytest.mark.parametrize(
    ("nvcc", "architectures", "says"),
    [
        ("exit 1", "-DCMAKE_CUDA_ARCHITECTURES=90", "nvcc cannot build a program with cuBLAS"),
        ("exit 0", "", "finds no NVIDIA GPU here; to build for one all the same"),
    ],
)
def test_what_a_cuda_build_lacks_is_said_before_it(
    install, toolkit, tmp_path, nvcc, architectures, says
):
    with pytest.raises(subprocess.CalledProcessError) as failure:
        install("--cuda", **toolkit(nvcc) | {"CMAKE_ARGS": architectures})
    assert says in failure.value.stderr.decode()
    assert (tmp_path / "asked").read_text() == ""
    assert ".[starter]" in install("starter")
