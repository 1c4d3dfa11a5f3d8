"""German Wikipedia."""

from __future__ import annotations

from wiki_index.templates.citations import work
from wiki_index.templates.lists import lines, paragraphs
from wiki_index.templates.numbers import localised
from wiki_index.templates.registry import Call, template
from wiki_index.templates.wikis.common import (
    date_of_parts,
    first_argument,
    second_argument,
    silent,
    words_of_languages,
)

_LANGUAGES = {
    "en": "englisch", "fr": "französisch", "la": "lateinisch", "el": "griechisch",
    "it": "italienisch", "grc": "altgriechisch", "ru": "russisch", "es": "spanisch",
    "pl": "polnisch", "cs": "tschechisch", "ar": "arabisch", "he": "hebräisch", "ja": "japanisch",
    "zh": "chinesisch", "nl": "niederländisch", "pt": "portugiesisch", "tr": "türkisch",
    "uk": "ukrainisch", "hu": "ungarisch", "sv": "schwedisch", "da": "dänisch", "fa": "persisch",
    "sr": "serbisch", "hr": "kroatisch", "ko": "koreanisch", "sa": "Sanskrit",
    "bg": "bulgarisch", "fi": "finnisch", "ca": "katalanisch", "ka": "georgisch", "hy": "armenisch",
    "et": "estnisch", "lv": "lettisch", "lt": "litauisch", "sk": "slowakisch", "sl": "slowenisch",
    "sq": "albanisch", "mk": "mazedonisch", "be": "belarussisch", "eu": "baskisch", "ga": "irisch",
    "gd": "schottisch-gälisch", "cy": "walisisch", "vi": "vietnamesisch", "th": "thailändisch",
    "no": "norwegisch", "is": "isländisch", "bs": "bosnisch", "lb": "luxemburgisch",
    "af": "afrikaans", "ang": "altenglisch", "az": "aserbaidschanisch", "bn": "bengalisch",
    "br": "bretonisch", "dsb": "niedersorbisch", "eo": "Esperanto", "fo": "färöisch",
    "frr": "nordfriesisch", "fur": "furlanisch", "fy": "westfriesisch", "gl": "galicisch",
    "gsw": "schweizerdeutsch", "haw": "hawaiisch", "hi": "Hindi", "hsb": "obersorbisch",
    "id": "indonesisch", "kk": "kasachisch", "kl": "grönländisch", "km": "Khmer", "ku": "kurdisch",
    "ky": "kirgisisch", "lo": "laotisch", "mi": "Maori", "mn": "mongolisch", "ms": "malaiisch",
    "mt": "maltesisch", "my": "birmanisch", "nds": "niederdeutsch", "ne": "Nepali",
    "non": "altnordisch", "oc": "okzitanisch", "ps": "paschtunisch", "rm": "rätoromanisch",
    "ro": "rumänisch", "sco": "Scots", "se": "nordsamisch", "sh": "serbokroatisch",
    "sw": "Suaheli", "ta": "Tamil", "te": "Telugu", "tg": "tadschikisch", "tk": "turkmenisch",
    "tl": "Tagalog", "tt": "tatarisch", "ur": "Urdu", "uz": "usbekisch", "yi": "jiddisch",
}  # fmt: skip

_MONTHS = "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"

silent(
    "personendaten|toter link|gesprochene version|überprüfen|fn|fnbox|fnz|anker|prettytable|"
    "begriffsklärung|ewz|ewr|dieser artikel|veraltet|lückenhaft|redundanztext|wikisource|"
    "commonscat|isbn|alter|hinweisbaustein|flagge|zukunft|wpsk|imdb|allmusic|"
    "dnb-portal|absatz|panorama|mehrere bilder|perrow|personenleiste|folgenleiste|"
    "navigationsleiste|kastentext",
    lang="de",
)  # fmt: skip
words_of_languages("de", {code: f"{name} " for code, name in _LANGUAGES.items()})


