"""The commonest templates of seven other languages' wikis: de, fr, es, ru, ja, zh, ar."""

from __future__ import annotations

from wiki_index.templates.numbers import localised, parse_number
from wiki_index.templates.registry import Call, constants, template

# How each wiki labels a word of another language.
_GERMAN = {
    "en": "englisch", "fr": "französisch", "la": "lateinisch", "el": "griechisch",
    "it": "italienisch", "grc": "altgriechisch", "ru": "russisch", "es": "spanisch",
    "pl": "polnisch", "cs": "tschechisch", "ar": "arabisch", "he": "hebräisch", "ja": "japanisch",
    "zh": "chinesisch", "nl": "niederländisch", "pt": "portugiesisch", "tr": "türkisch",
    "uk": "ukrainisch", "hu": "ungarisch", "sv": "schwedisch", "da": "dänisch", "fa": "persisch",
    "sr": "serbisch", "hr": "kroatisch", "ro": "rumänisch", "ko": "koreanisch", "sa": "Sanskrit",
    "bg": "bulgarisch", "fi": "finnisch", "ca": "katalanisch", "ka": "georgisch", "hy": "armenisch",
    "et": "estnisch", "lv": "lettisch", "lt": "litauisch", "sk": "slowakisch", "sl": "slowenisch",
    "sq": "albanisch", "mk": "mazedonisch", "be": "belarussisch", "eu": "baskisch", "ga": "irisch",
    "gd": "schottisch-gälisch", "cy": "walisisch", "vi": "vietnamesisch", "th": "thailändisch",
    "no": "norwegisch", "is": "isländisch", "bs": "bosnisch", "lb": "luxemburgisch",
}  # fmt: skip
_FRENCH = {
    "en": "anglais", "de": "allemand", "la": "latin", "el": "grec", "grc": "grec ancien",
    "it": "italien", "es": "espagnol", "ru": "russe", "ar": "arabe", "he": "hébreu",
    "ja": "japonais", "zh": "chinois", "nl": "néerlandais", "pt": "portugais", "pl": "polonais",
    "tr": "turc", "uk": "ukrainien", "sv": "suédois", "ca": "catalan", "oc": "occitan",
    "br": "breton", "eu": "basque", "hu": "hongrois", "cs": "tchèque", "fa": "persan",
    "ko": "coréen", "ro": "roumain", "fi": "finnois", "da": "danois",
}  # fmt: skip
_SPANISH = {
    "en": "inglés", "fr": "francés", "de": "alemán", "la": "latín", "el": "griego",
    "it": "italiano", "grc": "griego antiguo", "pt": "portugués", "ru": "ruso", "ca": "catalán",
    "gl": "gallego", "eu": "euskera", "ar": "árabe", "he": "hebreo", "ja": "japonés", "zh": "chino",
    "nl": "neerlandés", "pl": "polaco", "tr": "turco", "uk": "ucraniano", "sv": "sueco",
    "ko": "coreano", "fa": "persa", "hu": "húngaro", "cs": "checo", "ro": "rumano", "qu": "quechua",
    "nah": "náhuatl",
}  # fmt: skip
_RUSSIAN = {
    "en": "англ.", "de": "нем.", "fr": "фр.", "la": "лат.", "it": "итал.", "es": "исп.",
    "grc": "др.-греч.", "el": "греч.", "uk": "укр.", "be": "белор.", "pl": "польск.", "ja": "яп.",
    "zh": "кит.", "ar": "араб.", "he": "ивр.", "tr": "тур.", "pt": "порт.", "nl": "нидерл.",
    "cs": "чеш.", "sv": "швед.", "fi": "фин.", "hu": "венг.", "ro": "рум.", "sr": "серб.",
    "ka": "груз.", "hy": "арм.", "kk": "каз.", "fa": "перс.", "no": "норв.", "da": "дат.",
    "ko": "кор.", "bg": "болг.", "et": "эст.", "lv": "латыш.", "lt": "лит.", "tt": "тат.",
    "az": "азерб.", "uz": "узб.", "ca": "кат.", "hr": "хорв.", "sk": "словац.",
}  # fmt: skip
_JAPANESE = {
    "en": "英", "fr": "仏", "de": "独", "it": "伊", "es": "西", "ru": "露", "la": "羅", "zh": "中",
    "ko": "朝", "nl": "蘭", "pt": "葡", "el": "希",
}  # fmt: skip
_CHINESE = {
    "en": "英語", "fr": "法語", "de": "德語", "ja": "日語", "ru": "俄語", "la": "拉丁語",
    "es": "西班牙語", "it": "意大利語", "ko": "韓語", "pt": "葡萄牙語", "ar": "阿拉伯語",
    "el": "希臘語", "vi": "越南語", "nl": "荷蘭語", "he": "希伯來語", "th": "泰語",
    "grc": "古希臘語",
}  # fmt: skip
_ARABIC = {
    "en": "بالإنجليزية", "fr": "بالفرنسية", "de": "بالألمانية", "la": "باللاتينية",
    "es": "بالإسبانية", "it": "بالإيطالية", "ru": "بالروسية", "el": "باليونانية", "fa": "بالفارسية",
    "tr": "بالتركية", "he": "بالعبرية", "ja": "باليابانية", "zh": "بالصينية", "pt": "بالبرتغالية",
}  # fmt: skip
_LABELS = {
    "de": (_GERMAN, "{} "),
    "fr": (_FRENCH, "en {} : "),
    "es": (_SPANISH, "en {}: "),
    "ru": (_RUSSIAN, "{} "),
    "ja": (_JAPANESE, "{}: "),
    "zh": (_CHINESE, "{}："),
    "ar": (_ARABIC, "{}: "),
}

