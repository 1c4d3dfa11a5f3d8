"""What the state of a run forbids and offers: how a small model is kept from going astray.

A guide narrows what a step may be. None tells the model anything that is not in the index or in
the run; each can be turned off, and `PAPER` is the paper's plain behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

ANSWERS = "answers"
NONE = "none"


class SearchGuide(StrEnum):
    """What the argument of Search may be."""

    FREE = "free"
    """Any text, as in the paper."""
    SIMILAR = "similar"
    """Any text; after a miss one of the similar titles just shown, or a title that the question
    speaks of."""
    TITLES = "titles"
    """One of the titles of the index that question, thought and open page speak of, whichever
    the model finds likeliest as a whole (after GENRE, De Cao et al., arXiv 2010.00904)."""
    SOFT = "soft"
    """As `TITLES`, what the model would write freely being one more candidate at a price."""


NAMES = (*(str(kind) for kind in SearchGuide if kind is not SearchGuide.FREE), ANSWERS)
"""What the guides are called on the command line."""


@dataclass(frozen=True)
class Guides:
    """The guides of a run; the defaults are what measured best (`scripts/bench_guides.py`)."""

    repeats: bool = True
    """Forbid Lookup before a page is open, and an action whose answer stands already above."""
    force_finish: bool = True
    """Let the last step be nothing but Finish."""
    search: SearchGuide = SearchGuide.TITLES
    answers: bool = True
    """Hold answers to the evidence, which must be there first (`react_local.answers`)."""
    links: int = 0
    """How many links, nearest the question first, end the observation of a page."""

    @property
    def names(self) -> tuple[str, ...]:
        """The guides as `of` takes them."""
        search = () if self.search is SearchGuide.FREE else (str(self.search),)
        return (*search, *((ANSWERS,) if self.answers else ()))

    @classmethod
    def of(
        cls,
        names: Sequence[str] | None = None,
        *,
        links: int | None = None,
        force_finish: bool | None = None,
    ) -> Guides:
        """The guides of these names (`NAMES`, or "none"), and of what is None the default.

        Raises:
            ValueError: a name that there is not, or two that say different things of Search.
        """
        guides = cls()
        if names is not None:
            search = {name for name in names if name not in (ANSWERS, NONE)}
            if len(search) > 1 or (NONE in names and len(set(names)) > 1):
                raise ValueError(
                    f"the guides {' and '.join(sorted(set(names)))} exclude each other"
                )
            kind = SearchGuide(search.pop()) if search else SearchGuide.FREE
            guides = replace(guides, search=kind, answers=ANSWERS in names)
        if links is not None:
            guides = replace(guides, links=links)
        if force_finish is not None:
            guides = replace(guides, force_finish=force_finish)
        return guides

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> Guides:
        """The guides that `dataclasses.asdict` told.

        Raises:
            ValueError, KeyError, TypeError: it told none.
        """
        return cls(**{**record, "search": SearchGuide(record["search"])})


PAPER = Guides(repeats=False, force_finish=False, search=SearchGuide.FREE, answers=False, links=0)
"""The paper's plain behaviour: nothing is forbidden but other forms."""

DEFAULT = Guides()
