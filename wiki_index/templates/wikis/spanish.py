"""Spanish Wikipedia."""

from __future__ import annotations

import re

from wiki_index.templates.citations import citation, work
from wiki_index.templates.convert import NBSP, convert
from wiki_index.templates.lists import lines, paragraphs
from wiki_index.templates.numbers import localised, parse_number
from wiki_index.templates.registry import Call, constants, template
from wiki_index.templates.wikis.common import (
    date_of_parts,
    first_argument,
    silent,
    words_of_languages,
)

_LANGUAGES = {
    "en": "inglés", "fr": "francés", "de": "alemán", "la": "latín", "el": "griego",
    "it": "italiano", "grc": "griego antiguo", "pt": "portugués", "ru": "ruso", "ca": "catalán",
    "gl": "gallego", "eu": "euskera", "ar": "árabe", "he": "hebreo", "ja": "japonés", "zh": "chino",
    "nl": "neerlandés", "pl": "polaco", "tr": "turco", "uk": "ucraniano", "sv": "sueco",
    "ko": "coreano", "fa": "persa", "hu": "húngaro", "cs": "checo", "ro": "rumano", "qu": "quechua",
    "nah": "náhuatl", "ast": "asturiano", "ay": "aimara", "gn": "guaraní", "da": "danés",
    "no": "noruego", "fi": "finés", "sr": "serbio", "hr": "croata", "bg": "búlgaro",
    "oc": "occitano", "an": "aragonés", "sa": "sánscrito", "hi": "hindi", "bn": "bengalí",
    "ur": "urdu", "vi": "vietnamita", "th": "tailandés", "id": "indonesio", "ms": "malayo",
    "tl": "tagalo", "mi": "maorí", "eo": "esperanto", "ga": "irlandés", "gd": "gaélico escocés",
    "cy": "galés", "br": "bretón", "co": "corso", "sc": "sardo", "sk": "eslovaco",
    "sl": "esloveno", "sq": "albanés", "mk": "macedonio", "ka": "georgiano", "hy": "armenio",
    "az": "azerí", "kk": "kazajo", "uz": "uzbeko", "mn": "mongol", "et": "estonio", "lv": "letón",
    "lt": "lituano", "be": "bielorruso", "bs": "bosnio", "is": "islandés", "mt": "maltés",
    "af": "afrikáans", "sw": "suajili", "ku": "kurdo", "ang": "inglés antiguo",
}  # fmt: skip
_MONTHS = "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"

silent(
    "ap|drae|otros usos|redirige aquí|ISBN|refn|sfn|vt|edad|bandera|bandera2|enlace roto|"
    "listaref|dablink|distinguir|no confundir con|cr|CR|demostrar|verificar|¿quién?|¿cuándo?|"
    "¿cuál?|¿dónde?|edad en años|nacido",
    lang="es",
)
words_of_languages("es", {code: f"en {name}: " for code, name in _LANGUAGES.items()})


@template(
    "fecha|fecha de nacimiento|fecha de fallecimiento|fecha de inicio|nacimiento|fallecimiento|"
    "fecha de fin",
    lang="es",
)
def date(call: Call) -> str:
    """`{{fecha|1|5|1990}}` is 1 de mayo de 1990; some have the year first."""
    first, month, last = call.get(1), call.get(2), call.get(3)
    if len(first) == 4:
        first, last = last, first
    return date_of_parts(_MONTHS, " de ", first, month, last)


@template("unidad|unidades", lang="es")
def quantity(call: Call) -> str:
    """`{{unidad|1234567|km²}}`: the number grouped, its unit, the unit's power."""
    number = call.get(1)
    if parse_number(number) is not None:
        number = localised(number.replace(",", "."), "es")
    return " ".join(filter(None, (number, call.get(2) + call.get(3)))).replace(" ", NBSP)


