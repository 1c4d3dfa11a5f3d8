"""Chinese Wikipedia."""

from __future__ import annotations

from wiki_index.templates.convert import convert
from wiki_index.templates.dates import age_between, make_date
from wiki_index.templates.lists import paragraphs
from wiki_index.templates.registry import Call, template
from wiki_index.templates.wikis.common import (
    countries,
    first_argument,
    silent,
    words_of_languages,
)
from wiki_index.templates.wikis.units import in_words

_LANGUAGES = {
    "en": "英語", "fr": "法語", "de": "德語", "ja": "日語", "ru": "俄語", "la": "拉丁語",
    "es": "西班牙語", "it": "意大利語", "ko": "韓語", "pt": "葡萄牙語", "ar": "阿拉伯語",
    "el": "希臘語", "vi": "越南語", "nl": "荷蘭語", "he": "希伯來語", "th": "泰語",
    "grc": "古希臘語", "pl": "波蘭語", "tr": "土耳其語", "uk": "烏克蘭語", "fa": "波斯語",
    "sv": "瑞典語", "cs": "捷克語", "hu": "匈牙利語", "fi": "芬蘭語", "da": "丹麥語",
    "no": "挪威語", "ms": "馬來語", "id": "印尼語", "mn": "蒙古語", "bo": "藏語", "sa": "梵語",
    "hi": "印地語", "ca": "加泰羅尼亞語", "sr": "塞爾維亞語", "bg": "保加利亞語",
    "hr": "克羅地亞語", "ro": "羅馬尼亞語", "sk": "斯洛伐克語", "sl": "斯洛維尼亞語",
    "et": "愛沙尼亞語",
    "lv": "拉脫維亞語", "lt": "立陶宛語", "ka": "格魯吉亞語", "hy": "亞美尼亞語",
    "be": "白俄羅斯語", "ga": "愛爾蘭語", "cy": "威爾士語", "is": "冰島語", "eu": "巴斯克語",
    "gl": "加利西亞語",
    "sq": "阿爾巴尼亞語", "mk": "馬其頓語", "ug": "維吾爾語", "kk": "哈薩克語", "uz": "烏茲別克語",
    "az": "阿塞拜疆語", "ur": "烏爾都語", "bn": "孟加拉語", "ta": "泰米爾語", "my": "緬甸語",
    "km": "高棉語", "lo": "老撾語", "tl": "他加祿語", "eo": "世界語", "af": "南非語",
    "ku": "庫爾德語",
    "sw": "斯瓦希里語", "mnc": "滿語", "za": "壯語", "zh": "中文",
}  # fmt: skip
_UNITS = {
    "m": "米", "km": "公里", "cm": "厘米", "mm": "毫米", "ft": "英尺", "in": "英寸", "mi": "英里",
    "yd": "码", "nmi": "海里", "kg": "公斤", "g": "克", "lb": "磅", "t": "吨", "km2": "平方公里",
    "m2": "平方米", "sq mi": "平方英里", "sq ft": "平方英尺", "ha": "公顷", "acres": "英亩",
    "L": "升", "km/h": "公里每小时", "mph": "英里每小时",
}  # fmt: skip

silent(
    "注|何时|何時|fact|來源請求|noteta|isbn|zhwp|谁|誰|cref|rf|noteTag|flagicon2",
    lang="zh",
)
words_of_languages("zh", {code: f"{name}：" for code, name in _LANGUAGES.items()})
countries(
    "zh",
    {
        "CHN": "中国", "PRC": "中华人民共和国", "ROC-TW": "臺灣", "ROC": "中華民國", "TWN": "臺灣",
        "HKG": "香港", "MAC": "澳門",
        "JPN": "日本", "KOR": "韩国", "USA": "美国", "GBR": "英国", "FRA": "法国", "DEU": "德国",
        "RUS": "俄罗斯", "ITA": "意大利", "ESP": "西班牙", "CAN": "加拿大", "AUS": "澳大利亚",
        "SGP": "新加坡", "MYS": "马来西亚", "IND": "印度", "VNM": "越南", "THA": "泰国",
        "PRK": "朝鲜", "URS": "苏联", "BRA": "巴西", "NLD": "荷兰", "BEL": "比利时",
        "CHE": "瑞士", "AUT": "奥地利", "SWE": "瑞典", "NOR": "挪威", "DNK": "丹麦", "FIN": "芬兰",
        "POL": "波兰", "PRT": "葡萄牙", "TUR": "土耳其", "MEX": "墨西哥", "ARG": "阿根廷",
        "IDN": "印度尼西亚", "PHL": "菲律宾", "NZL": "新西兰",
    },
)  # fmt: skip


