"""Prose to sentences, by rules: a stop ends a sentence unless what stands around it says not.

Unicode's own rules (UAX #29, section 5) cut after every abbreviation that a capital follows;
the tables below name, by language, the abbreviations that run on and the words that open
sentences, and that is most of the difference.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

_CLOSERS = r"\"'”’»›)\]}」』）】〉》"
_OPENERS = r"\"'“‘«‹(\[{„‚¿¡「『（【〈《—–\-"
_STOP = re.compile(rf"(?P<stop>[.!?…؟۔।॥]+|[。！？｡．]+)(?P<close>[{_CLOSERS}]*)(?P<gap>\s*)")
_NEXT = re.compile(rf"[{_OPENERS}\s]*(?P<word>[^\W_](?:[\w'’\-]|\.(?=\w))*\.?)")
_LAST = re.compile(r"(?:[^\W_]|[.'’\-&])+$")
_LONGEST_WORDS = 60
"""Characters looked back at before a stop: room for any abbreviation and the word before it."""
_DOTTED = re.compile(r"(?:[^\W\d_]{1,3}\.-?)+[^\W\d_]{1,3}$")
_FULLWIDTH = frozenset("。！？｡．")
_QUOTED_SPEECH_GOES_ON = re.compile(r"(?:と|って|など|という|は|が|を|に|の|も|，|、)")
_ROMAN_OR_LETTER_AFTER = frozenset(
    "Act Annex Appendix Article Category Chapter Class Factor Figure Grade Group Hepatitis Level "
    "Mark Part Phase Plan Schedule Section Series Table Type Vitamin vitamin Volume War type class "
    "group part plan point team phase".split()
)


@dataclass(frozen=True)
class _Rules:
    runs_on: frozenset[str]
    """Abbreviations that never end a sentence (titles, ``v.``)."""
    before_number: frozenset[str]
    """Words with a stop that run on where a number follows (``No. 5``, ``Jan. 3``)."""
    may_end: frozenset[str]
    """Abbreviations that end a sentence only where a clear opening word follows."""
    opening: frozenset[str]
    """Words that, capitalised, open sentences and hardly ever follow an abbreviation in one."""
    ordinal_stop: bool = False
    """Ordinals are written with a stop: ``3. Oktober``."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH = _Rules(
    runs_on=_words(
        "Mr Mrs Ms Messrs Dr Prof Gen Col Maj Capt Cpt Cdr Cmdr Lt Sgt Cpl Pvt Adm Brig Rev Revd Hon "
        "Rt Fr Msgr Gov Sen Rep Pres Supt Amb Mt Ft Ste v vs cf viz e.g i.e c ca lit née Mme Mlle "
        "orig pron trans transl illus Bl Ven SS.PP"
    ),
    before_number=_words(
        "No Nos no nos Vol Vols vol vols p pp Fig Figs fig figs Op op Art art Sec sec Ch ch chap "
        "Chap Pt pt ver approx est al fl r b d m n s Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov "
        "Dec Rs Cat cat Ep ep Bd K BWV Hob Pl pl Stat Rte St Apt Bldg Sq Ex Lev Deut Gen Cor Rom "
        "Matt Isa Ps lat long alt temp max min avg"
    ),
    may_end=_words(
        "St Sr Jr Esq Inc Ltd Co Corp Bros Cie LLC Ave Blvd Rd al fl r b d m n Univ Dept Assn Assoc "
        "Intl Natl Eng Ph.D M.D a.m p.m A.M P.M Jan Feb Mar Apr Aug Sept Oct Nov Dec approx est ed "
        "eds Bd Op Vol Calif Mass Conn Penn Wash Ill Ind Va Pa Md Ky Tex Fla Ariz Colo Ga Tenn "
        "Minn Mich Wis Okla Ore Neb Kan spp sp var subsp cv gen nov comb syn ser"
    ),
    opening=_words(
        "The A An It Its He She His Her Hers They Their We Our You I In On At By For From To Of With "
        "As After Before During Since When While Where If Although Though Because However This That "
        "These Those There Here Then Thus Both Each Every Some Many Most Several Such Other Others "
        "Another One Two Three First Second But And Or So Nor Yet Not No Also Later Today Under Over "
        "Between Among Within Without Through Until Despite According Following Only Even What Who "
        "Which Why How Upon Unlike Instead Meanwhile Nevertheless Furthermore Moreover"
    ),
)

