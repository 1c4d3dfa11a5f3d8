"""Names: countries with their flags, ships and their classes, teams, forces."""

from __future__ import annotations

from wiki_index.templates.countries import COUNTRIES, country_name
from wiki_index.templates.registry import Call, constants, template

constants(COUNTRIES, lang="en")


@template(
    "flag|flagu|flagcountry|flag+link|flaglink|flagcu|flagicon+link|flaglink+|country|flag2|fb|"
    "fbu|fbw|nft|nfa|ru|rut|ruw|cr|crw|bk|bkw|ih|ihw|fh|hb|vb|country alias|fb-rt|cr-rt|ru-rt|"
    "nfa-rt|wp|bb|national football team|futsal|rl"
)
def flag(call: Call) -> str:
    """`{{flag|FRA}}` is France: the picture is no text."""
    if call.key in ("flag+link", "flaglink"):
        return call.get("name", 2)
    return call.get("name") or country_name(call.get(1))


@template(
    "flagioc|flagioc2|flagipc|flagpasr|flagcgf|flaguniversiade|flagmedgames|flagsea|flagasian|"
    "flagyog|flagfisu|flagiocteam|flagig"
)
def flag_at_games(call: Call) -> str:
    """`{{flagIOC|USA|1996 Summer|10}}` is United States (10)."""
    count = call.get(3)
    return country_name(call.get(1)) + (f" ({count})" if count else "")


@template(
    "flagathlete|flagiocathlete|flagiocmedalist|flagmedalist|flagipcmedalist|flagcgfathlete|"
    "sortnameflag|flagplayer|flagdriver|flagiocmedalist2|flagcgfmedalist|flagcricketer|"
    "flagskier"
)
def athlete(call: Call) -> str:
    """`{{flagathlete|Name|USA}}` is Name (USA)."""
    name, country = call.get(1), call.get(2)
    if "medalist" in call.key:
        return f"{name} {country_name(country)}".strip()
    return f"{name} ({country})" if country else name


_FORCES = {
    "United Kingdom": {"navy": "Royal Navy", "army": "British Army", "marines": "Royal Marines"},
    "Soviet Union": {
        "army": "Soviet Army",
        "navy": "Soviet Navy",
        "air force": "Soviet Air Forces",
    },
    "Nazi Germany": {"army": "German Army", "navy": "Kriegsmarine", "air force": "Luftwaffe"},
    "German Empire": {"army": "Imperial German Army", "navy": "Imperial German Navy"},
    "Russian Empire": {"army": "Imperial Russian Army", "navy": "Imperial Russian Navy"},
    "Empire of Japan": {"army": "Imperial Japanese Army", "navy": "Imperial Japanese Navy"},
    "Canada": {"army": "Canadian Army"},
    "Australia": {"army": "Australian Army"},
    "Confederate States of America": {
        "army": "Confederate States Army",
        "navy": "Confederate States Navy",
    },
}
# Their navies and air forces are royal, and so called.
_ROYAL = {
    "United Kingdom": "Royal", "Canada": "Royal Canadian", "Australia": "Royal Australian",
    "New Zealand": "Royal New Zealand", "Netherlands": "Royal Netherlands",
    "Norway": "Royal Norwegian", "Denmark": "Royal Danish",
}  # fmt: skip
_ADJECTIVES = {
    "France": "French", "Germany": "German", "Italy": "Italian", "Poland": "Polish",
    "Spain": "Spanish", "Russia": "Russian", "Japan": "Japanese", "China": "Chinese",
    "Brazil": "Brazilian", "India": "Indian", "Israel": "Israeli", "Sweden": "Swedish",
    "Norway": "Norwegian", "Greece": "Hellenic", "Netherlands": "Royal Netherlands",
    "Belgium": "Belgian", "Turkey": "Turkish", "Mexico": "Mexican", "Ukraine": "Ukrainian",
    "Finland": "Finnish", "Argentina": "Argentine", "Denmark": "Royal Danish",
}  # fmt: skip


