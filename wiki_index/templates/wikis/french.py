"""French Wikipedia."""

from __future__ import annotations

import re

from wiki_index.templates.citations import work
from wiki_index.templates.convert import NBSP, convert
from wiki_index.templates.lists import lines, paragraphs
from wiki_index.templates.numbers import MINUS, localised, parse_number, roman
from wiki_index.templates.registry import Call, constants, template
from wiki_index.templates.science import coord
from wiki_index.templates.wikis.common import (
    date_of_parts,
    first_argument,
    people,
    second_argument,
    silent,
    words_of_languages,
)

_LANGUAGES = {
    "en": "anglais", "de": "allemand", "la": "latin", "el": "grec", "grc": "grec ancien",
    "it": "italien", "es": "espagnol", "ru": "russe", "ar": "arabe", "he": "hébreu",
    "ja": "japonais", "zh": "chinois", "nl": "néerlandais", "pt": "portugais", "pl": "polonais",
    "tr": "turc", "uk": "ukrainien", "sv": "suédois", "ca": "catalan", "oc": "occitan",
    "br": "breton", "eu": "basque", "hu": "hongrois", "cs": "tchèque", "fa": "persan",
    "ko": "coréen", "ro": "roumain", "fi": "finnois", "da": "danois", "no": "norvégien",
    "sr": "serbe", "hr": "croate", "bg": "bulgare", "vi": "vietnamien", "co": "corse",
}  # fmt: skip
_MONTHS = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
_WEEKDAYS = frozenset(["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"])
_NUMERALS = [
    "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII", "XIII", "XIV", "XV", "XVI",
    "XVII", "XVIII", "XIX", "XX", "XXI",
]  # fmt: skip

_SOVEREIGNS = (
    "Louis", "Henri", "Charles", "François", "Philippe", "Napoléon", "Guillaume", "Édouard", "Pie",
    "Jean", "Léon", "Grégoire", "Innocent", "Clément", "Paul", "Alexandre", "Frédéric", "Georges",
    "Jacques", "Pierre", "Nicolas", "Ferdinand", "Alphonse", "Léopold", "Albert", "Urbain",
    "Boniface", "Benoît", "Catherine", "Élisabeth", "Jean-Paul", "Robert", "Ramsès", "Ptolémée",
    "Sixte", "Jules", "Eugène", "Martin", "Adrien", "Célestin", "Frédéric-Guillaume",
)  # fmt: skip
# What stands between two numbers, as written and as shown.
_BETWEEN = {"à": "à", "et": "et", "ou": "ou", "-": "-", "–": "–", "x": "×", "×": "×", "±": "±",
            "+-": "±", "par": "par", "sur": "sur"}  # fmt: skip
_NUMBER = re.compile(r"\d[\d ]*(?:[.,]\d+)?(?<=\d)")

silent(
    "références nombreuses|sources à lier|clear|ancre|voir homonymes|confusion|sfn|harvsp|"
    "note|référence à confirmer|page h'|en cours|"
    "début de colonnes|fin de colonnes|message galerie|clr|drapeau|drapeau2|prononciation|"
    "prononciation audio|écouter|âge|age|lesquels|lesquelles",
    lang="fr",
)
words_of_languages("fr", {code: f"en {name} : " for code, name in _LANGUAGES.items()})


@template("langue|lang", lang="fr")
def word(call: Call) -> str:
    """`{{lang|en|texte=Tower}}` is Tower."""
    return call.get("texte", "text", 2)


@template("date|date-|date de naissance|date de décès|date sport|dates|date de naissance-|"
          "date de décès-", lang="fr")  # fmt: skip
def date(call: Call) -> str:
    """`{{date|1|juillet|1998}}` is 1er juillet 1998; `{{date|lundi|3|mai|-44}}` lundi 3 mai
    44 av. J.-C.; `{{date|12 juillet 1998}}`."""
    named = [call.get(name) for name in ("jour", "mois", "an")]
    parts = named if any(named) else list(call.values())
    weekday = f"{parts.pop(0)} " if parts and parts[0].lower() in _WEEKDAYS else ""
    day, month, year = [*parts, "", "", ""][:3]
    day = {"1": "1er", "01": "1er"}.get(day, day)
    if year.startswith("-"):
        year = f"{year[1:]} av. J.-C."
    return weekday + date_of_parts(_MONTHS, " ", day, month, year)


