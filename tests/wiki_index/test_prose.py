from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wiki_index.marks import DROPPED, Stash
from wiki_index.normal_form import nfc
from wiki_index.prose import _HARMLESS, clean


@given(st.text(f"a. ,(){DROPPED}[;'", max_size=16))
def test_a_harmless_mark_leaves_nothing_to_be_mended(line: str) -> None:
    stash = Stash("literal")
    assert clean(_HARMLESS.sub("", line), stash) == clean(line, stash)


def test_what_is_left_of_a_dropped_beginning_or_bracket_goes_with_it() -> None:
    stash = Stash("literal")
    for line, shown in {
        f"{DROPPED}.{DROPPED} Here": "Here",
        f"{DROPPED};.{DROPPED}{DROPPED} Here": "Here",
        f"{DROPPED}.{DROPPED}com": ".com",
        f"( {DROPPED}){DROPPED} Here": "Here",
        f"Rome ( {DROPPED}) lies": "Rome lies",
    }.items():
        assert clean(line, stash) == shown


def test_long_runs_of_combining_marks_are_divided() -> None:
    acute, grave_below = "\u0301", "\u0316"
    assert nfc("e" + acute) == "é"
    assert nfc("x" + (acute + grave_below) * 15) == "x" + grave_below * 15 + acute * 15
    shown = nfc("x" + (acute + grave_below) * 100)
    assert shown.replace("\u034f", "").count(acute) == 100
    assert shown == nfc(shown)
