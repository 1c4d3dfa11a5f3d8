"""The manifest of an evaluation: what makes it reproducible, and keeps different ones apart."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

from react_local.evaluation.datasets import Example
from react_local.types import Trajectory
from wiki_index.layout import IndexLayout, Manifest

FORMAT = "react-local evaluation"
VERSION = 1
_ENGINES = ("llama-cpp-python", "outlines", "llguidance", "mwparserfromhell", "tantivy")


def describe(
    *,
    data: Path,
    examples: Sequence[Example],
    weights: Path,
    index: Path | None,
    exemplars: Sequence[Trajectory],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """The manifest: everything that the scores depend on, and nothing else.

    Files are identified by content: the SHA-256 of the model, of the index's manifest (which has
    those of its parts), of the selected questions, and of the exemplars. `index` is None if no
    method needs one.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "data": {
            "file": data.name,
            "count": len(examples),
            "sha256": _digest([example.record() for example in examples]),
        },
        "model": {
            "file": weights.name,
            "bytes": weights.stat().st_size,
            "sha256": _file_digest(weights),
        },
        "index": index and _index(index),
        "exemplars": {
            "count": len(exemplars),
            "sha256": _digest([asdict(exemplar) for exemplar in exemplars]),
        },
        "options": dict(options),
        "versions": _versions(),
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": os.cpu_count(),
        },
    }


def difference(kept: Any, now: Any, place: str = "") -> str | None:
    """The first difference of two manifests, such as ``model.file: a.gguf, now b.gguf``."""
    if isinstance(kept, dict) and isinstance(now, dict):
        for name in dict.fromkeys([*kept, *now]):
            inner = f"{place}.{name}" if place else name
            if found := difference(kept.get(name), now.get(name), inner):
                return found
        return None
    return None if kept == now else f"{place}: {_short(kept)}, now {_short(now)}"


def _index(root: Path) -> dict[str, Any]:
    layout = IndexLayout(root)
    manifest = Manifest.read(layout.manifest)
    return {
        "dump": manifest.dump,
        "articles": manifest.articles,
        "sha256": _file_digest(layout.manifest),
    }


def _versions() -> dict[str, str | None]:
    installed = {name: _version(name) for name in ("react-local", *_ENGINES)}
    return {"python": platform.python_version(), **installed}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return None


def _processor() -> str:
    """The processor's name, if the system provides it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else f"{text[:39]}…"
