"""Reports: every measure on runs that can be counted by hand, and how they are shown."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from an_evaluation import EXAMPLES, SETUP, asked, begun, claims
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.display import replay
from react_local.errors import EvaluationError
from react_local.evaluation import formats, tables
from react_local.evaluation.behaviour import behaviour
from react_local.evaluation.datasets import Example
from react_local.evaluation.report import Report
from react_local.evaluation.runner import RunLayout, evaluate, prepare
from react_local.trace import TraceWriter
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Step,
    Task,
    Thought,
    Trajectory,
    Usage,
)


def step(
    action: ActionName, argument: str, observed: str | None = None, title: str | None = None
) -> Step:
    observation = None if observed is None else Observation(observed, title)
    usage = Usage(prompt_tokens=10, reused_tokens=30, generated_tokens=5, seconds=0.5)
    return Step(Thought("I think."), Action(action, argument), observation, usage=usage)


SEARCH, LOOKUP, FINISH = ActionName
OPENED = step(SEARCH, "Alder", "Alder is an island. Its town is Port Alder.", "Alder")
MISSED = step(SEARCH, "Alders", "Could not find [Alders]. Similar: ['Alder'].")


def told(*steps: Step, task: Task = Task.QUESTION) -> Trajectory:
    finished = steps[-1].action.name == FINISH
    outcome = Outcome.FINISHED if finished else Outcome.STEP_LIMIT
    return Trajectory("What?", "react", task, steps, outcome)


def measured(*steps: Step, task: Task = Task.QUESTION, gold: tuple[str, ...] = ()):
    return behaviour(told(*steps, task=task), gold)


def test_costs_are_summed_over_steps() -> None:
    found = measured(OPENED, step(FINISH, "x"))
    assert (found.steps, found.generated, found.read, found.reused) == (2, 10, 20, 60)
    assert found.seconds == 1.0
    assert found.finished
    assert not measured(OPENED).finished


def test_misses_and_whether_the_run_recovered() -> None:
    found = measured(MISSED, MISSED, OPENED, step(FINISH, "x"))
    assert (found.searches, found.missed, found.recovered) == (3, 2, True)
    assert measured(OPENED, MISSED).recovered is False
    assert measured(OPENED, step(FINISH, "x")).recovered is None


def test_repeats_are_the_same_action_but_for_the_next_result_of_a_lookup() -> None:
    same = replace(MISSED, action=Action(SEARCH, "ALDERS."))
    assert measured(MISSED, same).repeats == 1
    assert measured(OPENED, MISSED, OPENED).repeats == 1
    first = step(LOOKUP, "ferry", "(Result 1 / 2) A ferry.", "Alder")
    second = step(LOOKUP, "ferry", "(Result 2 / 2) Another ferry.", "Alder")
    no_more = step(LOOKUP, "ferry", "No more results.")
    assert measured(OPENED, first, second).repeats == 0
    assert measured(OPENED, first, second, no_more).repeats == 1
    assert measured(OPENED, first, second).lookups == 2
    assert measured(step(SEARCH, "?"), step(SEARCH, "!")).repeats == 0


@pytest.mark.parametrize(
    ("answer", "grounded"),
    [
        ("Port Alder", True),
        ("the port Alder.", True),
        ("Port", True),
        ("Por", False),
        ("Brae", False),
        ("yes", None),
        ("The", None),
    ],
)
def test_an_answer_is_grounded_in_what_was_observed(answer: str, grounded: bool | None) -> None:
    assert measured(OPENED, step(FINISH, answer)).grounded is grounded


def test_verdicts_and_runs_without_an_answer_are_not_checked() -> None:
    assert measured(OPENED, step(FINISH, "REFUTES"), task=Task.CLAIM).grounded is None
    assert measured(OPENED).grounded is None


def test_whether_a_right_answer_was_seen_wherever_the_run_ended() -> None:
    def seen(*answers: str, task: Task = Task.QUESTION) -> bool | None:
        run = told(OPENED, step(FINISH, "Brae"), task=task)
        return behaviour(run, answers=answers).answer_seen

    assert seen("Brae", "port alder!") is True
    assert seen("Por") is False
    assert seen("yes") is seen() is seen("SUPPORTS", task=Task.CLAIM) is None
    assert (
        behaviour(replace(told(step(FINISH, "x")), method="cot"), answers=("x",)).answer_seen
        is None
    )


def test_gold_pages_are_compared_as_titles() -> None:
    assert measured(OPENED, gold=("alder", "Port Alder")).gold_reached == 0.5
    assert measured(OPENED).gold_reached is None


def test_malformed_steps_are_counted_by_parsing_them_again() -> None:
    assert measured(OPENED, step(FINISH, "x")).malformed == 0
    assert measured(OPENED, step(FINISH, "x]\nThought 3: y")).malformed == 1
    assert measured(replace(OPENED, thought=None)).malformed == 1
    without = behaviour(replace(told(replace(OPENED, thought=None)), method="act"))
    assert without.malformed == 0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, wiki) -> RunLayout:
    layout = begun(tmp_path_factory.mktemp("evaluations") / "run")
    for method in ("react", "standard"):
        evaluate(layout, EXAMPLES, method, asked(wiki), SETUP)
    return layout


def test_a_summary_can_be_counted_by_hand(run: RunLayout) -> None:
    standard, react = Report.read([run.root]).methods
    summary = react.summary
    assert summary["exact"]["mean"] == pytest.approx(2 / 3)
    assert summary["f1"]["mean"] == pytest.approx((1 + 1 + 0.5) / 3)
    assert summary["steps"] == 3
    assert summary["steps_per_correct"] == 4.5
    assert summary["malformed"] == 0
    assert (summary["searches"], summary["missed_searches"]) == (4, 2)
    assert (summary["runs_with_misses"], summary["runs_recovered"]) == (2, 1)
    assert (summary["lookups"], summary["repeats"]) == (2, 0)
    assert (summary["answers_checked"], summary["ungrounded"]) == (3, 1)
    assert summary["correct_ungrounded"] == 0
    assert summary["gold_pages_reached"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert summary["outcomes"] == {"finished": 3}
    assert summary["by_type"]["bridge"] == {
        "questions": 2,
        "exact": 1.0,
        "f1": 1.0,
        "answers_seen": 1.0,
        "answers_sought": 2,
    }
    assert summary["answers_seen"] == pytest.approx(2 / 3)
    assert standard.summary["answers_seen"] is None
    assert summary["by_level"].keys() == {"hard"}
    assert standard.summary["gold_pages_reached"] is None
    assert standard.summary["answers_checked"] == 0
    assert standard.summary["steps"] == 1


def test_methods_are_compared_on_the_same_questions(run: RunLayout) -> None:
    (pair,) = Report.read([run.root]).pairs
    assert (pair.first.method, pair.second.method, pair.questions) == ("standard", "react", 3)
    assert pair.exact.interval.mean == pytest.approx(-1 / 3)
    assert pair.exact.p == 1.0


def test_a_report_of_a_part_says_so(tmp_path: Path, wiki) -> None:
    layout = begun(tmp_path / "part")
    evaluate(layout, EXAMPLES[:2], "react", asked(wiki), SETUP)
    report = Report.read([layout.root])
    assert (report.methods[0].summary["questions"], report.methods[0].total) == (2, 3)
    assert "2 of 3" in tables.text(report)


def test_two_evaluations_side_by_side(tmp_path: Path, run: RunLayout, wiki) -> None:
    layout = begun(tmp_path / "other")
    evaluate(layout, EXAMPLES[:2], "react", asked(wiki), SETUP)
    report = Report.read([run.root, layout.root, run.root])
    names = [tables.label(method, report) for method in report.methods]
    assert names == ["run/standard", "run/react", "other/react"]
    assert [pair.questions for pair in report.pairs] == [3, 2, 2]


def test_the_text_has_a_column_for_each_method(run: RunLayout) -> None:
    lines = tables.text(Report.read([run.root])).splitlines()
    table = {line[:26].strip(): line[26:].split() for line in lines}
    assert lines[0] == "Scores and behaviour"
    assert lines[1].split() == ["standard", "react"]
    assert table["Malformed steps"] == ["0", "0"]
    assert table["Missed searches"] == ["–", "2", "of", "4"]
    assert table["Gold pages reached, %"] == ["–", "50.0"]
    assert max(map(len, lines)) <= 100


def claims_run(root: Path) -> RunLayout:
    layout = RunLayout(root)
    manifest = {"format": "react-local evaluation", "version": 1}
    prepare(layout, manifest, claims())
    with TraceWriter(layout.trace("react"), SETUP) as writer:
        for example, verdict in zip(claims(), ("SUPPORTS", "REFUTES"), strict=True):
            writer.begin(example.id)
            replay(told(OPENED, step(FINISH, verdict), task=Task.CLAIM), writer)
    return layout


def test_claims_have_accuracy_and_no_f1(tmp_path: Path) -> None:
    report = Report.read([claims_run(tmp_path / "claims").root])
    text = tables.text(report)
    assert "Accuracy" in text
    assert "F1" not in text
    assert report.methods[0].summary["exact"]["mean"] == 0.5
    latex = formats.to_latex(report)
    assert "Accuracy" in latex
    assert "60.9" in latex  # the paper's ReAct on FEVER


def test_csv_has_a_line_for_each_method(run: RunLayout) -> None:
    rows = list(csv.DictReader(io.StringIO(formats.to_csv(Report.read([run.root])))))
    assert [row["method"] for row in rows] == ["standard", "react"]
    assert float(rows[1]["exact_mean"]) == pytest.approx(2 / 3)
    assert rows[1]["missed_searches"] == "2"
    assert rows[0]["gold_pages_reached"] == ""
    assert [row["paper's EM on HotpotQA (Yao et al. 2023, PaLM-540B, live Wikipedia)"]
            for row in rows] == ["28.7", "27.4"]  # fmt: skip


def test_the_papers_figures_stand_beside_what_they_measure(run: RunLayout, tmp_path: Path) -> None:
    both = Report.read([run.root, claims_run(tmp_path / "claims").root])
    rows = list(csv.DictReader(io.StringIO(formats.to_csv(both))))
    assert [(row["task"], list(row.values())[-1]) for row in rows] == [
        ("question", "28.7"),
        ("question", "27.4"),
        *[("claim", "")] * (len(rows) - 2),
    ]
    assert list(rows[0])[-1].startswith("paper's EM on HotpotQA")
    assert len(rows) > 2


def test_markdown_has_every_table_and_the_papers_figures(run: RunLayout, tmp_path: Path) -> None:
    report = Report.read([run.root])
    told = formats.to_markdown(report)
    headings = [heading for heading, _ in tables.sections(report)]
    assert re.findall("^### (.*)$", told, re.MULTILINE) == ["Scores", *headings]
    assert re.search(r"(?m)^\| react \| 3 \| 66\.7 \[.*\] \| .* \[.*\] \| 27\.4 \|$", told)
    widths = {line.count(" | ") for line in told.split("\n\n")[1].splitlines()}
    assert widths == {4}
    claims = formats.to_markdown(Report.read([claims_run(tmp_path / "claims").root]))
    assert "F1" not in claims
    assert "| 60.9 |" in claims


def test_latex_marks_the_papers_figures_as_theirs(run: RunLayout) -> None:
    latex = formats.to_latex(Report.read([run.root]))
    ours, theirs = latex.split("Yao et al.")
    assert "react & 66.7 [" in ours
    assert r"ReAct$^\dagger$ & 27.4" in theirs
    assert ours.count(r"\dagger") == 1  # before their name
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1


@pytest.mark.parametrize("method", ["standard", "react"])
def test_another_program_finds_the_same_scores(run: RunLayout, method: str) -> None:
    """The one in docs/evaluation.md, which knows nothing but two files and their format."""
    path = Path(__file__).parents[2] / "docs" / "evaluation.md"
    if not path.exists():
        pytest.skip("there is no docs/evaluation.md here")
    (program,) = re.findall(r"(?ms)^```python\n(.*?)^```$", path.read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, "-c", program, str(run.root), method],
        capture_output=True,
        text=True,
        check=True,
    )
    (found,) = (m.summary for m in Report.read([run.root]).methods if m.method == method)
    exact, f1 = (f"{100 * found[name]['mean']:.1f}" for name in ("exact", "f1"))
    assert done.stdout == f"EM {exact} of 3\nF1 {f1} of 3\n"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


def test_the_command_writes_what_it_is_asked_for(run: RunLayout, tmp_path: Path) -> None:
    result = call(run.root, "--csv", tmp_path / "r.csv", "--latex", tmp_path / "r.tex",
                  "--markdown", tmp_path / "r.md", "--json")  # fmt: skip
    assert result.exit_code == 0
    assert json.loads(result.stdout)["methods"][1]["method"] == "react"
    assert (tmp_path / "r.csv").read_text().startswith("run,method,")
    assert "booktabs" in (tmp_path / "r.tex").read_text()
    assert "### Scores\n" in (tmp_path / "r.md").read_text()
    assert "standard − react" in call(run.root).stdout


def test_no_evaluation_is_told_in_a_line(tmp_path: Path) -> None:
    result = call(tmp_path)
    assert result.exit_code == 1
    assert result.stderr.startswith("react-local: ")
    assert "is not an evaluation (no manifest.json): run react-local eval" in result.stderr
    with pytest.raises(EvaluationError, match="no question is answered yet in new"):
        Report.read([begun(tmp_path / "new").root])


def test_numbers_do_not_depend_on_what_else_is_in_the_file(tmp_path: Path) -> None:
    layout = RunLayout(tmp_path)
    examples = (Example("1", "What?", ("Port Alder",)),)
    prepare(layout, {"format": "react-local evaluation", "version": 1}, examples)
    with TraceWriter(layout.trace("react"), SETUP) as writer:
        for run_id in ("1", "a stranger", "1"):
            writer.begin(run_id)
            replay(told(OPENED, step(FINISH, "Port Alder")), writer)
    (method,) = Report.read([tmp_path]).methods
    assert (method.summary["questions"], method.summary["exact"]["mean"]) == (1, 1.0)


@pytest.fixture
def swept(tmp_path: Path, wiki) -> Path:
    """The directory of a sweep: two evaluations, one that was not begun, and an index."""
    for name in ("max-steps=12", "max-steps=3"):
        layout = begun(tmp_path / "sweep" / name)
        evaluate(layout, EXAMPLES, "react", asked(wiki), SETUP)
    for other, file in (("max-steps=20", "questions.jsonl"), ("index", "manifest.json")):
        (tmp_path / "sweep" / other).mkdir()
        (tmp_path / "sweep" / other / file).touch()
    return tmp_path / "sweep"


def test_the_directory_of_a_sweep_stands_for_all_of_it(swept: Path) -> None:
    text = call(swept).stdout
    assert text == call(swept / "max-steps=3", swept / "max-steps=12").stdout
    heading, methods, *rows = text.splitlines()[:4]
    assert (heading, methods.split()) == ("EM by evaluation", ["react"])
    assert [row.split()[:2] for row in rows] == [["max-steps=3", "66.7"], ["max-steps=12", "66.7"]]


def test_labels_are_of_one_evaluation(swept: Path) -> None:
    refused = CliRunner().invoke(main, ["label", str(swept)])
    assert refused.exit_code == 1
    assert refused.stderr.endswith("name one below it: max-steps=3, max-steps=12\n")


@pytest.mark.parametrize("option", ["--csv", "--latex", "--markdown", "--html"])
@pytest.mark.parametrize("place", ["absent/r", "file/r", "/dev/full"])
def test_what_cannot_be_written_is_told_in_a_line(
    run: RunLayout, tmp_path: Path, option: str, place: str
) -> None:
    (tmp_path / "file").touch()
    refused = call(run.root, option, tmp_path / place)
    assert refused.exit_code == 1
    assert re.fullmatch(
        rf"react-local: cannot write {tmp_path / place}: [\w ]+: name another file\n",
        refused.stderr,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_nothing_stays_of_what_a_full_disk_cut_off(run, tmp_path: Path, monkeypatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "r.csv").write_text("before")
    monkeypatch.setattr("os.fsync", full)
    refused = call(run.root, "--csv", tmp_path / "r.csv")
    assert refused.stderr.endswith("r.csv: No space left on device: name another file\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"r.csv": "before"}


def test_a_link_stays_a_link(run: RunLayout, tmp_path: Path) -> None:
    (tmp_path / "link.csv").symlink_to(tmp_path / "r.csv")
    call(run.root, "--csv", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "r.csv").read_text().startswith("run,method,")


@pytest.mark.parametrize("name", ["manifest.json", "questions.jsonl", "react.jsonl"])
def test_a_file_of_the_evaluation_is_not_written_over(run: RunLayout, name: str) -> None:
    own = run.root / name
    before = own.read_bytes()
    exported = ["export-sft", str(run.root), "--out", str(own)]
    for refused in (call(run.root, "--csv", own), CliRunner().invoke(main, exported)):
        assert refused.exit_code == 1
        assert f"{name} is a file of the evaluation {run.root}: name another" in refused.stderr
        assert own.read_bytes() == before


def test_latex_is_told_nothing_by_the_name_of_a_directory(tmp_path: Path, run: RunLayout) -> None:
    odd = tmp_path / r"a_b%c&d#e$f{g}h^i~j\k"
    shutil.copytree(run.root, odd)
    latex = formats.to_latex(Report.read([odd, run.root]))
    assert (
        r"a\_b\%c\&d\#e\$f\{g\}h\textasciicircum{}i\textasciitilde{}j\textbackslash{}k/react & "
        in latex
    )
