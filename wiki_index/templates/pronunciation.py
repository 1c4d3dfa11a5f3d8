"""Pronunciations: IPA in its brackets, respellings, letters in angle brackets."""

from __future__ import annotations

from wiki_index.templates.language_names import language_name
from wiki_index.templates.registry import Call, constants, template

# The keys that {{IPAc-en}} takes for the sounds of English, where they are not the sounds
# themselves (https://en.wikipedia.org/wiki/Help:IPA/English).
_SOUNDS = {
    "'": "ˈ", ",": "ˌ", "_": " ", "ˈ": "ˈ", "ˌ": "ˌ", ".": ".", "-": "-", "g": "ɡ", "gw": "ɡw",
    "ch": "tʃ", "tsh": "tʃ", "sh": "ʃ", "zh": "ʒ", "th": "θ", "dh": "ð", "ng": "ŋ", "dzh": "dʒ",
    "dg": "dʒ", "N": "ŋ", "S": "ʃ", "T": "θ", "D": "ð", "Z": "ʒ", "tS": "tʃ", "dZ": "dʒ", "kh": "x",
    "ʔ": "ʔ", "ae": "æ", "a": "æ", "{": "æ", "A:": "ɑː", "A": "ɑː", "ah": "ɑː", "aa": "ɑː",
    "ɑ": "ɑː", "A:r": "ɑːr", "ar": "ɑːr", "ɑr": "ɑːr", "Ar": "ɑːr", "Q": "ɒ", "o": "ɒ", "O:": "ɔː",
    "O": "ɔː", "aw": "ɔː", "ɔ": "ɔː", "O:r": "ɔːr", "or": "ɔːr", "ɔr": "ɔːr", "oʊr": "ɔːr",
    "I": "ɪ", "ih": "ɪ", "Ir": "ɪər", "ɪr": "ɪər", "i:": "iː", "ee": "iː", "ii": "iː", "I@r": "ɪər",
    "I@": "ɪə", "eer": "ɪər", "E": "ɛ", "e": "ɛ", "eh": "ɛ", "er": "ɛər", "Er": "ɛər", "ɛr": "ɛər",
    "E@r": "ɛər", "E@": "ɛə", "air": "ɛər", "V": "ʌ", "^": "ʌ", "uh": "ʌ", "U": "ʊ", "oo": "ʊ",
    "U@r": "ʊər", "ʊr": "ʊər", "Ur": "ʊər", "u:": "uː", "uu": "uː", "@": "ə", "@r": "ər",
    "3:": "ɜː", "3:r": "ɜːr", "3r": "ɜːr", "ur": "ɜːr", "ɜ": "ɜː", "ɜr": "ɜːr", "eI": "eɪ",
    "ay": "eɪ", "aI": "aɪ", "eye": "aɪ", "OI": "ɔɪ", "oi": "ɔɪ", "oy": "ɔɪ", "aU": "aʊ", "ow": "aʊ",
    "oU": "oʊ", "@U": "oʊ", "oh": "oʊ", "ju": "juː", "ju:": "juː", "ou": "aʊ", "@l": "əl",
    "@n": "ən", "@m": "əm", "y": "j",
}  # fmt: skip

_LABELS = {
    "lang": "English: ", "local": "locally ", "pron": "pronounced ", "ipa": "IPA: ",
    "also": "also ", "uk": "UK: ", "us": "US: ", "ukalso": "UK also ", "usalso": "US also ",
    "alsouk": "also UK: ", "alsous": "also US: ", "au": "AU: ", "ca": "CA: ", "nz": "NZ: ",
    "ie": "IE: ", "uklang": "UK English: ", "uspron": "US pronunciation: ",
    "ukpron": "UK pronunciation: ", "icon": "",
}  # fmt: skip


@template("ipac-en|ipae|usdict|ipa-en|pron-en")
def ipa_english(call: Call) -> str:
    """`{{IPAc-en|æ|l|ˈ|b|iː|d|oʊ}}` is /ælˈbiːdoʊ/. https://en.wikipedia.org/wiki/Template:IPAc-en"""
    label, text = "pronounced " if call.key == "pron-en" else "", ""
    for value in call.values():
        if not text and value.lower() in _LABELS:
            label += _LABELS[value.lower()]
        elif value in (",_", "; ", ";_"):
            text += f"{value[0]} "
        else:
            text += _SOUNDS.get(value) or value.replace(":", "ː")
    return f"{label}/{text.strip()}/" if text.strip() else ""


_MODES = {
    "lang": "{name}: ", "pron": "pronounced ", "ipa": "IPA: ", "local": "locally ", "": "",
    "also": "also ", "label": "{name} pronunciation: ", "no": "", "none": "",
}  # fmt: skip


def _in_brackets(text: str) -> str:
    return text if text[:1] in "[/⫽⟨" else f"[{text}]"


