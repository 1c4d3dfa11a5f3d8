"""Every method through all that evaluates: eval, report, page, labels, training data."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner
from random_logits import AwkwardVocabulary, random_model

from react_local.cli import main
from react_local.evaluation.labels import choices, suggest
from react_local.evaluation.page import to_html
from react_local.evaluation.report import Report
from react_local.methods import METHODS, USED_BY, sides

DENSE = {"rag-dense", "rag-hybrid"}
"""What needs vectors, which the small wiki has none of."""


@pytest.fixture(scope="module")
def model():
    model, runtime = random_model(AwkwardVocabulary(), seed=3)
    runtime.haste, runtime.sequences = 0.3, 1
    return model


@pytest.mark.parametrize("method", [*sorted(METHODS.keys() - DENSE), "reflexion>cot-sc"])
def test_a_method_goes_through_everything(run_eval, tmp_path: Path, model, method: str) -> None:
    root = tmp_path / "run"
    asked = {"max_steps": ("--max-steps", 3), "samples": ("--samples", 3)}
    taken = [asked[name] for name in asked if not set(sides(method)).isdisjoint(USED_BY[name])]
    result = run_eval("--method", method, *chain(*taken), "--json", model=model)
    assert result.exit_code == 0, result.output
    (told,) = json.loads(result.stdout)["methods"]
    assert (told["method"], told["questions"], told["malformed"]) == (method, 3, 0)
    assert told["tokens"] > 0
    answered = Report.read([root]).methods[0].answered
    html = to_html(Report.read([root]))
    for one in answered:
        assert one.example.question in html
        assert suggest(one) in choices(one)

    # What it answered, were it right, is training data.
    right = [replace(one.example, answers=(one.run.trajectory.answer or "x",)) for one in answered]
    lines = (json.dumps(example.record()) + "\n" for example in right)
    (root / "questions.jsonl").write_text("".join(lines))
    exported = CliRunner().invoke(main, ["export-sft", str(root), "--out", str(tmp_path / "sft")])
    assert exported.exit_code == 0, exported.output
    written = [json.loads(line) for line in (tmp_path / "sft").read_text().splitlines()]
    assert written
    for line in written:
        assert any(segment["label"] for segment in line["segments"])