@template(
    "le|link-*|internal link helper/*|liu|lj|lf|ld|lr|lk",
    lang="zh",
)
def link(call: Call) -> str:
    """`{{link-en|港口|Port|label}}`"""
    return call.get(3, 1)


@template("tsl|translink", lang="zh")
def translated_link(call: Call) -> str:
    """`{{tsl|en|Foreign|中文|label}}`"""
    return call.get(4, 3, 2)


@template("link-interwiki|ilh|多語言連結", lang="zh")
def interwiki_link(call: Call) -> str:
    """`{{link-interwiki|zh=港口|lang=en|lang_title=Port}}`"""
    return call.get("zh_text", "zh", 1)


@template("internal link helper|illm", lang="zh")
def helped_link(call: Call) -> str:
    """`{{internal link helper|港口|en|Port|label}}`"""
    return call.get("label", "4", 1)


def _date(year: str, month: str, day: str) -> str:
    parts = zip((year, month.lstrip("0"), day.lstrip("0")), "年月日", strict=True)
    return "".join(number + sign for number, sign in parts if number)


@template("birth date|birth date and age|start date|end date|death date|bda|dob", lang="zh")
def date(call: Call) -> str:
    """`{{birth date|1900|5|12}}` is 1900年5月12日."""
    return _date(call.get(1), call.get(2), call.get(3))


@template("death date and age", lang="zh")
def died(call: Call) -> str:
    """`{{death date and age|1950|6|3|1900|5|12}}` is 1950年6月3日（50歲）."""
    death = make_date(call.get(1), call.get(2), call.get(3))
    birth = make_date(call.get(4), call.get(5), call.get(6))
    age = f"（{age_between(birth, death)}歲）" if birth and death else ""
    return _date(call.get(1), call.get(2), call.get(3)) + age


@template("as of|截至", lang="zh")
def as_of(call: Call) -> str:
    """`{{as of|1900|5}}` is 截至1900年5月."""
    return f"截至{_date(call.get(1), call.get(2), call.get(3))}"


@template("ipa-*", lang="zh")
def pronunciation(call: Call) -> str:
    """`{{IPA-de|x}}` is 德語發音：[x]."""
    language = _LANGUAGES.get(call.key.removeprefix("ipa-"), "")
    return f"{language}發音：[{call.get(1).strip('[]')}]" if call.get(1) else ""


@template("ruby|ruby-*", lang="zh")
def reading(call: Call) -> str:
    """`{{ruby|塔|tǎ}}` is 塔（tǎ）."""
    return f"{call.get(1)}（{call.get(2)}）" if call.get(2) else call.get(1)


@template("nihongo", lang="zh")
def with_its_characters(call: Call) -> str:
    """`{{nihongo|塔|塔|Tō}}` is 塔（日語：塔 Tō）."""
    inside = " ".join(filter(None, (call.get(2), call.get(3))))
    return f"{call.get(1)}（日語：{inside}）" if inside else call.get(1)


@template("cquote|quote|quotation|引文|引用|cquote2", lang="zh")
def quotation(call: Call) -> str:
    """A quotation, and whose it is, in paragraphs of their own."""
    author = call.get("author", "作者", 2) if call.key != "cquote" else call.get(4, 3, 2)
    return paragraphs([call.get("text", "quote", 1), f"— {author}" if author else ""])


@template("bd|生卒", lang="zh")
def born_and_died(call: Call) -> str:
    """`{{bd|1900年|1月2日|1980年|3月4日}}` is （1900年1月2日－1980年3月4日）."""
    born, died = call.get(1) + call.get(2), call.get(3) + call.get(4)
    return f"（{born}－{died}）"


@template("jpn|日語", lang="zh")
def japanese(call: Call) -> str:
    """`{{jpn|j=東京|hg=とうきょう|rm=Tōkyō}}` is 日語：東京／とうきょう Tōkyō."""
    words = "／".join(filter(None, (call.get("j", 1), call.get("hg", "kg", 2))))
    return f"日語：{' '.join(filter(None, (words, call.get('rm', 3))))}" if words else ""


template(
    "拼音|缺字|生僻字|僻字|造字|lang-sub|专名号|專名號|书名号|專名|专名|书名|書名|zy|bopomofo|"
    "jyutping|"
    "粵拼|粤拼|注音|通用拼音",
    lang="zh",
)(first_argument)


@template("convert|cvt|單位轉換|单位转换", lang="zh")
def convert_by_names(call: Call) -> str:
    """`{{convert|20|m|ft}}` is 20米（66英尺）, by symbols where `abbr` says so."""
    named = {**call.named, "abbr": "on"}
    shown = convert(Call("convert", call.positional, named))
    if call.key != "cvt" and not call.get("abbr"):
        shown = in_words(shown, _UNITS)
    return shown.replace(" (", "（").replace(")", "）")
