"""Titles as strings: MediaWiki's own normalisation, and a coarser folding for forgiving matches.

Sources: https://www.mediawiki.org/wiki/Manual:Title.php (normalisation),
https://www.unicode.org/reports/tr15/ (NFC, NFKD).
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Literal
from urllib.parse import unquote

from wiki_index.normal_form import nfc

CaseRule = Literal["first-letter", "case-sensitive"]

_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_BLANKS = re.compile("[ _\t\r\n\xa0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_NORMAL = re.compile(r"[A-Za-z0-9À-Þ](?:[!$'-9;<=>?@A-Z\\^`a-z|~À-ɏ–]| (?! |\Z))*+")
"""Most titles: of Latin characters that stand for themselves."""
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_INITIALS = re.compile(r"\b([^\W\d_])((?: [^\W\d_])+)(?= |$)")

# Letters that Unicode does not decompose, with what a keyboard without them writes.
_LETTERS = str.maketrans(
    {
        "ß": "ss", "ẞ": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "þ": "th",
        "ł": "l", "ħ": "h", "ı": "i", "ŋ": "n", "ŧ": "t", "ĸ": "k", "ə": "e", "ɛ": "e", "ɔ": "o",
        "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y", "ɨ": "i", "ʉ": "u",
        "'": None, "’": None, "‘": None, "ʻ": None, "ʼ": None, "ʾ": None, "ʿ": None, "`": None,
        "´": None, "ʹ": None, "′": None, "\u00ad": None, "\u200b": None,
    }
)  # fmt: skip


def normalise(title: str, case: CaseRule = "first-letter") -> str:
    """The title as MediaWiki would write it.

    Underscores and every kind of blank become single blanks, entities and percent escapes are
    decoded, direction marks and a leading colon go, a `#section` is cut off, the text is NFC and
    its first letter upper case where the wiki's case rule says so.
    """
    if _NORMAL.fullmatch(title):
        return title[0].upper() + title[1:] if case == "first-letter" else title
    text = encodable(title)
    if "&" in text:
        text = encodable(html.unescape(text))
    if _PERCENT.search(text):
        text = _unquote(text)
    text = _DIRECTION_MARKS.sub("", nfc(text))
    text = _BLANKS.sub(" ", text).strip().removeprefix(":").partition("#")[0].strip()
    return capitalise(text) if case == "first-letter" else text


def _unquote(text: str) -> str:
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def encodable(text: str) -> str:
    """The text with ``?`` for surrogates without their pair, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def capitalise(text: str) -> str:
    """First letter upper case, where one letter stays one (ß does not) and but for Georgian.

    Source: `Language::ucfirst` of MediaWiki, whose overrides keep the Mkhedruli letters.
    """
    first = text[:1]
    upper = first.upper()
    if len(upper) != 1 or "\u10d0" <= first <= "\u10ff":
        return text
    return upper + text[1:]


def fold(title: str) -> str:
    """A key under which spellings of one title agree: case, diacritics and punctuation folded.

    Marks of Latin, Greek, Cyrillic, Hebrew and Arabic go; those of other scripts are letters of
    their own and stay. Apostrophes vanish, other punctuation parts words, and initials in a row
    join (`J. R. R.`, `J.R.R.` and `JRR` agree). A title of punctuation alone is kept as it is.

    >>> fold("Þingvellir"), fold("U.S. Navy"), fold("AC/DC")
    ('thingvellir', 'us navy', 'ac dc')
    """
    title = encodable(title)
    decomposed = unicodedata.normalize("NFKD", title).casefold().translate(_LETTERS)
    kept = "".join(
        character if _is_word(character) else " "
        for character in decomposed
        if not _is_optional_mark(character)
    )
    words = " ".join(unicodedata.normalize("NFC", kept).split())
    if not words:
        return " ".join(title.casefold().replace("_", " ").split())
    return _INITIALS.sub(lambda run: run[0].replace(" ", ""), words)


def _is_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def _is_optional_mark(character: str) -> bool:
    return (
        "\u0300" <= character <= "\u036f"
        or "\u0591" <= character <= "\u05c7"
        or "\u064b" <= character <= "\u065f"
        or character == "\u0670"
    )
