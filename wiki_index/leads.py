"""Compute the vectors of articles' leads, or reuse those of an earlier index."""

from __future__ import annotations

import itertools
import os
import shutil
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from wiki_index import encoder, machine
from wiki_index.dense import VectorIndex, make_faiss
from wiki_index.errors import DenseUnavailable, IndexDamaged
from wiki_index.layout import IndexLayout, Manifest, Part, files_at
from wiki_index.sentences import split
from wiki_index.store import PageStore
from wiki_index.types import Article

if TYPE_CHECKING:
    import numpy as np

_MOST_ON_CPU = 5_000
"""The number of articles up to which vectors are the default without a GPU: some minutes."""
_CHECKSUM_BYTES = 4
_CHUNK = 256
"""The number of leads that are encoded and written together."""

_WORTH_QUANTISING = 2_000
"""The number of articles from which the model is quantised first, which takes three seconds."""

_ADDRESSES = 1536 * 1024**2
"""Bytes of addresses for the model, faiss and their libraries: the packaged one takes 1.2 GiB."""

Choice = bool | str | None
"""True: the packaged model; a path: that model; False: no vectors; None: where they are cheap."""


def lead(article: Article, lang: str) -> str:
    """The text that is encoded for an article: its title and its first two sentences."""
    paragraphs = (p for section in article.sections for p in section.paragraphs)
    sentences = (s for paragraph in paragraphs for s in split(paragraph, lang, article.title))
    return ". ".join([article.title, " ".join(itertools.islice(sentences, 2))])


def model_name(choice: bool | Path | str | None) -> Choice:
    """The choice with its path made absolute.

    Raises:
        DenseUnavailable: there is no model at the path.
    """
    if choice is None or isinstance(choice, bool):
        return choice
    return str(encoder.find_model(os.path.abspath(choice)))


def load_encoder(
    choice: Choice, articles: int, quantised: Path
) -> tuple[str, encoder.Encoder | None]:
    """The name of the model with its encoder, or a note why no vectors are made, and None.

    For many articles and without a GPU the encoder is a quantised one, which is made there.

    Raises:
        DenseUnavailable: the model that was named cannot be loaded.
        BuildError: there is no room to quantise it.
        MemoryError: not in the addresses that this process may have.
    """
    shutil.rmtree(quantised, ignore_errors=True)  # It may be part of one, or of no use here.
    if choice is False:
        return "", None
    if choice is None and articles > _MOST_ON_CPU and not encoder.has_accelerator():
        return (
            f"No vectors were made: there is no GPU and more than {_MOST_ON_CPU:,} articles. "
            "Build with --dense to make them all the same."
        ), None
    name = choice if isinstance(choice, str) else encoder.PACKAGED
    machine.check_addresses(_ADDRESSES)
    try:
        model = encoder.find_model(name)
        if articles >= _WORTH_QUANTISING and _gains(model):
            encoder.quantise(model, quantised)
            model = quantised
        return name, encoder.load(model, many=True)
    except DenseUnavailable as error:
        if isinstance(choice, str):
            raise
        return f"No vectors were made. {error}", None


def _gains(model: Path) -> bool:
    """Whether the model is faster on this machine once it is quantised."""
    return encoder.can_quantise(model) and not encoder.has_accelerator()


def _measured(model: Path) -> dict[Path, Part]:
    """The files of a quantised model; empty if there is none."""
    files = files_at(model) if model.is_dir() else []
    return {path.relative_to(model): Part.measure(path) for path in files}


