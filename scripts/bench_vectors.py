#!/usr/bin/env python
"""Benchmark of the search among millions of vectors: processor time and memory.

    scripts/bench_vectors.py --count 4500000

The file of vectors is of the kind that a build chooses. Its vectors lie around centres made of the
leads of the sample wiki, so its lists need no training, which takes long at this size. It measures
time, not recall. Results go to standard output as JSON.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import faiss
import numpy as np

from wiki_index import encoder
from wiki_index.dense import VectorIndex, kind_for
from wiki_index.sample import sample_pages

SPREAD = 0.75
"""Length of what is added to a centre, of length 1."""
UNEVEN = 0.55
"""Deviation of the logarithm of the lists' sizes: faiss then tells an imbalance of 1.35."""
CHUNK = 65_536


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def noise(rng: np.random.Generator, shape: tuple[int, int], length: float) -> np.ndarray:
    return rng.standard_normal(shape, dtype=np.float32) * (length / shape[1] ** 0.5)


def make(
    real: np.ndarray, ids: np.ndarray, out: Path, kept: Sequence[int] | np.ndarray = ()
) -> str:
    """Write made vectors around mixtures of real ones, by these ids; answer the kind of the file.

    The real ones are written beside them where `kept` has their ids.
    """
    rng, dimensions = np.random.default_rng(7), real.shape[1]
    kind = kind_for(len(ids) + len(kept), dimensions)
    index = faiss.index_factory(dimensions, kind, faiss.METRIC_INNER_PRODUCT)
    one, other = rng.integers(len(real), size=(2, index.nlist))
    mixed = 0.75 * real[one] + 0.25 * real[other]
    centres = unit(mixed + noise(rng, mixed.shape, 0.3))
    index.quantizer.add(centres)
    index.sq.train(noise(rng, (20_000, dimensions), SPREAD))
    index.is_trained = True
    shares = rng.lognormal(0, UNEVEN, index.nlist)
    for start in range(0, len(ids), CHUNK):
        part = np.ascontiguousarray(ids[start : start + CHUNK], dtype=np.int64)
        lists = rng.choice(index.nlist, len(part), p=shares / shares.sum()).astype(np.int64)
        rows = unit(centres[lists] + noise(rng, (len(part), dimensions), SPREAD))
        index.add_core(len(part), *map(faiss.swig_ptr, (rows, part, lists)))
    if len(kept):
        index.add_with_ids(real, np.asarray(kept, dtype=np.int64))
    faiss.write_index(index, str(out))
    return kind


def milliseconds(call: Callable[[object], object], arguments: Sequence) -> dict[str, float]:
    times = []
    for argument in arguments:
        began = time.process_time()
        call(argument)
        times.append(1000 * (time.process_time() - began))
    times.sort()
    return {"p50": round(statistics.median(times), 2), "p99": round(times[-len(times) // 100], 2)}


@click.command()
@click.option("--count", type=click.IntRange(min=50_001, max=5_000_000), default=100_000)
def main(count: int) -> None:
    """Measure a search among COUNT made vectors, and the encoding of its query."""
    titles = [page.title for page in sample_pages()]
    with tempfile.TemporaryDirectory(prefix="bench-vectors-") as place:
        model, quantised = encoder.find_model(encoder.PACKAGED), Path(place) / "encoder"
        encoder.quantise(model, quantised)
        whole, encoding = encoder.load(model), encoder.load(quantised)
        vectors = encoding.encode(titles)
        cosines = (whole.encode(titles) * vectors).sum(axis=1)
        path = Path(place) / "leads.faiss"
        kind = make(vectors, np.arange(count), path)
        told = {"kind": kind, "dimensions": vectors.shape[1], "count": count}
        index = VectorIndex(path, told)
        result = {
            **told,
            "bytes": path.stat().st_size,
            "encode_ms": milliseconds(lambda title: encoding.encode([title]), titles),
            "encode_ms_not_quantised": milliseconds(lambda title: whole.encode([title]), titles),
            "cosine_of_both": round(float(cosines.mean()), 4),
            "search_ms": milliseconds(lambda vector: index.search(vector, 20), vectors),
        }
    click.echo(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
