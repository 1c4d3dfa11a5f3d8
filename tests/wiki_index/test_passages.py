from __future__ import annotations

from wiki_index import WikiIndex
from wiki_index.passages import stretches
from wiki_index.sentences import split
from wiki_index.types import Article, Section


def _article(*sections: tuple[str, int]) -> Article:
    made = tuple(
        Section(heading, 2, tuple(" ".join(_sentence(i + k) for k in range(3)) for i in range(n)))
        for heading, n in sections
    )
    return Article("Harbour", "article", made)


def _sentence(number: int) -> str:
    return f"The ferry number {number} crosses the cold sound twice on every day of the week."


def test_passages_are_whole_sentences_of_one_section_and_lose_none() -> None:
    article = _article(("", 1), ("History", 9), ("Trade", 4))
    found = stretches(article)
    assert {s.section for s in found} == {"", "History", "Trade"}
    sentences = [s for p in article.text.split("\n") for s in split(p)]
    assert [s for stretch in found for s in split(stretch.text)] == sentences


def test_passages_are_about_a_hundred_words() -> None:
    sizes = [len(s.text.split()) for s in stretches(_article(("", 30)))]
    assert len(sizes) > 5
    assert all(95 <= size <= 145 for size in sizes[:-1])
    assert sizes[-1] >= 30


def test_an_article_without_prose_has_none() -> None:
    assert stretches(Article("Nothing", "article", ())) == []


def test_bm25_stems_and_names_the_section() -> None:
    pages = {
        "Lamp": "A '''lamp''' gives light.\n\n== Fuel ==\nWhales were hunted for the oil of lamps.",
        "Whale": "A '''whale''' is a mammal of the sea.",
    }
    with WikiIndex.from_pages(pages) as index:
        best = index.retrieve("hunting of whales for oil")[0]
        assert (best.title, best.section) == ("Lamp", "Fuel")
        assert best.text == "Whales were hunted for the oil of lamps."
        assert index.retrieve("") == []
        assert index.retrieve("§ ...") == []
        assert index.retrieve("xylophone") == []
        assert len(index.retrieve("lamp whale", k=1)) == 1


def test_languages_without_blanks_are_found_by_pairs_of_characters() -> None:
    pages = {"東京": "'''東京'''は日本の首都である。", "京都": "'''京都'''は古い都である。"}
    with WikiIndex.from_pages(pages, lang="ja") as index:
        assert index.retrieve("日本の首都")[0].title == "東京"


def test_scores_fall() -> None:
    pages = {f"Page {i}": "The gull " + "and the lamp " * i + "stood." for i in range(1, 9)}
    with WikiIndex.from_pages(pages) as index:
        scores = [p.score for p in index.retrieve("gull lamp", k=5)]
        assert len(scores) == 5
        assert scores == sorted(scores, reverse=True)
