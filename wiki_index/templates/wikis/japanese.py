"""Japanese Wikipedia."""

from __future__ import annotations

from wiki_index.templates.citations import citation, work
from wiki_index.templates.convert import convert
from wiki_index.templates.dates import age_between, make_date
from wiki_index.templates.registry import Call, template
from wiki_index.templates.wikis.common import (
    countries,
    first_argument,
    people,
    silent,
    words_of_languages,
)
from wiki_index.templates.wikis.units import in_words

_LANGUAGES = {
    "en": ("英語", "英"), "fr": ("フランス語", "仏"), "de": ("ドイツ語", "独"),
    "it": ("イタリア語", "伊"), "es": ("スペイン語", "西"), "ru": ("ロシア語", "露"),
    "la": ("ラテン語", "羅"), "zh": ("中国語", "中"), "ko": ("朝鮮語", "朝"),
    "nl": ("オランダ語", "蘭"), "pt": ("ポルトガル語", "葡"), "el": ("ギリシア語", "希"),
    "grc": ("古代ギリシア語", "古希"), "ar": ("アラビア語", "亜"), "pl": ("ポーランド語", "波"),
    "he": ("ヘブライ語", "希伯"), "sv": ("スウェーデン語", "典"), "tr": ("トルコ語", "土"),
    "fa": ("ペルシア語", "波斯"), "cs": ("チェコ語", "捷"), "hu": ("ハンガリー語", "洪"),
    "fi": ("フィンランド語", "芬"), "da": ("デンマーク語", "丁"), "no": ("ノルウェー語", "諾"),
    "uk": ("ウクライナ語", "宇"), "vi": ("ベトナム語", "越"), "th": ("タイ語", "泰"),
    "sa": ("サンスクリット", "梵"), "ro": ("ルーマニア語", "羅"), "ca": ("カタルーニャ語", "加"),
    "mn": ("モンゴル語", "蒙"), "hi": ("ヒンディー語", "印"), "id": ("インドネシア語", "尼"),
    "ms": ("マレー語", "馬"), "bg": ("ブルガリア語", "勃"), "sr": ("セルビア語", "塞"),
    "hr": ("クロアチア語", "克"), "sk": ("スロバキア語", "斯"), "sl": ("スロベニア語", "斯洛"),
    "et": ("エストニア語", "愛沙"), "lv": ("ラトビア語", "拉脱"), "lt": ("リトアニア語", "立"),
    "ka": ("グルジア語", "具"), "hy": ("アルメニア語", "亜美"), "be": ("ベラルーシ語", "白露"),
    "ga": ("アイルランド語", "愛"), "cy": ("ウェールズ語", "威"), "is": ("アイスランド語", "氷"),
    "eu": ("バスク語", "巴"), "bo": ("チベット語", "蔵"), "eo": ("エスペラント", "エス"),
    "ja": ("日本語", "日"), "my": ("ビルマ語", "緬"), "km": ("クメール語", "柬"),
}  # fmt: skip
_UNITS = {
    "m": "メートル", "km": "キロメートル", "cm": "センチメートル", "mm": "ミリメートル",
    "ft": "フィート", "in": "インチ", "mi": "マイル", "yd": "ヤード", "nmi": "海里",
    "kg": "キログラム", "g": "グラム", "lb": "ポンド", "t": "トン", "km2": "平方キロメートル",
    "m2": "平方メートル", "sq mi": "平方マイル", "sq ft": "平方フィート", "ha": "ヘクタール",
    "acres": "エーカー", "L": "リットル", "km/h": "キロメートル毎時", "mph": "マイル毎時",
}  # fmt: skip

silent(
    "isbn2|isbn|efn|r|sfn|要出典|年代別|anchors|誰|いつ|年数|see|refnest|notelist2|右寄せ|"
    "要ページ番号|要検証|疑問点|精度|信頼性要検証|要文献特定詳細情報|要高次出典|flagicon2|0",
    lang="ja",
)
words_of_languages("ja", {code: f"{name}: " for code, (name, _) in _LANGUAGES.items()})
words_of_languages(
    "ja", {code: f"{short}: " for code, (_, short) in _LANGUAGES.items()}, "lang-{}-short"
)
countries(
    "ja",
    {
        "JPN": "日本", "USA": "アメリカ合衆国", "GBR": "イギリス", "FRA": "フランス",
        "DEU": "ドイツ", "GER": "ドイツ", "ITA": "イタリア", "CHN": "中国", "KOR": "韓国",
        "RUS": "ロシア", "ESP": "スペイン", "BRA": "ブラジル", "CAN": "カナダ",
        "AUS": "オーストラリア", "NLD": "オランダ", "TWN": "台湾", "SUN": "ソビエト連邦",
        "PRK": "北朝鮮", "IND": "インド", "MEX": "メキシコ", "ARG": "アルゼンチン",
        "SWE": "スウェーデン", "NOR": "ノルウェー", "DNK": "デンマーク", "FIN": "フィンランド",
        "POL": "ポーランド", "CHE": "スイス", "AUT": "オーストリア", "BEL": "ベルギー",
        "PRT": "ポルトガル", "TUR": "トルコ", "THA": "タイ", "VNM": "ベトナム",
    },
)  # fmt: skip


