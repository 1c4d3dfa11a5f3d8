"""The commands over an index: what they print, and how they fail."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from a_run import write_dump
from click.testing import CliRunner, Result

from react_local.cli import main
from react_local.cli.build_progress import _Lines, _Pace
from react_local.cli.doctor import _vectors
from react_local.cli.index import SIZE
from react_local.home import Home
from wiki_index import Progress, encoder

COUNTS = {"articles": 4, "redirects": 1, "disambiguations": 1}
CONTRACT = {*COUNTS, "passages", "dump", "bytes", "seconds", "skipped"}


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def failed(result: Result, code: int = 1) -> str:
    """The one line that a failed command says."""
    assert result.exit_code == code
    assert result.stdout == ""
    (line,) = [line for line in result.stderr.splitlines() if not line.startswith("pages: ")]
    assert line.startswith("react-local: ")
    return line


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wiki")
    dump = write_dump(place / "alder.xml.bz2")
    assert call("build-index", dump, "--out", place / "index", "--no-dense").exit_code == 0
    return place / "index"


@pytest.mark.parametrize("name", ["alder.xml", "alder.xml.bz2"])
def test_build_index_prints_the_contracts_json_and_is_the_default_from_then_on(tmp_path, name):
    dump = write_dump(tmp_path / name)
    result = call("build-index", dump, "--out", tmp_path / "i", "--no-dense", "--json")
    told = json.loads(result.stdout)
    assert told.keys() >= CONTRACT
    assert {key: told[key] for key in COUNTS} == COUNTS
    assert told["dump"] == name
    assert Home.find().index() == tmp_path / "i"


def test_build_index_says_how_far_it_is_on_standard_error(tmp_path):
    dump = write_dump(tmp_path / "alder.xml")
    result = call("build-index", dump, "--out", tmp_path / "i", "--no-dense")
    assert "pages: " in result.stderr
    assert result.stdout.startswith("4 articles, 1 redirects, 1 disambiguation pages, ")


def test_a_plain_progress_line_comes_with_each_stage_and_seldom_else(capsys):
    lines = _Lines()
    for stage, articles in (("pages", 100), ("pages", 150), ("pages", 200), ("passages", 200)):
        lines(Progress(stage, 0.5, articles, 300, 10, 20, 2.0))
    assert capsys.readouterr().err.splitlines() == [
        "pages: 50%, 100 articles",
        "passages: 50%, 200 articles",
    ]


def test_the_pace_is_that_of_this_run_alone():
    pace = _Pace()
    assert pace(Progress("pages", 0.1, 1_000, 1_000, 10, 100, 0.0)) == "1,000 articles"
    assert pace(Progress("pages", 0.2, 1_500, 1_500, 20, 100, 2.0)) == (
        "1,500 articles, 250 articles/s, 0.0 MB/s"
    )


def test_build_index_reads_standard_input(tmp_path):
    dump = write_dump(tmp_path / "alder.xml").read_bytes()
    done = CliRunner().invoke(
        main, ["build-index", "-", "--out", str(tmp_path / "i"), "--no-dense", "--json"], input=dump
    )
    told = json.loads(done.stdout)
    assert {key: told[key] for key in COUNTS} == COUNTS
    assert told["dump"] == "standard input"


def test_progress_for_a_program(tmp_path):
    dump = write_dump(tmp_path / "alder.xml")
    result = call("build-index", dump, "--out", tmp_path / "i", "--no-dense", "--json-progress")
    lines = [line for line in result.stderr.splitlines() if line.startswith("{")]
    told = [json.loads(line) for line in lines]
    assert [line["stage"] for line in told][-1] == "passages"
    fields = {"stage", "fraction", "articles", "pages", "bytes_read", "bytes_total", "seconds"}
    assert all(line.keys() == fields | {"memory"} for line in told)


def test_a_damaged_dump_is_exit_code_1_until_the_damage_is_accepted(tmp_path):
    dump = write_dump(tmp_path / "alder.xml")
    whole = dump.read_bytes()
    cut = whole.rindex(b"<page>") + 9
    dump.write_bytes(whole[:cut])
    command = ("build-index", dump, "--out", tmp_path / "i", "--no-dense")
    line = failed(call(*command))
    assert f"alder.xml at byte {cut:,}" in line
    assert "--accept-damage" in line
    accepted = call(*command, "--accept-damage")
    assert accepted.exit_code == 0
    assert f"note: Damage: alder.xml at byte {cut:,}" in accepted.stdout
    assert json.loads(call("info", tmp_path / "i", "--json").stdout)["damage"]


def test_update(tmp_path):
    dump = write_dump(tmp_path / "alder.xml")
    assert call("build-index", dump, "--out", tmp_path / "i", "--no-dense").exit_code == 0
    (tmp_path / "new.xml").write_bytes(dump.read_bytes().replace(b"321", b"322"))
    told = json.loads(call("update", tmp_path / "i", tmp_path / "new.xml", "--json").stdout)
    assert {key: told[key] for key in COUNTS} == COUNTS
    assert "build-index" in failed(call("update", tmp_path / "none", dump))


@pytest.mark.parametrize(
    ("said", "meant"), [("4G", 4 << 30), ("700M", 700 << 20), ("1.5GiB", 3 << 29), ("123", 123)]
)
def test_sizes(said, meant):
    assert SIZE.convert(said, None, None) == meant


def test_a_size_that_is_none_is_wrong_usage(tmp_path):
    result = call("build-index", tmp_path / "d", "--out", tmp_path / "i", "--memory", "lots")
    assert result.exit_code == 2
    assert "not a number of bytes" in result.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("search", " "),
        ("lookup", "", "ferry"),
        ("lookup", "Brae", "\t"),
        ("retrieve", ""),
        ("wiki", "\u3000"),
    ],
)
def test_a_blank_query_is_wrong_usage(index, words):
    name, *rest = words
    result = call(name, index, *rest)
    assert result.exit_code == 2
    assert "it is blank: say what to look for" in result.stderr


@pytest.mark.parametrize(
    "query", ["!?", "\0", "\u202eearB", "東京都立大学", "😀", "\udc80", "sea " * 25_000]
)
def test_every_query_is_answered(index, query):
    for name in ("search", "retrieve"):
        result = call(name, index, query)
        assert result.exit_code == 0
        assert result.stdout
    assert call("lookup", index, "Brae", query).stdout == "No results.\n"
    assert "no page" in failed(call("lookup", index, query, "ferry"))
    assert "no page" in failed(call("wiki", index, query))


@pytest.mark.parametrize(
    "command",
    [
        ("build-index", "d.xml", "--out", ""),
        ("build-index", "", "--out", "i"),
        ("build-index", "d.xml", "--out", "i", "--multistream-index", ""),
        ("update", "", "d.xml"),
        ("update", "i", ""),
        ("info", ""),
        ("verify", ""),
        ("search", "", "Brae"),
        ("retrieve", "", "Brae"),
        ("lookup", "", "Brae", "hill"),
        ("sample", ""),
    ],
)
def test_an_empty_path_is_wrong_usage(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = call(*command)
    assert result.exit_code == 2
    assert "is empty" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_index_is_not_replaced_without_being_told(tmp_path, index):
    dump = write_dump(tmp_path / "alder.xml")
    assert "--fresh" in failed(call("build-index", dump, "--out", index, "--no-dense"))
    again = call("build-index", dump, "--out", tmp_path / "i", "--no-dense")
    assert again.exit_code == 0
    assert (
        call("build-index", dump, "--out", tmp_path / "i", "--no-dense", "--fresh").exit_code == 0
    )


def test_info_and_verify(index):
    told = json.loads(call("info", index, "--json").stdout)
    assert told.keys() >= CONTRACT
    assert call("info", index).stdout.startswith("4 articles, ")
    assert call("verify", index).stdout.endswith(" parts match their checksums.\n")


def test_search_prints_the_contracts_json(index):
    told = json.loads(call("search", index, "alder_sound", "--json").stdout)
    assert told["query"] == "alder_sound"
    assert (told["title"], told["similar"]) == ("Alder Sound", [])
    assert told["sentences"][0] == "Alder Sound is a strait."
    assert json.loads(call("search", index, "Sund", "--json").stdout)["via"] == "redirect"
    missed = json.loads(call("search", index, "Alder Sond", "--json").stdout)
    assert (missed["title"], missed["via"], missed["sentences"]) == (None, None, [])
    assert missed["similar"][0] == "Alder Sound"


def test_search_for_a_person(index):
    assert call("search", index, "Brae").stdout == (
        "Brae (exact)\nBrae is an island west of Alder.\nIts hill is 321 metres high.\n"
    )
    missed = call("search", index, "Alder Sond")
    assert missed.exit_code == 0
    assert missed.stdout.startswith("Could not find 'Alder Sond'. Similar:\n  Alder Sound\n")


def test_lookup(index):
    sentences = ["The first ferry sailed in 1921.", "The last steam ferry sailed in 1957."]
    assert json.loads(call("lookup", index, "Alder Sound", "ferry", "--json").stdout) == sentences
    assert call("lookup", index, "alder sound", "FERRY").stdout == (
        f"(Result 1 / 2) {sentences[0]}\n(Result 2 / 2) {sentences[1]}\n"
    )
    assert json.loads(call("lookup", index, "Brae", "ferry", "--json").stdout) == []
    assert call("lookup", index, "Brae", "ferry").stdout == "No results.\n"
    assert "Similar: 'Brae'." in failed(call("lookup", index, "Braee", "ferry"))
    assert "no page 'Xyzzy'" in failed(call("lookup", index, "Xyzzy", "ferry"))


def test_retrieve(index):
    told = json.loads(call("retrieve", index, "steam ferry", "-k", 2, "--json").stdout)
    assert told[0].keys() >= {"title", "text", "score"}
    assert told[0]["title"] == "Alder Sound"
    assert len(told) <= 2
    assert "1957" in call("retrieve", index, "steam ferry").stdout
    assert "no vectors" in failed(call("retrieve", index, "ferry", "--mode", "dense"))


def test_an_index_is_found_by_its_name_in_the_home_directory(index, monkeypatch, tmp_path):
    home = Home.find()
    home.indexes.mkdir(parents=True)
    (home.indexes / "alder").symlink_to(index)
    assert call("search", "alder", "Brae").exit_code == 0


@pytest.mark.parametrize(
    "command", [("info",), ("verify",), ("search",), ("lookup", "a"), ("retrieve",)]
)
def test_what_is_no_index_is_one_clear_line(tmp_path, command):
    name, *rest = command
    rest += ["x"] * (name not in ("info", "verify"))
    assert "no index" in failed(call(name, tmp_path / "none", *rest))
    assert "index" in failed(call(name, tmp_path, *rest))


def test_an_index_that_is_being_built_is_said_to_be(tmp_path):
    (tmp_path / "i.building").mkdir()
    assert "built" in failed(call("info", tmp_path / "i"))


def test_an_index_of_another_version_is_said_to_be(index, tmp_path):
    copy = shutil.copytree(index, tmp_path / "copy")
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "format": 99}))
    assert "99" in failed(call("info", copy))


def test_a_damaged_index_is_named(index, tmp_path):
    copy = shutil.copytree(index, tmp_path / "copy")
    part = copy / "pages.db"
    whole = part.read_bytes()
    part.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert "pages.db" in failed(call("verify", copy))
    part.unlink()
    assert "pages.db" in failed(call("search", copy, "Brae"))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello, world\n" * 100,
        b"<html><body>hello</body></html>",
        b"BZh9" + b"\0" * 100,
        b"\x1f\x8b\x08" + b"\0" * 100,
    ],
    ids=["empty", "text", "html", "bz2", "gzip"],
)
@pytest.mark.parametrize("name", ["dump.xml", "dump.xml.bz2"])
def test_what_is_no_dump_is_one_clear_line_and_leaves_no_index(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    failed(call("build-index", tmp_path / name, "--out", tmp_path / "i", "--no-dense"))
    assert not (tmp_path / "i").exists()


def test_a_missing_dump_and_a_directory_are_one_clear_line(tmp_path):
    failed(call("build-index", tmp_path / "none.xml", "--out", tmp_path / "i"))
    failed(call("build-index", tmp_path, "--out", tmp_path / "i"))


def test_a_truncated_dump_leaves_no_index(tmp_path):
    dump = write_dump(tmp_path / "alder.xml.bz2")
    dump.write_bytes(dump.read_bytes()[:-60])
    failed(call("build-index", dump, "--out", tmp_path / "i", "--no-dense"))
    assert not (tmp_path / "i").exists()


def test_sample_writes_a_dump_that_builds(tmp_path):
    result = call("sample", tmp_path)
    assert result.exit_code == 0
    dump = Path(result.stdout.strip())
    assert dump.name == "sample-multistream.xml.bz2"
    questions = [
        json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()
    ]
    claims = [json.loads(line) for line in (tmp_path / "claims.jsonl").read_text().splitlines()]
    assert len(questions) >= 40
    assert len(claims) >= 20
    assert questions[0].keys() >= {"id", "question", "answer"}


def test_doctor_finds_the_model_that_an_index_has_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path.resolve()
    manifest = SimpleNamespace(vectors={"model": str(place / "gone")})
    assert not _vectors(place, manifest).ok
    (place / "leads.encoder").mkdir()
    monkeypatch.setattr(encoder, "is_quick", lambda model: model == place / "leads.encoder")
    check = _vectors(place, manifest)
    assert (check.ok, "ONNX Runtime" in check.text) == (True, True)
