"""Text that templates only dress: styles, quotations, dashes and blanks, marks, abbreviations."""

from __future__ import annotations

import re

from wiki_index.marks import ASIDE, FRACTION
from wiki_index.templates.registry import Call, constants, template

NBSP = "\N{NO-BREAK SPACE}"

constants(
    {
        # Characters that wikitext would otherwise take for markup.
        "!": "|", "=": "=", "(": "{", ")": "}", "((": "{{", "))": "}}", "!!": "||", "!-": "|-",
        "!(": "[", ")!": "]", "(!": "{|", "pipe": "|", "lbrack": "[", "rbrack": "]", "lbrace": "{",
        "!((": "[[", "))!": "]]", "st": "st", "nd": "nd", "rd": "rd", "th": "th",
        "rbrace": "}", "asterisk": "*", "*": "*", "apostrophe": "'",
        # Quotation marks and apostrophes set apart from italics.
        "'": "'", "'s": "'s", "' \"": "'\"", "\" '": "\"'", "'\"": "'\"", "\"'": "\"'",
        "\"'\"": "\"'\"", "'-": "'", "-'": "'", "-\"": "\"", "\"-": "\"", "' '": "' '", "’": "’",
        "‘": "‘", "\"'s": "\"'s",
        # Dashes, points and blanks.
        "snd": " – ", "snds": " – ", "spnd": " – ", "sndash": " – ", "spaced ndash": " – ",
        "spaced endash": " – ", "spaced en dash": " – ", "nsndns": " – ", "ndash": "–",
        "en dash": "–", "endash": "–", "nbndash": "–", "–": "–", "mdash": "—", "em dash": "—",
        "emdash": "—", "mdashb": "—",
        "ndashb": "–", "--": "—", "—": "—", "snmd": " — ", "spaced mdash": " — ",
        "spaced em dash": " — ", "smd": " — ", "mdashs": " — ", "figure dash": "‒",
        "figdash": "‒", "hyphen": "-", "nbhyph": "‑", "nbhyphen": "‑", "nbh": "‑",
        "horizontal bar": "―", "minus": "−", "wave dash": "〜",
        "·": " · ", "dot": " · ", "middot": " · ", "•": " • ", "bullet": " • ", "bull": " • ",
        "\\": " / ", "/": " / ", "•w": " • ", "·w": " · ", "zwj": "\N{ZERO WIDTH JOINER}",
        "zwnj": "\N{ZERO WIDTH NON-JOINER}", "nnbsp": " ", "thinsp": " ", "thinspace": " ",
        "thin space": " ", "hairsp": " ", "hair space": " ", "hsp": " ", "space": " ",
        "figure space": " ", "pad": " ", "indent": "", "in5": "", "i5": "", "ellipsis": "…",
        "...": "…",
        # Signs.
        "dagger": "†", "†": "†", "double-dagger": "‡", "double dagger": "‡", "ddagger": "‡",
        "‡": "‡", "section-sign": "§", "section sign": "§", "pilcrow": "¶", "trade": "™",
        "trademark": "™", "registered trademark": "®", "registered": "®",
        "times": "×", "×": "×", "plusminus": "±", "pm": "±",
        "check mark": "✓", "tick": "✓", "check": "✓", "checkmark": "✓", "cross": "✗", "x mark": "✗",
        "xmark": "✗", "aye": "✓", "ya": "✓", "okina": "ʻ", "ʻ": "ʻ", "saltillo": "ꞌ",
        "hamza": "ʼ", "ayin": "ʿ", "aleph": "ʾ", "'okina": "ʻ", "right arrow": "→", "rarr": "→",
        "arrow": "→", "larr": "←", "uarr": "↑", "darr": "↓", "up arrow": "↑", "down arrow": "↓",
        "left arrow": "←", "flat": "♭", "sharp": "♯", "natural": "♮",
        "BCE": "BCE", "CE": "CE", "BC": "BC", "AD": "AD",
        # Chess pieces and card suits.
        "spades": "♠", "hearts": "♥", "diamonds": "♦", "clubs": "♣", "spade": "♠", "heart": "♥",
        "diamond": "♦", "club": "♣",
        # Line ends.
        "br": "\n", "break": "\n", "crlf": "\n", "crlf2": "\n", "nl": "\n", "pb": "\n",
        "paragraph break": "\n", "parabr": "\n",
        # Table cells that say one thing.
        "tba": "TBA", "tbd": "TBD", "unk": "Unknown", "dnq": "DNQ", "dnp": "DNP", "dns": "DNS",
        "dnf": "DNF", "sic!": "[sic!]", "dsq": "DSQ", "wd": "WD",
    }
)  # fmt: skip