@template("army|navy|air force|marines|coast guard|naval|airforce")
def force(call: Call) -> str:
    """`{{army|USA|1861}}` is United States Army."""
    kind = {"naval": "navy", "airforce": "air force"}.get(call.key, call.key)
    country = country_name(call.get(1))
    if found := call.get("name") or _FORCES.get(country, {}).get(kind):
        return found
    word = "Marine Corps" if kind == "marines" else kind.title()
    royal = _ROYAL.get(country) if kind in ("navy", "air force") else None
    return f"{royal or _ADJECTIVES.get(country, country)} {word}"


def _ship(prefix: str, name: str, identity: str, style: str) -> str:
    tail = f" ({identity})" if identity else ""
    full = f"{prefix} {name}".strip()
    return {
        "1": f"{name}{tail}", "2": name, "3": identity or name, "4": f"{prefix} {identity}".strip(),
        "5": name, "6": full,
    }.get(style, full + tail)  # fmt: skip


_PREFIXES = [
    "USS",
    "HMS",
    "SS",
    "MS",
    "MV",
    "RMS",
    "HMCS",
    "HMAS",
    "HMNZS",
    "INS",
    "USNS",
    "USCGC",
    "SMS",
    "USAT",
    "USRC",
    "TSS",
    "RV",
    "HMT",
    "HMHS",
    "RFA",
    "ST",
    "PS",
    "TS",
    "HMY",
    "HNLMS",
    "HNoMS",
    "HDMS",
    "HSwMS",
    "ORP",
    "ARA",
    "BAP",
    "JS",
    "JDS",
    "RN",
    "GTS",
    "MT",
    "MY",
    "NS",
    "SY",
    "TSMV",
    "USC&GS",
    "USFC",
    "USFS",
    "LNG",
    "ROKS",
    "BRP",
    "KRI",
    "PNS",
    "TCG",
    "CSS",
    "HMIS",
    "HMSAS",
    "SAS",
    "HMM",
    "BNS",
    "FGS",
    "ROCS",
    "HNMS",
    "USAV",
    "NMS",
    "ARM",
    "NRP",
    "ICGV",
    "LÉ",
    "TV",
    "FV",
    "SV",
    "NOAAS",
    "HMBS",
    "KD",
    "RSS",
    "HMNLS",
    "HMCS-like",
    "USSF",
    "OV-ship",
    "BRP-like",
    "CCGS",
    "CGS",
    "DMS",
    "GMV",
    "HMPNGS",
    "HMTSS",
    "MF",
    "MTS",
    "MSC-ship",
    "NSS",
    "PT-boat",
    "RAN",
    "RMAS",
    "RNLB",
    "RMV",
    "RVIB",
    "STS",
    "TB",
    "USCS",
    "USAHS",
    "USLHT",
    "USRCS",
    "USSR-ship",
    "VSM",
]


@template(*(p for p in _PREFIXES if "-" not in p))
def prefixed_ship(call: Call) -> str:
    """`{{USS|Missouri|BB-63}}` is USS Missouri (BB-63); a third argument picks parts of it."""
    if not call.get(1):
        return ""
    prefix = call.name[:1].upper() + call.name[1:]
    return _ship(prefix, call.get(1), call.get(2), call.get(3, "up"))


@template("ship")
def ship(call: Call) -> str:
    """`{{ship|Spanish ship|Name|1769|2}}`. https://en.wikipedia.org/wiki/Template:Ship"""
    return _ship(call.get(1), call.get(2), call.get(3), call.get(4, "up"))


@template("sclass|sclass-|sclass2|sclass2-|mclass|mclass-|ship class|lclass")
def ship_class(call: Call) -> str:
    """`{{sclass|Iowa|battleship}}` is Iowa-class battleship; a third argument picks parts of it."""
    name, kind = call.get(1), call.get(2)
    return {"1": f"{name} class", "2": f"{name}-class", "5": name}.get(
        call.get(3), f"{name}-class {kind}".strip()
    )


_ORBITERS = {
    "099": "Challenger",
    "101": "Enterprise",
    "102": "Columbia",
    "103": "Discovery",
    "104": "Atlantis",
    "105": "Endeavour",
}