@template("siglo|siglos", lang="es")
def century(call: Call) -> str:
    """`{{siglo|XIX}}` is XIX, `{{siglo|XIX||s}}` siglo XIX, `{{siglo|I|a|S}}` Siglo I a. C."""
    word = {"s": "siglo", "S": "Siglo", "a": "s.", "A": "S."}.get(call.get(3), "")
    era = {"a": "a. C.", "d": "d. C."}.get(call.get(2), call.get(2))
    return " ".join(filter(None, (word, call.get(1), era)))


constants({"a. C.": "a. C.", "d. C.": "d. C.", "AC": "a. C.", "DC": "d. C."}, lang="es")
constants(
    {
        "ESP": "España", "MEX": "México", "ARG": "Argentina", "CHI": "Chile", "COL": "Colombia",
        "PER": "Perú", "VEN": "Venezuela", "URU": "Uruguay", "ECU": "Ecuador", "BOL": "Bolivia",
        "PAR": "Paraguay", "CUB": "Cuba", "BRA": "Brasil", "USA": "Estados Unidos",
        "FRA": "Francia", "ITA": "Italia", "ALE": "Alemania", "GBR": "Reino Unido",
        "POR": "Portugal", "JPN": "Japón", "CHN": "China", "RUS": "Rusia", "CAN": "Canadá",
        "NLD": "Países Bajos", "BEL": "Bélgica", "SUI": "Suiza",
    },
    lang="es",
)  # fmt: skip


@template("AFI|IPA", lang="es")
def in_square_brackets(call: Call) -> str:
    text = call.get(1)
    return text if text[:1] in ("[", "/") or not text else f"[{text}]"


@template("cita|cita larga|cita bloque|quote|cquote|quotation", lang="es")
def quotation(call: Call) -> str:
    """A quotation, and whose it is, in paragraphs of their own."""
    author = ", ".join(filter(None, (call.get("autor", 2), call.get("fuente", "título", 3))))
    return paragraphs([call.get("texto", 1), f"— {author}" if author else ""])


_CITED = {
    "autor": "author", "apellidos": "last", "apellido": "last", "nombre": "first",
    "título": "title", "titulo": "title", "año": "date", "fecha": "date", "editorial": "publisher",
    "publicación": "journal", "periódico": "journal", "obra": "work", "volumen": "volume",
    "número": "issue", "páginas": "pages", "página": "page", "editor": "editor",
    "ubicación": "location", "capítulo": "chapter", "edición": "edition", "isbn": "isbn",
}  # fmt: skip


@work(
    "cita libro|cita publicación|cita web|cita noticia|cita tesis|cita enciclopedia|obra citada",
    lang="es",
)
def cited(call: Call) -> str:
    """`{{cita libro|autor=Ana Lee|título=El mar|año=1900}}` is Ana Lee (1900). El mar."""
    named = {}
    for key, value in call.named.items():
        name = key.rstrip("0123456789")
        named[_CITED.get(name, name) + key[len(name) :]] = value
    return citation(Call("cite book", (), named))


@template("n.º|n.o|núm", lang="es")
def numero(call: Call) -> str:
    """`{{n.º|5}}` is n.º 5."""
    return f"{call.name if call.name[0] == 'N' else 'n.º'} {call.get(1)}".strip()


@template("idioma-*", lang="es")
def word(call: Call) -> str:
    return call.get(1)


@template("lista de columnas", lang="es")
def columns(call: Call) -> str:
    """A list in `{{lista de columnas|2;…}}`, whose first number says how many columns."""
    values = [re.sub(r"^\s*\d+\s*;?", "", value) for value in call.values()]
    return lines(Call("ubl", tuple(values)))


template(
    "esd|versalita|versalitas|fs|cita requerida 2|nobr|negrita|cursiva|may|abr|acrónimo",
    lang="es",
)(first_argument)


@template("convertir|convert", lang="es")
def convert_by_symbols(call: Call) -> str:
    """A measurement and its conversion, by symbols, in the wiki's own numbers."""
    named = {**call.named, "abbr": "on", "comma": "off"}
    return convert(Call("convert", call.positional, named)).replace(".", ",")
