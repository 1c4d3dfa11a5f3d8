"""Templates that show nothing in a page's prose: notes, hatnotes, navigation, maintenance.

Exact names are in `invisible.txt`; here are beginnings and endings that English Wikipedia keeps
for one purpose, and those of other languages.
"""

from __future__ import annotations

from importlib.resources import files

_PREFIXES = (
    "cite ", "citation needed", "election box", "fb cl ", "fb rs ", "mlint", "jctint", "harv",
    "sfn", "efn", "refn", "reflist", "vcite", "vancite", "pp-", "portal", "commons cat", "commons-",
    "wikisource", "wikibooks", "wikiquote-", "sister", "navbox", "campaignbox", "succession",
    "s-bef", "s-aft", "s-ttl", "s-non", "s-off", "s-par", "s-hon", "s-reg", "s-break", "s-end",
    "s-ach", "s-mil", "s-new", "s-vac", "s-inc", "s-aca", "s-bus", "s-legal", "s-dip", "s-ppo",
    "s-prec", "s-rel", "s-roy", "s-sports", "s-start", "s-tul", "s-gov", "s-media", "s-fam",
    "s-court", "s-npo", "s-pre", "s-vis", "s-other", "authority control", "short description",
    "defaultsort:", "displaytitle:", "contains ", "interlanguage-note", "expand ", "update ",
    "cleanup", "merge", "pov", "r from ", "r to ", "r with ", "official ", "imdb ", "gutenberg ",
    "librivox ", "internet archive ", "worldcat", "isfdb", "largest cities", "country topics",
    "location map", "osm ", "graph:", "legend", "chart top", "clade", "familytree", "family tree",
    "tree chart", "ahnentafel", "bs-", "wikiproject ", "attached ", "template:cite ", "taxonbar",
    "subject bar", "redirect-", "redirect ", "other uses", "otheruses", "spoken wikipedia",
    "wikidata-", "medal ", "medaltop", "medalbottom", "csp-", "blp ", "unreferenced", "refimprove",
    "more citations", "lead ", "spaceflight crew", "vorlage:", "navigationsleiste", "commonscat",
    "portail", "palette", "bandeau", "ébauche", "прочие проекты", "навигационная", "navegación",
    "шаблон:", "cita ", "literatur", "استشهاد", "بوابة", "بذرة", "timeline", "skip to ", "user ",
    "infobox mapframe", "#tag:ref", "#tag:gallery", "#tag:score", "#tag:timeline", "#coordinates:",
    "toc ", "pd-", "msw3 ", "iucn", "col-begin", "col-break", "col-end", "col-1-of", "col-2-of",
    "col-3-of", "col-4-of", "col-5-of", "div col", "image label", "multi-listen", "external m",
    "infobox network switching",
)  # fmt: skip

_SUFFIXES = (
    " stub", "-stub", " navbox", " sidebar", " topics", " footer", " banner", " icon", " inline",
    "-inline", " sidebar with", " disambiguation", " link rot", " succession", " portal", " series",
    " navigation", " map caption", " weatherbox", " labelled map", " labeled map", " project links",
    " ref", "-ref", " category", " timeline", " text-notice", " imagemap", " image map",
    " location map", " route map", " rdt", " line templates", "/end", "/begin-notice",
    " start boxes", " navbar", " topic", " tournament winners", " singles champions", " squad",
    " doubles champions", " elections", " award winners", " templates", "/navbox",
)  # fmt: skip

_DATE_STYLES = ("dmy dates", "mdy dates", "ymd dates", "english", "spelling", "dates")

_NAMES = frozenset(
    name
    for line in files(__package__).joinpath("invisible.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
    for name in line.split("|")
)

_INFOBOX_NAMES = frozenset(
    [ "infobox", "taxobox", "automatic taxobox", "speciesbox", "subspeciesbox", "infraspeciesbox",
    "hybridbox", "virusbox", "mycomorphbox", "ichnobox", "oobox", "paraphyletic group", "drugbox",
    "chembox", "geobox", "elementbox", "starbox begin", "planetbox begin", "protein", "enzyme",
    "gnf protein box", "métadonnées personne", "taxobox début", "государство", "река", "нп",
    "нп+россия", "таксон", "персона", "учёный", "писатель", "基礎情報 国", "生物分類表",
    "世界の一覧表", "信息框", "بطاقة", "ficha", "сооружение", "достопримечательность",
    "музыкальный коллектив", "музыкант", "фильм", "мультфильм", "телесериал", "актёр",
    "литературное произведение", "военный деятель", "государственный деятель", "спортсмен",
    "футболист", "футбольный клуб", "компания", "организация", "университет", "остров", "озеро",
    "корабль", "автомобиль", "воинское формирование", "вооружённый конфликт", "язык", "народ",
    "альбом", "музыкальный альбом", "песня", "сингл", "компьютерная игра", "станция метро",
    "аэропорт", "монарх", "религиозный деятель", "политик", "художник", "персонаж",
    "кинематографист", "предприятие", "вещество", "建築物", "actoractress", "日本の市",
    "日本の町村", "駅情報", "艺人", "藝人", ]
)  # fmt: skip


def is_infobox(name: str) -> bool:
    """Whether the template of this normalised name is an infobox."""
    name = name.lower().strip()
    return (
        name.startswith(
            (
                "infobox",
                "ficha de ",
                "taxobox",
                "карточка",
                "صندوق معلومات",
                "معلومات ",
                "基礎情報",
            )
        )
        or name.endswith((" infobox", "信息框"))
        or name in _INFOBOX_NAMES
    )


def shows_nothing(name: str) -> bool:
    """Whether a template of this normalised name shows nothing in prose, by its name alone."""
    name = name.lower()
    if is_infobox(name):
        return False
    return (
        name in _NAMES
        or name.startswith(_PREFIXES)
        or name.endswith(_SUFFIXES)
        or (name.startswith("use ") and name.endswith(_DATE_STYLES))
    )
