"""Numbers: grouping, fractions, powers, ordinals, money, measured values."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from wiki_index.marks import FRACTION
from wiki_index.templates.registry import Call, template

MINUS = "−"
# An exponent past this is nobody's measurement and would fill the memory with zeros.
_LARGEST_EXPONENT = 100


def parse_number(text: str) -> Decimal | None:
    """The number that `text` writes in English form, with commas and any minus, or None."""
    text = text.strip().replace(",", "").replace(MINUS, "-").replace("–", "-")
    text = text.replace("\N{NO-BREAK SPACE}", "").replace("&minus;", "-")
    if len(text) > 60 or not re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?", text):
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if abs(value.adjusted()) <= _LARGEST_EXPONENT else None


def group(digits: str, separator: str = ",", point: str = ".") -> str:
    """`digits` (plain, perhaps with a sign and a point) with its thousands set apart."""
    whole, dot, fraction = digits.partition(".")
    sign, whole = ("", whole) if whole[:1].isdecimal() else (whole[:1], whole[1:])
    first = len(whole) % 3
    threes = [whole[:first]] if first else []
    threes += [whole[i : i + 3] for i in range(first, len(whole), 3)]
    return sign + separator.join(threes) + (point + fraction if dot else "")


def plain(value: Decimal, places: int | None = None) -> str:
    """`value` without exponent, a minus sign (U+2212) for a negative, commas as MediaWiki sets."""
    text = f"{value:f}" if places is None else f"{value:.{max(places, 0)}f}"
    if text.startswith("-"):
        text = MINUS + text[1:] if text.strip("-0.") else text[1:]
    return group(text)


_SEPARATORS = {
    "en": (",", "."), "simple": (",", "."), "ja": (",", "."), "zh": (",", "."), "ar": (",", "."),
    "de": (".", ","), "es": ("\N{NO-BREAK SPACE}", ","), "fr": ("\N{NARROW NO-BREAK SPACE}", ","),
    "ru": ("\N{NO-BREAK SPACE}", ","), "it": (".", ","), "nl": (".", ","), "pt": (".", ","),
}  # fmt: skip


def localised(text: str, lang: str) -> str:
    """Every number in `text` grouped as the wiki's language writes it."""
    separator, point = _SEPARATORS.get(lang, (",", "."))
    if lang in ("es", "ru") and len(re.sub(r"\D.*", "", text.lstrip("-"))) < 5:
        separator = ""
    return re.sub(r"\d+(\.\d+)?", lambda m: group(m.group(), separator, point), text, count=1)


@template("formatnum|format number|fnum|num|nts|number|comma|number table sorting|formatnumber")
def formatnum(call: Call) -> str:
    """https://www.mediawiki.org/wiki/Help:Magic_words#Formatting"""
    text = call.get(1)
    if call.get(2).upper() == "R":
        return text.replace(",", "")
    prefix, suffix = call.get("prefix"), call.get("suffix")
    text = text.replace(",", "") if parse_number(text) is not None else text
    return prefix + localised(text, call.lang).replace("-", MINUS, text.startswith("-")) + suffix


@template("ntsh|sort hidden|hidden sort key|sortkey|hs")
def hidden_sort_key(call: Call) -> str:
    """A sort key that no reader sees."""
    return ""


@template("frac|fraction|nfrac")
def frac(call: Call) -> str:
    """`{{frac|1|3|4}}` is 1 3⁄4. https://en.wikipedia.org/wiki/Template:Fraction"""
    parts = [v for v in call.values() if v]
    if not parts:
        return "⁄"
    if len(parts) == 1:
        return f"{FRACTION}1⁄{parts[0]}"
    if len(parts) == 2:
        return f"{FRACTION}{parts[0]}⁄{parts[1]}"
    return f"{parts[0]} {parts[1]}⁄{parts[2]}"


def _operand(text: str) -> str:
    return f"({text})" if re.search(r"[\s+\-−±]", text.strip("-−")) else text


@template("sfrac|tfrac|dfrac|sfrac2|cfrac")
def sfrac(call: Call) -> str:
    """A fraction set one over the other, on one line."""
    parts = [v for v in call.values() if v]
    if len(parts) == 1:
        return f"{FRACTION}1/{_operand(parts[0])}"
    if len(parts) == 2:
        return f"{FRACTION}{_operand(parts[0])}/{_operand(parts[1])}"
    return f"{parts[0]} {parts[1]}/{parts[2]}" if parts else ""


@template("e|esp|10^|x10^")
def times_ten_to_the(call: Call) -> str:
    """`5.98{{e|24}}` is 5.98×10 with 24 raised (on one line with it here)."""
    exponent = call.get(1).replace("-", MINUS)
    return ("" if call.key == "10^" else "×") + "10" + exponent