@template("ov")
def orbiter(call: Call) -> str:
    """`{{OV|099}}`: the space shuttle's name."""
    return _ORBITERS.get(call.get(1).removeprefix("OV-"), call.get(1))


constants({"KIA": " †", "WIA": " (WIA)", "POW": " (POW)", "MIA": " (MIA)", "extinct": "†"})


@template(
    "mlby|nfly|nbay|nhly|wnbay|mlsy|nfl year|mlb year|by|nba year|nhl year|fy|scy|avyear|rlby|"
    "lit year|fsy|avy"
)
def season_year(call: Call) -> str:
    """A year linked to that season."""
    return call.get(2, 1)


@template("nfl|mlb|nba|nhl|mls|wnba|cfl|ncaa|mlbplayer|nflplayer|nhlplayer")
def league_team(call: Call) -> str:
    """The team or player named in the argument."""
    return call.get(2, 1)


@template("cfb|cbb|ncaab|cbsb|cwbb|cfb link")
def college_team(call: Call) -> str:
    return call.get("title", "school", 1)


# Names of stock exchanges as they stand before a company's sign there.
_EXCHANGES = {
    name.lower(): name
    for name in (
        "NYSE",
        "NASDAQ",
        "LSE",
        "TSX",
        "TYO",
        "BSE",
        "NSE",
        "ASX",
        "SEHK",
        "SSE",
        "SZSE",
        "SGX",
        "KRX",
        "Euronext",
        "FWB",
        "SIX",
        "NZX",
        "JSE",
        "OTCBB",
        "OTC Pink",
        "OTCQB",
        "OTCQX",
        "TWSE",
        "BIT",
        "BMAD",
        "MCX",
        "IDX",
        "MYX",
        "TASE",
        "BMV",
        "WSE",
        "HKEX",
        "NAG",
        "OSE",
        "NYSE American",
        "NYSE Arca",
        "BVMF",
        "BCBA",
        "BCS",
        "BVC",
        "TADAWUL",
    )
} | {"amex": "NYSE MKT", "nyse mkt": "NYSE MKT", "tsxv": "TSX-V", "swx": "SIX", "bmf": "BVMF"}


@template("|".join(_EXCHANGES))
def listed_company(call: Call) -> str:
    """`{{NYSE|GE}}` is NYSE: GE. https://en.wikipedia.org/wiki/Template:NYSE"""
    sign = call.get(1, "id")
    return f"{_EXCHANGES[call.key]}: {sign}" if sign else ""


@template("user|ping")
def user_name(call: Call) -> str:
    return call.get(1)


@template("jctname|jct|road|us route|interstate")
def junction(call: Call) -> str:
    """`{{jct|state=NY|I|87|US|9}}` is I-87 / US 9, then `to` places."""
    values = list(call.values())
    roads = [
        f"{kind}-{number}" if kind in ("I",) else f"{kind} {number}".strip()
        for kind, number in zip(values[::2], [*values[1::2], ""], strict=False)
        if kind
    ]
    places = call.get("city1", "location1", "ctdab1")
    more = call.get("city2", "location2")
    end = f" – {', '.join(filter(None, (places, more)))}" if places else ""
    return " / ".join(roads) + end


@template(
    "station|station link|stn|stnlnk|rws|stl|railway station|metro station|amtrak station|metro|"
    "metrod|tstop|lbs|lbb"
)
def station(call: Call) -> str:
    """`{{stn|Crewe}}` is Crewe; `{{stl|System|Station}}` the second."""
    return call.get(2, 1) if call.key in ("stl", "station link") else call.get(1)


@template("airport codes")
def airport_codes(call: Call) -> str:
    """`{{airport codes|SFO|KSFO}}` is (IATA: SFO, ICAO: KSFO).

    https://en.wikipedia.org/wiki/Template:Airport_codes
    """
    kinds = ("IATA", "ICAO", "FAA LID", "TC LID", "WMO")
    codes = zip(kinds, call.values(), strict=False)
    shown = ", ".join(f"{kind}: {code}" for kind, code in codes if code)
    return shown if not shown or call.get("p").lower() in ("n", "no") else f"({shown})"
