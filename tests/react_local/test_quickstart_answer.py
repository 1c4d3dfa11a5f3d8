"""The question that the quickstart asks: answered right, with the model, index and guides of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from starters import starter_path

from react_local.environments import WikipediaEnvironment
from react_local.methods import react
from react_local.models import LlamaModel
from wiki_index import WikiIndex, build_index, sample

pytestmark = pytest.mark.model

SCRIPT = Path(__file__).parents[2] / "scripts" / "quickstart"
QUESTIONS = Path(sample.__file__).with_name("questions.jsonl")


def test_the_first_answer_is_right(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    asked = re.search(r'^question="(.*)"$', SCRIPT.read_text(encoding="utf-8"), re.MULTILINE)
    known = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    (record,) = [record for record in known if asked and record["question"] == asked[1]]
    build_index(sample.write_dump(tmp_path), tmp_path / "index", dense=False)
    model = LlamaModel.load(starter_path("gemma", pytestconfig.cache))
    with WikiIndex.open(tmp_path / "index") as wiki:
        told = react(record["question"], model, WikipediaEnvironment(wiki))
    assert told.answer == record["answer"]
    assert set(told.pages) >= set(record["supporting_titles"])
    assert told.source in record["supporting_titles"]