@template(
    "読み仮名|読み仮名 ruby不使用|ふりがな|ruby|ルビ|読み仮名ルビ不使用|ruby-ja|ruby-zh-p|"
    "ruby-zh-b",
    lang="ja",
)
def reading(call: Call) -> str:
    """`{{読み仮名|漢字|かんじ}}` is 漢字（かんじ）."""
    return f"{call.get(1)}（{call.get(2)}）" if call.get(2) else call.get(1)


@work("cite book", lang="ja")
def book(call: Call) -> str:
    """`{{Cite book|和書|author=李|title=海|publisher=港社|year=1900}}` is 李『海』港社、1900年; a
    book in another language is shown as in English."""
    if call.get(1) != "和書":
        return citation(call)
    authors = people(call, "author", "last", "first")
    year = call.get("date", "year")
    published = (call.get("publisher"), f"{year}年" if year.isdecimal() else year)
    return f"{'、'.join(authors)}『{call.get('title')}』{'、'.join(filter(None, published))}"


_ERAS = ((2019, "令和"), (1989, "平成"), (1926, "昭和"), (1912, "大正"), (1868, "明治"))


@template("和暦", lang="ja")
def era(call: Call) -> str:
    """`{{和暦|1900}}` is 明治33年."""
    year = int(call.get(1))
    for first, name in _ERAS:
        if year >= first:
            return f"{name}{'元' if year == first else year - first + 1}年"
    return f"{year}年"


def _date(call: Call, first: int) -> str:
    year, month, day = (call.get(position).lstrip("0") for position in range(first, first + 3))
    return f"{year}年{month}月{day}日"


@template(
    "生年月日と年齢|生年月日|birth date and age|birth date|start date|死亡年月日|death date|"
    "end date",
    lang="ja",
)
def born(call: Call) -> str:
    return _date(call, 1)


@template("IPA|ipa|ipa-*", lang="ja")
def in_square_brackets(call: Call) -> str:
    text = call.get(1)
    return text if text[:1] in ("[", "/") or not text else f"[{text}]"


@template("死亡年月日と没年齢|没年齢", lang="ja")
def died(call: Call) -> str:
    """`{{没年齢|1900|5|12|1950|6|3}}` is 50歳没, with its date where the name says so."""
    birth = make_date(call.get(1), call.get(2), call.get(3))
    death = make_date(call.get(4), call.get(5), call.get(6))
    age = f"{age_between(birth, death)}歳没" if birth and death else ""
    if call.key == "没年齢":
        return age
    return _date(call, 4) + (f"（{age}）" if age else "")


template(
    "要出典範囲|仮リンク|要説明|要検証範囲|nobr|ill2|日本語版にない記事リンク|縦書き|"
    "JIS2004フォント|JIS90フォント|旧字体|新字体|補助漢字フォント|CP932フォント|Unicodeフォント|"
    "CJKV|拡張漢字|独自研究範囲|いつ範囲|誰範囲|どこ範囲|要説明範囲|疑問点範囲|要追加記述範囲|"
    "精度範囲|信頼性要検証範囲|要文献特定範囲|smallsup",
    lang="ja",
)(first_argument)


@template("fontsize|font size|color|font color", lang="ja")
def styled(call: Call) -> str:
    """`{{fontsize|90%|文}}`: the text after its style."""
    return call.get(2)


@template("convert|cvt", lang="ja")
def convert_by_names(call: Call) -> str:
    """`{{convert|10|km|mi}}` is 10キロメートル (6.2 mi), by symbols alone where `abbr` says so."""
    named = {**call.named, "abbr": "on"}
    shown = convert(Call("convert", call.positional, named))
    if call.key == "cvt" or call.get("abbr"):
        return shown
    measured, bracket, converted = shown.partition(" (")
    return in_words(measured, _UNITS) + bracket + converted
