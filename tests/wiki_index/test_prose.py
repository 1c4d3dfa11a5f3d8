from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wiki_index.marks import DROPPED, Stash
from wiki_index.prose import _HARMLESS, clean


@given(st.text(f"a. ,(){DROPPED}[;'", max_size=16))
def test_a_harmless_mark_leaves_nothing_to_be_mended(line: str) -> None:
    stash = Stash("literal")
    assert clean(_HARMLESS.sub("", line), stash) == clean(line, stash)