_MONTHS = {
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
}


def _register_labels() -> None:
    for lang, (names, form) in _LABELS.items():
        for code, name in names.items():
            label = form.format(name)

            def word(call: Call, label: str = label) -> str:
                spelled = call.get(2) if call.lang == "de" else ""  # {{RuS|Москва|Moskwa}}
                return f"{label}{call.get(1)} {spelled}".rstrip() if call.get(1) else ""

            template(f"lang-{code}|lang-{code}-short", lang=lang)(word)
            if lang == "de":
                template(f"{code}S", lang=lang)(word)


_register_labels()


def _date(call: Call, lang: str, day: str, month: str, year: str) -> str:
    months = _MONTHS[lang].split()
    number = parse_number(month)
    if number is not None and 1 <= number <= 12:
        month = months[int(number) - 1]
    joint = " de " if lang == "es" else " "
    return joint.join(filter(None, (day, month, year)))


@template("date|date-|date de naissance|date de décès|date sport|dates", lang="fr")
@template("fecha", lang="es")
@template("date|date2", lang="ru")
def day_month_year(call: Call) -> str:
    """`{{date|12|juillet|1998}}` is 12 juillet 1998."""
    return _date(call, call.lang, call.get(1), call.get(2), call.get(3))


@template("fecha de nacimiento|fecha de fallecimiento|fecha de inicio", lang="es")
@template("датарождения|дата рождения|датасмерти|дата смерти", lang="ru")
@template("تاريخ الميلاد|تاريخ الميلاد والعمر|تاريخ الوفاة|تاريخ الوفاة والعمر", lang="ar")
def date_in_a_box(call: Call) -> str:
    """A date whose template says what it is the date of; in Arabic the year comes first."""
    first, month, last = call.get(1), call.get(2), call.get(3)
    if call.lang == "ar" or len(first) == 4:
        first, last = last, first
    return _date(call, call.lang, first, month, last)


@template("unité|nombre|unité/2|monnaie", lang="fr")
@template("unidad|unidades", lang="es")
@template("num|число", lang="ru")
def quantity(call: Call) -> str:
    """`{{unité|1234|km|2}}`: the number grouped, its unit, the unit's power."""
    number = call.get(1)
    shown = (
        localised(number.replace(",", "."), call.lang)
        if parse_number(number) is not None
        else number
    )
    return " ".join(filter(None, (shown, call.get(2) + call.get(3)))).replace(
        " ", "\N{NO-BREAK SPACE}"
    )


