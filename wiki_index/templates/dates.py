"""Dates, ages, spans of years. An age as of today is left out: a dump has no today."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wiki_index.templates.registry import Call, template

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_NUMBER = {name.lower(): i for i, name in enumerate(MONTHS, 1)} | {
    name[:3].lower(): i for i, name in enumerate(MONTHS, 1)
}


@dataclass(frozen=True)
class Date:
    """A date as far as it is given: zeros stand for what is not."""

    year: int
    month: int = 0
    day: int = 0

    def text(self, day_first: bool = False) -> str:
        """`12 February 1809` or `February 12, 1809`; years before 1 in BC."""
        year = f"{1 - self.year} BC" if self.year <= 0 else str(self.year)
        if not self.month:
            return year
        month = MONTHS[self.month - 1]
        if not self.day:
            return f"{month} {year}"
        return f"{self.day} {month} {year}" if day_first else f"{month} {self.day}, {year}"


def _integer(text: str) -> int | None:
    match = re.fullmatch(r"([-−]?)0*(\d{1,5})", text.strip())
    return int(("-" if match[1] else "") + match[2]) if match else None


def make_date(year: str, month: str = "", day: str = "") -> Date | None:
    """The date of three arguments (the month in digits or letters), or None if it is none."""
    y = _integer(year)
    m = _NUMBER.get(month.lower(), _integer(month) or 0)
    d = _integer(day) or 0
    if y is None or not 0 <= m <= 12 or not 0 <= d <= 31:
        return None
    return Date(y, m, d if m else 0)


_WORD = r"(?<![A-Za-z])([A-Za-z]{1,9})"  # A longer one is no month, and takes time to look through.
_DAY_FIRST = re.compile(rf"(\d{{1,2}})\s+{_WORD}\.?,?\s+(\d{{3,4}})")
_MONTH_FIRST = re.compile(rf"{_WORD}\.?\s+(\d{{1,2}}),?\s+(\d{{3,4}})")
_MONTH_YEAR = re.compile(rf"{_WORD},?\s+(\d{{3,4}})")
_ISO = re.compile(r"(\d{3,4})-(\d{1,2})-(\d{1,2})")


def read_date(text: str) -> Date | None:
    """The first date written out in `text`, or None."""
    if m := _DAY_FIRST.search(text):
        found = make_date(m[3], m[2], m[1])
    elif m := _MONTH_FIRST.search(text):
        found = make_date(m[3], m[1], m[2])
    elif m := _ISO.search(text):
        found = make_date(m[1], m[2], m[3])
    elif m := _MONTH_YEAR.search(text):
        found = make_date(m[2], m[1])
    else:
        m = re.search(r"\b\d{3,4}\b", text)
        found = make_date(m[0]) if m else None
    return found if found and (found.month or m.re not in (_DAY_FIRST, _MONTH_FIRST)) else None


def age_between(earlier: Date, later: Date) -> str:
    """Whole years from one date to another; `29–30` where the days do not settle it."""
    years = later.year - earlier.year
    days_known = earlier.day and later.day
    if earlier.month and later.month and (days_known or earlier.month != later.month):
        return str(years - ((later.month, later.day) < (earlier.month, earlier.day)))
    return f"{years - 1}–{years}"


def _day_first(call: Call, default: bool = False) -> bool:
    if call.flag("df") or call.get("df").lower() in ("dmy", "uk"):
        return True
    if call.flag("mf") or call.get("df").lower() in ("us", "mdy"):
        return False
    return default


def _date_at(call: Call, position: int) -> Date | None:
    return make_date(call.get(position), call.get(position + 1), call.get(position + 2))


@template(
    "birth date|death date|start date|end date|birth date and age|bda|dob|birth-date and age|"
    "birth date and age2|birth date2|start date and age|start date and years ago|birth-date|"
    "death-date|start-date|end-date|release date|launch date|date of birth|dod|"
    "birth date and given age|birth year and age|birth year|death year|start and end dates|"
    "end date and age|disestablished date|established date|b-da|birthdate and age|birthdate|bya"
)
def one_date(call: Call) -> str:
    """`{{birth date|1809|2|12}}`, `{{start-date|July 16, 1969}}`: the date alone."""
    date = _date_at(call, 1)
    if date is None:
        return call.get(1)
    if call.key.startswith("birth year") or call.key == "bya":
        date = Date(date.year)
    text = date.text(_day_first(call))
    if call.key == "start date" and call.get(4) and call.get(5):
        text = f"{call.get(4)}:{call.get(5)}, {text}"
    return text


@template(
    "death date and age|dda|death-date and age|death date and given age|death year and age|"
    "d-da|death date and age2|deathdate and age"
)
def death_and_age(call: Call) -> str:
    """`{{death date and age|1865|4|15|1809|2|12}}` is April 15, 1865 (aged 56)."""
    name = call.key
    if name.startswith(("death-date", "d-da")):
        died, born = read_date(call.get(1)), read_date(call.get(2))
        text = call.get(1)
    elif name == "death year and age":
        died, born = make_date(call.get(1), call.get(3)), make_date(call.get(2))
        text = died.text() if died else call.get(1)
    elif name == "death date and given age":
        died, born = _date_at(call, 1), None
        text = (died.text(_day_first(call)) if died else call.get(1)) + f" (aged {call.get(4)})"
    else:
        died, born = _date_at(call, 1), _date_at(call, 4)
        text = died.text(_day_first(call)) if died else call.get(1)
    if died and born and born.year <= died.year:
        text += f" (aged {age_between(born, died)})"
    return text


@template("age|age in years|aged|age as of date")
def age(call: Call) -> str:
    """The years between two dates; nothing where the second is today."""
    first, second = _date_at(call, 1), _date_at(call, 4)
    if not call.get(4):
        first, second = read_date(call.get(1)), read_date(call.get(2)) if call.get(2) else None
    return age_between(first, second) if first and second else ""


def _days_in(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return (
        29 if month == 2 and leap else (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    )


def _day_number(date: Date) -> int:
    """Days since a fixed day, in the Gregorian calendar."""
    year, month = (date.year - 1, date.month + 12) if date.month <= 2 else (date.year, date.month)
    return (
        365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + date.day
    )


@template(
    "age in years, months and days|age in years, months, weeks and days|ageinyearsmonthsdays|"
    "aymd|age in years and months|age in years and days|age in days|age in months|"
    "time interval|age in years, months, and days"
)
def interval(call: Call) -> str:
    """The time from one date to another, in the units of the template's name."""
    first, second = _date_at(call, 1), _date_at(call, 4)
    if not (first and second and first.day and second.day):
        first, second = read_date(call.get(1)), read_date(call.get(2))
    if not (first and second and first.day and second.day):
        return ""
    if call.key == "age in days":
        return f"{_day_number(second) - _day_number(first):,}"
    months = (second.year - first.year) * 12 + second.month - first.month
    days = second.day - first.day
    if days < 0:
        months -= 1
        before = (second.year, second.month - 1) if second.month > 1 else (second.year - 1, 12)
        days = max(_days_in(*before) - first.day, 0) + second.day
    if call.key == "age in months":
        return str(months)
    years, months = divmod(months, 12)
    if call.key == "age in years and days":
        anniversary = Date(first.year + years, first.month, first.day)
        days, months = _day_number(second) - _day_number(anniversary), 0
    parts = [(years, "year"), (months, "month"), (days, "day")]
    if call.key == "age in years and months":
        parts.pop()
    shown = [f"{n} {unit}" + ("" if n == 1 else "s") for n, unit in parts if n]
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