@template("unité|nombre|unité/2|monnaie|nb|nbr|tmp", lang="fr")
def quantity(call: Call) -> str:
    """`{{unité|1234|km|2}}` is 1 234 km2, `{{unité|120|km//h}}` 120 km/h, and
    `{{unité|1,5|million|d'habitants}}` 1,5 million d'habitants: units, each with its power."""
    number, *units = [value for value in call.values() if value]
    shown = _NUMBER.sub(lambda found: _grouped(found[0]), number)
    if exponent := call.get("e"):
        shown += f"{NBSP}×{NBSP}10{exponent.replace('-', MINUS)}"
    previous = ""
    for unit in units:
        is_power = re.fullmatch(r"[-−]?\d", unit) and previous not in _BETWEEN
        unit = _BETWEEN.get(unit, unit)
        shown += unit.replace("-", MINUS) if is_power else NBSP + _in_unit(unit)
        previous = unit
    return shown


def _in_unit(text: str) -> str:
    """A unit, or a second number."""
    return _grouped(text) if text[0].isdecimal() else text.replace("//", "/")


def _grouped(number: str) -> str:
    plain = number.replace(" ", "").replace(",", ".")
    return localised(plain, "fr") if parse_number(plain) is not None else number


@template("euro|euros|dollar|dollars|livre|£", lang="fr")
def amount(call: Call) -> str:
    """`{{euro|1500}}` is 1 500 €."""
    unit = {"e": "€", "d": "$"}.get(call.key[0], "£")
    return f"{_grouped(call.get(1))}{NBSP}{unit}" if call.get(1) else unit


template("nombre romain|chiffre romain", lang="fr")(roman)


@template(
    "s|s-|siècle|s mini|s mini-|s2|sp|-s|-s-|sap|sap-|siècles|sm|sp-|-sp|-sp-|s2-|-s2|-s2-",
    lang="fr",
)
def century(call: Call) -> str:
    """`{{s|XIX}}` is XIXe siècle, `{{s mini|XIX}}` XIXe s., `{{sp|XVI|e|et|XVII|e}}` are two;
    `{{-s|V}}` is one before our era, `{{sap|V}}` one in it."""
    values = [v for v in call.values() if v]
    numbers = [v for v in values if v.strip("IVXLC") == ""]
    shown = [f"{v}{'er' if v == 'I' else 'e'}" for v in numbers]
    joint = next((v for v in values if v in ("et", "ou", "au", "-", "–", "et au")), "et")
    word = "s." if call.key.startswith("s mini") else "siècle" + "s" * (len(numbers) > 1)
    era = {"-": " av. J.-C.", "sap": " apr. J.-C."}
    end = next((text for mark, text in era.items() if call.key.startswith(mark)), "")
    return f"{f' {joint} '.join(shown)} {word}{end}" if shown else ""


@template("millénaire|-millénaire|-m|m-", lang="fr")
def millennium(call: Call) -> str:
    """`{{-millénaire|III}}` is IIIe millénaire av. J.-C."""
    number = call.get(1)
    end = " av. J.-C." if call.key.startswith("-") else ""
    return f"{number}{'er' if number == 'I' else 'e'} millénaire{end}" if number else ""


@template(
    "|".join(
        f"{number}e {word}{era}"
        for number in _NUMERALS
        for word in ("siècle", "millénaire")
        for era in ("", " av. J.-C.")
    ),
    lang="fr",
)
def as_called(call: Call) -> str:
    """`{{XIXe siècle}}` as it is called."""
    return call.name[:1].upper() + call.name[1:]


@template(
    "|".join(f"{number}e" for number in [*range(2, 100), *_NUMERALS, "XXX"]) + "|Ier|Ire|1er|1re",
    lang="fr",
)
def ordinal(call: Call) -> str:
    """`{{XXe|siècle}}` is XXe siècle, `{{12e}}` is 12e."""
    name = call.name[:1].upper() + call.name[1:]
    return f"{name} {call.get(1)}".strip()


constants(
    {
        "er": "er", "re": "re", "o": "o", "os": "os", "lle": "lle", "mes": "mes",
        "ère": "re", "ème": "e", "nd": "d", "nde": "de", "2de": "2de",
        "2d": "2d", "2nd": "2d", "2nde": "2de", "Cie": "Cie", ",": "", "env.": "env.",
        "début citation": "\n", "fin citation": "\n",
        "av. J.-C.": "av. J.-C.", "apr. J.-C.": "apr. J.-C.", "av JC": "av. J.-C.",
        "ap JC": "apr. J.-C.", "tiret": "–", "°C": "°C", "Ier siècle": "Ier siècle",
        "Ier millénaire": "Ier millénaire", "etc.": "etc.", "cad": "c'est-à-dire",
    } | {f"1er {month}": f"1er {month}" for month in _MONTHS.split()},
    lang="fr",
)  # fmt: skip


