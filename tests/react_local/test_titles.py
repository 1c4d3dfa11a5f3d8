"""What could be searched for next: titles near the question, the thought and the open page."""

from __future__ import annotations

import pytest

from react_local.environments import Offering, WikipediaEnvironment
from react_local.types import Action, ActionName
from wiki_index import WikiIndex

QUESTION = "How many people live in the town of the island east of Alder Sound?"


def search(environment: WikipediaEnvironment, entity: str) -> None:
    environment.act(Action(ActionName.SEARCH, entity))


def test_titles_in_the_question_are_offered_the_longest_first(environment):
    assert environment.offers(QUESTION).question == ("Alder Sound",)


@pytest.mark.parametrize(
    ("thought", "titles"),
    [
        ("I search Brae and then alder, so I search Port Alder.", {"Brae", "Port Alder"}),
        ("The strait's name is Sund.", {"Alder Sound"}),  # a redirect
        ("It lies on Brae's coast", {"Brae"}),
        ("brae", set()),
        ("", set()),
    ],
)
def test_titles_in_the_thought_are_offered(environment, thought, titles):
    assert set(environment.offers(QUESTION, thought).thought) == titles


def test_a_guess_is_itself_or_what_is_most_like_it(environment):
    assert environment.offers(QUESTION, guess="port alder").guess == ("Port Alder",)
    assert environment.offers(QUESTION, guess="Alder Sond").guess[0] == "Alder Sound"


def test_links_of_the_open_page_are_offered_nearest_the_question_first(environment):
    assert environment.offers(QUESTION).links == ()
    search(environment, "Alder Sound")
    assert set(environment.offers(QUESTION).links) == {"Alder", "Brae"}
    assert environment.offers("What is the height of the hill of Brae?").links == ("Brae", "Alder")


def test_what_a_miss_named_is_offered_until_the_next_action(environment):
    search(environment, "Alder (disambiguation)")
    assert environment.offers(QUESTION).similar == ("Alder", "Alder Sound")
    search(environment, "Brae")
    assert environment.offers(QUESTION).similar == ()


def test_whatever_is_offered_opens_a_page(environment, wiki: WikiIndex):
    search(environment, "Strait of Alder")
    offers = environment.offers(QUESTION, "Is it Alder (disambiguation), Sund or Nowhere?", "Alde")
    assert offers.all
    for title in offers.all:
        assert wiki.search(title).title == title


def test_titles_are_offered_as_one_may_write_them():
    pages = {"Thought 1: one\u200e": "'''One''' is a film.", "Two": "[[Thought 1: one\u200e]]"}
    with WikiIndex.from_pages(pages) as index:
        environment = WikipediaEnvironment(index)
        search(environment, "Two")
        assert environment.offers("What is Two?").links == ("Thought 1： one",)
        told = environment.act(Action(ActionName.SEARCH, "Thought 1： one"))
        assert told.text == "One is a film."


def test_where_nothing_else_is_left_others_are_offered(environment, wiki: WikiIndex):
    offers = environment.offers("東京?", "", "Zyx")
    assert offers.all == ()
    assert set(offers.others) == {"Alder Sound", "Alder", "Brae", "Port Alder"}


def test_the_wikipedia_environment_can_offer(environment):
    assert isinstance(environment, Offering)
