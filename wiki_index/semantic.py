"""What is near to a query in its meaning: articles by the vectors of their leads, and texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from wiki_index import encoder, machine
from wiki_index.dense import VectorIndex
from wiki_index.errors import DenseUnavailable
from wiki_index.layout import IndexLayout, Manifest
from wiki_index.titles import encodable

if TYPE_CHECKING:
    import numpy as np

_QUERY_CHARACTERS = 2_000
_KEPT = 256
"""Vectors of the last queries that are kept: a run asks for the same names again and again."""
_ADDRESSES = 640 * 1024**2
"""Bytes of addresses for faiss, ONNX Runtime and the packaged model."""


class SemanticSearch:
    """The vectors of an index, where it has them, and their model. Loaded when first asked.

    Raises:
        DenseUnavailable: the model is not on this machine, or there is no memory for it; from
            `articles` also: no vectors.
        IndexDamaged: the vectors are not what was written.
    """

    def __init__(self, layout: IndexLayout, manifest: Manifest) -> None:
        self._layout = layout
        self._manifest = manifest
        self._description = manifest.vectors
        self._vector = lru_cache(_KEPT)(self._encode)

    @property
    def has_vectors(self) -> bool:
        return self._description is not None

    @cached_property
    def quick(self) -> bool:
        """Whether there are vectors, and a query takes milliseconds."""
        return self.has_vectors and encoder.is_quick(self._model)

    def articles(self, query: str, k: int) -> list[tuple[int, float]]:
        """(page, similarity) of the `k` articles whose leads are nearest, best first."""
        return self._index.search(self._vector(_cut(query)), k)

    def similarities(self, query: str, texts: Sequence[str]) -> list[float]:
        """How near texts are to a query; their vectors are made for it."""
        if not texts:
            return []
        vectors = self._encoder.encode(texts)
        return (vectors @ self._vector(_cut(query))).tolist()

    @property
    def _model(self) -> Path:
        return model_for(self._layout, self._manifest)

    @cached_property
    def _encoder(self) -> encoder.Encoder:
        _check_memory()
        return encoder.load(self._model)

    @cached_property
    def _index(self) -> VectorIndex:
        if self._description is None:
            raise DenseUnavailable(
                f"{self._layout.root} has no vectors: build the index again with --dense, "
                "or retrieve with --mode bm25."
            )
        _check_memory()
        return VectorIndex(self._layout.vectors, self._description)

    def _encode(self, query: str) -> np.ndarray:
        return self._encoder.encode([query])[0]


def model_for(layout: IndexLayout, manifest: Manifest) -> Path:
    """The model that encodes queries: the index's own, which torch cannot read, or that of this
    machine by which the vectors were made.

    Raises:
        DenseUnavailable: it is not on this machine.
    """
    if layout.encoder.is_dir() and encoder.is_quick(layout.encoder):
        return layout.encoder
    return encoder.find_model(manifest.vectors["model"] if manifest.vectors else encoder.PACKAGED)


@cache
def _check_memory() -> None:
    """Make sure, once, that faiss and ONNX Runtime can be loaded: else they may crash.

    Raises:
        DenseUnavailable: under a small ``ulimit -v``.
    """
    try:
        machine.check_addresses(_ADDRESSES)
    except MemoryError as error:
        raise DenseUnavailable(
            "There is not enough memory for the vectors and their model: raise `ulimit -v`."
        ) from error


def _cut(query: str) -> str:
    return encodable(query[:_QUERY_CHARACTERS])