@template("e", lang="fr")
def raised(call: Call) -> str:
    """`2{{e}}` is 2e, `10{{e|6}}` a power."""
    return call.get(1, default="e")


@template("rom-maj|rom|rom-", lang="fr")
def numeral(call: Call) -> str:
    """`{{rom-maj|XX|e}}` is XXe."""
    return call.get(1) + call.get(2)


@template("|".join(f"{name} {n}" for name in _SOVEREIGNS for n in ("Ier", *_NUMERALS)), lang="fr")
def sovereign_as_called(call: Call) -> str:
    """`{{Louis XIV}}` is Louis XIV."""
    return call.name[:1].upper() + call.name[1:]


@template('citation|guil|guillemets|citation étrangère|citation nécessaire|citation-|"', lang="fr")
def guillemets(call: Call) -> str:
    """`{{citation|bon}}` is « bon »."""
    text = call.get("texte", "citation", 2 if call.get(2) and len(call.get(1)) == 2 else 1)
    return f"«{NBSP}{text}{NBSP}»"


@template("citation bloc|bloc citation|bloc de citation", lang="fr")
def block_quotation(call: Call) -> str:
    """A quotation, and whose it is, in paragraphs of their own."""
    author = ", ".join(filter(None, (call.get("auteur", 2), call.get("source", 3))))
    return paragraphs([call.get("texte", 1), f"— {author}" if author else ""])


@template("incise", lang="fr")
def incise(call: Call) -> str:
    """`{{incise|x}}` is – x –, `{{incise|x|stop}}` before a full stop – x."""
    return f"– {call.get(1)}" if call.get(2) == "stop" else f"– {call.get(1)} –"


@template("citation bilingue bloc|citation bilingue", lang="fr")
def bilingual_quotation(call: Call) -> str:
    """`{{citation bilingue bloc|la|mare|la mer}}`: the original and the translation."""
    return paragraphs(call.values(2))


@work("ouvrage|article|lien web|chapitre|lien arxiv|article encyclopédique", lang="fr")
def publication(call: Call) -> str:
    """`{{Ouvrage|prénom1=Ann|nom1=Lee|titre=La Mer|éditeur=Quai|année=1900}}` is
    Ann Lee, La Mer, Quai, 1900."""
    title = " : ".join(filter(None, (call.get("titre"), call.get("sous-titre"))))
    container = call.get("périodique", "titre ouvrage", "site")
    parts = [
        " et ".join(people(call, "auteur", "prénom", "nom")),
        f"«{NBSP}{title}{NBSP}»" if container and title else title,
        container,
        call.get("lieu"),
        call.get("éditeur"),
        call.get("date", "année"),
    ]
    return ", ".join(filter(None, parts))


@template("M.|Mme|Mlle|Dr|Mgr|St|Ste|Pr|Me|MM.|Mmes", lang="fr")
def title_of_respect(call: Call) -> str:
    if call.name == "me" and not call.get(1):
        return "me"  # M{{me}}
    title = {"st": "saint", "ste": "sainte"}.get(call.key, call.name[:1].upper() + call.name[1:])
    return f"{title} {call.get(1)}".strip()


@template("souverain|souverain2|souverain3|souverain-|pape|empereur|roi", lang="fr")
def sovereign(call: Call) -> str:
    """`{{souverain2|Louis XIV}}` is Louis XIV."""
    return call.get(2 if call.key == "souverain3" else 1, 1)


@template("no|n°|numéro|nos|n°s|numéros", lang="fr")
def numero(call: Call) -> str:
    return f"{'nos' if call.key.endswith('s') else 'no'} {call.get(1)}".strip()


@template("p.|pp.|vol.|t.|chap.|f.|coll.|op.", lang="fr")
def place_in_a_work(call: Call) -> str:
    """`{{p.|5}}` is p. 5."""
    return f"{'p.' if call.key == 'pp.' else call.key} {call.get(1)}".strip()


@template("heure|h", lang="fr")
def clock(call: Call) -> str:
    return " ".join(filter(None, (call.get(1), "h", call.get(2))))


@template("durée", lang="fr")
def duration(call: Call) -> str:
    """`{{durée|1|30}}` is 1 h 30."""
    hours, minutes = call.get(1, "h").strip("0"), call.get(2, "min", "m")
    seconds = call.get(3, "s")
    parts = [f"{hours} h" if hours else "", minutes + ("" if hours or not minutes else " min")]
    return " ".join(filter(None, [*parts, f"{seconds} s" if seconds else ""]))