class Kept:
    """The vectors of an earlier index, for pages with an unchanged lead."""

    def __init__(self, layout: IndexLayout, manifest: Manifest) -> None:
        self._lang = manifest.lang
        self._store = PageStore(layout.pages)
        self._vectors = VectorIndex(layout.vectors, manifest.vectors)

    @classmethod
    def of(
        cls, layout: IndexLayout, manifest: Manifest, model: str, quantised: Path
    ) -> Kept | None:
        """The vectors of a model, or None if the index has none by the same weights."""
        if manifest.vectors is None or manifest.vectors["model"] != model:
            return None
        if _measured(layout.encoder) != _measured(quantised):
            return None
        try:
            return cls(layout, manifest)
        except IndexDamaged:
            return None

    def vector(self, page: int, text: str) -> np.ndarray | None:
        article = self._store.find(page)
        if article is None or lead(article, self._lang) != text:
            return None
        return self._vectors.vector(page)


def make_vectors(
    store: PageStore,
    layout: IndexLayout,
    lang: str,
    name: str,
    encoding: encoder.Encoder,
    report: Callable[[int], None],
    kept: Kept | None = None,
) -> dict[str, Any]:
    """Make the vectors of all articles and return the manifest's entry for them."""
    work = layout.root / "leads.f32"
    ids = encode_leads(store.pages(), lang, encoding, work, report, kept)
    layout.vectors.unlink(missing_ok=True)
    kind = make_faiss(work, ids, encoding.dimensions, layout.vectors)
    for path in (work, checksums_of(work)):
        path.unlink()
    return {"model": name, "dimensions": encoding.dimensions, "count": len(ids), "kind": kind}


def encode_leads(
    pages: Iterator[tuple[int, Article]],
    lang: str,
    encoding: encoder.Encoder,
    out: Path,
    report: Callable[[int], None],
    kept: Kept | None = None,
) -> np.ndarray:
    """Append the vectors of all leads to `out` as float32 rows in order; return the page ids.

    The rows of an interrupted run are kept up to the first that does not match its checksum. The
    checksums are in a file beside `out`. The vectors in `kept` are not computed again either.
    """
    import numpy as np

    row_bytes = 4 * encoding.dimensions
    ids: list[int] = []
    with out.open("a+b") as file, checksums_of(out).open("a+b") as checksums:
        done = _sound(file, checksums, row_bytes)
        file.truncate(done * row_bytes)
        checksums.truncate(done * _CHECKSUM_BYTES)
        while chunk := list(itertools.islice(pages, _CHUNK)):
            new = chunk[max(0, done - len(ids)) :]
            ids.extend(page for page, _ in chunk)
            if new:
                rows = _vectors(new, lang, encoding, kept)
                file.write(rows.tobytes())
                checksums.write(b"".join(map(_checksum, rows)))
                for written in (file, checksums):
                    written.flush()
                    os.fsync(written.fileno())
                report(len(ids))
    return np.array(ids, dtype=np.int64)


def checksums_of(rows: Path) -> Path:
    """The file with the checksums of a file of rows."""
    return rows.with_suffix(".crc32")


def _checksum(row: bytes | np.ndarray) -> bytes:
    return zlib.crc32(row).to_bytes(_CHECKSUM_BYTES, "little")


def _sound(rows: BinaryIO, checksums: BinaryIO, row_bytes: int) -> int:
    """The number of rows before the first that is truncated or does not match its checksum."""
    rows.seek(0)
    checksums.seek(0)
    for number in itertools.count():
        row = rows.read(row_bytes)
        if len(row) < row_bytes or checksums.read(_CHECKSUM_BYTES) != _checksum(row):
            return number


def _vectors(
    pages: Sequence[tuple[int, Article]],
    lang: str,
    encoding: encoder.Encoder,
    kept: Kept | None,
) -> np.ndarray:
    import numpy as np

    leads = [lead(article, lang) for _, article in pages]
    known = [kept and kept.vector(page, text) for (page, _), text in zip(pages, leads, strict=True)]
    rows = np.empty((len(pages), encoding.dimensions), dtype=np.float32)
    missing = [number for number, vector in enumerate(known) if vector is None]
    if missing:
        rows[missing] = encoding.encode([leads[number] for number in missing])
    for number, vector in enumerate(known):
        if vector is not None:
            rows[number] = vector
    return rows
