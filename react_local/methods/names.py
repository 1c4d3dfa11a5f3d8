"""Methods by their names, and what each part of a run was written as."""

from __future__ import annotations

from functools import partial, reduce

from react_local.methods.act import ACT, act
from react_local.methods.cot import COT, cot
from react_local.methods.fallback import SEPARATOR, Method, fallback, no_answer, no_majority
from react_local.methods.form import Form
from react_local.methods.rag import RAG, RAG_DENSE, RAG_HYBRID, rag
from react_local.methods.react import REACT, react
from react_local.methods.self_consistency import COT_SC, self_consistency
from react_local.methods.standard import STANDARD, standard
from react_local.types import Trajectory

_ALONE: dict[str, Method] = {
    "standard": standard,
    "cot": cot,
    "cot-sc": self_consistency,
    "act": act,
    "react": react,
    "rag": rag,
    "rag-dense": partial(rag, mode="dense"),
    "rag-hybrid": partial(rag, mode="hybrid"),
}

_WRITTEN = (STANDARD, COT, COT_SC, ACT, REACT, RAG, RAG_DENSE, RAG_HYBRID)

FORMS = {form.method: form for form in _WRITTEN}
"""What each method writes that is no hybrid."""


def method(name: str) -> Method:
    """The method of this name; ``a>b`` is a hybrid of any two, and so on for more.

    Raises:
        ValueError: there is no such method.
    """
    if name in METHODS:
        return METHODS[name]
    if not is_method(name):
        raise ValueError(
            f"there is no method {name}: there are {', '.join(_ALONE)}, and a>b of any two"
        )
    sides = name.split(SEPARATOR)
    return reduce(_hybrid, sides[1:], (sides[0], _ALONE[sides[0]]))[1]


def is_method(name: str) -> bool:
    """Whether `method` knows `name`."""
    return set(name.split(SEPARATOR)) <= _ALONE.keys()


def side(run: Trajectory) -> str:
    """Which of a hybrid's methods the steps of `run` are of; any other run's own method."""
    sides, place = run.method.split(SEPARATOR), len(run.parts) - 1
    return sides[place] if place < len(sides) else run.method


def form_of(run: Trajectory) -> Form:
    """What the steps of `run` are written as.

    Raises:
        KeyError: the run's method is none of ours.
    """
    return FORMS[side(run)]


def _hybrid(first: tuple[str, Method], second: str) -> tuple[str, Method]:
    name = f"{first[0]}{SEPARATOR}{second}"
    is_voted = first[0].split(SEPARATOR)[-1] == COT_SC.method
    when = no_majority if is_voted else no_answer
    return name, fallback(first[1], _ALONE[second], when, name=name)


METHODS = dict(_ALONE)
METHODS |= {name: method(name) for name in ("cot-sc>react", "react>cot-sc")}
"""The methods of the paper's Table 1, in its order, with the baseline it lacks among them."""