@template("API|AFI|IPA|lautschrift|alphabet phonétique", lang="fr")
def in_square_brackets(call: Call) -> str:
    text = call.get(1)
    return text if text[:1] in ("[", "/") or not text else f"[{text}]"


@template("coord", lang="fr")
def coordinates(call: Call) -> str:
    """`{{coord|45|30|N|1|20|E}}` is 45° 30′ N, 1° 20′ E."""
    return re.sub(r"(?<=[NS]) (?=\d)", ", ", re.sub(r"(?<=[°′″])(?=\w)", NBSP, coord(call)))


@template("pourcent|%|pourcentage", lang="fr")
def percentage(call: Call) -> str:
    return f"{_grouped(call.get(1))}{NBSP}%" if call.get(1) else "%"


@template("dunité", lang="fr")
def dimensions(call: Call) -> str:
    """`{{dunité|5|10|m}}` is 5 × 10 m."""
    *numbers, unit = [value for value in call.values() if value]
    return f"{NBSP}×{NBSP}".join(map(_grouped, numbers)) + NBSP + unit


@template("chinois", lang="fr")
def chinese(call: Call) -> str:
    """`{{chinois|s=门|t=門|p=mén}}`: its forms, each behind its name."""
    labels = (("s", "chinois simplifié"), ("t", "chinois traditionnel"), ("c", "chinois"),
              ("p", "pinyin"), ("w", "Wade"), ("l", "litt."))  # fmt: skip
    shown = (f"{label} : {text}" for key, label in labels if (text := call.get(key)))
    return " ; ".join(shown) or call.get(1)


@template("fchim|formule chimique", lang="fr")
def formula(call: Call) -> str:
    """`{{fchim|C|O|2}}`: sub- and superscripts in turn."""
    return "".join(call.values())


@template("japonais|coréen|vietnamien", lang="fr")
def with_its_characters(call: Call) -> str:
    """`{{japonais|Tokyo|東京|Tōkyō}}` is Tokyo (東京, Tōkyō)."""
    inside = ", ".join(filter(None, (call.get(2), call.get(3), call.get(4))))
    return f"{call.get(1)} ({inside})".lstrip() if inside else call.get(1)


@template("lien|lien rouge|lien/2", lang="fr")
def link(call: Call) -> str:
    return call.get("texte", "fr", 1, "trad")


template(
    "refnec|référence nécessaire|référence souhaitée|refsou|abréviation|abréviation discrète|"
    "abrd|exp|ind|lnobr|terme défini|term|nobr|unité non convertie|grec ancien|"
    "petites capitales|pc|souligner|passage évasif|romains|romaine|romain|abd|abr|abrév|"
    "quand|qui|quoi|lequel|où|combien|comment|pourquoi|pas clair|passage non neutre|"
    "pertinence détail|précision nécessaire|interprétation personnelle|passage promotionnel|"
    "évasif|corrigé|infobulle|gras|italique|petit|grand|taille|nobr romains|exposant|indice|an|"
    "vert|rouge|bleu|noir|blanc|jaune|orange|gris|violet|nombre avec espaces|sans retour|"
    "sans coupure|insécable|légende alphabet",
    lang="fr",
)(first_argument)
template("couleur|couleurs|fond", lang="fr")(second_argument)
template("colonnes|liste horizontale|liste simple", lang="fr")(lines)


constants(
    {
        name: name
        for name in (
            "France", "Allemagne", "Italie", "Espagne", "Royaume-Uni", "États-Unis", "Belgique",
            "Suisse", "Canada", "Portugal", "Pays-Bas", "Pologne", "Autriche", "Russie", "URSS",
            "Chine", "Japon", "Brésil", "Argentine", "Australie", "Suède", "Norvège", "Danemark",
            "Finlande", "Grèce", "Turquie", "Ukraine", "Hongrie", "Roumanie", "Maroc", "Algérie",
            "Tunisie", "Sénégal", "Cameroun", "Inde", "Mexique", "Irlande", "Écosse", "Angleterre",
        )
    },
    lang="fr",
)  # fmt: skip


@template("converti|convert", lang="fr")
def convert_by_symbols(call: Call) -> str:
    """A measurement and its conversion, by symbols, in the wiki's own numbers."""
    named = {**call.named, "abbr": "on", "comma": "off"}
    return convert(Call("convert", call.positional, named)).replace(".", ",")
