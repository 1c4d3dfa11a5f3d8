"""Words of other languages: {{lang}}, {{langx}}, transliterations, {{nihongo}}, {{zh}} and kin."""

from __future__ import annotations

from collections.abc import Iterable

from wiki_index.templates.language_names import language_name
from wiki_index.templates.registry import Call, template


@template("lang|lang-")
def lang(call: Call) -> str:
    """`{{lang|de|Wort}}`: the word. https://en.wikipedia.org/wiki/Template:Lang"""
    return call.get(2, "text", 1)


def _labelled(language: str, call: Call, first: int) -> str:
    """`Language: word, romanized: other, lit. 'meaning'`."""
    text = call.get(first, "text")
    latin = call.get("translit", "tr", "rom", first + 1)
    meaning = call.get("lit", "literal", first + 2)
    label = call.get("label", default=language)
    shown = text if label.lower() in ("none", "no") else f"{label}: {text}"
    if latin:
        shown += f", romanized: {latin}"
    if meaning:
        shown += f", lit. '{meaning}'"
    return shown if text else ""


@template("langx")
def langx(call: Call) -> str:
    """`{{langx|de|Wort}}` is German: Wort. https://en.wikipedia.org/wiki/Template:Langx"""
    code = call.get(1, "code")
    return _labelled(language_name(code) or code, call, 2)


@template("lang-*")
def lang_xx(call: Call) -> str | None:
    """`{{lang-de|Wort}}` is German: Wort."""
    language = language_name(call.key.removeprefix("lang-"))
    return _labelled(language, call, 1) if language else None


@template("lang-rus|lang-ukr|lang-bel|lang-bul")
def lang_cyrillic(call: Call) -> str:
    """Russian and kin with transliteration and pronunciation."""
    name = {"rus": "Russian", "ukr": "Ukrainian", "bel": "Belarusian", "bul": "Bulgarian"}
    parts = [f"{name[call.key[-3:]]}: {call.get(1)}"]
    if latin := call.get("r", "tr", "translit", 2):
        parts.append(f"romanized: {latin}")
    if ipa := call.get("p", 3):
        parts.append(f"IPA: [{ipa.strip('[]')}]")
    return ", ".join(parts)


@template(
    "transl|transliteration|tlit|romanization|translit|iast|iast1|iso 15919|semxlit|rus transl"
)
def transliteration(call: Call) -> str:
    """`{{transl|ar|ALA|ʾalif}}`, `{{transl|ar|ʾalif}}`: the last argument."""
    values = [v for v in call.values() if v]
    return values[-1] if values else ""


@template("literal translation|lit|literally|literal|lit.")
def literal(call: Call) -> str:
    meanings = " or ".join(f"'{v}'" for v in call.values() if v)
    return f"lit. {meanings}" if meanings else "lit."


@template("native name|native phrase|nativename|native name list")
def native_name(call: Call) -> str:
    """`{{native name|sq|Shqipëria}}` is Shqipëria (Albanian)."""
    if call.key == "native name list":
        pairs = [(call.get(f"name{n}"), call.get(f"tag{n}")) for n in range(1, 30)]
    else:
        pairs = [(call.get(2, "name"), call.get(1, "tag"))]
    bare = call.get("paren").lower() in ("omit", "no", "off")
    return "\n".join(
        name if bare or not language_name(code) else f"{name} ({language_name(code)})"
        for name, code in pairs
        if name
    )


def _bracketed(parts: Iterable[str]) -> str:
    inside = ", ".join(part for part in parts if part)
    return f"({inside})" if inside else ""


@template("nihongo|nihongo krt|nihongo title|nihongo core|japanese|jpn")
def nihongo(call: Call) -> str:
    """`{{nihongo|English|漢字|rōmaji}}` is English (漢字, rōmaji).

    https://en.wikipedia.org/wiki/Template:Nihongo
    """
    english, kanji, romaji = call.get(1), call.get(2), call.get(3)
    extra, after = call.get(4, "extra"), call.get(5, "extra2")
    if call.flag("lead"):
        kanji = f"Japanese: {kanji}" if kanji else ""
        romaji = f"Hepburn: {romaji}" if romaji else ""
    if not english and romaji and not call.flag("lead"):
        english, romaji = romaji, ""
    return " ".join(filter(None, (english, _bracketed((kanji, romaji, extra)), after)))


