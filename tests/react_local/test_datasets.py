"""Every shape of question file is told apart; what is wrong with one is said with its place."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_local.errors import DatasetError
from react_local.evaluation.datasets import Example, choose, read
from react_local.types import Task

SHARED = Path(__file__).parents[2] / ".." / "shared" / "data"

HOTPOT = {
    "_id": "h1",
    "question": "Which of the two rivers is longer?",
    "answer": "Rhine",
    "type": "comparison",
    "level": "hard",
    "supporting_facts": [["Rhine", 0], ["Aare", 1], ["Rhine", 2]],
    "context": [["Rhine", ["It flows."]], ["Aare", ["It flows too."]], ["Bern", ["A city."]]],
}
WIKI = HOTPOT | {"_id": "w1", "type": "bridge_comparison", "level": None, "evidences": []}
MUSIQUE = {
    "id": "2hop__12_34",
    "question": "Who wrote the book about the town?",
    "answer": "Ann Lee",
    "answer_aliases": ["A. Lee", "Ann Lee"],
    "answerable": True,
    "paragraphs": [
        {"idx": 0, "title": "Town", "paragraph_text": "…", "is_supporting": True},
        {"idx": 1, "title": "Other", "paragraph_text": "…", "is_supporting": False},
    ],
}
FEVER = {
    "id": 7,
    "claim": "The bridge is old.",
    "label": "REFUTES",
    "evidence": [[[1, 2, "Bridge_-LRB-Bern-RRB-", 0]], [[1, 3, None, None]]],
}
OURS = {"id": "o1", "question": "Where?", "answer": "Bern", "supporting_titles": ["Bern"]}


def write(path: Path, content: object) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            [HOTPOT],
            Example(
                "h1",
                "Which of the two rivers is longer?",
                ("Rhine",),
                titles=("Rhine", "Aare"),
                type="comparison",
                level="hard",
            ),
        ),
        (
            [WIKI],
            Example(
                "w1",
                "Which of the two rivers is longer?",
                ("Rhine",),
                titles=("Rhine", "Aare"),
                type="bridge_comparison",
            ),
        ),
        (
            lines(MUSIQUE),
            Example(
                "2hop__12_34",
                "Who wrote the book about the town?",
                ("Ann Lee", "A. Lee"),
                titles=("Town",),
                type="2hop",
            ),
        ),
        (
            lines(FEVER),
            Example("7", "The bridge is old.", ("REFUTES",), Task.CLAIM, ("Bridge (Bern)",)),
        ),
        ([{"question": "Where?", "answer": "Bern"}], Example("1", "Where?", ("Bern",))),
        ([["Where?", "Bern"]], Example("1", "Where?", ("Bern",))),
        (lines(["Where?", "Bern"]), Example("1", "Where?", ("Bern",))),
        (json.dumps(OURS, indent=1), Example("o1", "Where?", ("Bern",), titles=("Bern",))),
        (lines(OURS), Example("o1", "Where?", ("Bern",), titles=("Bern",))),
        ("\ufeff" + lines(OURS) + "\n\n", Example("o1", "Where?", ("Bern",), titles=("Bern",))),
        ([{"question": "When?", "answer": 1921}], Example("1", "When?", ("1921",))),
    ],
    ids=[
        "hotpot",
        "2wiki",
        "musique",
        "fever",
        "simple",
        "pair",
        "pairs",
        "pretty",
        "ours",
        "bom",
        "number",
    ],
)
def test_shapes(tmp_path: Path, content: object, expected: Example) -> None:
    assert read(write(tmp_path / "data", content)) == (expected,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lines(OURS) + "{", "line 2 of .* is not JSON .column 2: Expecting"),
        (lines(OURS) + "\n\n" + '{"id": 2, x}', "line 4 of .* is not JSON .column 11: Expecting"),
        (
            json.dumps([OURS, OURS], indent=1).replace("},", "}"),
            "line 10 of .* is not JSON .column 2: ",
        ),
        (json.dumps(OURS) + ",", "line 1 of .* is not JSON .column 8.: Extra data"),
        ("question,answer\nWhere?,Bern\n", "line 1 of .* is not JSON .column 1: Expecting value"),
        (lines(OURS, {"question": "Who?"}), "line 2 of .*: no 'answer'"),
        ([HOTPOT, {"answer": "x"}], "entry 2 of .*: no 'question'"),
        (lines(OURS, OURS), "line 2 of .*: the id 'o1' is used twice"),
        (lines(FEVER | {"label": "MAYBE"}), "line 1 of .*: the label 'MAYBE' is none of SUPPORTS"),
        (lines(OURS, FEVER), "holds questions and claims"),
        (lines(MUSIQUE | {"answerable": False}), "line 1 of .*: the question has no answer"),
        (lines(HOTPOT | {"supporting_facts": 3}), "line 1 of .*: 'supporting_facts' is not a list"),
        (lines(HOTPOT | {"supporting_facts": "[[]]"}), "'supporting_facts' is not a list"),
        (lines(HOTPOT | {"supporting_facts": ["Rhine"]}), "facts' is not a list of titles"),
        (lines(HOTPOT | {"supporting_facts": [[]]}), "facts' is not a list of titles"),
        (lines(FEVER | {"evidence": [[[1, 2]]]}), "line 1 of .*: 'evidence' is not a list of sets"),
        (lines(FEVER | {"evidence": [[1, 2, "Bridge", 0]]}), "'evidence' is not a list of sets"),
        (lines(FEVER | {"evidence": ["Bridge"]}), "'evidence' is not a list of sets"),
        (lines(MUSIQUE | {"paragraphs": [{"title": "T"}]}), "'title' and 'is_supporting'"),
        (lines(MUSIQUE | {"paragraphs": "Town"}), "'paragraphs' is not a list"),
        (
            lines(MUSIQUE | {"answer_aliases": "Lee"}),
            "'answer_aliases' is not a list",
        ),
        (lines(OURS | {"answer_aliases": [None]}), "'answer_aliases' is not a list of strings"),
        (lines(OURS | {"supporting_titles": "Bern"}), "'supporting_titles' is not a list"),
        (
            lines(OURS | {"supporting_titles": [None]}),
            "a title of 'supporting_titles' is not",
        ),
        (lines(OURS | {"id": {"a": 1}}), "the id .* is neither a string nor a number"),
        (lines(OURS | {"id": True}), "the id true is neither a string nor a number"),
        (lines(OURS | {"question": "a\ud800"}), "'question' contains half a character"),
        (lines(OURS | {"answer": ["Bern", "Berne"]}), "'answer' is not a string: .\"Bern\", "),
        (lines(OURS | {"answer": float("nan")}), "line 1 of .*: no 'answer'"),
        (lines(OURS | {"type": ["bridge"]}), "line 1 of .*: 'type' is not a string"),
        (lines(OURS | {"question": " "}), "line 1 of .*: no 'question'"),
        (lines(OURS | {"question": ""}), "line 1 of .*: no 'question'"),
        (lines(OURS | {"question": "?!"}), "line 1 of .*: the question '[?]!' contains no word"),
        (lines(["a", "b", "c"], ["a", "b", "c"]), "line 1 of .*: neither an object nor"),
        ("3\n", "line 1 of .*: neither an object nor a pair of question and answer: 3"),
        ('{"data": [1]}', "line 1 of .*: no 'question'"),
        ('{"id": ' + "9" * 5000 + "}", "line 1 of .* is not JSON .Exceeds the limit"),
        ("", "holds no question"),
        ([], "holds no question"),
        ("[" * 100_000, "line 1 of .* is not JSON"),
    ],
)
def test_mistakes_are_told_with_their_place(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(DatasetError, match=message) as caught:
        read(write(tmp_path / "data", content))
    assert "\n" not in str(caught.value)


def test_what_is_null_or_empty_is_not_there(tmp_path: Path) -> None:
    nothing = {"id": None, "answer_aliases": ["", "Berne"], "supporting_facts": None}
    read_back = read(write(tmp_path / "data", lines(OURS | nothing, OURS | nothing | {"id": ""})))
    assert [example.id for example in read_back] == ["1", "2"]
    assert {example.answers for example in read_back} == {("Bern", "Berne")}
    assert {example.titles for example in read_back} == {("Bern",)}


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="No such file"):
        read(tmp_path / "absent.jsonl")
    (tmp_path / "binary").write_bytes(b"[\n\xff\xfe\x00")
    with pytest.raises(DatasetError, match=r"line 2 of .* is not UTF-8"):
        read(tmp_path / "binary")


def test_choose_shuffles_the_indices_as_the_papers_notebooks_do() -> None:
    examples = tuple(Example(str(number), "?", ("!",)) for number in range(500))
    order = list(range(500))
    random.Random(233).shuffle(order)
    assert [int(example.id) for example in choose(examples, 20, 233)] == order[:20]
    assert choose(examples, 3) == examples[:3]
    assert choose(examples) == examples


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).map(str.strip).filter(bool)


@given(
    st.builds(
        Example,
        WORDS,
        WORDS.map("q{}".format),
        st.lists(WORDS, min_size=1, unique=True).map(tuple),
        st.just(Task.QUESTION),
        st.lists(WORDS, unique=True).map(tuple),
        WORDS,
        WORDS,
    )
    | st.builds(
        Example,
        WORDS,
        WORDS.map("q{}".format),
        st.sampled_from(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]).map(lambda label: (label,)),
        st.just(Task.CLAIM),
        st.lists(WORDS, unique=True).map(tuple),
    )
)
def test_a_record_reads_as_its_example(tmp_path_factory: pytest.TempPathFactory, example) -> None:
    path = tmp_path_factory.getbasetemp() / "round-trip.jsonl"
    assert read(write(path, lines(example.record()))) == (example,)


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/data is not here")
@pytest.mark.parametrize(
    ("name", "count"), [("qa_dev_1k.jsonl", 39), ("qa_dev.jsonl", 651), ("fever_dev.jsonl", 297)]
)
def test_the_data_at_hand(name: str, count: int) -> None:
    examples = read(SHARED / name)
    assert len(examples) == count
    assert all(example.titles for example in examples if example.task is Task.QUESTION)