@template("|".join(f"{code}S" for code in _LANGUAGES), lang="de")
def spelled(call: Call) -> str:
    """`{{RuS|Москва|Moskwa}}` is russisch Москва Moskwa, `{{arS|باب|d=bāb}}` has DMG bāb."""
    if not call.get(1):
        return ""
    scholarly = f", DMG {call.get('d')}" if call.get("d") else ""
    return f"{_LANGUAGES[call.key[:-1]]} {call.get(1)} {call.get(2)}".rstrip() + scholarly


@template("zh", lang="de")
def chinese(call: Call) -> str:
    """`{{zh|c=北京|p=Běijīng}}` is chinesisch 北京, Pinyin Běijīng."""
    labels = [("c", "chinesisch"), ("v", "chinesisch"), ("t", "chinesisch"), ("s", "chinesisch"),
              ("p", "Pinyin"), ("w", "W.-G."), ("j", "Jyutping"), ("b", "Bedeutung")]  # fmt: skip
    return ", ".join(f"{label} {text}" for key, label in labels if (text := call.get(key)))


@template('"', lang="de")
def quoted(call: Call) -> str:
    return f"„{call.get(1, 'Text')}“"


@template('"-*', lang="de")
def quoted_in_another_language(call: Call) -> str:
    """`{{"-en|tower}}` is “tower”."""
    return f"“{call.get(1, 'Text')}”"


@template("zitat|zitat-*", lang="de")
def quotation(call: Call) -> str:
    """A quotation, its translation and who said it, in paragraphs of their own."""
    quote = "„{}“" if call.key == "zitat" else "“{}”"
    source = ": ".join(filter(None, (call.get("Autor", 2), call.get("Quelle", 3))))
    lines = [quote.format(call.get(1, "Text")), call.get("Übersetzung")]
    return paragraphs([*lines, f"– {source}" if source else ""])


@template("höhe|höhenangabe", lang="de")
def altitude(call: Call) -> str:
    """`{{Höhe|1234|DE-NHN}}` is 1234 m ü. NHN."""
    datum = {"DE-NHN": "ü. NHN", "DE-NN": "ü. NN", "AT": "ü. A.", "CH": "ü. M."}
    metres = localised(call.get(1), "de") if len(call.get(1)) > 4 else call.get(1)
    return f"{metres} m {datum.get(call.get(2), '')}".strip()


@template("coordinate", lang="de")
def coordinate(call: Call) -> str:
    """`{{Coordinate|NS=52/31/0/N|EW=13/24/0/E|text=DMS}}` is 52° 31′ 0″ N, 13° 24′ 0″ O. Without
    `text`, or with an icon for it, it stands above the page."""
    if not call.get("text") or call.get("text").upper().startswith("ICON"):
        return ""
    return ", ".join(filter(None, map(_degrees, (call.get("NS"), call.get("EW")))))


def _degrees(text: str) -> str:
    """`52/31/0/N` as degrees, minutes and seconds."""
    *numbers, side = text.split("/")
    shown = [f"{n}{sign}" for n, sign in zip(numbers, "°′″", strict=False) if n]
    return " ".join([*shown, "O" if side == "E" else side]) if shown else ""


@work("literatur|internetquelle", lang="de")
def literature(call: Call) -> str:
    """`{{Literatur|Autor=Ann Lee|Titel=Das Meer|Verlag=Hafen|Ort=Ruhn|Jahr=1900}}` is
    Ann Lee: Das Meer. Hafen, Ruhn 1900."""
    author, title = call.get("Autor", "Herausgeber", "Hrsg"), call.get("Titel")
    place = " ".join(filter(None, (call.get("Ort"), call.get("Datum", "Jahr"))))
    whole = call.get("Sammelwerk", "Werk")
    parts = [
        f"{author}: {title}" if author and title else author or title,
        call.get("TitelErg"),
        f"In: {whole}" if whole else "",
        ", ".join(filter(None, (call.get("Verlag"), place))),
    ]
    shown = ". ".join(part.rstrip(".") for part in parts if part)
    return f"{shown}." if shown else ""


@template("taste|tasten", lang="de")
def keys(call: Call) -> str:
    return "+".join(call.values())


