"""The index that an update replaces. Its unchanged pages and vectors are reused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wiki_index import leads
from wiki_index.errors import IndexUnreadable
from wiki_index.layout import IndexLayout, Manifest


@dataclass(frozen=True)
class Earlier:
    """A finished index whose pages and vectors may be reused."""

    layout: IndexLayout
    manifest: Manifest

    @classmethod
    def at(cls, path: Path | str) -> Earlier:
        """The index in a directory, or beside it where an update was killed between two renames.

        Raises:
            IndexUnreadable: there is none.
        """
        layout = IndexLayout.at(path)
        for place in (layout, IndexLayout(layout.replaced)):
            if place.manifest.is_file():
                return cls(place, Manifest.read(place.manifest))
        raise IndexUnreadable(f"{layout.root} is not an index: make one with build-index.")

    def is_whole(self) -> bool:
        """Whether the parts that are reused match their checksums."""
        parts = {path: self.manifest.parts.get(path.name) for path in self._taken_over()}
        return all(part is not None and part.is_at(path) for path, part in parts.items())

    def _taken_over(self) -> Iterator[Path]:
        yield self.layout.pages
        if self.manifest.vectors is not None:
            yield self.layout.vectors

    def vectors(self, model: str, quantised: Path) -> leads.Kept | None:
        """Those that a model made, by the same weights, where the index has them."""
        return leads.Kept.of(self.layout, self.manifest, model, quantised)