constants(
    {name: f"{FRACTION}{name.replace('/', '⁄')}" for name in ("1/2", "1/3", "2/3", "1/4", "3/4")}
    | {"half": f"{FRACTION}1⁄2"}
)


@template(
    "nowrap|nobr|nobreak|nowraplinks|j|noitalic|noitalics|small|smaller|big|larger|large|huge|"
    "midsize|normal|nobold|unbold|unbolded|nobold2|center|centre|centered|strong|em|"
    "italic|italics|bold|bolditalic|strikethrough|strike|s|del|ins|u|underline|smallcaps|"
    "small caps|smallcaps2|sup|sub|superscript|subscript|code|mono|tt|kbd|samp|monospace|mxt|"
    "!mxt|bxt|xt|!xt|tq|tq2|tqi|tqq|unicode|unicode fonts|polytonic|abbr|abbrv|tooltip|"
    "abbrlink|hover|title tooltip|not a typo|not typo|notatypo|as written|proper name|bot|"
    "typo|vanchor|visible anchor|vanc|anchord|cuneiform|nq|nastaliq|nowiki|var|mvar|"
    "serif|sans-serif|sans serif|allcaps|gli|annotated link|plainlink|url text|overline|"
    "overbar|underoverline|doubleunderline|pre|pre2|syntaxhighlight|rtl|rtl-text|bidi|bdi|bdo|"
    "rtl-para|no-break|nbr|shade|pxt|dfn|run-in|hanging indent|block indent|blockindent|box|"
    "boxed text|border|normalfont|ws|nihongo2|hebrew|arabic|arabic script|coptic|georgian|"
    "persian|urdu|pashto|syriac|tifinagh|phoenician|ethiopic|gothic|runic|runes|tamil|thai|"
    "khmer|myanmar|mongol|mongolian|mongolunicode|tibetan|lontara|kanji|jawi|latinx|greek|"
    "PIE|red link|cyrillic|old cyrillic|ocs|linear b|mb|medium|hide in print|chem name|main other|"
    "sm|smcaps|char|gcl|nowiki2|noflag|gloss term"
)
def as_is(call: Call) -> str:
    """The first argument, dressed in a way that plain text does not show."""
    if call.positional and call.positional[0].strip():
        return call.positional[0]
    return call.get(1, "text", "content", "quote", "link", "title")


_DOUBTS = (
    "citation needed", "citation-needed", "cn", "fact", "source needed", "clarify", "dubious",
    "clarification needed", "disputed", "failed verification", "verify", "verification needed",
    "unreliable source", "better source needed", "better source", "pov", "pov statement", "update",
    "original research", "or", "synthesis", "weasel", "specify", "vague", "tone", "primary source",
)  # fmt: skip


@template(*(f"{doubt}{joint}span" for doubt in _DOUBTS for joint in (" ", "-", "")))
def doubtful(call: Call) -> str:
    """`{{citation needed span|text=A claim|date=May 1905}}`: the text marked as doubtful."""
    return call.get("text", "content", 1)


@template(
    "background color|bgcolor|highlight|fgcolor|"
    "aligned|font|sort|font size|fs|rtl-lang|script|script/*|unicode script|h:title|hover title|"
    "resize2"
)
def last_argument(call: Call) -> str:
    """The last argument: those before it are a style, a script or a sort key."""
    values = [v for v in call.values() if v]
    return call.get("text", "nowrap", default=values[-1] if values else "")


@template("resize|font-size|longitem")
def resize(call: Call) -> str:
    """`{{resize|95%|text}}` or `{{resize|text}}`."""
    return call.get(2, 1)


@template("font color|fontcolor|font colour|color|colour")
def coloured(call: Call) -> str:
    """`{{color|red|text}}`, `{{font color|fg|bg|text}}`."""
    return call.get("text", 3, 2)


@template("sc|sc1|sc2|smallcaps all|small caps all|asc|aut")
def small_capitals(call: Call) -> str:
    """Small capitals throughout: `{{sc|bc}}` looks like BC."""
    text = call.get(1)
    return text.upper() if call.key != "aut" else text


@template("prime|pprime|degree|deg")
def signed(call: Call) -> str:
    """`{{prime|A}}` is A′, `{{deg|5}}` is 5°."""
    return call.get(1) + {"prime": "′", "pprime": "″"}.get(call.key, "°")


@template("nbsp|spaces|nbs|spc|nb|nbsps|wrap")
def blanks(call: Call) -> str:
    """A blank, however wide."""
    return NBSP


