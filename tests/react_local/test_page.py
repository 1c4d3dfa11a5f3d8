"""The page of a report: one file, well formed, without scripts, whatever the traces hold."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, asked, begun
from click.testing import CliRunner

from react_local.cli import main
from react_local.display import replay
from react_local.evaluation.datasets import Example
from react_local.evaluation.jobs import in_turn
from react_local.evaluation.page import ENDINGS, ending, to_html
from react_local.evaluation.report import Report
from react_local.evaluation.runner import RunLayout, evaluate, prepare
from react_local.methods import self_consistency
from react_local.models.scripted import ScriptedModel
from react_local.trace import TraceWriter
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Thought,
    Trajectory,
)

HOSTILE = "<script>alert(1)</script> & \"quotes\" <img src=x onerror='y'>"


class Outline(HTMLParser):
    """Checks that elements close in order, and gathers their names and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()
        self.text = ""

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        self.names.add(tag)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.names.add(tag)
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()

    def handle_data(self, data: str) -> None:
        self.text += data


def outline(html: str) -> Outline:
    read = Outline()
    read.feed(html)
    read.close()
    assert read.open == []
    return read


def test_the_page_has_the_score_by_number_of_samples(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path / "run")
    evaluate(layout, EXAMPLES, "standard", asked(wiki), SETUP)
    assert "by number of samples" not in to_html(Report.read([layout.root]))
    answers = [f"Thought: x\nAnswer: {answer}" for answer in ("1957", "1921", "1957")]

    def vote(job, listener):
        return self_consistency(
            job.example.question, ScriptedModel(answers), samples=3, exemplars=(), on_event=listener
        )

    evaluate(layout, EXAMPLES, "cot-sc", in_turn(vote), SETUP)
    html = to_html(Report.read([layout.root]))
    outline(html)
    assert "EM by number of samples, with 95 % intervals" in html
    dots = re.findall(r"<title>cot-sc, (\d) samples: ([\d.]+) \[", html)
    assert [size for size, _ in dots] == ["1", "3"]
    assert dots[1][1] == "33.3"


def test_the_page_shows_every_trajectory(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path / "run")
    for method in ("standard", "react"):
        evaluate(layout, EXAMPLES, method, asked(wiki), SETUP)
    result = CliRunner().invoke(main, ["report", str(layout.root), "--html", str(tmp_path / "p")])
    assert result.exit_code == 0, result.output
    html = (tmp_path / "p").read_text(encoding="utf-8")
    read = outline(html)
    assert "script" not in read.names
    assert not re.search(r"(?:https?:)?//\w", html)
    assert html.count("<details") == 2 * len(EXAMPLES) + 1
    assert html.count("<svg") == 3
    for example in EXAMPLES:
        assert read.text.count(f"{example.question}\n") == 2
    assert "Thought 2: It is called Alder Sound.\nAction 2: Search[Alder Sound]" in read.text
    assert "Observation 2: Alder Sound is a strait." in read.text
    assert "Missed searches" in read.text


def boxes(svg: str, tag: str) -> list[dict[str, float]]:
    """The numbers among the attributes of each element of this kind."""
    found = re.findall(rf"<{tag}[^>]*>", svg)
    return [{k: float(v) for k, v in re.findall(r'([\w-]+)="([\d.]+)"', one)} for one in found]


def test_long_names_and_long_runs_stay_within_their_plots(tmp_path: Path, wiki) -> None:
    names = [f"max-steps={n},thoughts=sparse,exemplars=6" for n in (3, 25)]
    for name, steps in zip(names, (3, 25), strict=True):
        layout = begun(tmp_path / name)
        evaluate(layout, EXAMPLES, "standard", asked(wiki), SETUP)
        search = Step(Thought("x"), Action(ActionName.SEARCH, "Alder"), Observation("y", "Alder"))
        told = Trajectory("?", "cot-sc>react", steps=(search,) * steps, outcome=Outcome.STEP_LIMIT)
        vote = Step(Thought("x"), Action(ActionName.FINISH, "y"))
        vote = replace(vote, samples=(vote,) * 3)
        before = Trajectory("?", "cot-sc", steps=(vote,), outcome=Outcome.FINISHED)
        for method, run in (("cot-sc>react", replace(told, before=before)),
                            ("react", replace(told, method="react"))):  # fmt: skip
            with TraceWriter(layout.trace(method), SETUP) as writer:
                for example in EXAMPLES:
                    writer.begin(example.id)
                    replay(run, writer)
    html = to_html(Report.read([tmp_path]))
    outline(html)
    plots = re.findall(r"<svg.*?</svg>", html, re.DOTALL)
    assert len(plots) == 4
    for plot in plots:
        width = float(re.search(r'viewBox="0 0 (\d+)', plot)[1])
        assert all(bar["x"] + bar["width"] <= width for bar in boxes(plot, "rect"))
        labels = re.findall(r'<text x="0"[^>]*>([^<]*)', plot)
        marks = [*boxes(plot, "rect"), *({"x": line["x1"]} for line in boxes(plot, "line"))]
        if labels:
            assert 7 * max(map(len, labels)) < min(mark["x"] for mark in marks)
    levels = [text["y"] for text in boxes(plots[1], "text") if text["x"] > 710]
    assert len(levels) == 2
    assert abs(levels[0] - levels[1]) >= 12


def test_what_a_trace_holds_stays_text(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path / "run")
    example = Example("1", HOSTILE, (HOSTILE,), titles=(HOSTILE,), type=HOSTILE)
    manifest = {"format": "react-local evaluation", "version": 1, "model": HOSTILE}
    prepare(layout, manifest, [example])
    search = Step(Thought(HOSTILE), Action(ActionName.SEARCH, HOSTILE), Observation(HOSTILE))
    finish = Step(Thought(HOSTILE), Action(ActionName.FINISH, HOSTILE))
    told = Trajectory(HOSTILE, "react", steps=(search, finish), outcome=Outcome.FINISHED)
    with TraceWriter(layout.trace("react"), SETUP) as writer:
        writer.begin("1")
        replay(told, writer)
    read = outline(to_html(Report.read([layout.root])))
    assert not {"script", "img"} & read.names
    assert f"Observation 1: {HOSTILE}" in read.text


@pytest.mark.parametrize(
    ("answer", "observed", "page", "expected"),
    [
        ("Port Alder", "Its town is Port Alder.", "Alder", "correct"),
        ("Port Alder", "It is an island.", "Alder", "correct, but stated by no observation"),
        ("Brae", "It is an island.", "Alder", "wrong, every gold page opened"),
        ("Brae", "It is an island.", "Brae", "wrong, a gold page never opened"),
        (None, "It is an island.", "Alder", "no answer"),
    ],
)
def test_endings(
    tmp_path: Path, answer: str | None, observed: str, page: str, expected: str
) -> None:
    layout = RunLayout(tmp_path)
    prepare(
        layout,
        {"format": "react-local evaluation", "version": 1},
        [Example("1", "What?", ("Port Alder",), titles=("Alder",))],
    )
    steps = (Step(Thought("x"), Action(ActionName.SEARCH, page), Observation(observed, page)),)
    if answer is not None:
        steps += (Step(Thought("x"), Action(ActionName.FINISH, answer)),)
    outcome = Outcome.STEP_LIMIT if answer is None else Outcome.FINISHED
    with TraceWriter(layout.trace("react"), SETUP) as writer:
        writer.begin("1")
        replay(Trajectory("What?", "react", steps=steps, outcome=outcome), writer)
    ((answered,),) = [method.answered for method in Report.read([tmp_path]).methods]
    assert ending(answered) == expected
    assert expected in ENDINGS
