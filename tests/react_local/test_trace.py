"""Traces: a round trip, a cut at every byte, and files that are none."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from io import BufferedWriter, FileIO
from pathlib import Path

import pytest
from a_run import PLAIN, QUESTION, SCRIPT
from hypothesis import given, settings
from hypothesis import strategies as st

from react_local.display import replay
from react_local.environments import WikipediaEnvironment
from react_local.errors import TraceError
from react_local.events import Began, Ended, Noted, Stepped
from react_local.guides import PAPER
from react_local.methods import react
from react_local.models.base import Generation
from react_local.models.scripted import ScriptedModel
from react_local.trace import Run, Setup, TraceWriter, read
from react_local.types import (
    Action,
    ActionName,
    Observation,
    Outcome,
    Remark,
    RemarkKind,
    Step,
    Task,
    Thought,
    Thoughts,
    Trajectory,
    Usage,
)

SETUP = Setup("model.gguf", "index", 7, PAPER)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
PASSAGES = st.builds(Observation, TEXT, st.none() | TEXT)
SINGLE = st.builds(
    Step,
    st.none() | st.builds(Thought, TEXT),
    st.builds(Action, st.sampled_from(ActionName), TEXT),
    st.none() | PASSAGES,
    st.lists(st.integers(0, 300_000)).map(tuple),
    st.builds(Usage, st.integers(0), st.integers(0), st.integers(0), st.floats(0, 1e6)),
)
USAGES = st.builds(Usage, st.integers(0), st.integers(0))
TOKENS = st.lists(st.integers(0, 300_000), max_size=3).map(tuple)
PLANS = st.builds(Remark, st.just(RemarkKind.PLAN), TEXT, TEXT, TOKENS, USAGES)
REVIEWS = st.builds(
    Remark, st.sampled_from([RemarkKind.REFLECTION, RemarkKind.FEEDBACK]), TEXT, TEXT, TOKENS
)
STEPS = st.builds(replace, SINGLE, samples=st.lists(SINGLE, max_size=2).map(tuple))
PARTS = st.builds(
    Trajectory,
    TEXT,
    TEXT,
    st.sampled_from(Task),
    st.lists(STEPS, max_size=3).map(tuple),
    st.sampled_from(Outcome),
    st.lists(PASSAGES, max_size=2).map(tuple),
    plan=st.none() | PLANS,
    review=st.none() | REVIEWS,
)


def joined(parts: list[Trajectory]) -> Trajectory:
    """A run that fell back from each part to the next; all are of the first one's question."""
    run = parts[0]
    for part in parts[1:]:
        run = replace(part, question=run.question, task=run.task, thoughts=run.thoughts, before=run)
    return run


