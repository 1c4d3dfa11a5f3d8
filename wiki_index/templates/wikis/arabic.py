"""Arabic Wikipedia."""

from __future__ import annotations

from wiki_index.templates.convert import convert
from wiki_index.templates.registry import Call, constants, template
from wiki_index.templates.wikis.common import (
    date_of_parts,
    first_argument,
    silent,
    words_of_languages,
)
from wiki_index.templates.wikis.units import in_words

_LANGUAGES = {
    "en": "بالإنجليزية", "fr": "بالفرنسية", "de": "بالألمانية", "la": "باللاتينية",
    "es": "بالإسبانية", "it": "بالإيطالية", "ru": "بالروسية", "el": "باليونانية", "fa": "بالفارسية",
    "tr": "بالتركية", "he": "بالعبرية", "ja": "باليابانية", "zh": "بالصينية", "pt": "بالبرتغالية",
    "nl": "بالهولندية", "ku": "بالكردية", "ur": "بالأردية", "hi": "بالهندية", "ko": "بالكورية",
    "hy": "بالأرمنية", "sv": "بالسويدية", "pl": "بالبولندية", "uk": "بالأوكرانية",
}  # fmt: skip
# By the language's own name, `{{لاتينية|turris}}`.
_NAMED = {
    "إنج": "en", "إنجليزية": "en", "فرنسية": "fr", "ألمانية": "de", "لاتينية": "la", "لات": "la",
    "إسبانية": "es", "إيطالية": "it", "روسية": "ru", "يونانية": "el", "تركية": "tr", "فارسية": "fa",
    "عبرية": "he", "يابانية": "ja", "صينية": "zh", "برتغالية": "pt", "هولندية": "nl",
    "كردية": "ku", "أردية": "ur",
}  # fmt: skip
_MONTHS = "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"

silent("عن|رمز لغة|أيقونة علم|بحاجة لمصدر|مفصلة|ردمك|صندوق|هامش|شريط علوي|ملاحظة", lang="ar")
words_of_languages("ar", {code: f"{name}: " for code, name in _LANGUAGES.items()})
constants(
    {"ق.م": "ق.م", "ق م": "ق.م", "صلى الله عليه وسلم": "صلى الله عليه وسلم", "ص1": "ﷺ"}, lang="ar"
)


@template("|".join(_NAMED), lang="ar")
def word_of_a_language(call: Call) -> str:
    """`{{لاتينية|turris}}` is باللاتينية: turris."""
    return f"{_LANGUAGES[_NAMED[call.key]]}: {call.get(1)}" if call.get(1) else ""


@template(
    "تاريخ الميلاد|تاريخ الميلاد والعمر|تاريخ الوفاة|تاريخ الوفاة والعمر|تاريخ بداية|تاريخ",
    lang="ar",
)
def date(call: Call) -> str:
    """`{{تاريخ الميلاد|1900|5|12}}` is 12 مايو 1900."""
    return date_of_parts(_MONTHS, " ", call.get(3), call.get(2), call.get(1))


@template("وإو|و إ و|وصلة إنترويكي", lang="ar")
def link(call: Call) -> str:
    return call.get("نص", "عر", "تر", 1)


template("ص|خط كبير|نص كبير|خط عربي|اقتباس|نص عربي|علم|شع", lang="ar")(first_argument)


@template("هـ|م.|كم2|كم²", lang="ar")
def suffixed(call: Call) -> str:
    """`{{هـ|1300}}` is 1300 هـ."""
    return f"{call.get(1)} {call.name}".strip()


_CODES = {
    "م": "m", "كم": "km", "سم": "cm", "قدم": "ft", "ميل": "mi", "بوصة": "in", "كم2": "km2",
    "كم²": "km2", "ميل2": "sqmi", "ميل مربع": "sqmi", "كغ": "kg", "كجم": "kg", "كغم": "kg",
    "رطل": "lb", "م2": "m2", "قدم2": "sqft", "هكتار": "ha", "فدان": "acre",
}  # fmt: skip
_UNITS = {
    "m": "م", "km": "كم", "cm": "سم", "ft": "قدم", "mi": "ميل", "in": "بوصة", "km2": "كم2",
    "sq mi": "ميل2", "kg": "كغ", "lb": "رطل", "m2": "م2", "sq ft": "قدم2", "ha": "هكتار",
    "acres": "فدان",
}  # fmt: skip


@template("تحويل|حول|convert", lang="ar")
def convert_by_names(call: Call) -> str:
    """`{{تحويل|20|م|قدم}}` is 20 م (66 قدم)."""
    values = tuple(_CODES.get(value.strip(), value) for value in call.positional)
    named = {**call.named, "abbr": "on"}
    return in_words(convert(Call("convert", values, named)), _UNITS, " ")