@template(
    "quote|blockquote|quotation|bquote|cquote|quote text|bq|block quote|centered pull quote|"
    "rquote|pull quote|poemquote|poem quote|epigraph|"
    "lyrics|poem|quote without source"
)
def quotation(call: Call) -> str:
    """A quotation as paragraphs of its own, with the line that names its author and source.

    https://en.wikipedia.org/wiki/Template:Blockquote
    """
    first = 2 if call.key == "rquote" else 1
    shift = 2 if call.key == "cquote" else 0  # cquote keeps 2 and 3 for its marks' sizes
    text = call.get("text", "quote", first)
    if call.key.startswith("poem"):
        text = text.replace("\n", "\n\n")  # a line of verse is a line
    author = call.get("author", "sign", "by", "char", "character", first + 1 + shift)
    source = call.get("source", "title", "cite", "ts", first + 2 + shift)
    credit = ", ".join(filter(None, (author, source)))
    return f"\n{text}\n" + (f"\n— {credit}\n" if credit and text else "")


@template("verse translation")
def verse_translation(call: Call) -> str:
    """A poem and its translation beside it, a line of verse a line."""
    return "\n" + "\n\n".join(line for text in call.values() for line in text.splitlines()) + "\n"


@template("bracket")
def in_brackets(call: Call) -> str:
    return f"[{call.get(1)}]"


@template("quote box|quotebox|pull quote box")
def quote_box(call: Call) -> str:
    """A quotation in a box beside the text. https://en.wikipedia.org/wiki/Template:Quote_box"""
    paragraphs = filter(None, quotation(call).split("\n"))
    return "\n" + "\n\n".join(f"{ASIDE}{paragraph}" for paragraph in paragraphs)


@template("legend|legend striped")
def legend(call: Call) -> str:
    """A line of the key to a map or table. https://en.wikipedia.org/wiki/Template:Legend"""
    return f"\n{call.get(2)}\n"


@template("legend0|legend2|legend inline|legend-inline|legend-line|legend-text|legend6")
def legend_inline(call: Call) -> str:
    """The same within a line, after a colour or a pattern."""
    return call.get(2)


@template("sic")
def sic(call: Call) -> str:
    """https://en.wikipedia.org/wiki/Template:Sic"""
    text = call.get(1)
    if text in ("?", "!"):
        return f"[sic{text}]"
    text += call.get(2)
    if call.flag("hide"):
        return text
    return f"{text} [sic]".lstrip()


@template("linktext|link text|lt")
def link_text(call: Call) -> str:
    """Words, each linked to its dictionary entry."""
    return "".join(call.positional)


@template("ill|interlanguage link|illm|interlanguage link multi")
def interlanguage_link(call: Call) -> str:
    """`{{ill|Title|de|Titel|lt=label}}`, or of old `{{ill|de|Title|Titel|label}}`.

    https://en.wikipedia.org/wiki/Template:Interlanguage_link
    """
    first, second = call.get(1), call.get(2)
    old_order = re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?|simple", first) and second
    if old_order and not re.fullmatch(r"[a-z]{2,3}(-[a-z]+)?", second):
        return call.get("lt", 4, 2)
    return call.get("lt", "display", 1)


_KEYS = {
    "backspace": "← Backspace", "enter": "↵ Enter", "return": "⏎ Return", "tab": "Tab ↹",
    "shift": "⇧ Shift", "caps lock": "⇪ Caps Lock", "win": "⊞ Win", "windows": "⊞ Win",
    "cmd": "⌘ Cmd", "command": "⌘ Cmd", "option": "⌥ Option", "opt": "⌥ Opt", "menu": "≣ Menu",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "page up": "Page Up", "pgup": "Page Up",
    "page down": "Page Down", "pgdn": "Page Down", "control": "Control", "del": "Delete",
}  # fmt: skip


@template("keypress|key press|key|button|keyboard")
def keypress(call: Call) -> str:
    """Keys pressed together; `chain` says what stands between them."""
    chain = call.get("chain", default="+")
    if chain != "+":
        chain = f" {chain} " if chain in (",", "then", "or", "-") else chain
    return chain.join(_KEYS.get(key.lower(), key) for key in call.values() if key)


@template("hidden text|ifsubst|subst only|null")
def nothing(call: Call) -> str:
    """Known to show nothing."""
    return ""


@template("tlx|tl|tlc|tld|tlg|tnull|template link|tn|para|tag|xtag")
def template_link(call: Call) -> str:
    """A template, parameter or tag shown by its own notation."""
    first, rest = call.get(1), [v for v in call.values(2) if v]
    if call.key == "para":
        return f"|{first}={' '.join(rest)}"
    if call.key in ("tag", "xtag"):
        return f"<{first}>…</{first}>"
    return "{{" + "|".join([first, *rest]) + "}}"


