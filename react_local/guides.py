"""Guides: constraints on steps that follow from the state of a run, and help a small model.

A guide restricts the text of a step. Guides give the model no information that is not in the index
or in the run. Each can be turned off; `PAPER` is the paper's plain behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

ANSWERS = "answers"
NONE = "none"


class SearchGuide(StrEnum):
    """The allowed arguments of Search."""

    FREE = "free"
    """Any text, as in the paper."""
    SIMILAR = "similar"
    """Any text; after a miss, one of the similar titles or a title mentioned in the question."""
    TITLES = "titles"
    """The most likely title, scored as a whole, among those in the index that are related to the
    question, the thought and the open page (after GENRE, De Cao et al., arXiv 2010.00904)."""
    SOFT = "soft"
    """Like `TITLES`, with the model's free text as one more candidate, at a penalty."""


NAMES = (*(str(kind) for kind in SearchGuide if kind is not SearchGuide.FREE), ANSWERS)
"""The names of the guides on the command line."""


@dataclass(frozen=True)
class Guides:
    """The guides of a run; the defaults gave the best results (`scripts/bench_guides.py`)."""

    repeats: bool = True
    """Forbid Lookup before a page is open, and actions whose result is already shown."""
    force_finish: bool = True
    """Allow only Finish in the last step."""
    search: SearchGuide = SearchGuide.TITLES
    answers: bool = True
    """Require evidence before an answer, and answers from the evidence (`react_local.answers`)."""
    links: int = 0
    """The number of links at the end of a page's observation, the most relevant first."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of these guides, as accepted by `of`."""
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
        """The guides with these names (of `NAMES`, or "none"); None stands for the default.

        Raises:
            ValueError: a name is unknown, or two names exclude each other.
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
        """The guides from a record made by `dataclasses.asdict`.

        Raises:
            ValueError, KeyError, TypeError: it is not such a record.
        """
        return cls(**{**record, "search": SearchGuide(record["search"])})


PAPER = Guides(repeats=False, force_finish=False, search=SearchGuide.FREE, answers=False, links=0)
"""The paper's plain behaviour: only the format is enforced."""

DEFAULT = Guides()