TRAJECTORIES = st.builds(
    lambda parts, thoughts: joined([replace(parts[0], thoughts=thoughts), *parts[1:]]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(Thoughts),
)


@settings(max_examples=40)
@given(st.lists(TRAJECTORIES, max_size=3))
def test_what_was_written_is_read(tmp_path_factory, trajectories):
    path = tmp_path_factory.mktemp("trace") / "run.jsonl"
    for trajectory in trajectories:
        with TraceWriter(path, SETUP) as writer:
            replay(trajectory, writer)
    runs = read(path).runs if trajectories else ()
    assert [run.trajectory for run in runs] == trajectories
    assert all(run.setup == SETUP for run in runs)


def test_the_end_says_where_the_answer_stands(tmp_path, wiki):
    write(tmp_path / "run.jsonl", wiki)
    last = json.loads((tmp_path / "run.jsonl").read_bytes().splitlines()[-1])
    assert (last["outcome"], last["answer"], last["source"]) == ("finished", "1957", "Alder Sound")


def write(path: Path, wiki, **options) -> Trajectory:
    with TraceWriter(path, SETUP) as writer:
        return react(QUESTION, ScriptedModel(SCRIPT), WikipediaEnvironment(wiki), exemplars=(),
                     guides=PLAIN, on_event=writer, **options)  # fmt: skip


def go_on(path: Path, run: Run, wiki) -> Trajectory:
    script = SCRIPT[len(run.trajectory.steps) :]
    with TraceWriter(path, SETUP, resume=run.id) as writer:
        return react(QUESTION, ScriptedModel(script), WikipediaEnvironment(wiki), exemplars=(),
                     guides=PLAIN, resume=run.trajectory, on_event=writer)  # fmt: skip


def content(trajectory: Trajectory) -> list[tuple]:
    """What must be the same after a resumption: all but what it cost."""
    return [(step.thought, step.action, step.observation, step.tokens) for step in trajectory.steps]


class Unchecked(ScriptedModel):
    """A scripted model that trusts its script, to be fast."""

    def generate(self, prompt, grammar, *, max_tokens, seed=0, on_text=None):
        text = self._next(prompt)
        return Generation(text, (len(text),), Usage())


class Remembering:
    """A wiki that is asked everything once, to be fast."""

    def __init__(self, wiki):
        self.search = lru_cache(wiki.search)
        self.lookup = lru_cache(wiki.lookup)


def test_a_trace_cut_at_any_byte_goes_on_to_the_same_end(tmp_path, wiki, monkeypatch):
    monkeypatch.setattr("react_local.trace.os.fsync", lambda _: None)
    monkeypatch.setitem(globals(), "ScriptedModel", Unchecked)
    path, wiki = tmp_path / "run.jsonl", Remembering(wiki)
    whole = write(path, wiki)
    data = path.read_bytes()
    header = data.index(b"\n") + 1
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        trace = read(path)
        assert trace.cut == cut - (data[:cut].rfind(b"\n") + 1)
        if cut < header:
            assert trace.runs == ()
            continue
        told = go_on(path, trace.runs[-1], wiki)
        again = read(path)
        assert again.cut == 0
        assert again.runs[-1].trajectory == told
        assert content(told) == content(whole)
        assert (told.outcome, told.answer) == (whole.outcome, whole.answer)


def test_runs_share_a_file_and_a_cut_one_is_cleared_away(tmp_path, wiki):
    path = tmp_path / "runs.jsonl"
    write(path, wiki)
    with path.open("ab") as file:
        file.write(b'{"format": "react-local trace", "vers')
    write(path, wiki)
    runs = read(path).runs
    assert len({run.id for run in runs}) == 2
    assert runs[0].trajectory.answer == runs[1].trajectory.answer == "1957"


def test_every_line_is_on_disk_as_soon_as_it_is_told(tmp_path):
    path = tmp_path / "run.jsonl"
    step = Step(Thought("t"), Action(ActionName.FINISH, "x"))
    told = Trajectory("q", "react", outcome=Outcome.FINISHED)
    with TraceWriter(path, SETUP) as writer:
        for lines, event in enumerate(
            [Began(told, 7, 0), Noted("n"), Stepped(1, step), Ended(told)], start=1
        ):
            writer(event)
            assert len(path.read_bytes().splitlines()) == lines
    assert read(path).runs[0].notes == ("n",)


def test_a_run_that_was_cut_off_has_no_outcome(tmp_path):
    path = tmp_path / "run.jsonl"
    with TraceWriter(path, SETUP) as writer:
        writer(Began(Trajectory("q", "react", Task.CLAIM), 5, 3))
    assert read(path).runs[0].trajectory == Trajectory("q", "react", Task.CLAIM)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"hello\n", "is not a trace"),
        (b"hello", "is not a trace"),
        (b"{}\n", "is not a trace"),
        (b"\x00\xff\n", "is not a trace"),
        (b'{"format": "react-local trace", "version": 2, "run": "a"}\n', "another version"),
        (b'{"format": "react-local trace", "version": 12, "run": "a"}\n', "another version"),
        (b'{"format": "react-local trace", "version": 1, "run": "a"}\n', "line 1 of .* damaged"),
        (b'{"format": "react-local trace", "version": 1, "r\n{}\n', "line 1 of .* damaged"),
    ],
)
def test_other_files_are_refused_and_left_alone(tmp_path, data, message):
    path = tmp_path / "other"
    path.write_bytes(data)
    with pytest.raises(TraceError, match=message):
        read(path)
    if "damaged" not in message:
        with pytest.raises(TraceError, match=message):
            TraceWriter(path, SETUP)
    assert path.read_bytes() == data


def test_a_damaged_line_in_the_middle_is_named(tmp_path, wiki):
    path = tmp_path / "run.jsonl"
    write(path, wiki)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], b"x" + lines[2], *lines[3:]]))
    with pytest.raises(TraceError, match=r"line 3 of .* is damaged"):
        read(path)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    with pytest.raises(TraceError, match=r"line 3 of .* is damaged"):
        read(path)