@template("s|s-|siècle|s mini|s2|sp|-s|-s-|sap|siècles", lang="fr")
def century(call: Call) -> str:
    """`{{s|XIX}}` is XIXe siècle; `{{-s|V}}` one before our era; `{{sp|XVI|e|et|XVII|e}}` two."""
    values = [v for v in call.values() if v]
    numbers = [v for v in values if v.strip("IVXLC") == ""]
    shown = [f"{v}{'er' if v == 'I' else 'e'}" for v in numbers]
    joint = next((v for v in values if v in ("et", "ou", "au", "-", "–", "et au")), "et")
    word = "siècle" if len(numbers) < 2 else "siècles"
    end = " av. J.-C." if call.key.startswith("-") else ""
    return f"{f' {joint} '.join(shown)} {word}{end}" if shown else ""


@template("siglo", lang="es")
def century_es(call: Call) -> str:
    """`{{siglo|XIX}}` is siglo XIX, `{{siglo|I|a}}` siglo I a. C."""
    word = {"S": "Siglo"}.get(call.get(3), "siglo")
    era = {"a": "a. C.", "d": "d. C."}.get(call.get(2), call.get(2))
    return f"{word} {call.get(1)} {era}".rstrip()


constants(
    { "e": "e", "er": "er", "re": "re", "ère": "re", "ème": "e", "1er": "1er", "1re": "1re",
    "Ier": "Ier", "Ire": "Ire", "2e": "2e", "3e": "3e", "IIe": "IIe", "IIIe": "IIIe", "IVe": "IVe",
    "av. J.-C.": "av. J.-C.", "apr. J.-C.": "apr. J.-C.", "av JC": "av. J.-C.",
    "ap JC": "apr. J.-C.", "tiret": "–", "clr": "", "°C": "°C",
    "Ier siècle": "Ier siècle", "etc.": "etc.", }, lang="fr",
)  # fmt: skip


@template("citation|guil|guillemets|citation étrangère|citation nécessaire", lang="fr")
def guillemets(call: Call) -> str:
    return f"« {call.get(1, 'texte')} »"


@template('"', lang="de")
def german_quotes(call: Call) -> str:
    return f"„{call.get(1, 'Text')}“"


@template("incise", lang="fr")
def incise(call: Call) -> str:
    return f"– {call.get(1)} –"


@template("M.|Mme|Mlle|Dr|Mgr|St|Ste|Pr|Me", lang="fr")
def title_of_respect(call: Call) -> str:
    title = {"st": "saint", "ste": "sainte"}.get(call.key, call.name[:1].upper() + call.name[1:])
    return f"{title} {call.get(1)}".strip()


@template("no|n°|nos", lang="fr")
def numero(call: Call) -> str:
    return f"no {call.get(1)}".strip()


@template("heure|h", lang="fr")
def clock(call: Call) -> str:
    return " ".join(filter(None, (call.get(1), "h", call.get(2))))


@template("API|AFI|IPA|lautschrift|alphabet phonétique", lang="fr")
@template("AFI|IPA", lang="es")
@template("IPA|lautschrift", lang="de")
def in_square_brackets(call: Call) -> str:
    text = call.get(1)
    return text if text[:1] in ("[", "/") or not text else f"[{text}]"


