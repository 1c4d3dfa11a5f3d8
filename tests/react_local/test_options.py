"""How a model is run: what can be said, what is refused in one line, what fits the memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner
from gguf_files import ADAPTER, TINY, adapter_file, changed, gguf, model_file, write
from starters import starter_path

from react_local.cli.model_options import ModelOptions, model_options
from react_local.errors import ModelError
from react_local.models import LlamaModel, Piece, Role, library, runtime
from react_local.models.gguf import read_header
from react_local.models.options import CACHE_TYPES, RuntimeOptions, check_adapter


def said(*arguments: str) -> ModelOptions:
    """What the command line makes of the options."""

    @click.command()
    @model_options
    def command(options: ModelOptions) -> ModelOptions:
        return options

    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value


def test_what_is_not_said_is_the_default_everywhere() -> None:
    assert said() == ModelOptions()


def test_every_option_reaches_the_model() -> None:
    options = said(
        *("--ctx", "auto", "--gpu-layers", "3", "--threads", "2", "--threads-batch", "4"),
        *("--flash-attn", "on", "--cache-type-k", "q8_0", "--cache-type-v", "q4_0"),
        *("--tensor-split", "3,1", "--no-mmap", "--mlock"),
        *("--lora", "a.gguf", "--lora", "b.gguf:0.5", "--lora", "c:d.gguf"),
        *("--rpc", "10.0.0.2:50052,10.0.0.3:50052"),
        *("--prompt-cache", "250"),
    )
    assert options.prompt_cache == 250
    assert options.runtime == RuntimeOptions(
        context="auto",
        gpu_layers=3,
        threads=2,
        threads_batch=4,
        flash_attn="on",
        cache_type_k="q8_0",
        cache_type_v="q4_0",
        tensor_split=(3.0, 1.0),
        mmap=False,
        mlock=True,
        lora=(("a.gguf", 1.0), ("b.gguf", 0.5), ("c:d.gguf", 1.0)),
        rpc=("10.0.0.2:50052", "10.0.0.3:50052"),
    )
    assert options.record()["lora"] == [["a.gguf", 1.0], ["b.gguf", 0.5], ["c:d.gguf", 1.0]]
    assert "prompt_cache" not in options.record()  # what is written does not depend on it


@pytest.mark.parametrize(
    ("width", "options", "gpu_layers", "wanted"),
    [
        (576, {}, 0, "off"),  # nine heads of 64
        (1152, {}, 0, "auto"),
        (576, {}, 1, "auto"),
        (576, {"flash_attn": "on"}, 0, "on"),
        (576, {"cache_type_v": "q8_0"}, 0, "auto"),
        (None, {}, 0, "auto"),
    ],
)
def test_narrow_heads_on_a_cpu_go_without_flash_attention(
    tmp_path: Path, width: int | None, options: dict[str, Any], gpu_layers: int, wanted: str
) -> None:
    data = gguf(changed(llama__embedding_length=width, llama__attention__head_count=9))
    header = read_header(write(tmp_path / "a.gguf", data))
    assert RuntimeOptions(**options).flash_attention(header, gpu_layers) == wanted


@pytest.mark.parametrize("megabytes", [0, 250])
def test_the_prompt_cache_has_the_size_that_was_said(
    megabytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(LlamaModel, "load", lambda weights, **options: given.update(options))
    said("--prompt-cache", str(megabytes)).load(Path("a.gguf"))
    cache = given["prompt_cache"]
    assert (cache and cache.limit) == (megabytes * 10**6 or None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--ctx", "100"),
        ("--ctx", "many"),
        ("--gpu-layers", "-1"),
        ("--flash-attn", "maybe"),
        ("--tensor-split", "3,x"),
    ],
)
def test_what_cannot_be_meant_is_wrong_usage(arguments: tuple[str, ...]) -> None:
    with pytest.raises(click.UsageError):
        said(*arguments)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"cache_type_k": "q9"}, "no cache type 'q9': there are f32, f16, "),
        ({"cache_type_v": "q8_0", "flash_attn": "off"}, "need flash attention"),
        ({"threads": 513}, "runs on 1 to 512 threads, not on 513"),
        ({"threads_batch": 0}, "runs on 1 to 512 threads, not on 0"),
        ({"tensor_split": (1.0, -1.0)}, "share of a GPU is 0 or more, not -1.0"),
        ({"tensor_split": (float("nan"),)}, "share of a GPU is 0 or more, not nan"),
        ({"tensor_split": (0.0, 0.0)}, "a share above 0"),
        ({"tensor_split": (1.0, 1.0), "main_gpu": 1}, "leave one option out"),
        ({"lora": (("a.gguf", float("inf")),)}, "the adapter a.gguf is inf: use a finite"),
        ({"rpc": ("10.0.0.2",)}, "'10.0.0.2' is not the address of an rpc-server: write HOST:PORT"),
        ({"rpc": ("",)}, "'' is not the address"),
        ({"rpc": ("far:0",)}, "'far:0' is not the address"),
        ({"rpc": ("far:65536",)}, "'far:65536' is not the address"),
        ({"rpc": ("far:5005²",)}, "'far:5005²' is not the address"),
    ],
)
def test_options_that_cannot_be_had_are_refused(options: dict, says: str) -> None:
    with pytest.raises(ModelError, match=re.escape(says)) as error:
        RuntimeOptions(**options)
    assert "\n" not in str(error.value)
    assert RuntimeOptions(cache_type_k="q8_0", flash_attn="off")


def test_a_cache_is_counted_by_its_types(tmp_path: Path) -> None:
    header = read_header(write(tmp_path / "tiny.gguf", gguf()))
    full = RuntimeOptions().cache_bytes(header, 1000)
    assert full == header.cache_bytes(1000)
    assert (
        RuntimeOptions(cache_type_k="f32", cache_type_v="f32").cache_bytes(header, 1000) == 2 * full
    )
    assert RuntimeOptions(cache_type_k="q8_0").cache_bytes(header, 1000) == full * (2 + 34 / 32) / 4
    assert (
        RuntimeOptions(cache_type_k="bf16", cache_type_v="bf16").cache_bytes(header, 1000) == full
    )
    assert all(each <= 4 for _, each in CACHE_TYPES.values())


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("page.gguf", b"<html>", "is not a LoRA adapter"),
        ("model.gguf", gguf(), "is not a LoRA adapter"),
        ("gemma.gguf", gguf({**ADAPTER, "general.architecture": "gemma3"}), "is an adapter for ge"),
        ("cut.gguf", gguf(ADAPTER)[:-9], "truncated"),
    ],
)
def test_an_adapter_that_is_none_is_one_line(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    model = read_header(write(tmp_path / "tiny.gguf", gguf(TINY)))
    with pytest.raises(ModelError, match=says) as error:
        check_adapter(write(tmp_path / name, data), model)
    assert "\n" not in str(error.value)
    with pytest.raises(ModelError, match="no adapter file"):
        check_adapter(tmp_path / "nowhere.gguf", model)


def weights_of(name: str, directory: Path, cache: pytest.Cache) -> Path:
    return model_file(directory) if name == "tiny" else starter_path(name, cache)


@pytest.mark.parametrize(
    ("name", "architecture", "shape"),
    [
        ("tiny", "llama", (32, 32)),
        pytest.param("gemma", "gemma3", (640, 256), marks=pytest.mark.model),
        pytest.param("smollm2", "llama", (576, 192), marks=pytest.mark.model),
    ],
)
def test_an_adapter_changes_what_is_written_by_its_scale(
    name: str,
    architecture: str,
    shape: tuple[int, int],
    tmp_path: Path,
    pytestconfig: pytest.Config,
) -> None:
    weights = weights_of(name, tmp_path, pytestconfig.cache)
    prompt = [Piece(Role.USER, "Which river flows through Rome?")]

    def logits(*lora: tuple[str, float]) -> tuple[np.ndarray, str]:
        model = LlamaModel.load(weights, threads=1, context=256, lora=lora, flash_attn="off")
        return model._runtime.evaluate(model._tokens(prompt)).copy(), model._runtime.key([1])

    file = str(adapter_file(tmp_path / "lora.gguf", architecture, shape))
    (plain, key), (adapted, other) = logits(), logits((file, 1.0))
    assert not np.allclose(plain, adapted, atol=0.1)
    none, _ = logits((file, 0.0))
    assert np.allclose(plain, none, atol=1e-3)
    assert key != other
    misfit = str(adapter_file(tmp_path / "misfit.gguf", architecture, (512, 512)))
    with pytest.raises(ModelError, match=r"misfit.gguf does not fit the model: tensor '\w"):
        logits((misfit, 1.0))


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_numbers_that_overflow_are_one_line(tmp_path: Path, temperature: float) -> None:
    file = str(adapter_file(tmp_path / "lora.gguf", "llama", (32, 32)))
    weights = model_file(tmp_path)
    model = LlamaModel.load(weights, temperature=temperature, threads=1, lora=((file, 1e39),))
    with pytest.raises(ModelError, match="computes nan for a token: its file is damaged, or"):
        model.generate([Piece(Role.USER, "Rome?")], 'start: "a" | "b"', max_tokens=4)


@pytest.mark.parametrize("name", ["tiny", pytest.param("smollm2", marks=pytest.mark.model)])
def test_a_model_runs_as_it_was_asked(
    name: str, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    weights = weights_of(name, tmp_path, pytestconfig.cache)
    model = LlamaModel.load(
        weights,
        context="auto",
        threads=1,
        threads_batch=2,
        flash_attn="on",
        cache_type_k="q8_0",
        cache_type_v="q8_0",
        mmap=False,
    )
    assert model.context_length == model.header.context_length
    assert np.isfinite(model._runtime.evaluate(model._runtime.vocabulary.read("Rome"))).all()
    with pytest.raises(ModelError, match=r"100 GPUs are named, and llama\.cpp sees"):
        LlamaModel.load(weights, tensor_split=(1.0,) * 100)
    if not model._runtime.library.llama_supports_rpc():
        with pytest.raises(ModelError, match="has no RPC backend"):
            LlamaModel.load(weights, rpc=("127.0.0.1:1",))


def test_weights_that_cannot_be_locked_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_unlocked(path: Path, **settings: Any) -> Any:
        model = library.load_model(path, **settings)
        library._complaints.append("warning: failed to mlock 9-byte buffer")
        return model

    monkeypatch.setattr(runtime, "load_model", load_unlocked)
    weights = model_file(tmp_path)
    assert LlamaModel.load(weights)
    with pytest.raises(ModelError, match="cannot be locked in memory: raise the limit"):
        LlamaModel.load(weights, mlock=True)