def ordinal_of(number: int) -> str:
    """21 -> 21st."""
    suffix = (
        "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return f"{number}{suffix}"


@template("ordinal|ord|ordinal number|nth")
def ordinal(call: Call) -> str:
    number = parse_number(call.get(1))
    return ordinal_of(int(number)) if number is not None else call.get(1)


_VAL_RANGES = {
    "-": "–", "–": "–", "to": " to ", "x": " × ", "by": " by ", "and": " and ", "or": " or ",
}  # fmt: skip


@template("val")
def val(call: Call) -> str:
    """A value, its uncertainty, power of ten and unit: https://en.wikipedia.org/wiki/Template:Val

    Digits are grouped by gaps that are no characters, as there.
    """
    commas = call.get("fmt") == "commas"

    def shown(text: str) -> str:
        text = text.replace("-", MINUS, text.startswith("-"))
        return group(text) if commas else text

    number, _, power = call.get(1).lower().partition("e")
    value, first, second = shown(number), call.get(2), call.get(3)
    if first in _VAL_RANGES and second:
        value += _VAL_RANGES[first] + shown(second)
        first = second = ""
    if first and second:
        value += f"+{first.lstrip('+')}{MINUS}{second.lstrip('-−')}"
    elif first.startswith("(") or call.get("(1)"):
        value += first or f"({call.get('(1)')})"
    elif first:
        value += f"±{first}"
    exponent = call.get("e", default=power.lstrip("+")).replace("-", MINUS)
    if exponent:
        value = f"({value})" if "±" in value or (first and second) else value
        value += f"×10{exponent}"
    unit = call.get("u", "ul", "up", "upl")
    per = call.get("upp", "up", "upl") if call.get("u", "ul") else ""
    unit += f"/{per}" if per else ""
    unit = {"degC": "°C", "degF": "°F", "deg": "°", "degree": "°"}.get(unit, unit)
    glued = "" if unit[:1] in ("%", "°", "′", "″") and unit not in ("°C", "°F") else " "
    ends = call.get("end", "s", "suf", "suffix")
    return call.get("p", "pre", "prefix") + value + (glued + unit if unit else "") + ends


@template("±|+-|plus-minus|plus or minus")
def plus_minus(call: Call) -> str:
    """`{{±|5}}` is ±5, `{{±|3|2}}` is +3−2, one over the other."""
    above, below = call.get(1), call.get(2)
    return f"+{above}{MINUS}{below}" if below else f"±{above}"


@template("rnd|round")
def rounded_number(call: Call) -> str:
    """`{{rnd|1234.567|1}}` is 1,234.6. https://en.wikipedia.org/wiki/Template:Rnd"""
    number, places = parse_number(call.get(1)), call.get(2, default="0")
    if number is None or not re.fullmatch(r"[-−]?\d{1,2}", places):
        return call.get(1)
    step = Decimal(1).scaleb(-int(places.replace(MINUS, "-")))
    result = number.quantize(step, rounding=ROUND_HALF_UP)
    return MINUS * (result < 0) + group(f"{abs(result):f}")


@template("duration")
def duration(call: Call) -> str:
    """`{{duration|m=5|s=9}}` is 5:09."""
    parts = [call.get("h", 1), call.get("m", "min", 2), call.get("s", "sec", 3)]
    while len(parts) > 2 and not parts[0]:
        del parts[0]
    first, *rest = (part or "0" for part in parts)
    return ":".join([first, *(part.zfill(2) for part in rest)])


_CURRENCIES = {
    "US$": "us$|usd|us dollar|united states dollar", "£": "£|gbp|pound sterling|gb£|ukp",
    "€": "€|eur|euro", "¥": "¥|jpy|jp¥|japanese yen|rmb", "₹": "₹|inr|indian rupee|indian rupees",
    "A$": "a$|aud|au$|australian dollar", "CA$": "ca$|cad|canadian dollar|c$|can$|can$",
    "NZ$": "nz$|nzd", "HK$": "hk$|hkd", "NT$": "nt$|ntd|twd", "S$": "s$|sgd",
    "₱": "₱|php|philippine peso|phpeso", "₩": "₩|krw|south korean won", "₽": "₽|rub|russian ruble",
    "₺": "₺|turkish lira", "₪": "₪|ils|nis|israeli new shekel", "₴": "₴|uah", "₦": "₦|ngn|naira",
    "฿": "฿|thb|thai baht", "₫": "₫|vnd", "R$": "r$|brl", "CN¥": "cn¥|cny|renminbi",
    "CHF ": "chf|swiss franc", "Rs. ": "pkr|pkrs|lkr", "৳": "৳|bdt", "RM": "myr", "Rp": "idr",
    "R": "zar", "MX$": "mx$|mxn", "kr ": "sek|dkk|nok", "Rs ": "npr", "DM ": "dm|german mark",
    "zł": "pln", "¢": "¢", "₸": "kzt", "IR£": "ir£",
}  # fmt: skip
_SYMBOL = {name: symbol for symbol, names in _CURRENCIES.items() for name in names.split("|")}


@template(*_SYMBOL)
def money(call: Call) -> str:
    """`{{US$|5 million}}`, `{{INR}}500`: the sign, then the amount if it is given."""
    return _SYMBOL.get(call.key, "") + call.get(1)


@template("£sd|£.s.d.|lsd")
def old_pounds(call: Call) -> str:
    """`{{£sd|l=5|s=10|d=6}}` is £5 10s 6d. https://en.wikipedia.org/wiki/Template:%C2%A3sd"""
    pounds, shillings, pence = call.get("l", 1), call.get("s", 2), call.get("d", 3)
    parts = (f"£{pounds}" if pounds else "", shillings and f"{shillings}s", pence and f"{pence}d")
    return " ".join(filter(None, parts))


@template("currency|money")
def currency(call: Call) -> str:
    """`{{currency|5|USD}}`"""
    amount, code = call.get(1, "amount"), call.get(2, "type")
    return _SYMBOL.get(code.lower(), f"{code} " if code else "") + localised(amount, call.lang)


@template("inrconvert|inr convert")
def rupees(call: Call) -> str:
    """The rupees; what they were worth in other money depends on the day."""
    scale = {"c": " crore", "l": " lakh", "lc": " lakh crore", "k": " thousand", "m": " million",
             "b": " billion", "t": " trillion"}  # fmt: skip
    return f"₹{call.get(1)}{scale.get(call.get(2), '')}"


@template(
    "inflation|inflation/year|inflation year|format price|formatprice|to usd|to usd round|"
    "uk inflation|to gbp"
)
def worth_today(call: Call) -> str:
    """An amount worked out with the prices of today: a dump has no today."""
    return call.get(1) if call.key.startswith("format") else ""


@template("percentage|pct|percent")
def percentage(call: Call) -> str:
    """`{{percentage|1|3|1}}` is 33.3%."""
    part, whole = parse_number(call.get(1)), parse_number(call.get(2))
    if part is None or not whole:
        return call.get(1) + "%"
    places = parse_number(call.get(3, default="0"))
    return plain(part / whole * 100, int(places or 0) if abs(places or 0) < 12 else 0) + "%"


@template("winpct|winning percentage|winperc")
def winning_percentage(call: Call) -> str:
    """`{{winpct|30|20|10}}` is .583: a tie counts half."""
    won, lost, tied = (parse_number(call.get(n, default="0")) or 0 for n in (1, 2, 3))
    games = won + lost + tied
    return plain((2 * won + tied) / (2 * games), 3).lstrip("0") if games else "–"


@template("bar table")
def bar_table(call: Call) -> str:
    """A number with a bar beside it, in a table's cell."""
    return call.get(1) + call.get(2)


@template("roman|romanum|roman numeral")
def roman(call: Call) -> str:
    """Roman numerals, from 1 to 4,999."""
    number = parse_number(call.get(1))
    if number is None or not 0 < number < 5000:
        return call.get(1)
    left, text = int(number), ""
    for value, letters in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ("M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"),
        strict=True,
    ):
        text += letters * (left // value)
        left %= value
    return text


_WORDS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_SCALES = ((1_000_000, "million"), (1000, "thousand"), (100, "hundred"))
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def words_of(number: int, conjunction: str = " and ") -> str:
    """A whole number under a billion in words; others in digits."""
    if not 0 <= number < 10**9:
        return str(number)
    if number < 20:
        return _WORDS[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens - 2] + (f"-{_WORDS[ones]}" if ones else "")
    size, name = next(scale for scale in _SCALES if scale[0] <= number)
    count, rest = divmod(number, size)
    text = f"{words_of(count, conjunction)} {name}"
    if not rest:
        return text
    return text + (conjunction if rest < 100 else " ") + words_of(rest, conjunction)


_PARTS = {
    2: "half", 3: "third", 4: "quarter", 5: "fifth", 6: "sixth", 8: "eighth", 10: "tenth",
    16: "sixteenth",
}  # fmt: skip
_SHOWN_NUMBER = re.compile(rf"({MINUS}?)(?:([\d,]+)(?:\.(\d+))?)?(?: ?(\d+)⁄(\d+))?")


def in_words(shown: str, american: bool = False) -> str:
    """A number as it is shown, in words: 1.5 is one point five. As it stands where it has none.

    The words are those of https://en.wikipedia.org/wiki/Module:ConvertNumeric.
    """
    number = _SHOWN_NUMBER.fullmatch(shown)
    if not number or len(shown) > 20:
        return shown
    sign, whole, decimals, top, bottom = number.groups()
    words = []
    if whole:
        words.append(words_of(int(whole.replace(",", "")), " " if american else " and "))
    if decimals:
        words += ["point", *(_WORDS[int(digit)] for digit in decimals)]
    if top:
        if int(bottom) not in _PARTS or int(top) >= len(_WORDS):
            return shown
        words += ["and"] * bool(whole) + [_part_in_words(int(top), int(bottom), american, whole)]
    return " ".join(["negative"] * bool(sign) + words)


def _part_in_words(top: int, bottom: int, american: bool, whole: str | None) -> str:
    if whole and (top, bottom) == (1, 2):
        return "a half"
    name = "fourth" if american and bottom == 4 else _PARTS[bottom]
    return f"{_WORDS[top]}-{name}{'s' * (top > 1)}"


@template("number to word|spellnum|spell number|numtext")
def number_in_words(call: Call) -> str:
    number = parse_number(call.get(1))
    if number is None or number != int(number):
        return call.get(1)
    return words_of(int(number))