@template("as of|as-of|asof")
def as_of(call: Call) -> str:
    """`{{as of|2013|June|8}}` is As of 8 June 2013. https://en.wikipedia.org/wiki/Template:As_of"""
    if alt := call.get("alt"):
        return alt
    date = _date_at(call, 1)
    if date:
        text = date.text(day_first=not call.get("df").lower().startswith("us"))
    else:
        text = " ".join(v for v in call.values() if v)
    text += call.get("post")
    if call.get("bare"):
        return text
    word = "Since" if call.get("since") else "As of"
    if call.get("lc"):
        word = word.lower()
    return " ".join(filter(None, (word, call.get("pre"), text)))


_DATE_STYLES = ("", "none", "dmy", "mdy", "ymd", "iso", "us")


@template("date|fdate|dtsa|date table sorting|dts|dts2")
def date(call: Call) -> str:
    """`{{dts|1777|12|16}}`, `{{date|2010-02-03|mdy}}`."""
    if len([v for v in call.values() if v]) == 3 or call.key != "date":
        found = _date_at(call, 1) or read_date(call.get(1))
    else:
        found = None
    if found:
        style = call.get("format")
        return found.text(style == "dmy" or (style == "" and _day_first(call)))
    found, style = read_date(call.get(1)), call.get(2).lower()
    if not found:
        return " ".join(v for v in call.values() if v.lower() not in _DATE_STYLES)
    return found.text(style not in ("mdy", "us"))