@template(
    "yes|no|n/a|yes2|no2|partial|maybe|unknown|won|nom|nominated|pending|dunno|some|terminated|"
    "optional|dropped|table cell|incorrect|draw|win|beta|planned|eliminated|active|runner-up|"
    "release-candidate|sometimes|operational|success|failure|partial failure|okay|site active|"
    "site inactive|scheduled|usually|sho|yes c|no c|rh|rh2"
)
def cell(call: Call) -> str:
    """A table cell: its own text, or else the word it stands for."""
    if text := call.get(1):
        return text
    name = call.name
    special = {
        "n/a": "—", "nom": "Nominated", "dunno": "?", "yes2": "Yes", "no2": "No", "yes c": "✓",
        "no c": "✗", "rh": "", "rh2": "", "sho": "",
    }  # fmt: skip
    return special.get(name.lower(), name[:1].upper() + name[1:])


@template("url|homepage")
def url(call: Call) -> str:
    """https://en.wikipedia.org/wiki/Template:URL"""
    if shown := call.get(2):
        return shown
    host, slash, path = re.sub(r"^[a-z]+://", "", call.get(1)).partition("/")
    return host.lower() + (slash + path if path else "")


@template("trim|str trim|1x|resolve|echo|only")
def trimmed(call: Call) -> str:
    """The argument without the blanks around it."""
    return call.get(1)


@template("gaps")
def gaps(call: Call) -> str:
    """Digits grouped by narrow gaps that are no characters."""
    return "".join(call.values()) + call.get("s")


@template("lcd|first lower")
def lower_first(call: Call) -> str:
    text = call.get(1)
    return text[:1].lower() + text[1:]


@template("p.|pp.|vol.|no.|p|vol")
def page_reference(call: Call) -> str:
    """`{{pp.|3|16}}` is pp. 3–16."""
    numbers = "–".join(v for v in call.values() if v)
    label = call.key if call.key.endswith(".") else call.key + "."
    return f"{label} {numbers}"


@template(
    "bibleverse|bibleref|bibleref2|bibleref2c|bibleverse-nb|bibleref2-nb|bible|bibleref2c-nb|"
    "bibleverse-lb|bible verse"
)
def bible_verse(call: Call) -> str:
    """`{{bibleverse|1|Samuel|2:3|KJV}}`, of old with an empty first; `{{bibleref2|Mark|3:25}}`."""
    first, second, third = call.get(1), call.get(2), call.get(3)
    if "2c" in call.key:
        return second
    if not first or first in ("1", "2", "3", "4", "I", "II", "III"):
        return " ".join(filter(None, (first, second, third)))
    return f"{first} {second}".strip()


@template("harvtxt|harvcoltxt|harvard citation text|citet")
def textual_citation(call: Call) -> str:
    """`{{harvtxt|Lee|Ek|1990|p=5}}` is Lee & Ek (1990, p. 5): part of its sentence, not a note."""
    *authors, year = [v for v in call.values() if v] or [""]
    names = " & ".join(filter(None, (", ".join(authors[:-1]), *authors[-1:])))
    pages = (
        [f"p. {call.get('p')}"] if call.get("p") else [f"pp. {v}" for v in [call.get("pp")] if v]
    )
    return f"{names} ({', '.join([year, *pages])})" if names else ""


@template("quran|cite quran|qref|qur'an")
def quran(call: Call) -> str:
    return f"Quran {call.get(1)}:{call.get(2)}" if call.get(1) else ""


@template("lsj|wikt-lang|wt|wikt-lang-x|wlink")
def dictionary_word(call: Call) -> str:
    """A word linked to its entry: the second argument, or a label in the third."""
    return call.get(3, 2, 1) if call.key != "lsj" else call.get(2)


@template("us patent|patent|us patent application")
def us_patent(call: Call) -> str:
    if call.key == "patent":
        return f"{call.get(1)} patent {call.get(2)}"
    number = call.get(1)
    return f"U.S. Patent {int(number):,}" if number.isdecimal() else f"U.S. Patent {number}"


@template("epc article|epc rule|epc 1973 rule|epc 1973 article|pct rule|pct article|frcrp")
def treaty_clause(call: Call) -> str:
    """A numbered clause: `{{EPC Article|85}}` is Article 85 EPC."""
    if call.key == "frcrp":
        return f"Fed. R. Crim. P. {call.get(1)}"
    *treaty, kind = call.name.split()
    treaty[0] = treaty[0].upper()
    return f"{kind} {call.get(1)} {' '.join(treaty)}"


@template("algorithm-begin")
def algorithm_begin(call: Call) -> str:
    return f"\nAlgorithm {call.get('name', 1)}\n"


constants({"algorithm-end": "\n"})