@template("nihongo3|nihongo4|nihongo 3")
def nihongo3(call: Call) -> str:
    """`{{nihongo3|English|漢字|rōmaji}}` is rōmaji (漢字, English)."""
    english, kanji, romaji = call.get(1), call.get(2), call.get(3)
    if not romaji:
        return " ".join(filter(None, (kanji, _bracketed((english, call.get(4))))))
    return " ".join(filter(None, (romaji, _bracketed((kanji, english, call.get(4))), call.get(5))))


@template("nihongo foot|nihongo f|nihongo-foot")
def nihongo_foot(call: Call) -> str:
    """The English alone: the rest is a footnote."""
    return call.get(1)


@template("korean|ko-hhrm|korean/auto|ko")
def korean(call: Call) -> str:
    """`{{Korean|hangul|hanja|rr|mr}}` is Korean: 한글; Hanja: 漢字; RR: …; MR: …"""
    labels = [("Korean", "hangul", 1), ("Hanja", "hanja", 2), ("RR", "rr", 3), ("MR", "mr", 4)]
    shown = [
        f"{label}: {text}" if call.get("labels").lower() != "no" else text
        for label, name, position in labels
        if (text := call.get(name, position))
    ]
    if meaning := call.get("lit", "l"):
        shown.append(f"lit. '{meaning}'")
    return "; ".join(shown)


_CHINESE = [
    ("c", "Chinese"), ("s", "simplified Chinese"), ("t", "traditional Chinese"), ("p", "pinyin"),
    ("tp", "Tongyong Pinyin"), ("w", "Wade–Giles"), ("mi", "Mandarin pronunciation"), ("j",
    "Jyutping"), ("y", "Yale"), ("cy", "Cantonese Yale"), ("sl", "Sidney Lau"), ("ci",
    "Cantonese pronunciation"), ("h", "Hakka"), ("poj", "Pe̍h-ōe-jī"), ("tl", "Tâi-lô"), ("buc",
    "Bàng-uâ-cê"), ("lmz", "Long-short"), ("zhu", "Zhuyin Fuhao"), ("sm", "simplified Manchu"),
    ("ph", "Pha̍k-fa-sṳ"), ("xej", "Xiao'erjing"), ("psp", "postal"), ("mps", "MPS2"), ("gr",
    "Gwoyeu Romatzyh"),
]  # fmt: skip


@template(
    "zh|zh-full|chinese|zh-cpl|zh-stp|zh-tsp|zh-t|zh-s|zh-sp|zh-tp|zh-tspl|zh-cp|zh-stpl|zh-cl|"
    "zh-c|zh-tscmp|zh-hanzi|zh-ts|zh-st|zh-all|lang-zh"
)
def chinese(call: Call) -> str:
    """A labelled list of forms and romanisations. https://en.wikipedia.org/wiki/Template:Zh"""
    order = list(_CHINESE)
    if "t" in call.get("first").split(",") or call.flag("t1"):
        order.insert(1, order.pop(2))
    same = call.get("s") and call.get("s") == call.get("t")
    bare = call.get("labels").lower() in ("no", "off") or call.flag("nolabels")
    shown = []
    for key, label in order:
        text = call.get(key) if key != "c" or call.get("c") else call.get("hanzi", 1)
        if same and key in ("s", "t"):
            text, label = (text, "Chinese") if key == "s" else ("", label)
        if text:
            shown.append(text if bare else f"{label}: {text}")
    if meaning := call.get("l", "lit"):
        shown.append(f"lit. '{meaning}'")
    return "; ".join(shown)


@template("vie|vietnamese")
def vietnamese(call: Call) -> str:
    parts = [("Vietnamese", call.get("v", 1)), ("chữ Hán", call.get("hn", "hantu", 2))]
    return ", ".join(f"{label}: {text}" for label, text in parts if text)
