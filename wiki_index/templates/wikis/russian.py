"""Russian Wikipedia."""

from __future__ import annotations

from wiki_index.templates.citations import work
from wiki_index.templates.convert import NBSP, convert
from wiki_index.templates.lists import paragraphs
from wiki_index.templates.numbers import localised, parse_number
from wiki_index.templates.registry import Call, constants, template
from wiki_index.templates.wikis.common import (
    date_of_parts,
    first_argument,
    silent,
    words_of_languages,
)

_LANGUAGES = {
    "en": "англ.", "de": "нем.", "fr": "фр.", "la": "лат.", "it": "итал.", "es": "исп.",
    "grc": "др.-греч.", "el": "греч.", "uk": "укр.", "be": "белор.", "pl": "польск.", "ja": "яп.",
    "zh": "кит.", "ar": "араб.", "he": "ивр.", "tr": "тур.", "pt": "порт.", "nl": "нидерл.",
    "cs": "чеш.", "sv": "швед.", "fi": "фин.", "hu": "венг.", "ro": "рум.", "sr": "серб.",
    "ka": "груз.", "hy": "арм.", "kk": "каз.", "fa": "перс.", "no": "норв.", "da": "дат.",
    "ko": "кор.", "bg": "болг.", "et": "эст.", "lv": "латыш.", "lt": "лит.", "tt": "тат.",
    "az": "азерб.", "uz": "узб.", "ca": "кат.", "hr": "хорв.", "sk": "словац.", "ru": "рус.",
    "ba": "башк.", "cv": "чуваш.", "mn": "монг.", "vi": "вьетн.", "sa": "санскр.", "ga": "ирл.",
    "sq": "алб.", "mk": "макед.", "sl": "словен.", "bs": "босн.", "is": "исл.", "eu": "баск.",
    "gl": "галис.", "oc": "окс.", "ab": "абх.", "os": "осет.", "ce": "чечен.", "sah": "якут.",
    "ky": "кирг.", "tg": "тадж.", "tk": "туркм.", "hi": "хинди", "th": "тайск.", "id": "индон.",
    "ms": "малайск.", "yi": "идиш", "eo": "эспер.", "cy": "валл.", "br": "брет.", "mt": "мальт.",
    "udm": "удм.", "bo": "тиб.", "ug": "уйг.", "ku": "курд.", "ps": "пушту", "ur": "урду",
}  # fmt: skip
_MONTHS = "января февраля марта апреля мая июня июля августа сентября октября ноября декабря"

silent(
    "нет АИ|нет АИ 2|вс|значения|isbn|sfn|нп-флаг|флаг|"
    "кто?|где?|когда?|какой?|что?|прояснить|неясно|чей?|сколько?|возраст|кем?|какие?|"
    "источник?|нет источника",
    lang="ru",
)
words_of_languages("ru", {code: f"{name}{NBSP}" for code, name in _LANGUAGES.items()})
constants({"до н. э.": "до н. э.", "н. э.": "н. э.", "до н.э.": "до н. э."}, lang="ru")
constants(
    {
        "RUS": "Россия", "USSR": "СССР", "UKR": "Украина", "BLR": "Белоруссия",
        "KAZ": "Казахстан", "GER": "Германия", "FRA": "Франция", "GBR": "Великобритания",
        "USA": "США", "ITA": "Италия", "ESP": "Испания", "POL": "Польша", "CHN": "Китай",
        "JPN": "Япония", "CZE": "Чехия", "SWE": "Швеция", "FIN": "Финляндия", "NOR": "Норвегия",
        "TUR": "Турция", "GEO": "Грузия", "ARM": "Армения", "AZE": "Азербайджан",
    },
    lang="ru",
)  # fmt: skip
_NAMES = (
    "Россия", "СССР", "Украина", "Белоруссия", "Казахстан", "Германия", "Франция",
    "Великобритания", "США", "Италия", "Испания", "Польша", "Китай", "КНР", "Япония", "Чехия",
    "Швеция", "Финляндия", "Норвегия", "Турция", "Грузия", "Армения", "Азербайджан", "Австрия",
    "Бельгия", "Болгария", "Бразилия", "Венгрия", "Греция", "Дания", "Израиль", "Индия", "Канада",
    "Латвия", "Литва", "Молдавия", "Нидерланды", "Португалия", "Румыния", "Сербия", "Словакия",
    "Словения", "Узбекистан", "Хорватия", "Швейцария", "Эстония", "Югославия", "Австралия",
    "Аргентина", "Мексика", "Египет", "Иран", "РСФСР", "Российская империя", "ГДР", "ФРГ",
)  # fmt: skip
_SIGNS = {"итд": "и т. д.", "итп": "и т. п.", "начало цитаты": "\n"}
constants({name: name for name in _NAMES} | _SIGNS, lang="ru")


@template(
    "date|date2|D-|дата|датарождения|дата рождения|датасмерти|дата смерти|ДР|ДС",
    lang="ru",
)
def date(call: Call) -> str:
    """`{{дата|12|5|1900}}` is 12 мая 1900."""
    return date_of_parts(_MONTHS, " ", call.get(1), call.get(2), call.get(3))


