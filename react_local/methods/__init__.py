"""Methods: functions from a question, a model and an environment to a trajectory."""

from react_local.methods.act import ACT, act
from react_local.methods.cot import COT, cot
from react_local.methods.fallback import Method, fallback, no_answer, no_majority, not_stated
from react_local.methods.form import Form
from react_local.methods.plan_and_solve import PLAN_AND_SOLVE, plan_and_solve
from react_local.methods.rag import RAG, rag
from react_local.methods.react import MAX_STEPS, REACT, react
from react_local.methods.react_im import REACT_IM, react_im
from react_local.methods.reflexion import REFLEXION, reflexion
from react_local.methods.registry import (
    FORMS,
    METHODS,
    SETTINGS,
    USED_BY,
    form_of,
    is_method,
    method,
    side,
    sides,
    with_settings,
)
from react_local.methods.retry import TRIES, retry
from react_local.methods.self_consistency import COT_SC, self_consistency, votes
from react_local.methods.self_refine import SELF_REFINE, self_refine
from react_local.methods.standard import STANDARD, standard
from react_local.methods.structured import STRUCTURED, structured
from react_local.methods.tot import TOT, tot

__all__ = [
    "ACT",
    "COT",
    "COT_SC",
    "FORMS",
    "MAX_STEPS",
    "METHODS",
    "PLAN_AND_SOLVE",
    "RAG",
    "REACT",
    "REACT_IM",
    "REFLEXION",
    "SELF_REFINE",
    "SETTINGS",
    "STANDARD",
    "STRUCTURED",
    "TOT",
    "TRIES",
    "USED_BY",
    "Form",
    "Method",
    "act",
    "cot",
    "fallback",
    "form_of",
    "is_method",
    "method",
    "no_answer",
    "no_majority",
    "not_stated",
    "plan_and_solve",
    "rag",
    "react",
    "react_im",
    "reflexion",
    "retry",
    "self_consistency",
    "self_refine",
    "side",
    "sides",
    "standard",
    "structured",
    "tot",
    "votes",
    "with_settings",
]
