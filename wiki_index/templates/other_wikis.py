"""More templates of other languages' wikis: ordinals, centuries, eras, quotations, measurements.

Each wiki's own documentation of the template is the source, ``Vorlage:…``, ``Modèle:…`` and so on.
"""

from __future__ import annotations

from wiki_index.templates.dates import age_between, read_date
from wiki_index.templates.numbers import localised
from wiki_index.templates.registry import Call, constants, template

_FRENCH_MONTHS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
)
_CENTURIES = [
    "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI",
    "XVII", "XVIII", "XIX", "XX", "XXI",
]  # fmt: skip
_SORT_KEYS = (
    "defaultsort|sortierung|clef de tri|clé de tri|ordenar|сортировка по умолчанию|"
    "ключ сортировки|デフォルトソート|既定のソート|默认排序|預設排序|ترتيب افتراضي|displaytitle|"
    "seitentitel|afficher titre"
)


def _silent(names: str) -> dict[str, str]:
    return dict.fromkeys(names.split("|"), "")


constants(_silent(_SORT_KEYS))
constants(
    _silent(
        "personendaten|toter link|gesprochene version|überprüfen|fn|fnbox|fnz|coordinate|"
        "begriffsklärung|ewz|ewr|dieser artikel|veraltet|lückenhaft|redundanztext|wikisource|"
        "commonscat|isbn"
    ),
    lang="de",
)
constants(_silent("références nombreuses|sources à lier|clear|ancre"), lang="fr")
constants(_silent("ap|drae|otros usos|redirige aquí|ISBN|refn|sfn"), lang="es")
constants(
    _silent("нет АИ|нет АИ 2|начало цитаты|конец цитаты|вс|значения|isbn|sfn|нп-флаг|флаг")
    | {"до н. э.": "до н. э.", "н. э.": "н. э.", "до н.э.": "до н. э."},
    lang="ru",
)
constants(_silent("isbn2|isbn|efn|r|sfn|要出典|年代別|anchors|by|誰|いつ"), lang="ja")
constants(_silent("注|何时|何時|fact|來源請求|noteta|isbn|zhwp|谁|誰"), lang="zh")
constants(
    _silent("عن|رمز لغة|أيقونة علم|بحاجة لمصدر|مفصلة|ردمك|صندوق")
    | {"ق.م": "ق.م", "ق م": "ق.م", "صلى الله عليه وسلم": "صلى الله عليه وسلم", "ص1": "ﷺ"},
    lang="ar",
)
constants({f"1er {month}": f"1er {month}" for month in _FRENCH_MONTHS.split()}, lang="fr")
constants({"a. C.": "a. C.", "d. C.": "d. C.", "AC": "a. C."}, lang="es")


@template("|".join(f"{number}e siècle" for number in _CENTURIES), lang="fr")
def french_century(call: Call) -> str:
    """`{{XIXe siècle}}` as it is called."""
    return call.name[:1].upper() + call.name[1:]


@template("|".join(f"{number}e" for number in [*range(4, 100), *_CENTURIES[3:], "XXX"]), lang="fr")
def french_ordinal(call: Call) -> str:
    """`{{XXe|siècle}}` is XXe siècle, `{{12e}}` is 12e."""
    name = call.name[:1].upper() + call.name[1:]
    return f"{name} {call.get(1)}".strip()


@template("langue|lang", lang="fr")
def word_fr(call: Call) -> str:
    """`{{lang|en|texte=Tower}}` is Tower."""
    return call.get("texte", "text", 2)


@template("euro|dollar|tmp|nb|nbr|nombre romain", lang="fr")
def french_amount(call: Call) -> str:
    """`{{euro|1500}}` is 1 500 €."""
    unit = {"euro": "€", "dollar": "$"}.get(call.key, call.get(2))
    if not call.get(1):
        return unit
    return f"{localised(call.get(1), 'fr')} {unit}".strip()


@template("lang-*", lang="de")
@template("lang-*", lang="fr")
@template("lang-*", lang="es")
@template("lang-*", lang="ru")
@template("lang-*", lang="ja")
@template("lang-*", lang="zh")
@template("lang-*", lang="ar")
def word_without_label(call: Call) -> str:
    """A word of a language whose label is not known on this wiki."""
    return call.get(1)


@template('"-*', lang="de")
def quoted_in_another_language(call: Call) -> str:
    """`{{"-en|tower}}` is “tower”."""
    return f"“{call.get(1, 'Text')}”"


@template("cita|cita larga|cita bloque", lang="es")
def quotation_es(call: Call) -> str:
    """A quotation with lines of its own."""
    return f"\n{call.get(1)}"


@template("nacimiento|fallecimiento", lang="es")
def date_es(call: Call) -> str:
    from wiki_index.templates.other_languages import date_in_a_box

    return date_in_a_box(call)


@template("D-", lang="ru")
def date_ru(call: Call) -> str:
    from wiki_index.templates.other_languages import day_month_year

    return day_month_year(call)