def _foreign(name: str, text: str, mode: str) -> str:
    mode = mode.lower()
    if mode in _MODES and mode:
        label = _MODES[mode].format(name=name)
    elif mode and "." not in mode:
        label = f"{mode}: " if not mode.endswith(":") else f"{mode} "
    else:
        label = f"{name} pronunciation: " if name else ""
    return label + _in_brackets(text) if text else ""


@template(
    "ipa|ipa link|ipalink|ipaslink|ipablink|ipasym|api|ipaalink|ipadlink|ipa-all|phoneme|phonemes"
)
def ipa(call: Call) -> str:
    """`{{IPA|/x/}}`; `{{IPA|fr|mɔ̃d}}` is French pronunciation: [mɔ̃d]; `{{IPAslink|ʃ}}` is /ʃ/."""
    name, first, second = call.key, call.get(1), call.get(2)
    if name == "ipaslink" or name.startswith("phoneme"):
        return f"/{first}/"
    if name in ("ipablink", "ipa-all"):
        return f"[{first}]"
    if name == "ipa" and second and (language := language_name(first)):
        if first == "en":
            return call.get("label") + second
        return _foreign(language, second, call.get("label", "generic", 3))
    return first


# The letters of Polish that are not the signs of their sounds.
_POLISH = {
    "ą": "ɔ̃", "c": "t͡s", "ć": "t͡ɕ", "ci": "t͡ɕ", "cz": "t͡ʂ", "ch": "x", "dz": "d͡z", "dź": "d͡ʑ",
    "dzi": "d͡ʑ", "dż": "d͡ʐ", "e": "ɛ", "ę": "ɛ̃", "g": "ɡ", "h": "x", "ł": "w", "ń": "ɲ", "ni": "ɲ",
    "ng": "ŋ", "o": "ɔ", "ó": "u", "rz": "ʐ", "ś": "ɕ", "si": "ɕ", "sz": "ʂ", "w": "v", "y": "ɨ",
    "ź": "ʑ", "zi": "ʑ", "ż": "ʐ", "'": "ˈ", ",": "ˌ", "-": " ", "_": " ",
}  # fmt: skip


@template("ipac-pl")
def ipa_polish(call: Call) -> str:
    """`{{IPAc-pl|w|a|r|'|sz|a|w|a}}` is Polish pronunciation: [varˈʂava]; after ``AUD`` comes a
    sound file. https://en.wikipedia.org/wiki/Template:IPAc-pl"""
    values = [value for value in call.values() if value]
    mode = values.pop(0) if values and values[0].lower() in _MODES else ""
    if values and values[0].upper() == "AUD":
        values = values[2:]
    return _foreign("Polish", "".join(_POLISH.get(v.lower(), v) for v in values), mode)


_OTHER_CODES = {
    "tu": "Turkish",
    "grc": "Ancient Greek",
    "nah": "Nahuatl",
    "sh": "Serbo-Croatian",
    "und": "",
}


@template("ipa-*")
def ipa_language(call: Call) -> str:
    """`{{IPA-fr|mɔ̃d}}` is French pronunciation: [mɔ̃d], or as its second argument says.

    One that is there but empty, `{{IPA-fr|mɔ̃d|}}`, takes the label away.
    """
    code = call.key.removeprefix("ipa-")
    name = _OTHER_CODES.get(code, language_name(code) or "")
    is_given = len(call.positional) > 1 or "2" in call.named
    return _foreign(name, call.get(1), call.get(2, default="none" if is_given else ""))


@template("respell|respelling|pronunciation respelling")
def respell(call: Call) -> str:
    """`{{respell|fə|NEE|əs}}` is fə-NEE-əs; an underscore begins a new word."""
    marks = {"_": " ", "'": "'", ",": ", ", ";": "; ", "": ""}
    shown: list[str] = []
    was_syllable = False
    for value in call.values():
        if value in marks:
            shown.append(marks[value])
        else:
            shown += ["-", value] if was_syllable else [value]
        was_syllable = value not in marks
    return "".join(shown).strip()


@template("angbr|angle bracket|angbr ipa|angbr2|grapheme|vr")
def angle_brackets(call: Call) -> str:
    """`{{angbr|a}}` is ⟨a⟩."""
    return "".join(f"⟨{v}⟩" for v in call.values() if v)


constants({"langle": "⟨", "rangle": "⟩"})


@template("pron|pronounced|audio-ipa|audio-pipa")
def pronounced(call: Call) -> str:
    """`{{pronounced|x}}`; with a sound file first, the text after it."""
    text = call.get(2, 1) if call.key.startswith("audio") else call.get(1)
    return f"pronounced {text}" if call.key.startswith("pron") and text else text


@template("audio|audio2|audio-de|audio-nohelp")
def audio(call: Call) -> str:
    """A link to a sound file: its label."""
    return call.get(2)
