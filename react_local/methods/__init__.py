"""Methods: functions of a question, a model and an environment to a trajectory."""

from react_local.methods.act import ACT, act
from react_local.methods.cot import COT, cot
from react_local.methods.form import Form
from react_local.methods.react import MAX_STEPS, REACT, react
from react_local.methods.standard import STANDARD, standard

METHODS = {"standard": standard, "cot": cot, "act": act, "react": react}
"""By name, in the order of the paper's Table 1."""

FORMS = {form.method: form for form in (STANDARD, COT, ACT, REACT)}
"""What each method writes."""

__all__ = [
    "ACT",
    "COT",
    "FORMS",
    "MAX_STEPS",
    "METHODS",
    "REACT",
    "STANDARD",
    "Form",
    "act",
    "cot",
    "react",
    "standard",
]