@template(
    "refnec|référence nécessaire|référence souhaitée|refsou|abréviation|abréviation discrète|"
    "abrd|exp|ind|lnobr|terme défini|term|nobr|unité non convertie|grec ancien|"
    "petites capitales|pc|souligner|passage évasif|citation bloc|romains|romaine",
    lang="fr",
)
@template("esd|versalita|fs|cita requerida 2|nobr|negrita|cursiva|may|abr", lang="es")
@template(
    "s|nobr|число2|цитата|врезка цитата|не переведено|год|рег|начало цитаты2|ссылка|nobr2|"
    "подст|флагификация|unicode|rp2",
    lang="ru",
)
@template(
    "要出典範囲|仮リンク|要説明|要検証範囲|nobr|ill2|日本語版にない記事リンク|縦書き", lang="ja"
)
@template(
    "le|link-en|link-ja|link-fr|link-de|link-ru|link-ko|link-es|link-it|"
    "internal link helper/en|僻字|lk|link-la",
    lang="zh",
)
@template("ص|خط كبير|نص كبير|خط عربي|اقتباس|نص عربي", lang="ar")
@template(
    "nowrap|SortKey|polytonisch|zitat|person|unicode|kapitälchen|abkürzung|farbe|sortdate2",
    lang="de",
)
def first_argument(call: Call) -> str:
    """The first argument, or the label that is to be shown for it."""
    return call.get("label", "texte", "text", "d", "label2") or call.get(
        3 if call.key.startswith("link-") else 1, 1
    )


@template("lien|lien rouge|lien/2", lang="fr")
def french_link(call: Call) -> str:
    return call.get("texte", "fr", 1, "trad")


@template(
    "нп1|нп2|нп3|нп4|нп5|нп|не переведено 5|не переведено 3|не переведено 2|нп6|iw",
    lang="ru",
)
def not_yet_translated(call: Call) -> str:
    """`{{нп5|Title|Foreign|en|label}}`; in нп3 and its kin the label comes second."""
    return call.get(2 if call.key[-1:] == "3" else 4, "текст", 1)


@template("tsl|translink", lang="zh")
def translate_link(call: Call) -> str:
    """`{{tsl|en|Foreign|中文|label}}`"""
    return call.get(4, 3, 2)


@template("وإو|و إ و|وصلة إنترويكي", lang="ar")
def arabic_link(call: Call) -> str:
    return call.get("نص", "عر", "تر", 1)


@template("إنج|إنجليزية", lang="ar")
def in_english(call: Call) -> str:
    return f"بالإنجليزية: {call.get(1)}"


@template("読み仮名|読み仮名 ruby不使用|ふりがな|ruby|ルビ", lang="ja")
def reading(call: Call) -> str:
    """`{{読み仮名|漢字|かんじ}}` is 漢字（かんじ）."""
    return f"{call.get(1)}（{call.get(2)}）" if call.get(2) else call.get(1)


@template("bd|生卒", lang="zh")
def born_and_died(call: Call) -> str:
    """`{{bd|1900年|1月2日|1980年|3月4日}}` is （1900年1月2日－1980年3月4日）."""
    born, died = call.get(1) + call.get(2), call.get(3) + call.get(4)
    return f"（{born}－{died}）"


@template("höhe|höhenangabe", lang="de")
def altitude(call: Call) -> str:
    """`{{Höhe|1234|DE-NHN}}` is 1234 m ü. NHN."""
    datum = {"DE-NHN": "ü. NHN", "DE-NN": "ü. NN", "AT": "ü. A.", "CH": "ü. M."}
    return f"{call.get(1)} m {datum.get(call.get(2), '')}".strip()


@template("§|art.", lang="de")
def paragraph_of_law(call: Call) -> str:
    sign = "Art." if call.key.startswith("art") else "§"
    return " ".join(filter(None, (sign, call.get(1), call.get(2))))


@template("bibel", lang="de")
def bible_de(call: Call) -> str:
    verse = f",{call.get(3)}" if call.get(3) else ""
    return f"{call.get(1)} {call.get(2)}{verse}"


@template("japonais", lang="fr")
def japanese_fr(call: Call) -> str:
    inside = ", ".join(filter(None, (call.get(2), call.get(3), call.get(4))))
    return f"{call.get(1)} ({inside})" if inside else call.get(1)


@template("convertir|convert", lang="es")
@template("converti|convert", lang="fr")
def convert_by_symbols(call: Call) -> str:
    """A measurement and its conversion, by symbols, in the wiki's own numbers."""
    from wiki_index.templates.convert import convert

    named = {**call.named, "abbr": "on", "comma": "off"}
    text = convert(Call("convert", call.positional, named))
    return text.replace(".", ",")
