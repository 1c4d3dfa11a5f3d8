from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wiki_index.titles import fold, normalise


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("abraham lincoln", "Abraham lincoln"),
        ("Abraham_Lincoln", "Abraham Lincoln"),
        ("  Abraham \t  Lincoln_", "Abraham Lincoln"),
        ("Abraham\u00a0Lincoln\u3000", "Abraham Lincoln"),
        (":Abraham Lincoln", "Abraham Lincoln"),
        ("Abraham Lincoln#Early life", "Abraham Lincoln"),
        ("S%C3%B8rv%C3%A1gsvatn", "Sørvágsvatn"),
        ("100% Wool", "100% Wool"),
        ("100%ff", "100%ff"),
        ("AT&amp;T", "AT&T"),
        ("\u200eHaifa\u200f", "Haifa"),
        ("e\u0301clair", "Éclair"),
        ("ßeta", "ßeta"),
        ("თბილისი", "თბილისი"),
        ("東京", "東京"),
        ("", ""),
    ],
)
def test_normalise_is_mediawikis(written: str, normal: str) -> None:
    assert normalise(written) == normal


def test_a_case_sensitive_wiki_keeps_the_first_letter() -> None:
    assert normalise("iPod", "case-sensitive") == "iPod"


@given(st.text("aBé 0(–_:", max_size=12))
def test_a_section_changes_no_title(title: str) -> None:
    assert normalise(title) == normalise(f"{title}#A section")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ångström", "angstrom"),
        ("Þingvellir", "thingvellir"),
        ("Sørvágsvatn", "SORVAGSVATN"),
        ("Straße", "STRASSE"),
        ("Łódź", "lodz"),
        ("Đà Nẵng", "da nang"),
        ("İstanbul", "istanbul"),
        ("Isparta", "ısparta"),
        ("AC/DC", "ac dc"),
        ("Spider-Man", "spider man"),
        ("Woman's Era", "Womans Era"),
        ("J. R. R. Tolkien", "JRR Tolkien"),
        ("J.R.R. Tolkien", "j r r tolkien"),
        ("U.S. Navy", "US Navy"),
        ("Ёлка", "елка"),
        ("Ελλάδα", "ελλαδα"),
        ("שָׁלוֹם", "שלום"),
        ("ＡＢＣ", "abc"),
        ("Who Framed Roger Rabbit?", "who framed roger rabbit"),
    ],
)
def test_spellings_of_one_title_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("が", "か"),
        ("हिन्दी", "हन्द"),
        ("東京", "京都"),
        ("!!!", "???"),
        ("C 1", "C 2"),
        ("한국", "한글"),
    ],
)
def test_different_titles_of_other_scripts_stay_apart(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@settings(max_examples=60)
@given(st.text(max_size=40))
def test_both_are_stable(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(text.replace(" ", "_")) == fold(text)
    once = normalise(text, "case-sensitive")
    if not any(c in once for c in "&%:#"):
        assert normalise(once, "case-sensitive") == once
