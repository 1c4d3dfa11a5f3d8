"""The methods by name, and the form of each part of a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from types import MappingProxyType
from typing import Any

from react_local.methods.act import ACT, act
from react_local.methods.cot import COT, cot
from react_local.methods.fallback import (
    SEPARATOR,
    Method,
    fallback,
    no_answer,
    no_majority,
    not_stated,
)
from react_local.methods.form import Form
from react_local.methods.plan_and_solve import PLAN_AND_SOLVE, plan_and_solve
from react_local.methods.rag import RAG, RAG_DENSE, RAG_HYBRID, rag
from react_local.methods.react import REACT, react
from react_local.methods.react_im import REACT_IM, react_im
from react_local.methods.reflexion import REFLEXION, reflexion
from react_local.methods.self_consistency import COT_SC, self_consistency
from react_local.methods.self_refine import SELF_REFINE, self_refine
from react_local.methods.standard import STANDARD, standard
from react_local.methods.structured import STRUCTURED, structured
from react_local.methods.tot import TOT, tot
from react_local.types import Trajectory

_ALONE: dict[str, Method] = {
    "standard": standard,
    "cot": cot,
    "cot-sc": self_consistency,
    "act": act,
    "react": react,
    "structured": structured,
    "react-im": react_im,
    "rag": rag,
    "rag-dense": partial(rag, mode="dense"),
    "rag-hybrid": partial(rag, mode="hybrid"),
    "plan-and-solve": plan_and_solve,
    "reflexion": reflexion,
    "self-refine": self_refine,
    "tot": tot,
}

_WRITTEN = (
    STANDARD,
    COT,
    COT_SC,
    ACT,
    REACT,
    STRUCTURED,
    REACT_IM,
    RAG,
    RAG_DENSE,
    RAG_HYBRID,
    PLAN_AND_SOLVE,
    REFLEXION,
    SELF_REFINE,
    TOT,
)

FORMS = {form.method: form for form in _WRITTEN}
"""The form of each method that is not a hybrid."""


def method(name: str, instead: Mapping[str, Method] = MappingProxyType({})) -> Method:
    """The method with this name; ``a>b`` is a hybrid of any two, ``a>b>c`` of three, and so on.

    Methods in `instead` replace the built-in ones of the same names.

    Raises:
        ValueError: there is no such method.
    """
    if not is_method(name):
        raise ValueError(
            f"unknown method {name}: choose from {', '.join(_ALONE)}, or a>b of any two"
        )
    return reduce(_hybrid, [(side, instead.get(side, _ALONE[side])) for side in sides(name)])[1]


SETTINGS = {
    "samples": (COT_SC.method,),
    "tries": (REFLEXION.method, SELF_REFINE.method),
    "gold": (REFLEXION.method,),
    "breadth": (TOT.method,),
    "branches": (TOT.method,),
}
"""The options that only some methods have, and those methods."""


_ACTING = tuple(name for name, form in FORMS.items() if form.actions)

USED_BY = {
    **SETTINGS,
    "max_steps": _ACTING,
    "actions": _ACTING,
    "guides": _ACTING,
    "thoughts": tuple(name for name, form in FORMS.items() if form.can_be_sparse),
    "temperature": tuple(name for name in FORMS if name != COT_SC.method),
}
"""The settings that only some methods use, and those methods. Self-consistency samples at a
temperature of its own."""


def with_settings(settings: Mapping[str, Any]) -> dict[str, Method]:
    """The methods that have some of these `SETTINGS`, with them set: the `instead` of `method`."""
    taken = {
        name: {key: value for key, value in settings.items() if name in SETTINGS[key]}
        for name in _ALONE
    }
    return {name: partial(_ALONE[name], **said) for name, said in taken.items() if said}


def is_method(name: str) -> bool:
    """Whether there is a method with this name."""
    return set(sides(name)) <= _ALONE.keys()


def sides(name: str) -> list[str]:
    """The names of the methods of which a hybrid is made; of another method, its own name."""
    return name.split(SEPARATOR)


def side(run: Trajectory) -> str:
    """The name of the method that generated the steps of `run`: for a hybrid, the current one."""
    names = sides(run.method)
    return names[run.falls] if run.falls < len(names) else run.method


def form_of(run: Trajectory) -> Form:
    """The form of the steps of `run`.

    Raises:
        KeyError: the run's method is unknown.
    """
    return FORMS[side(run)].of(run)


def _hybrid(first: tuple[str, Method], second: tuple[str, Method]) -> tuple[str, Method]:
    name = f"{first[0]}{SEPARATOR}{second[0]}"
    form = FORMS[sides(first[0])[-1]]
    when = no_majority if form is COT_SC else not_stated if form.passages else no_answer
    return name, fallback(first[1], second[1], when, name=name)


METHODS = dict(_ALONE)
METHODS |= {name: method(name) for name in ("cot-sc>react", "react>cot-sc")}
"""All methods by name: those of the paper's Table 1 in its order, and others among them."""