def test_missing_files_directories_and_a_file_in_use_are_one_clear_line(tmp_path):
    with pytest.raises(TraceError, match="No such file"):
        read(tmp_path / "none")
    with pytest.raises(TraceError, match="Is a directory"):
        TraceWriter(tmp_path, SETUP)
    with pytest.raises(TraceError, match="No such file"):
        TraceWriter(tmp_path / "no" / "where.jsonl", SETUP)
    path = tmp_path / "run.jsonl"
    with TraceWriter(path, SETUP), pytest.raises(TraceError, match="is being written"):
        TraceWriter(path, SETUP)


def test_the_header_line_names_format_version_and_setup(tmp_path, wiki):
    path = tmp_path / "run.jsonl"
    write(path, wiki)
    header = json.loads(path.read_text().splitlines()[0])
    assert (header["format"], header["version"]) == ("react-local trace", 1)
    assert (header["question"], header["model"], header["index"]) == (
        QUESTION,
        "model.gguf",
        "index",
    )


def test_a_full_disk_is_one_clear_line(tmp_path, monkeypatch):
    import os

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with TraceWriter(tmp_path / "run.jsonl", SETUP) as writer:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(TraceError, match="No space left"):
            writer(Began(Trajectory("q", "react"), 7, 0))


def test_a_full_disk_is_the_same_line_when_the_file_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "react_local.trace._open", lambda _: BufferedWriter(FileIO("/dev/full", "w"))
    )
    path = tmp_path / "run.jsonl"
    with pytest.raises(TraceError) as caught, TraceWriter(path, SETUP) as writer:
        writer(Began(Trajectory("q", "react"), 7, 0))
    assert str(caught.value) == (
        f"cannot write the trace {path}: No space left on device: free some space, or name "
        "another file"
    )


def test_a_device_is_not_written(tmp_path):
    path = tmp_path / "full"
    path.symlink_to("/dev/full")  # reading it would never end
    with pytest.raises(TraceError, match="is a device or a pipe: name another file"):
        TraceWriter(path, SETUP)


def every_kind_of_line(path: Path) -> list[dict]:
    """A trace that has every field there is: its lines, as JSON tells them."""
    seen = Observation("text", "title")
    sample = Step(Thought("t"), Action(ActionName.FINISH, "x"), seen, (1, 2), Usage(1, 2, 3, 0.5))
    before = Trajectory("q", "cot", steps=(sample,), outcome=Outcome.FINISHED, given=(seen,))
    told = replace(before, method="react", steps=(replace(sample, samples=(sample,)),))
    with TraceWriter(path, SETUP) as writer:
        replay(replace(told, before=before, plan=Remark(RemarkKind.PLAN, "p")), writer)
        writer(Noted("n"))
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def places(value: object, way: tuple = ()) -> list[tuple]:
    """The way to every value inside `value`."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) \
        if isinstance(value, list) else ()  # fmt: skip
    return [found for key, item in inner for found in ((*way, key), *places(item, (*way, key)))]


@pytest.mark.parametrize("wrong", [7, 1.5, True, "x", [[]], {"a": 1}, None])
def test_a_field_of_a_wrong_type_is_a_damaged_line(tmp_path, wrong):
    path = tmp_path / "run.jsonl"
    lines = every_kind_of_line(path)
    tried = 0
    for number, line in enumerate(lines):
        for *way, last in places(line):
            damaged = json.loads(json.dumps(line))
            inner = damaged
            for key in way:
                inner = inner[key]
            may_be_null = last in ("thought", "observation", "title")
            if last in ("answer", "source", "format", "version") or type(inner[last]) is type(
                wrong
            ):
                continue  # not read, or checked before all else, or of the right type
            if (wrong is None and may_be_null) or (last == "seconds" and wrong == 7):
                continue
            inner[last] = wrong
            tried += 1
            said = [*lines[:number], damaged, *lines[number + 1 :]]
            path.write_text("".join(json.dumps(record) + "\n" for record in said))
            with pytest.raises(TraceError, match=rf"line {number + 1} of .* is damaged"):
                read(path)
    assert tried > 30


@pytest.mark.parametrize("line", ["[" * 200_000, '{"run": ' * 200_000, "[]", "7", "null", '"x"'])
def test_a_line_that_is_no_record_is_damaged(tmp_path, line):
    path = tmp_path / "run.jsonl"
    every_kind_of_line(path)
    whole = path.read_text()
    path.write_text(f"{whole}{line}\n")
    with pytest.raises(TraceError, match=rf"line {whole.count(chr(10)) + 1} of .* is damaged"):
        read(path)