@template("тыс|млн|млрд", lang="ru")
def thousands_ru(call: Call) -> str:
    """`{{тыс|5}}` is 5 тыс."""
    word = {"тыс": "тыс."}.get(call.key, call.key)
    return " ".join(filter(None, (call.get(1), word, call.get(2))))


@template("comment|СС3|сс|сс2", lang="ru")
@template(
    "JIS2004フォント|JIS90フォント|旧字体|新字体|補助漢字フォント|CP932フォント|Unicodeフォント|"
    "CJKV|拡張漢字",
    lang="ja",
)
@template("拼音|缺字|生僻字", lang="zh")
@template("علم|شع", lang="ar")
def shown_as_written(call: Call) -> str:
    return call.get(1)


@template("fontsize|font size", lang="ja")
def sized(call: Call) -> str:
    return call.get(2)


_ERAS = ((2019, "令和"), (1989, "平成"), (1926, "昭和"), (1912, "大正"), (1868, "明治"))


@template("和暦", lang="ja")
def japanese_era(call: Call) -> str:
    """`{{和暦|1900}}` is 明治33年."""
    year = int(call.get(1))
    for first, era in _ERAS:
        if year >= first:
            return f"{era}{'元' if year == first else year - first + 1}年"
    return f"{year}年"


def _date_ja(call: Call, first: int) -> str:
    year, month, day = (call.get(position) for position in range(first, first + 3))
    return f"{year}年{month}月{day}日"


@template("生年月日と年齢|生年月日", lang="ja")
def born_ja(call: Call) -> str:
    return _date_ja(call, 1)


@template("死亡年月日と没年齢|没年齢", lang="ja")
def died_ja(call: Call) -> str:
    """`{{没年齢|1900|5|12|1950|6|3}}` is 50歳没, with its date where the name says so."""
    born = read_date("-".join(call.values(1)).rsplit("-", 3)[0])
    died = read_date(f"{call.get(4)}-{call.get(5)}-{call.get(6)}")
    age = f"{age_between(born, died)}歳没" if born and died else ""
    if call.key == "没年齢":
        return age
    return _date_ja(call, 4) + (f"（{age}）" if age else "")


@template("convert|cvt|單位轉換|单位转换", lang="zh")
@template("convert|cvt", lang="ja")
@template("convert|cvt", lang="ru")
def convert_by_symbols(call: Call) -> str:
    from wiki_index.templates.convert import convert

    text = convert(Call("convert", call.positional, {**call.named, "abbr": "on"}))
    return text.replace(".", ",") if call.lang == "ru" else text


_ARABIC_UNITS = {
    "م": "m", "كم": "km", "سم": "cm", "قدم": "ft", "ميل": "mi", "بوصة": "in", "كم2": "km2",
    "كم²": "km2", "ميل2": "sqmi", "ميل مربع": "sqmi", "كغ": "kg", "كجم": "kg", "كغم": "kg",
    "رطل": "lb", "م2": "m2", "قدم2": "sqft", "هكتار": "ha", "فدان": "acre",
}  # fmt: skip
_ARABIC_SYMBOLS = {
    "m": "م", "km": "كم", "cm": "سم", "ft": "قدم", "mi": "ميل", "in": "بوصة", "km2": "كم2",
    "sq mi": "ميل2", "kg": "كغ", "lb": "رطل", "m2": "م2", "sq ft": "قدم2", "ha": "هكتار",
    "acres": "فدان",
}  # fmt: skip


@template("تحويل|حول", lang="ar")
def convert_ar(call: Call) -> str:
    """`{{تحويل|20|م|قدم}}` is 20 م (66 قدم)."""
    import re

    from wiki_index.templates.convert import convert

    values = [_ARABIC_UNITS.get(value.strip(), value) for value in call.positional]
    text = convert(Call("convert", tuple(values), {**call.named, "abbr": "on"}))
    return re.sub(r"[a-z]+(?: [a-z]+)?2?", lambda m: _ARABIC_SYMBOLS.get(m[0], m[0]), text)


_ARABIC_LANGUAGES = {
    "فرنسية": "بالفرنسية", "ألمانية": "بالألمانية", "لاتينية": "باللاتينية", "لات": "باللاتينية",
    "إسبانية": "بالإسبانية", "إيطالية": "بالإيطالية", "روسية": "بالروسية", "يونانية": "باليونانية",
    "تركية": "بالتركية", "فارسية": "بالفارسية", "عبرية": "بالعبرية", "يابانية": "باليابانية",
}  # fmt: skip


@template("|".join(_ARABIC_LANGUAGES), lang="ar")
def labelled_ar(call: Call) -> str:
    """`{{لاتينية|turris}}` is باللاتينية: turris."""
    return f"{_ARABIC_LANGUAGES[call.key]}: {call.get(1)}" if call.get(1) else ""


@template("هـ|م.|كم2|كم²", lang="ar")
def suffixed_ar(call: Call) -> str:
    """`{{هـ|1300}}` is 1300 هـ."""
    return f"{call.get(1)} {call.name}".strip()
