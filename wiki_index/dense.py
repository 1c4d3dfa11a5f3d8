"""Vectors in a faiss index, searched without loading them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from wiki_index import machine
from wiki_index.errors import IndexDamaged

if TYPE_CHECKING:
    import faiss
    import numpy as np

_FLAT_LIMIT = 50_000
"""Up to so many vectors are searched one by one."""
_SQ8_LIMIT = 5_000_000
"""Up to so many are kept in 8 bits a dimension, beyond that as products of 96 codes."""
_PROBES = 32
_EFFORT = 64
"""Candidates kept while the graph of the lists is searched: .96 of the nearest 32 of 8,488."""
_SAMPLES_A_LIST = 39
"""What faiss asks for to train an inverted file."""


def kind_for(count: int, dimensions: int) -> str:
    """The kind of index for so many vectors, as faiss's factory names it.

    All are compared up to 50,000. Beyond that 32 of the lists of an inverted file are, of vectors
    in 8 bits a dimension, and beyond 5 million in 2; a graph (HNSW) finds the lists. Source:
    https://github.com/facebookresearch/faiss/wiki/Guidelines-to-choose-an-index.
    """
    if count <= _FLAT_LIMIT:
        return "IDMap2,Flat"
    lists = 4 * int(count**0.5)
    if count <= _SQ8_LIMIT or dimensions % 4:
        return f"IVF{lists}_HNSW32,SQ8"
    return f"IVF{lists}_HNSW32,PQ{dimensions // 4}"


def make_faiss(vectors: Path, ids: np.ndarray, dimensions: int, out: Path) -> str:
    """Make the faiss index of a file of float32 rows; answer its kind."""
    import faiss
    import numpy as np

    faiss.omp_set_num_threads(machine.cores())
    rows = np.memmap(vectors, dtype=np.float32, mode="r").reshape(-1, dimensions)
    kind = kind_for(len(rows), dimensions)
    index = faiss.index_factory(dimensions, kind, faiss.METRIC_INNER_PRODUCT)
    _set_effort(index)
    if not index.is_trained:
        wanted = min(len(rows), _SAMPLES_A_LIST * faiss.extract_index_ivf(index).nlist)
        sample = np.random.default_rng(0).choice(len(rows), wanted, replace=False)
        index.train(rows[np.sort(sample)])
    for start in range(0, len(rows), 65_536):
        part = slice(start, start + 65_536)
        index.add_with_ids(np.ascontiguousarray(rows[part]), ids[part])
    try:
        faiss.write_index(index, str(out))
    except RuntimeError as error:  # A full disk.
        raise OSError(str(error).partition(" at ")[0]) from error
    return kind


def _set_effort(index: faiss.Index) -> None:
    """How many lists of an inverted file are searched, and how carefully they are chosen."""
    import faiss

    inverted = faiss.try_extract_index_ivf(index)
    if inverted is None:
        return
    inverted.nprobe = _PROBES
    lists = faiss.downcast_index(inverted.quantizer)
    if isinstance(lists, faiss.IndexHNSW):
        lists.hnsw.efSearch = _EFFORT


class VectorIndex:
    """The vectors of an index, mapped into memory. Safe to share between threads.

    Raises:
        IndexDamaged: the file is not what was written.
    """

    def __init__(self, path: Path, description: dict[str, Any]) -> None:
        import faiss

        self._path = path
        self._inverted = description["kind"].startswith("IVF")
        mapped = faiss.IO_FLAG_MMAP if self._inverted else faiss.IO_FLAG_MMAP_IFC
        try:
            self._index = faiss.read_index(str(path), mapped | faiss.IO_FLAG_READ_ONLY)
        except RuntimeError as error:
            raise self._damaged() from error
        found = self._index.d, self._index.ntotal
        if found != (description["dimensions"], description["count"]):
            raise self._damaged()
        _set_effort(self._index)
        self._mapped = False
        self._exact = not self._inverted or description["kind"].endswith("SQ8")

    def search(self, vector: np.ndarray, k: int) -> list[tuple[int, float]]:
        """(page, similarity) of the nearest to a unit vector, best first."""
        import faiss

        # In the calling thread: for one query more are slower, and none survives a fork.
        faiss.omp_set_num_threads(1)
        most = min(k, max(self._index.ntotal, 1))  # faiss reserves memory for all that is asked for
        scores, pages = self._index.search(vector[None], most)
        return [(int(p), float(s)) for p, s in zip(pages[0], scores[0], strict=True) if p >= 0]

    def vector(self, page: int) -> np.ndarray | None:
        """That of a page, as near as 8 bits keep it; None where there is none, or in fewer bits."""
        import faiss

        if not self._exact:
            return None
        if self._inverted and not self._mapped:
            faiss.extract_index_ivf(self._index).set_direct_map_type(faiss.DirectMap.Hashtable)
            self._mapped = True
        try:
            return self._index.reconstruct(page)
        except RuntimeError:
            return None

    def _damaged(self) -> IndexDamaged:
        return IndexDamaged(
            f"{self._path} is damaged: run verify, then build the index again with --fresh."
        )
