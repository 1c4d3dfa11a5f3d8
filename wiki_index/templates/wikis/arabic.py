"""Arabic Wikipedia."""

from __future__ import annotations

from wiki_index.templates.convert import convert
from wiki_index.templates.lists import paragraphs
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
    "ro": "بالرومانية", "cs": "بالتشيكية", "hu": "بالمجرية", "fi": "بالفنلندية",
    "da": "بالدنماركية", "no": "بالنرويجية", "bg": "بالبلغارية", "sr": "بالصربية",
    "hr": "بالكرواتية", "ca": "بالكتالونية", "syc": "بالسريانية", "arc": "بالآرامية",
    "grc": "بالإغريقية", "id": "بالإندونيسية", "sq": "بالألبانية", "az": "بالأذرية",
    "am": "بالأمهرية", "ber": "بالأمازيغية", "bn": "بالبنغالية", "ka": "بالجورجية",
    "ar": "بالعربية",
}  # fmt: skip
# By the language's own name, `{{لاتينية|turris}}`.
_NAMED = {
    "إنج": "en", "إنجليزية": "en", "فرنسية": "fr", "ألمانية": "de", "لاتينية": "la", "لات": "la",
    "إسبانية": "es", "إيطالية": "it", "روسية": "ru", "يونانية": "el", "تركية": "tr", "فارسية": "fa",
    "عبرية": "he", "يابانية": "ja", "صينية": "zh", "برتغالية": "pt", "هولندية": "nl",
    "كردية": "ku", "أردية": "ur", "سويدية": "sv", "بولندية": "pl", "أوكرانية": "uk",
    "رومانية": "ro", "تشيكية": "cs", "مجرية": "hu", "فنلندية": "fi", "دنماركية": "da",
    "نرويجية": "no", "بلغارية": "bg", "صربية": "sr", "كتالونية": "ca", "سريانية": "syc",
    "آرامية": "arc", "إغريقية": "grc", "إندونيسية": "id", "أرمنية": "hy", "كورية": "ko",
    "هندية": "hi", "أمازيغية": "ber", "إسب": "es", "فرن": "fr", "ألم": "de",
}  # fmt: skip
_MONTHS = "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"

silent(
    "عن|رمز لغة|أيقونة علم|بحاجة لمصدر|مفصلة|ردمك|صندوق|هامش|شريط علوي|ملاحظة|رمز علم|عمر",
    lang="ar",
)
words_of_languages("ar", {code: f"{name}: " for code, name in _LANGUAGES.items()})
constants(
    {
        "ق.م": "ق.م", "ق م": "ق.م", "صلى الله عليه وسلم": "صلى الله عليه وسلم", "ص1": "ﷺ", "ﷺ": "ﷺ",
        "عليه السلام": "عليه السلام", "رضي الله عنه": "رضي الله عنه",
        "رضي الله عنها": "رضي الله عنها", "رضي الله عنهم": "رضي الله عنهم",
    },
    lang="ar",
)  # fmt: skip
constants(
    {
        name: name
        for name in (
            "مصر", "السعودية", "العراق", "سوريا", "الأردن", "لبنان", "فلسطين", "اليمن", "عمان",
            "الإمارات", "قطر", "البحرين", "الكويت", "السودان", "ليبيا", "تونس", "الجزائر", "المغرب",
            "موريتانيا", "الصومال", "الولايات المتحدة", "المملكة المتحدة", "فرنسا", "ألمانيا",
            "إيطاليا", "إسبانيا", "روسيا", "الصين", "اليابان", "تركيا", "إيران", "الهند", "باكستان",
            "البرازيل", "الأرجنتين", "كندا", "أستراليا", "البرتغال", "هولندا", "بلجيكا", "السويد",
        )
    },
    lang="ar",
)  # fmt: skip


@template("|".join(_NAMED), lang="ar")
def word_of_a_language(call: Call) -> str:
    """`{{لاتينية|turris}}` is باللاتينية: turris."""
    return f"{_LANGUAGES[_NAMED[call.key]]}: {call.get(1)}" if call.get(1) else ""


@template(
    "birth date|birth date and age|death date|death date and age|start date|"
    "تاريخ الميلاد|تاريخ الميلاد والعمر|تاريخ الوفاة|تاريخ الوفاة والعمر|تاريخ بداية|تاريخ",
    lang="ar",
)
def date(call: Call) -> str:
    """`{{تاريخ الميلاد|1900|5|12}}` is 12 مايو 1900."""
    return date_of_parts(_MONTHS, " ", call.get(3), call.get(2), call.get(1))


@template("وإو|و إ و|وصلة إنترويكي", lang="ar")
def link(call: Call) -> str:
    return call.get("نص", "عر", "تر", 1)


template("ص|خط كبير|نص كبير|خط عربي|نص عربي|علم|شع|صغير|كبير|نص قرآني|علم دولة|flag", lang="ar")(
    first_argument
)


@template("اقتباس|اقتباس خاص|اقتباس فقرة", lang="ar")
def quotation(call: Call) -> str:
    """A quotation, and whose it is, in paragraphs of their own."""
    author = call.get("مؤلف", 2)
    return paragraphs([call.get("نص", 1), f"— {author}" if author else ""])


@template("اقتباس مضمن", lang="ar")
def quoted(call: Call) -> str:
    return f"«{call.get(1)}»"


@template("هـ|م.|م|كم2|كم²", lang="ar")
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