@template("mehrspaltige liste", lang="de")
def columns(call: Call) -> str:
    return lines(Call("ubl", (call.get("liste", 1),)))


@template("§|§§|art.", lang="de")
def paragraph_of_law(call: Call) -> str:
    sign = "Art." if call.key.startswith("art") else call.key
    return " ".join(filter(None, (sign, call.get(1), call.get(2))))


@template("bibel", lang="de")
def bible(call: Call) -> str:
    """`{{Bibel|Mt|5|3–12|LUT}}` is Mt 5,3–12 LUT."""
    verse = f",{call.get(3)}" if call.get(3) else ""
    return f"{call.get(1)} {call.get(2)}{verse} {call.get(4)}".rstrip()


@template("bruch", lang="de")
def fraction(call: Call) -> str:
    """`{{Bruch|1|3|4}}` is 1 3⁄4."""
    *whole, top, bottom = [v for v in call.values() if v] or ["", ""]
    return " ".join([*whole, f"{top}⁄{bottom}"])


@template("datum", lang="de")
def date(call: Call) -> str:
    """`{{Datum|12|5|1900}}` is 12. Mai 1900."""
    return date_of_parts(_MONTHS, " ", f"{call.get(1)}.", call.get(2), call.get(3))


@template("lautschrift", lang="de")
def in_square_brackets(call: Call) -> str:
    text = call.get(1)
    return text if text[:1] in ("[", "/") or not text else f"[{text}]"


template(
    "nowrap|SortKey|polytonisch|person|unicode|kapitälchen|abkürzung|sortdate2|nobr|hoch|"
    "tief|IPA|IPA-Text|sperrschrift|oberstrich|overline|unterstrichen",
    lang="de",
)(first_argument)
template("farbe|farblegende", lang="de")(second_argument)


@template("SortKeyName|personZelle", lang="de")
def name(call: Call) -> str:
    """`{{SortKeyName|Ann|Lee}}` is Ann Lee."""
    return f"{call.get(1)} {call.get(2)}".strip()


_COUNTRIES = {
    "DEU": "Deutschland", "AUT": "Österreich", "CHE": "Schweiz", "FRA": "Frankreich",
    "GBR": "Vereinigtes Königreich", "USA": "Vereinigte Staaten", "ITA": "Italien",
    "ESP": "Spanien", "POL": "Polen", "CZE": "Tschechien", "NLD": "Niederlande",
    "BEL": "Belgien", "RUS": "Russland", "SUN": "Sowjetunion", "CHN": "China", "JPN": "Japan",
    "DNK": "Dänemark", "SWE": "Schweden", "NOR": "Norwegen", "FIN": "Finnland",
    "HUN": "Ungarn", "TUR": "Türkei", "GRC": "Griechenland", "PRT": "Portugal",
    "UKR": "Ukraine", "BRA": "Brasilien", "ARG": "Argentinien", "CAN": "Kanada",
    "AUS": "Australien", "DDR": "Deutsche Demokratische Republik", "IRL": "Irland",
    "LUX": "Luxemburg", "SVK": "Slowakei", "SVN": "Slowenien", "HRV": "Kroatien",
    "SRB": "Serbien", "BGR": "Bulgarien", "ROU": "Rumänien", "EST": "Estland",
    "LVA": "Lettland", "LTU": "Litauen", "ISL": "Island", "LIE": "Liechtenstein",
    "MEX": "Mexiko", "IND": "Indien", "KOR": "Südkorea", "ZAF": "Südafrika", "ISR": "Israel",
    "NZL": "Neuseeland", "EGY": "Ägypten", "JUG": "Jugoslawien", "ENG": "England",
    "SCO": "Schottland", "WLS": "Wales",
}  # fmt: skip


@template("|".join(_COUNTRIES), lang="de")
def country(call: Call) -> str:
    """`{{DEU}}` is Deutschland, `{{DEU|Berlin}}` what is given, `{{DEU|#}}` the flag alone."""
    return "" if call.get(1) == "#" else call.get("name", 1, default=_COUNTRIES[call.name.upper()])