_RULES = {
    "en": _ENGLISH,
    "de": _Rules(
        runs_on=_words(
            "z z.B d.h u.a i.d.R bzw bspw ca vgl Dr Prof Hrsg hrsg geb gest sog sogen St inkl exkl "
            "v n insb evtl ggf lat griech engl franz dt röm Gen Hl hl svw eigtl urspr Mag Dipl Ing Frhr"
        ),
        before_number=_words("Nr Bd Abb S Kap Art Abs Jg H Tel Mio Mrd Op op Str"),
        may_end=_words(
            "usw etc Jh Jhd Jhdt Mio Mrd Chr v.Chr n.Chr Str u.a m.ü.M Co Kfz bzgl al Jr Sr"
        ),
        opening=_words(
            "Der Die Das Ein Eine Er Sie Es Ihr Ihre Sein Seine Im In An Am Auf Bei Bis Nach Seit Von "
            "Vor Zu Zum Zur Mit Als Auch Da Daher Damit Danach Dann Dabei Dies Diese Dieser Dieses "
            "Durch Für Heute Hier Ab Aus Aber Und Wenn Wie Wegen Während Zwischen Man Nachdem Unter "
            "Über Um Obwohl Doch Jedoch Später Den Dem"
        ),
        ordinal_stop=True,
    ),
    "fr": _Rules(
        runs_on=_words(
            "M MM Mme Mmes Mlle Mlles Mgr Dr Pr Me St Ste env cf p.ex c.-à-d av apr dit vs"
        ),
        before_number=_words("n no nos p pp vol t art chap fig env op v éd coll"),
        may_end=_words("etc J.-C apr.J.-C av.J.-C Cie Jr éd al"),
        opening=_words(
            "Le La Les L'a Un Une Des Du De Il Elle Ils Elles Ce Cette Ces Cet Son Sa Ses Leur Leurs "
            "En Dans Au Aux À Après Avant Avec Sur Sous Pour Par Depuis Pendant Lors Lorsque Quand Si "
            "Mais Et Ou Or Donc Car On Nous Vous Je Tu Cependant Toutefois Ainsi Selon Comme Entre"
        ),
    ),
    "es": _Rules(
        runs_on=_words(
            "Sr Sra Srta Sres Dr Dra Prof Profa D Dña Da Gral Gral Cnel Cap Lic Ing Arq Mons Fr Sto Sta "
            "Ud Uds Vd p.ej v.gr ca cf vs EE"
        ),
        before_number=_words("n.º núm nº n p pp pág págs vol cap art fig op ca aprox tel"),
        may_end=_words("etc UU EE.UU a.C d.C C Cía Ltda S.A Jr al Av Avda"),
        opening=_words(
            "El La Los Las Un Una Unos Unas Lo Su Sus Es Era Fue En De Del Al A Con Por Para Desde "
            "Hasta Entre Sobre Tras Durante Cuando Donde Como Si Aunque Pero Y O Este Esta Estos Estas "
            "Ese Esa Se No También Además Según Él Ella Ellos Después Antes Sin"
        ),
    ),
    "ru": _Rules(
        runs_on=_words(
            "г ул пл пр им св т.е т.н т.к напр см ср англ нем фр лат греч итал исп яп кит др.-греч род "
            "ум ок акад проф доц ген полк о оз р пос дер обл р-н пер просп"
        ),
        before_number=_words("№ с стр т гл рис табл ст ок д кв"),
        may_end=_words(
            "г гг в вв э н.э др т.д т.п пр тыс млн млрд руб коп км м чел экз кг га ч мин сек ред изд"
        ),
        opening=_words(
            "В Во На С Со По Из За От До При Для Он Она Оно Они Его Её Их Это Этот Эта Эти Тот Также "
            "После Однако Но И А Если Когда Как Так Все Был Была Было Были Является Первый Через "
            "Под Над О Об Среди Многие Некоторые У К"
        ),
    ),
}