@template("OldStyleDate|старый стиль", lang="ru")
def old_style(call: Call) -> str:
    """`{{OldStyleDate|25 мая|1900|12 мая}}` is 12 (25) мая 1900; of two months
    30 мая (12 июня) 1900."""
    new, year, old = call.get(1), call.get(2), call.get(3)
    day, _, month = new.partition(" ")
    old_day, _, old_month = old.partition(" ")
    if not old:
        return f"{new} {year}".rstrip()
    if month == old_month:
        return f"{old_day} ({day}) {month} {year}".rstrip()
    return f"{old} ({new}) {year}".rstrip()


@template("num|число|nts", lang="ru")
def quantity(call: Call) -> str:
    """`{{num|1234567|км}}`: the number grouped, its unit."""
    number = call.get(1)
    if parse_number(number) is not None:
        number = localised(number.replace(",", "."), "ru")
    return " ".join(filter(None, (number, call.get(2)))).replace(" ", NBSP)


@template("тыс|млн|млрд|трлн", lang="ru")
def large_number(call: Call) -> str:
    """`{{тыс|5}}` is 5 тыс."""
    word = {"тыс": "тыс."}.get(call.key, call.key)
    return " ".join(filter(None, (call.get(1), word, call.get(2))))


@template(
    "нп1|нп2|нп3|нп4|нп5|нп6|iw|не переведено|не переведено 2|не переведено 3|"
    "не переведено 4|не переведено 5|не переведено 6",
    lang="ru",
)
def not_yet_translated(call: Call) -> str:
    """`{{нп5|Title|label|en|Foreign}}`, `{{не переведено|есть=:en:Foreign|надо=Title}}`."""
    return call.get("текст", 2, "надо", 1)


@template("IPA|МФА", lang="ru")
def in_square_brackets(call: Call) -> str:
    text = call.get(1)
    return text if text[:1] in ("[", "/") or not text else f"[{text}]"


@template("цитата|врезка цитата|cquote|quote", lang="ru")
def quotation(call: Call) -> str:
    """A quotation, and whose it is, in paragraphs of their own."""
    author = ", ".join(filter(None, (call.get("автор", 2), call.get("источник", 3))))
    return paragraphs([call.get("текст", 1), f"— {author}" if author else ""])


@work("книга|статья|публикация", lang="ru")
def publication(call: Call) -> str:
    """`{{книга|автор=А. Ли|заглавие=Море|место=М.|издательство=Порт|год=1900}}` is
    А. Ли. Море. — М.: Порт, 1900."""
    title = " // ".join(filter(None, (call.get("заглавие"), call.get("издание"))))
    press = ": ".join(filter(None, (call.get("место"), call.get("издательство"))))
    parts = [call.get("автор"), title]
    shown = ". ".join(part.rstrip(".") for part in parts if part)
    published = ", ".join(filter(None, (press, call.get("год"))))
    return f"{shown}. — {published}." if published else shown


@template("circa|ок.", lang="ru")
def about(call: Call) -> str:
    return f"ок. {call.get(1)}".strip()


@template("конец цитаты", lang="ru")
def end_of_quotation(call: Call) -> str:
    """Whose the quotation before it is."""
    author = ", ".join(filter(None, (call.get("автор"), call.get("источник", 1))))
    return paragraphs([f"— {author}"]) if author else ""


@template("нихонго|nihongo|nihongo2|nihongo3", lang="ru")
def japanese(call: Call) -> str:
    """`{{нихонго|Башня|塔|то:}}` is Башня (яп. 塔 то:)."""
    inside = " ".join(filter(None, (call.get(2), call.get(3))))
    return f"{call.get(1)} (яп.{NBSP}{inside})".lstrip() if inside else call.get(1)


@template("китайский|lang-zh2", lang="ru")
def chinese(call: Call) -> str:
    """`{{китайский|門|门|mén|мэнь}}`: its forms, each behind its name."""
    labels = (("кит. трад.", "трад", 1), ("упр.", "упр", 2), ("пиньинь", "пиньинь", 3),
              ("палл.", "палл", 4))  # fmt: skip
    shown = ((label, call.get(name, position)) for label, name, position in labels)
    return ", ".join(f"{label} {text}" for label, text in shown if text)


@template("ударение|уд|акут", lang="ru")
def stressed(call: Call) -> str:
    """A vowel with its stress: `зам{{ударение|о}}к`."""
    return call.get(1) + "\N{COMBINING ACUTE ACCENT}"


template(
    "s|nobr|число2|год|рег|начало цитаты2|ссылка|nobr2|подст|флагификация|unicode|rp2|"
    "comment|СС|СС2|СС3|аббр|подсказка",
    lang="ru",
)(first_argument)


@template("convert|cvt", lang="ru")
def convert_by_symbols(call: Call) -> str:
    """A measurement and its conversion, by symbols, in the wiki's own numbers."""
    named = {**call.named, "abbr": "on"}
    return convert(Call("convert", call.positional, named)).replace(".", ",")