@template("film date|film-date")
def film_date(call: Call) -> str:
    """Release dates with their places: groups of four, year, month, day, place."""
    values, lines = list(call.values()), []
    for start in range(0, len(values), 4):
        year, month, day, place = (*values[start : start + 4], "", "", "")[:4]
        found = make_date(year, month, day)
        text = found.text(_day_first(call)) if found else year
        if text:
            lines.append(f"{text} ({place})" if place else text)
    return "\n".join(lines)


# How a marriage ended: by the first letters of the template's `end`.
_MARRIAGE_ENDS = {
    "death": "d.", "died": "d.", "dec": "d.", "d.": "d.", "his death": "d.", "her death": "d.",
    "their death": "d.", "w": "wid.", "s": "sep.", "a": "ann.", "d": "div.",
}  # fmt: skip


@template("marriage|married")
def marriage(call: Call) -> str:
    """`{{marriage|Name|1929|1979|end=died}}`. https://en.wikipedia.org/wiki/Template:Marriage"""
    name, start, end = call.get(1), call.get(2), call.get(3)
    if not start:
        return name
    how = call.get("end", "reason").lower()
    word = next((w for begin, w in _MARRIAGE_ENDS.items() if how.startswith(begin)), "")
    joint = f"; {word} " if word else "–"
    span = f"{start}{joint}{end}".rstrip() if end or word else start
    return f"{name} (m. {span})".lstrip()


@template("oldstyledate|oldstyledatedy|oldstyledateny|old style date")
def old_style(call: Call) -> str:
    """`{{OldStyleDate|February 2|1905|January 20}}` is February 2 [O.S. January 20] 1905."""
    new, year, old = call.get(1), call.get(2), call.get(3)
    if call.key.endswith("ny"):
        return f"{new} [N.S. {year}]"
    if call.key.endswith("dy"):
        return f"{new} {year} [O.S. {old}]"
    return f"{new} [O.S. {old}] {year}"


_SPANS = {
    "circa": "c.", "c.": "c.", "ca.": "c.", "ca": "c.", "c": "c.", "cir": "c.", "approx": "c.",
    "floruit": "fl.", "fl.": "fl.", "fl": "fl.", "flourished": "fl.", "fl. c.": "fl.",
    "flc": "fl. c.", "reign": "r.", "r.": "r.", "ruled": "r.", "born in": "b.", "b.": "b.",
    "born": "b.", "died in": "d.", "d.": "d.", "died": "d.", "before": "before", "after": "after",
    "birth-year": "b.", "married in": "m.", "m.": "m.", "in office": "in office",
}  # fmt: skip


@template(*_SPANS)
def years(call: Call) -> str:
    """`{{circa|1500}}` is c. 1500; `{{reign|1432|1485}}` is r. 1432–1485."""
    label = _SPANS[call.key]
    first, last = call.get(1), call.get(2)
    if not first:
        return label
    if not last:
        return f"{label} {first}"
    if label == "c.":
        return f"c. {first} – c. {last}"
    dash = " – " if " " in first + last else "–"
    return f"{label} {first}{dash}{last}"


@template("née|nee|né")
def born_as(call: Call) -> str:
    word = "né" if call.key == "né" else "née"
    return f"{word} {call.get(1)}".rstrip()
