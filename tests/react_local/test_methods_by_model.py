"""The methods beyond the paper, each once by a real model: what is written has its form."""

from __future__ import annotations

from dataclasses import replace

import pytest
from a_run import QUESTION
from starters import loaded, starter_path

from react_local.environments import WikipediaEnvironment
from react_local.evaluation.behaviour import behaviour
from react_local.exemplars import load
from react_local.guides import PAPER
from react_local.methods import method, with_settings
from react_local.trace import Setup, TraceWriter, read
from react_local.types import Outcome, Thoughts

SETTINGS = with_settings({"tries": 2, "breadth": 1, "branches": 2})


@pytest.mark.model
@pytest.mark.parametrize("name", ["react", "react-im", "plan-and-solve", "reflexion", "self-refine",
                                  "tot"])  # fmt: skip
def test_by_the_starter_model(name: str, wiki, request, tmp_path) -> None:
    model = loaded(starter_path("gemma", request.config.cache))
    with TraceWriter(tmp_path / "t.jsonl", Setup()) as writer:
        run = method(name, SETTINGS)(
            QUESTION,
            model,
            WikipediaEnvironment(wiki),
            exemplars=load()[-1:],
            guides=replace(PAPER, force_finish=True),
            thoughts=Thoughts.SPARSE,
            max_steps=1,
            on_event=writer,
        )
    assert read(tmp_path / "t.jsonl").runs[0].trajectory == run
    assert behaviour(run).malformed == 0
    assert run.outcome is Outcome.FINISHED
    for told in run.tries[:-1]:
        assert told.review.text
        assert told.review.cause or name == "self-refine"
    assert (run.plan is not None) == (name == "plan-and-solve")
    if name == "tot":
        assert all(0 < step.share <= 1 for step in run.steps)
        assert run.usage.generated_tokens > sum(len(step.tokens) for step in run.steps)
