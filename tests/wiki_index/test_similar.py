"""Similar titles under the edits that people and models make. Titles are those of the sample."""

from __future__ import annotations

import random
import signal
import string
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from wiki_index import WikiIndex
from wiki_index.sample import sample_pages
from wiki_index.similar import Key, TitleIndex, _rarest, closeness, grams


@pytest.fixture(scope="module")
def index() -> Iterator[WikiIndex]:
    with WikiIndex.from_pages({page.title: page.text for page in sample_pages()}) as index:
        yield index


def _typo(title: str, rng: random.Random) -> str:
    at = rng.randrange(len(title))
    letter = rng.choice(string.ascii_lowercase)
    kind = rng.randrange(4)
    if kind == 0:
        return title[:at] + title[at + 1 :]
    if kind == 1:
        return title[:at] + letter + title[at:]
    if kind == 2:
        return title[:at] + letter + title[at + 1 :]
    return title[:at] + title[at + 1 : at + 2] + title[at : at + 1] + title[at + 2 :]


def _swapped(title: str, rng: random.Random) -> str:
    words = title.split()
    rng.shuffle(words)
    return " ".join(words)


def _one_more(title: str, rng: random.Random) -> str:
    words = title.split()
    words.insert(rng.randrange(len(words) + 1), rng.choice(["the", "of", "great", "story"]))
    return " ".join(words)


def _plural(title: str, rng: random.Random) -> str:
    return title[:-1] if title.endswith("s") else title + "s"


def _glossed(title: str, rng: random.Random) -> str:
    return title.partition(" (")[0] + rng.choice([" (film)", " (place)", " (person)"])


def _joined(title: str, rng: random.Random) -> str:
    return title.replace(" ", "")


@pytest.mark.parametrize(
    ("edit", "least"),
    [
        (_typo, 0.97),
        (_swapped, 0.99),
        (_one_more, 0.99),
        (_plural, 0.99),
        (_glossed, 0.97),
        (_joined, 0.97),
    ],
)
def test_the_title_is_among_five_after_an_edit(
    index: WikiIndex, edit: Callable[[str, random.Random], str], least: float
) -> None:
    rng = random.Random(11)
    pages = [p for p in sample_pages() if p.redirect is None and len(p.title) > 3]
    found = [page.title in index.similar(edit(page.title, rng)) for page in pages]
    assert sum(found) / len(found) >= least


def test_never_the_same_page_twice_and_never_a_redirect() -> None:
    pages = {
        "Tokyo": "'''Tokyo''' is a city.",
        "Tokio": "#REDIRECT [[Tokyo]]",
        "Tokyo City": "#REDIRECT [[Tokyo]]",
        "Tokyo Bay": "'''Tokyo Bay''' is a bay.",
    }
    with WikiIndex.from_pages(pages) as index:
        assert index.similar("Tokyoo") == ["Tokyo", "Tokyo Bay"]
        assert index.similar("Tokio City Centre")[0] == "Tokyo"


def test_of_titles_as_close_the_longer_page_comes_first() -> None:
    pages = {
        "Mary Lincoln": "'''Mary''' was.",
        "Abraham Lincoln": "'''Abraham''' was. " + "He did a great many things. " * 200,
        "Lincoln Park": "'''Lincoln Park''' is.",
    }
    with WikiIndex.from_pages(pages) as index:
        assert index.similar("Lincoln")[0] == "Abraham Lincoln"


@pytest.mark.parametrize("query", ["😀", "-", "?", "\ud800", "xyzzyqwert", "c++", "q"])
def test_titles_that_share_nothing_are_not_similar(index: WikiIndex, query: str) -> None:
    assert index.similar(query) == []
    assert index.search(query).similar == ()


def test_what_begins_a_word_is_similar_however_long_the_title() -> None:
    titles = ["Xenophanes of Kolophon", "東京都立大学付属高等学校", "Comet"]
    with WikiIndex.from_pages({title: f"{title} is." for title in titles}) as index:
        assert index.similar("Xeno") == index.similar("kolo") == titles[:1]
        assert index.similar("東京") == titles[1:2]


@pytest.mark.parametrize(
    ("others", "query", "asked"),
    [(12, "River Avon 7", 0), (12, "River Avom 7", 1), (3, "River Avon 2", 1)],
)
def test_letters_are_asked_for_unless_words_find_a_certain_title_and_enough_others(
    others: int, query: str, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters = TitleIndex.by_letters
    queries: list[str] = []

    def counted(titles: TitleIndex, query: str) -> dict[int, float]:
        queries.append(query)
        return letters(titles, query)

    monkeypatch.setattr(TitleIndex, "by_letters", counted)
    with WikiIndex.from_pages({f"Avon {n} River": "A river." for n in range(others)}) as index:
        assert index.similar(query)[0] == f"Avon {query[-1]} River"
    assert len(queries) == asked


def test_at_most_as_many_as_asked(index: WikiIndex) -> None:
    assert len(index.similar("the sea", k=3)) == 3
    assert index.similar("") == []
    assert index.similar("zzzzqqqq xxyyzz") == []


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Hamlet (1996 film)", Key("hamlet", "1996 film")),
        ("Springfield, Illinois", Key("springfield", "illinois")),
        ("Earth, Wind, and Fire", Key("earth wind", "and fire")),
        ("(What's the Story)", Key("whats the story")),
        ("Tokyo", Key("tokyo")),
        ("", Key("")),
    ],
)
def test_the_gloss_is_kept_apart(title: str, key: Key) -> None:
    assert Key.of(title) == key


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("Hamlet", "Hamlet (play)", "Hamlet Prince of Denmark"),
        ("Hamlet (opera)", "Hamlet (play)", "Otello (opera)"),
        ("Lincoln, Abraham", "Abraham Lincoln", "Lincoln, Nebraska"),
        ("Marie Cury", "Marie Curie", "Marie"),
        ("Mercury (Planet)", "Mercury (planet)", "Mercury (god)"),
    ],
)
def test_closeness_is_what_a_reader_means(query: str, better: str, worse: str) -> None:
    wanted = Key.of(query)
    assert closeness(wanted, Key.of(better)) > closeness(wanted, Key.of(worse))


def test_grams_mark_where_words_begin() -> None:
    assert grams("aba ab") == ["_ab", "aba", "ba_", "a_a", "ab_"]
    assert grams("東京") == ["_東京", "東京_"]
    assert grams("c") == ["_c_"]


@pytest.mark.parametrize(
    ("titles", "rarest"),
    [(0, ["c"]), (9, ["c", "a"]), (14, ["c", "a", "d"]), (99, ["c", "a", "d"])],
)
def test_common_terms_are_left_out_once_enough_titles_are_read(
    titles: int, rarest: list[str]
) -> None:
    known = [(5, "a"), (80, "b"), (1, "c"), (8, "d")]
    assert _rarest(known, 1, 3, titles) == rarest


def test_an_interrupted_search_leaves_no_thread_behind(
    index: WikiIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread in native code that outlives Python's end aborts the process."""
    ended = []

    def near(_: str) -> dict[int, float]:
        time.sleep(0.2)  # By now the main thread waits.
        signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)
        time.sleep(0.2)
        ended.append(True)
        return {}

    monkeypatch.setattr(index, "_near", near)
    before = signal.signal(signal.SIGUSR1, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            index.similar("Feroe Islnds")
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert ended