def split(text: str, lang: str = "en") -> list[str]:
    """Cut prose (a paragraph or list item a line) into its sentences, in order.

    No character but white space is lost: the sentences, joined, are the text. A line's end
    always ends a sentence. `lang` is a dump's language code; codes without a table of their
    own get the English one, whose stops cover CJK, Arabic and Devanagari as well.
    """
    rules = _RULES.get(lang.split("-")[0], _ENGLISH)
    return [s for line in text.splitlines() for s in _split_line(line, rules)]


def _split_line(line: str, rules: _Rules) -> list[str]:
    sentences, start = [], 0
    brackets = _bracket_spans(line) if "(" in line else ()
    for match in _STOP.finditer(line):
        if match.start() < start or match.end() == len(line):
            continue
        if _ends_sentence(line, start, match, rules) and not _inside(
            brackets, match.start(), match.end(), start
        ):
            sentences.append(line[start : match.end()].strip())
            start = match.end()
    if rest := line[start:].strip():
        sentences.append(rest)
    return [s for s in sentences if s]


def _ends_sentence(line: str, start: int, match: re.Match[str], rules: _Rules) -> bool:
    stop, close, gap = match.group("stop", "close", "gap")
    if stop[-1] in _FULLWIDTH:
        return not (close and _QUOTED_SPEECH_GOES_ON.match(line, match.end()))
    if not gap and not _unspaced_script(line[match.end()]):
        return False
    following = _NEXT.match(line, match.end())
    if following is None:
        return True
    word = following["word"]
    if not _can_open(word):
        return False
    if stop != "." or close.strip("'’"):
        return True
    before = line[max(start, match.start() - _LONGEST_WORDS) : match.start()]
    last = _LAST.search(before)
    return last is None or _word_can_end(last[0], before[: last.start()], word, rules)


def _can_open(word: str) -> bool:
    """Capitals, digits and letters without case open sentences; so does ``iPhone``."""
    return not word[0].islower() or (len(word) > 2 and not word[1:3].islower() and word.isalpha())


def _word_can_end(last: str, before: str, following: str, rules: _Rules) -> bool:
    """Can the word `last`, which has a single stop after it, end a sentence here?"""
    last = last.lstrip("'’-.")
    opens = following in rules.opening
    if last in rules.runs_on:
        return False
    if following[0].isdigit() and last in rules.before_number:
        return False
    if last.isdigit():
        return not (rules.ordinal_stop and len(last) <= 2) or opens
    if last in rules.may_end:
        return opens
    if len(last) == 1 and last.isalpha() and last.isupper():
        return opens or _numbered(before)
    if _DOTTED.fullmatch(last):
        return opens
    return True


def _numbered(before: str) -> bool:
    """Is the single capital a number or label (``World War I``) rather than an initial?"""
    words = before.split()
    return bool(words) and words[-1] in _ROMAN_OR_LETTER_AFTER


def _unspaced_script(char: str) -> bool:
    """Scripts that are written without blanks between sentences."""
    return (
        "\u0e00" <= char <= "\u0eff" or "\u2e80" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"
    )


_LONGEST_ASIDE = 300


def _bracket_spans(line: str) -> tuple[tuple[int, int], ...]:
    """The outermost round brackets that close within `_LONGEST_ASIDE` characters."""
    spans, opened, depth = [], 0, 0
    for match in re.finditer(r"[()]", line):
        at = match.start()
        if depth and at - opened > _LONGEST_ASIDE:
            depth = 0
        if match[0] == "(":
            opened = opened if depth else at
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                spans.append((opened, at))
    return tuple(spans)


def _inside(spans: tuple[tuple[int, int], ...], at: int, end: int, start: int) -> bool:
    """Does the stop stand within an aside of the running sentence?

    Brackets that hold whole sentences themselves, from the sentence's start on, are no aside.
    """
    nearest = bisect_left(spans, (at,)) - 1
    if nearest < 0:
        return False
    left, right = spans[nearest]
    return end <= right and left > start
