"""What several wikis do alike: words with the name of their language, templates that show none."""

from __future__ import annotations

from collections.abc import Mapping

from wiki_index.templates.registry import Call, constants, template


def words_of_languages(lang: str, labels: Mapping[str, str], form: str = "lang-{}") -> None:
    """Register `form` for each code of `labels` as a word behind its label; ``lang-…`` with any
    other code as the word alone."""
    for code, label in labels.items():

        def word(call: Call, label: str = label) -> str:
            return label + call.get(1) if call.get(1) else ""

        template(form.format(code), lang=lang)(word)
    if form == "lang-{}":
        template("lang-*", lang=lang)(first_argument)


def silent(names: str, lang: str) -> None:
    """Register templates, parted by ``|``, that show nothing."""
    constants(dict.fromkeys(names.split("|"), ""), lang=lang)


def countries(lang: str, names: Mapping[str, str]) -> None:
    """Register a country's code as its name, and `{{flag|code}}` too."""
    constants(names, lang=lang)

    @template("flag|flagcountry|flagu|flag2|country", lang=lang)
    def flag(call: Call) -> str:
        return call.get("name") or names.get(call.get(1).upper(), call.get(1))


def first_argument(call: Call) -> str:
    """The first argument, or the text or label that is to be shown for it."""
    return call.get("label", "texte", "text", "label2", 1)


def second_argument(call: Call) -> str:
    """The text after a style or a language."""
    return call.get("texte", "text", 2)


def people(call: Call, whole: str, first: str = "", last: str = "") -> list[str]:
    """The names in `whole`, `whole2`, … or in `first` and `last` with the same numbers."""
    shown = []
    for number in ("", *map(str, range(1, 10))):
        parts = (call.get(first + number), call.get(last + number)) if first else ()
        name = call.get(whole + number) or " ".join(filter(None, parts))
        shown += [name] if name else []
    return shown


def date_of_parts(months: str, joint: str, day: str, month: str, year: str) -> str:
    """A date of its parts, the month perhaps by its number."""
    if month.isdecimal() and 1 <= int(month) <= 12:
        month = months.split()[int(month) - 1]
    return joint.join(filter(None, (day.lstrip("0"), month, year)))
