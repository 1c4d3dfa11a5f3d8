"""Sport, music, film, law: templates of those fields' articles."""

from __future__ import annotations

from wiki_index.templates.lists import paragraphs
from wiki_index.templates.registry import Call, constants, template

_MOST_TRACKS = 100

constants(
    { "WR": "WR", "NR": "NR", "PB": "PB", "SB": "SB", "CR": "CR", "world record": "WR", "Y": "✓",
    "N": "✗", "nay": "✗", "0": "", "00": "", "nb5": " ", "gap": " ", }
)  # fmt: skip


@template("track listing|tracklist|track list")
def track_listing(call: Call) -> str:
    """A line a track: number, title, who wrote it, how long it is.

    https://en.wikipedia.org/wiki/Template:Track_listing
    """
    lines = [call.get("headline")]
    for number in range(1, _MOST_TRACKS):
        title = call.get(f"title{number}")
        if not title:
            continue
        note = call.get(f"note{number}")
        people = call.get(f"writer{number}", f"music{number}", f"extra{number}")
        parts = [f'{number}. "{title}"', f"({note})" if note else "", people]
        lines.append(" ".join(filter(None, [*parts, call.get(f"length{number}")])))
    return paragraphs(lines)


@template("cast listing|castlist|cast list")
def cast(call: Call) -> str:
    return f"\n{call.get(1)}\n"


@template("video game release|vgrelease|vg release")
def game_release(call: Call) -> str:
    """`{{Video game release|NA|May 1, 2010|EU|May 7, 2010}}`: a line a region."""
    values = list(call.values())
    pairs = zip(values[::2], [*values[1::2], ""], strict=False)
    return paragraphs(f"{region}: {date}" for region, date in pairs if date)


@template("goal|yel|sent off|subon|suboff|yellow card|red card")
def minutes(call: Call) -> str:
    """`{{goal|15||60|pen.}}` is 15', 60' (pen.)."""
    values = list(call.values())
    step = 2 if call.key == "goal" else 1
    notes = [*values[1::2], ""] if step == 2 else [""] * len(values)
    shown = [
        f"{minute}'" + (f" ({note})" if note else "")
        for minute, note in zip(values[::step], notes, strict=False)
        if minute[:1].isdecimal()
    ]
    return ", ".join(shown)


@template("football box|footballbox|football box collapsible|footballbox collapsible|rugbybox")
def football_box(call: Call) -> str:
    """A match on one line: date, the teams with the score between, ground."""
    game = " ".join(
        filter(None, (call.get("team1", "home"), call.get("score"), call.get("team2", "away")))
    )
    return "\n" + ", ".join(filter(None, (call.get("date"), game, call.get("stadium")))) + "\n"


@template("usc|unitedstatescode|us code|uscsub")
def us_code(call: Call) -> str:
    """`{{USC|17|107}}` is 17 U.S.C. § 107."""
    return f"{call.get(1)} U.S.C. § {call.get(2)}"


@template("ussc|ussc citation|scite")
def us_reports(call: Call) -> str:
    """`{{ussc|410|113|1973}}` is 410 U.S. 113 (1973), after the case's name if it is given."""
    volume, page, year = (
        call.get(key, position) for key, position in (("volume", 1), ("page", 2), ("year", 3))
    )
    text = f"{volume} U.S. {page}" + (f" ({year})" if year else "")
    return ", ".join(filter(None, (call.get("name"), text)))


@template("usstat|codefedreg|cfr|uspl|uspub law")
def us_laws(call: Call) -> str:
    """`{{USStat|1|73}}` is 1 Stat. 73, `{{CodeFedReg|21|1}}` 21 C.F.R. 1."""
    first, second = call.get(1), call.get(2)
    if call.key.startswith("usp"):
        return f"Pub. L. {first}–{second}"
    return f"{first} {'Stat.' if call.key == 'usstat' else 'C.F.R.'} {second}"


@template("post-nominals|postnominals|post-nominals/*")
def post_nominals(call: Call) -> str:
    """`{{post-nominals|country=GBR|OBE|FRS}}` is OBE FRS."""
    return " ".join(v for v in call.values() if v)


@template("mya|ma|kya")
def years_ago(call: Call) -> str:
    """`{{mya|65}}` is 65 million years ago."""
    word = {"k": "thousand"}.get(call.key[0], "million")
    return f"{'–'.join(v for v in list(call.values())[:2] if v)} {word} years ago"


@template("section link|slink")
def section_link(call: Call) -> str:
    """`{{section link|Page|Part}}` is Page § Part."""
    page, parts = call.get(1), [v for v in call.values(2) if v]
    return " ".join(filter(None, [page, *(f"§ {part}" for part in parts)]))


@template("format link|formatlink|flink")
def format_link(call: Call) -> str:
    """`{{format link|Page#Part}}` is Page § Part."""
    page, _, part = call.get(1).partition("#")
    return f"{page} § {part}".strip() if part else page


@template("ruby|ruby-ja")
def ruby(call: Call) -> str:
    """`{{ruby|漢|かん}}` is 漢 (かん): what stands above the line, after it."""
    return f"{call.get(1)} ({call.get(2)})" if call.get(2) else call.get(1)


@template("etymology|ety")
def etymology(call: Call) -> str:
    """`{{etymology|Latin|turris|tower}}` is from Latin turris 'tower'."""
    values = [v for v in call.values() if v]
    shown = []
    for start in range(0, len(values), 3):
        language, word, meaning = (*values[start : start + 3], "", "")[:3]
        shown.append(f"from {language} {word}".rstrip() + (f" '{meaning}'" if meaning else ""))
    return ", ".join(shown)


@template("in lang|in language")
def in_language(call: Call) -> str:
    """`{{in lang|de}}` is (in German)."""
    from wiki_index.templates.language_names import language_name

    names = [language_name(v) or v for v in call.values() if v]
    return f"(in {' and '.join(names)})" if names else ""


@template("noredirect|color box|colorbox|party name with colour|no redirect")
def label_or_target(call: Call) -> str:
    """The second argument, or else the first."""
    if call.key.startswith("color"):
        return call.get(2)
    return call.get(2, 1)
