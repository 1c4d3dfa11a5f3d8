"""What a model was asked before does not change what it answers, to the last bit of its logits.

On this rests that an evaluation that was killed goes on to the same scores.
"""

from __future__ import annotations

import numpy as np
import pytest
from starters import loaded, starter_path

from react_local import exemplars
from react_local.methods import FORMS
from react_local.types import Trajectory

SHOWN = exemplars.load()[-1:]
RIVER = "Which river flows through Rome?"
LONGER = "Which river flows through the town of Basel, and into which sea does it flow?"


@pytest.mark.model
def test_what_was_asked_before_changes_nothing(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = loaded(starter_path("gemma", pytestconfig.cache))
    seen = []

    def remembered(name: str) -> None:
        evaluate = getattr(model._runtime, name)

        def remembering(*arguments):
            logits = evaluate(*arguments)
            seen.append(logits.copy())
            return logits

        monkeypatch.setattr(model._runtime, name, remembering)

    remembered("evaluate")
    remembered("evaluate_each")

    def ask(question: str, method: str) -> list[np.ndarray]:
        seen.clear()
        form = FORMS[method]
        prompt = form.prompt(Trajectory(question, method), SHOWN)
        model.generate(prompt, form.grammar(1), max_tokens=form.max_tokens)
        return seen.copy()

    fresh = ask(RIVER, "react")
    for question, method in [(RIVER, "react"), (LONGER, "react"), (RIVER, "standard")]:
        ask(question, method)
        again = ask(RIVER, "react")
        written = min(len(fresh), len(again)) - 1  # the first may read exemplars alone
        assert written >= 3
        for one, other in zip(fresh[-written:], again[-written:], strict=True):
            assert np.array_equal(one, other)
