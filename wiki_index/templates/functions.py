"""Parser functions and magic words whose result a dump's page settles.

https://www.mediawiki.org/wiki/Help:Extension:ParserFunctions,
https://www.mediawiki.org/wiki/Help:Magic_words. What depends on the day is left empty.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from wiki_index.templates.expressions import evaluate
from wiki_index.templates.registry import Call, constants, template


def _arguments(call: Call) -> list[str]:
    """All arguments in order as they were written: a function has no named ones.

    A caller that took `a=b` for a named argument has it put back, after the others.
    """
    rest = [f"{key}={value}" for key, value in call.named.items()]
    return [value.strip() for value in (*call.positional, *rest)]


def _at(values: list[str], position: int) -> str:
    return values[position] if position < len(values) else ""


_SILENT_TAGS = ("ref", "references", "gallery", "score", "timeline", "templatestyles", "imagemap")


@template("#tag")
def tag(call: Call) -> str:
    """`{{#tag:poem|text}}` is <poem>text</poem>: the text, unless the tag shows none in prose."""
    return "" if call.get(1).lower() in _SILENT_TAGS else call.get(2)


@template("#if")
def if_(call: Call) -> str:
    values = _arguments(call)
    return _at(values, 1 if _at(values, 0) else 2)


def _same(left: str, right: str) -> bool:
    try:
        return float(left) == float(right)
    except ValueError:
        return left == right


@template("#ifeq")
def if_equal(call: Call) -> str:
    values = _arguments(call)
    return _at(values, 2 if _same(_at(values, 0), _at(values, 1)) else 3)


@template("#ifexpr")
def if_expression(call: Call) -> str:
    values = _arguments(call)
    result = evaluate(_at(values, 0))
    return _at(values, 1 if result else 2)


@template("#iferror")
def if_error(call: Call) -> str:
    values = _arguments(call)
    failed = 'class="error"' in _at(values, 0)
    return _at(values, 1) if failed else (_at(values, 2) if len(values) > 2 else _at(values, 0))


@template("#ifexist")
def if_exists(call: Call) -> str:
    """Whether a page exists is not known here: as if it did."""
    return _at(_arguments(call), 1)


@template("#switch")
def switch(call: Call) -> str:
    """Cases that fall through to the next with a value; `#default`, or a last bare value."""
    subject, *cases = _arguments(call)
    default, matched = "", False
    for position, case in enumerate(cases):
        key, equals, value = (part.strip() for part in case.partition("="))
        matched = matched or _same(key, subject)
        if equals and matched:
            return value
        if equals and key == "#default":
            default = value
        elif not equals and position == len(cases) - 1:
            return key
    return default


@template("#expr")
def expression(call: Call) -> str:
    result = evaluate(call.get(1))
    if result is None:
        return ""
    return str(int(result)) if result == int(result) and abs(result) < 1e15 else f"{result:.12g}"


@template("#titleparts")
def title_parts(call: Call) -> str:
    parts = call.get(1).split("/")
    try:
        count, first = int(call.get(2, default="0")), int(call.get(3, default="1"))
    except ValueError:
        return call.get(1)
    start = first - 1 if first > 0 else max(len(parts) + first, 0)
    end = start + count if count > 0 else len(parts) + count
    return "/".join(parts[start:end])


_DATE_CODE = re.compile(r'"([^"]*)"|[A-Za-z]')


@template("#time|#timel")
def time(call: Call) -> str:
    """`{{#time:j F Y|2000-01-05}}` is 5 January 2000.

    A date is shown as it stands where the form has more than days, months and years; nothing
    where it is that of today, which is not known.
    """
    from wiki_index.templates.dates import MONTHS, read_date

    date = read_date(call.get(2))
    if date is None or not date.day:
        return call.get(2)
    month = MONTHS[date.month - 1]
    parts = {
        "Y": f"{date.year}", "F": month, "M": month[:3], "n": f"{date.month}", "j": f"{date.day}",
        "m": f"{date.month:02}", "d": f"{date.day:02}", "y": f"{date.year % 100:02}",
    }  # fmt: skip
    form = call.get(1)
    if any(code[0] not in parts and code[1] is None for code in _DATE_CODE.finditer(form)):
        return call.get(2)
    return _DATE_CODE.sub(lambda code: parts.get(code[0]) or code[1], form)


@template("#dateformat|#formatdate")
def date_format(call: Call) -> str:
    """`{{#dateformat:2000-01-05|dmy}}` is 5 January 2000 for a reader without preferences."""
    from wiki_index.templates.dates import read_date

    date, form = read_date(call.get(1)), call.get(2).lower()
    if date is None or form not in ("dmy", "mdy"):
        return call.get(1)
    return date.text(form == "dmy")


@template("#language")
def language(call: Call) -> str:
    from wiki_index.templates.language_names import language_name

    return language_name(call.get(1)) or call.get(1)


@template("lc|uc|ucfirst|lcfirst")
def letter_case(call: Call) -> str:
    text = call.get(1)
    return {
        "lc": text.lower(), "uc": text.upper(), "ucfirst": text[:1].upper() + text[1:],
        "lcfirst": text[:1].lower() + text[1:],
    }[call.key]  # fmt: skip


@template("padleft|padright")
def pad(call: Call) -> str:
    """Filled to a length of at most 500, MediaWiki's own limit."""
    text, filler = call.get(1), call.get(3, default="0")
    try:
        missing = min(int(call.get(2)), 500) - len(text)
    except ValueError:
        return text
    if missing <= 0:
        return text
    filling = (filler * (missing // len(filler) + 1))[:missing]
    return filling + text if call.key == "padleft" else text + filling


@template("plural")
def plural(call: Call) -> str:
    """English has two forms, most others of our languages the same two."""
    values = _arguments(call)
    one = _at(values, 0).replace(",", "") in ("1", "-1")
    if len(values) < 3:
        return f"{values[0]} {_at(values, 1)}{'' if one else 's'}".strip() if values else ""
    return values[1] if one else values[2]


@template("gender")
def gender(call: Call) -> str:
    """The form for a person whose gender is not known: the last, or the only one."""
    values = _arguments(call)
    return _at(values, len(values) - 1) if len(values) > 1 else ""


_LONGEST_REPLACED = 1000
"""MediaWiki's own limit of string functions."""


@template(
    "str left|str sub|str right|str index|str len|#len|#sub|#pos|str crop|#replace|str rep|replace"
)
def string_function(call: Call) -> str:
    values = _arguments(call)
    text, name = _at(values, 0), call.key

    def number(position: int) -> int:
        return int(_at(values, position) or 0)

    if name in ("str len", "#len"):
        return str(len(text))
    if name == "str left":
        return text[: number(1)]
    if name == "str right":
        return text[number(1) :]
    if name == "str crop":
        return text[: max(len(text) - number(1), 0)]
    if name == "str index":
        return text[number(1) - 1 : number(1)]
    if name in ("#replace", "str rep", "replace"):
        old, new = _at(values, 1), _at(values, 2)
        is_short = max(map(len, (text, old, new))) <= _LONGEST_REPLACED
        return text.replace(old, new) if old and is_short else text
    if name == "#pos":
        found = text.find(_at(values, 1))
        return str(found) if found >= 0 else ""
    return text[number(1) : number(1) + number(2) or None]


@template("urlencode|anchorencode|localurl|fullurl|canonicalurl|filepath")
def url_function(call: Call) -> str:
    text = call.get(1)
    return text.replace(" ", "_") if call.key != "urlencode" else quote(text, safe="")


@template(
    "pagename|pagenamee|basepagename|fullpagename|fullpagenamee|subpagename|rootpagename|"
    "articlepagename|subjectpagename|pagenamebase|talkpagename|basepagenamee|"
    "seitenname|nompage|nombredepágina|названиестраницы|ページ名|页面名|頁名|اسم_الصفحة"
)
def page_name(call: Call) -> str:
    """The page's title, or a part of it; of a title given as argument likewise."""
    name = call.key
    title = call.get(1, default=call.page)
    if name.startswith("pagename base") or name == "pagenamebase":
        return title.partition(" (")[0].partition(",")[0]
    if name.startswith("sub") and name != "subjectpagename":
        title = title.rpartition("/")[2]
    elif name.startswith("base"):
        title = title.rpartition("/")[0] or title
    elif name.startswith("root"):
        title = title.partition("/")[0]
    return f"Talk:{title}" if name.startswith("talk") else title


constants(
    { "sitename": "Wikipedia", "namespace": "", "namespacee": "", "namespacenumber": "0",
    "ns:0": "", "talkspace": "Talk", "subjectspace": "", "articlespace": "", "server": "",
    "servername": "", "scriptpath": "", "currentyear": "", "currentmonth": "", "currentday": "",
    "currentmonthname": "", "currenttime": "", "currentday2": "", "currentdow": "",
    "currentdayname": "", "currentmonthabbrev": "", "currentweek": "", "currenttimestamp": "",
    "currentmonth1": "", "currentmonthnamegen": "", "currenthour": "", "localyear": "",
    "localmonth": "", "localday": "", "localday2": "", "localmonthname": "", "localtime": "",
    "localmonthnamegen": "", "revisionid": "", "revisionday": "", "revisionmonth": "",
    "revisionyear": "", "revisiontimestamp": "", "revisionuser": "", "pageid": "", "pagesize": "",
    "contentlanguage": "en", "numberofarticles": "", "numberofusers": "", "numberofpages": "",
    "numberoffiles": "", "numberofedits": "", "numberofadmins": "", "numberofactiveusers": "",
    "currentversion": "", "pagesincategory": "", "protectionlevel": "", "currentminute": "",
    "int": "", "#babel": "", "#related": "", "#seo": "", "#widget": "", "#ev": "",
    "#coordinates": "", }
)  # fmt: skip


@template(
    "defaultsort|sortierung|clef de tri|clé de tri|ordenar|сортировка по умолчанию|"
    "ключ сортировки|デフォルトソート|既定のソート|默认排序|預設排序|ترتيب افتراضي|"
    "displaytitle|seitentitel|afficher titre"
)
def page_property(call: Call) -> str:
    """What a page is sorted or headed by, in several languages."""
    return ""
