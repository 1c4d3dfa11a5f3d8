"""Chinese Wikipedia."""

from __future__ import annotations

from wiki_index.templates.convert import convert
from wiki_index.templates.registry import Call, constants, template
from wiki_index.templates.wikis.common import first_argument, silent, words_of_languages
from wiki_index.templates.wikis.units import in_words

_LANGUAGES = {
    "en": "英語", "fr": "法語", "de": "德語", "ja": "日語", "ru": "俄語", "la": "拉丁語",
    "es": "西班牙語", "it": "意大利語", "ko": "韓語", "pt": "葡萄牙語", "ar": "阿拉伯語",
    "el": "希臘語", "vi": "越南語", "nl": "荷蘭語", "he": "希伯來語", "th": "泰語",
    "grc": "古希臘語", "pl": "波蘭語", "tr": "土耳其語", "uk": "烏克蘭語", "fa": "波斯語",
    "sv": "瑞典語", "cs": "捷克語", "hu": "匈牙利語", "fi": "芬蘭語", "da": "丹麥語",
    "no": "挪威語", "ms": "馬來語", "id": "印尼語", "mn": "蒙古語", "bo": "藏語", "sa": "梵語",
}  # fmt: skip
_UNITS = {
    "m": "米", "km": "公里", "cm": "厘米", "mm": "毫米", "ft": "英尺", "in": "英寸", "mi": "英里",
    "yd": "码", "nmi": "海里", "kg": "公斤", "g": "克", "lb": "磅", "t": "吨", "km2": "平方公里",
    "m2": "平方米", "sq mi": "平方英里", "sq ft": "平方英尺", "ha": "公顷", "acres": "英亩",
    "L": "升", "km/h": "公里每小时", "mph": "英里每小时",
}  # fmt: skip

silent("注|何时|何時|fact|來源請求|noteta|isbn|zhwp|谁|誰|cref|rf|noteTag", lang="zh")
words_of_languages("zh", {code: f"{name}：" for code, name in _LANGUAGES.items()})
constants(
    {
        "CHN": "中国", "ROC": "中華民國", "TWN": "臺灣", "HKG": "香港", "MAC": "澳門",
        "JPN": "日本", "KOR": "韩国", "USA": "美国", "GBR": "英国", "FRA": "法国", "DEU": "德国",
        "RUS": "俄罗斯", "ITA": "意大利", "ESP": "西班牙", "CAN": "加拿大", "AUS": "澳大利亚",
        "SGP": "新加坡", "MYS": "马来西亚", "IND": "印度", "VNM": "越南",
    },
    lang="zh",
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


template("拼音|缺字|生僻字|僻字|造字|lang-sub|专名号|專名號|书名号", lang="zh")(first_argument)


@template("convert|cvt|單位轉換|单位转换", lang="zh")
def convert_by_names(call: Call) -> str:
    """`{{convert|20|m|ft}}` is 20米（66英尺）, by symbols where `abbr` says so."""
    named = {**call.named, "abbr": "on"}
    shown = convert(Call("convert", call.positional, named))
    if call.key != "cvt" and not call.get("abbr"):
        shown = in_words(shown, _UNITS)
    return shown.replace(" (", "（").replace(")", "）")
