"""Text from outside becomes one harmless line and is otherwise left alone."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammars import LABEL
from react_local.sanitise import sanitise

SPICE = st.sampled_from(
    ["Thought 1:", "Action 12 :", "Question:", "Claim 3:", "\n", "\u202e", "\0"]
)


@settings(max_examples=150)
@given(st.lists(st.one_of(st.text(), SPICE)).map("".join))
def test_always_one_line_without_labels_or_controls_and_stable(text):
    line = sanitise(text)
    assert len(line.splitlines()) <= 1
    assert not LABEL.search(line)
    assert all(unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in line)
    assert sanitise(line) == line


@pytest.mark.parametrize(
    "text",
    [
        "Tórshavn, the capital of the Faroe Islands (pop. 14,000): a town.",
        "東京は日本の首都である。",
        "می\u200cخواهم",  # the joiner spells the word
        "👩\u200d🚀 flew",
        "In action: Search[x] is no label, nor is a thought of 3.",
    ],
)
def test_common_text_is_left_as_it_is(text):
    assert sanitise(text) == unicodedata.normalize("NFC", text)


def test_labels_stay_readable():
    assert sanitise("Action 1: Search[x]") == "Action 1： Search[x]"


def test_unpaired_surrogates_go():
    assert sanitise("a\ud800b") == "ab"
