"""Names and words that differ between Wikipedias: namespaces, redirects, tail headings.

A dump's own `siteinfo` comes first; the tables below add what it leaves out (aliases, redirect
words, disambiguation templates, the headings of reference sections). Sources: the files
`languages/messages/Messages*.php` of MediaWiki for names and redirect words; each wiki's
`MediaWiki:Disambiguationspage` and manual of style for the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

FILE, CATEGORY, TEMPLATE = 6, 14, 10

_CANONICAL = {
    -2: "Media", -1: "Special", 1: "Talk", 2: "User", 3: "User talk", 4: "Project",
    5: "Project talk", 6: "File", 7: "File talk", 8: "MediaWiki", 9: "MediaWiki talk",
    10: "Template", 11: "Template talk", 12: "Help", 13: "Help talk", 14: "Category",
    15: "Category talk", 100: "Portal", 101: "Portal talk", 118: "Draft", 119: "Draft talk",
    710: "TimedText", 711: "TimedText talk", 828: "Module", 829: "Module talk",
}  # fmt: skip


def _names(names: str) -> frozenset[str]:
    return frozenset(name.casefold() for name in names.split("|"))


@dataclass(frozen=True)
class Language:
    """One language's words. Names are separated by ``|`` and compared casefolded."""

    file: str
    category: str
    template: str
    redirect: str
    disambiguation: str
    """Names of disambiguation templates."""
    disambiguation_category: str
    tail: str
    """Headings of the sections after the prose."""
    hatnote: str
    """How a hatnote begins: a note above the prose that links to other pages."""
    redirects_here: str = "redirects here"
    """What a hatnote says that begins with the name of a redirect."""


_LANGUAGES = {
    "en": Language(
        file="File|Image",
        category="Category",
        template="Template",
        redirect="#REDIRECT",
        disambiguation="disambiguation|disambig|disamb|dab|disambiguation page|hndis|geodis|"
        "human name disambiguation|disambig-cleanup|disambiguation cleanup|mathdab|numberdis|"
        "mathematical disambiguation|mathematics disambiguation|place name disambiguation|"
        "letter-number combination disambiguation|letter–number combination disambiguation|"
        "school disambiguation|schooldis|hospital disambiguation|airport disambiguation|"
        "road disambiguation|roaddis|ship disambiguation|taxonomy disambiguation|"
        "species latin name disambiguation|species latin name abbreviation disambiguation|"
        "latin name disambiguation|call sign disambiguation|callsigndis|biology disambiguation|"
        "genus disambiguation|station disambiguation|church disambiguation|"
        "synagogue disambiguation|letter disambiguation|letter disambig|lndab|"
        "military unit disambiguation|chinese title disambiguation|phrase disambiguation|"
        "music disambiguation|opus disambiguation|political party disambiguation|"
        "title and name disambiguation|tropical cyclone disambiguation|hndisambig|geodab|"
        "fungus disambiguation|chemistry disambiguation|molform|video game disambiguation|"
        "caselaw disambiguation|case law disambiguation|county disambiguation|disam",
        disambiguation_category="disambiguation pages|all disambiguation pages|disambiguation",
        tail="references|notes|footnotes|citations|sources|bibliography|further reading|"
        "external links|external link|see also|works cited|reference|reference list|"
        "literature cited|general references|explanatory notes|source notes|endnotes|"
        "cited references|general sources|cited sources|primary sources|secondary sources|"
        "general bibliography|select bibliography|related pages|other websites|notelist|"
        "further information|related links|reference literature|additional reading|"
        "suggested reading|suggested further reading|other pages|more reading|"
        "bibliographical notes|references and resources|image credits|citation|footnote|note|"
        "weblinks|external resources|online resources",
        hatnote="for|see|see also|main article|main articles|main page|further information|"
        "this article is about|this page is about|this section is about|not to be confused",
    ),
    "de": Language(
        file="Datei|Bild",
        category="Kategorie",
        template="Vorlage",
        redirect="#WEITERLEITUNG",
        disambiguation="begriffsklärung|bkl",
        disambiguation_category="begriffsklärung",
        tail="literatur|weblinks|einzelnachweise|siehe auch|quellen|anmerkungen|fußnoten|belege|"
        "nachweise|weblink|referenzen|weiterführende literatur|externe links|quellenangaben|"
        "quellennachweise|sekundärliteratur|literaturhinweise|einzelnachweis|anmerkung|"
        "fußnote|literaturverzeichnis|weiterführende links",
        hatnote="siehe|dieser artikel|hauptartikel|zu|weitere bedeutungen",
    ),
    "fr": Language(
        file="Fichier|Image",
        category="Catégorie",
        template="Modèle",
        redirect="#REDIRECTION",
        disambiguation="homonymie|homonyme|patronymie|patronyme|paronymie|internationalisation|"
        "toponymie|toponyme|homonymie de personnes|homonymie de communes|sigle|"
        "homonymie de nom romain|homonymie de bateaux|homonymie de clubs sportifs|"
        "homonymie d'édifices religieux|homonymie de toponyme|unité homonyme|"
        "arrondissements homonymes|cantons homonymes|communes françaises homonymes|"
        "personnes homonymes|titres homonymes|films homonymes|villes homonymes|saints homonymes|"
        "rivières homonymes|lieux homonymes|localités homonymes|homonymie vidéo|"
        "homonymie dans les transports|homonymie de monuments|homonymie de clubs",
        disambiguation_category="homonymie",
        tail="références|notes|voir aussi|bibliographie|liens externes|articles connexes|"
        "lien externe|sources|annexes|note et référence|article connexe|liens internes|"
        "pour approfondir|bibliographie sommaire|source|lien interne|note|"
        "références bibliographiques|bibliographie complémentaire|références externes|"
        "sitographie|webographie|article détaillé",
        hatnote="voir|pour|article détaillé|articles détaillés|"
        "cet article|ne doit pas être confondu",
    ),
    "es": Language(
        file="Archivo|Imagen",
        category="Categoría",
        template="Plantilla",
        redirect="#REDIRECCIÓN|#REDIRECCION",
        disambiguation="desambiguación|desambig|des|disambig|desambiguacion",
        disambiguation_category="wikipedia:desambiguación|desambiguación",
        tail="referencias|véase también|enlaces externos|bibliografía|notas|fuentes|"
        "enlace externo|bibliografía adicional|lectura adicional|lecturas adicionales|"
        "ver también|bibliografía complementaria|notas al pie|citas y referencias|"
        "otras lecturas|notas aclaratorias|notas explicativas|referencia|fuente|nota|"
        "bibliografía recomendada|bibliografía consultada|enlaces|para saber más",
        hatnote="véase|para|artículo principal|este artículo|no debe confundirse",
    ),
    "ru": Language(
        file="Файл|Изображение",
        category="Категория",
        template="Шаблон",
        redirect="#перенаправление|#перенапр",
        disambiguation="неоднозначность|многозначность|disambig|список однофамильцев|однофамильцы|"
        "тёзки|список полных тёзок|список тёзок|дизамбиг|неоднозначные термины",
        disambiguation_category="страницы значений|многозначные термины|"
        "страницы значений по алфавиту",
        tail="примечания|литература|ссылки|см. также|источники|сноски|комментарии|библиография|"
        "смотри также|смотрите также|внешние ссылки|см также|примечание|источник|сноска|"
        "ссылка|дополнительная литература|внешняя ссылка|список литературы|"
        "использованная литература|комментарий",
        hatnote="см.|основная статья|эта статья|не путать|о",
    ),
    "ja": Language(
        file="ファイル|画像",
        category="カテゴリ",
        template="テンプレート",
        redirect="#転送|#リダイレクト|＃転送|＃リダイレクト",
        disambiguation="aimai|曖昧さ回避|disambig|人名の曖昧さ回避|地名の曖昧さ回避|hndis|曖昧",
        disambiguation_category="曖昧さ回避|すべての曖昧さ回避",
        tail="脚注|出典|参考文献|関連項目|外部リンク|注釈|注|参照|参考|参考資料|関連文献|関連図書|"
        "関連書籍|注記|資料|文献|外部サイト|脚註|註釈|註|参照文献|参考リンク|関連リンク|"
        "関連書|外部リンク集|参考図書|引用文献|注脚|典拠",
        hatnote="この記事|その他|詳細|詳しくは",
    ),
    "zh": Language(
        file="文件|档案|檔案|图像|圖像|文檔",
        category="分类|分類",
        template="模板|样板|樣板",
        redirect="#重定向|#重新導向",
        disambiguation="disambig|消歧义|消歧義|dab|hndis|geodis|消歧义页|多義|人名消歧义|"
        "disambiguation|地名消歧义|消歧义页面",
        disambiguation_category="消歧义|消歧義|消歧义页|全部消歧義頁面|消歧義頁面",
        tail="参考文献|參考文獻|参考资料|參考資料|外部链接|外部連結|外部鏈接|参见|參見|注释|註釋|"
        "注釋|脚注|腳註|延伸阅读|延伸閱讀|相关条目|相關條目|参看|參看|来源|來源|注脚|註腳|"
        "另见|另見|备注|備註|参考|參考|相关链接|相關連結|扩展阅读|擴展閱讀|资料来源|資料來源|"
        "引用|引注|参考书目|參考書目|參考來源|参考来源|相关文献|参考书籍|參考書籍|外部链结|"
        "外部網站|文献|引用文献|參考連結|参考链接|相關文獻|參閱|参阅|文獻|附注|附註|外部资源|"
        "註解|注解",
        hatnote="关于|關於|本条目|本條目|参见|參見|主条目|主條目",
    ),
    "ar": Language(
        file="ملف|صورة",
        category="تصنيف",
        template="قالب",
        redirect="#تحويل",
        disambiguation="توضيح|صفحة توضيح|توضيح أسماء|توضيح عائلة|disambig",
        disambiguation_category="صفحات توضيح|جميع صفحات التوضيح",
        tail="مراجع|المراجع|وصلات خارجية|روابط خارجية|انظر أيضا|انظر أيضًا|طالع أيضا|طالع أيضًا|"
        "مصادر|المصادر|هوامش|الهوامش|حواشي|ملاحظات|ملحوظات|قراءات أخرى|قراءة متعمقة|"
        "ببليوغرافيا|اقرأ أيضا|انظر ايضا|شاهد أيضا|مراجع فهرس|مرجع|المرجع|مصدر|هامش|ملاحظة|"
        "وصلات|روابط|الملاحظات|انظر أيضاً|طالع أيضاً",
        hatnote="انظر|هذه المقالة|عن|لمعان أخرى|مقالة رئيسية",
    ),
}  # fmt: skip

# https://meta.wikimedia.org/wiki/List_of_Wikipedias, the closed ones and old codes among them.
_LANGUAGE_CODES = _names(
    "aa|ab|ace|ady|af|ak|als|alt|am|ami|an|ang|ann|anp|ar|arc|ary|arz|as|ast|"
    "atj|av|avk|awa|ay|az|azb|ba|ban|bar|bat-smg|bbc|bcl|bdr|be|be-tarask|be-x-"
    "old|bew|bg|bh|bi|bjn|blk|bm|bn|bo|bpy|br|bs|btm|bug|bxr|ca|cbk-zam|cdo|"
    "ce|ceb|ch|cho|chr|chy|ckb|co|cr|crh|cs|csb|cu|cv|cy|da|dag|de|dga|din|"
    "diq|dsb|dtp|dty|dv|dz|ee|el|eml|en|eo|es|et|eu|ext|fa|fat|ff|fi|fiu-vro|"
    "fj|fo|fon|fr|frp|frr|fur|fy|ga|gag|gan|gcr|gd|gl|glk|gn|gom|gor|got|gpe|"
    "gsw|gu|guc|gur|guw|gv|ha|hak|haw|he|hi|hif|ho|hr|hsb|ht|hu|hy|hyw|hz|ia|"
    "iba|id|ie|ig|igl|ii|ik|ilo|inh|io|is|it|iu|ja|jam|jbo|jv|ka|kaa|kab|kbd|"
    "kbp|kcg|kg|kge|ki|kj|kk|kl|km|kn|knc|ko|koi|kr|krc|ks|ksh|ku|kus|kv|kw|"
    "ky|la|lad|lb|lbe|lez|lfn|lg|li|lij|lld|lmo|ln|lo|lrc|lt|ltg|lv|lzh|mad|"
    "mai|map-bms|mdf|mg|mh|mhr|mi|min|mk|ml|mn|mni|mnw|mo|mos|mr|mrj|ms|mt|"
    "mus|mwl|my|myv|mzn|na|nah|nan|nap|nb|nds|nds-nl|ne|new|ng|nia|nl|nn|no|"
    "nov|nqo|nr|nrm|nso|nup|nv|ny|oc|olo|om|or|os|pa|pag|pam|pap|pcd|pcm|pdc|"
    "pfl|pi|pih|pl|pms|pnb|pnt|ps|pt|pwn|qu|rki|rm|rmy|rn|ro|roa-rup|roa-tara|"
    "rsk|ru|rue|rup|rw|sa|sah|sat|sc|scn|sco|sd|se|sg|sgs|sh|shi|shn|shy|si|"
    "simple|sk|skr|sl|sm|smn|sn|so|sq|sr|srn|ss|st|stq|su|sv|sw|syl|szl|szy|"
    "ta|tay|tcy|tdd|te|tet|tg|th|ti|tig|tk|tl|tly|tn|to|tpi|tr|trv|ts|tt|tum|"
    "tw|ty|tyv|udm|ug|uk|ur|uz|ve|vec|vep|vi|vls|vo|vro|wa|war|wo|wuu|xal|xh|"
    "xmf|yi|yo|yue|za|zea|zgh|zh|zh-classical|zh-min-nan|zh-yue|zh-cn|zh-tw|zu"
)
_INTERWIKI = _names(
    "c|d|m|n|q|s|b|v|w|mw|voy|doi|rfc|wikt|wiktionary|wikipedia|wikisource|wikiquote|wikibooks|"
    "wikinews|wikiversity|wikivoyage|species|wikispecies|commons|wikidata|meta|metawikipedia|mediawikiwiki|wmf|foundation|"
    "imdbname|imdbtitle|iarchive|google|phab|gutenberg|arxiv|oeis|pmid|hdl"
)


def _language(lang: str) -> Language:
    return _LANGUAGES.get(lang, _LANGUAGES["en"])


@lru_cache(maxsize=512)
def _words(lang: str, name: str) -> frozenset[str]:
    """The casefolded names of a field in `lang` and in English. Every wiki accepts English."""
    return _names(getattr(_language(lang), name)) | _names(getattr(_LANGUAGES["en"], name))


@dataclass(frozen=True)
class Site:
    """A wiki as its dump's `siteinfo` describes it (https://www.mediawiki.org/wiki/Help:Export)."""

    lang: str = "en"
    """The language code, as in ``dewiki`` without ``wiki``; Simple English is ``simple``."""
    sitename: str = "Wikipedia"
    case: Literal["first-letter", "case-sensitive"] = "first-letter"
    namespaces: Mapping[int, str] = field(default_factory=dict)
    """Number -> local name, the article namespace 0 excepted."""

    @classmethod
    def default(cls, lang: str = "en") -> Site:
        """The Wikipedia of this language, for pages without a dump."""
        names = _language(lang)
        local = {FILE: names.file, CATEGORY: names.category, TEMPLATE: names.template}
        return cls(lang, namespaces=_CANONICAL | {k: v.split("|")[0] for k, v in local.items()})

    @cached_property
    def _prefixes(self) -> dict[str, int]:
        numbers = {name.casefold(): number for number, name in _CANONICAL.items()}
        numbers |= dict.fromkeys(_words(self.lang, "file"), FILE)
        numbers |= dict.fromkeys(_words(self.lang, "category"), CATEGORY)
        numbers |= dict.fromkeys(_words(self.lang, "template"), TEMPLATE)
        numbers |= {n.casefold(): k for k, n in self.namespaces.items() if n}
        return numbers

    def namespace(self, target: str) -> int:
        """The namespace number of a link's `target`; 0 for an article."""
        prefix, colon, _ = target.partition(":")
        if not colon:
            return 0
        prefix = prefix.casefold()
        if "_" in prefix or " " in prefix:
            prefix = " ".join(prefix.replace("_", " ").split())
        return self._prefixes.get(prefix, 0)


def is_interlanguage(target: str) -> bool:
    """Whether ``[[target]]`` is an interlanguage link, which is shown beside the page."""
    prefix, colon, _ = target.partition(":")
    return bool(colon) and prefix.strip().lower() in _LANGUAGE_CODES


def is_interwiki(target: str) -> bool:
    """Whether the target is in a sister project or another language."""
    prefix, colon, _ = target.partition(":")
    prefix = prefix.strip().lower()
    return bool(colon) and (prefix in _INTERWIKI or prefix in _LANGUAGE_CODES)


def is_disambiguation(name: str, lang: str) -> bool:
    """Whether the template of this name marks a page as a disambiguation."""
    return name.casefold() in _words(lang, "disambiguation")


def is_disambiguation_category(name: str, lang: str) -> bool:
    """Whether the category of this name (without its prefix) contains disambiguations."""
    return name.casefold() in _words(lang, "disambiguation_category")


_JOINED = re.compile(r"\s*(?:[,;/&・、]|\b(?:and|or|und|et|y|e|и)\b|[与與和及と])\s*|\s+و(?=\S)")
"""What joins two headings, "Notes and references". In Arabic it is a prefix of the second."""


def is_tail(heading: str, lang: str) -> bool:
    """Whether a section of this heading comes after the prose (references, links, …)."""
    tails, heading = _words(lang, "tail"), heading.casefold().strip(" :.")
    if heading.endswith(")"):  # "Literatur (Auswahl)"
        heading = heading.rpartition("(")[0].rstrip() or heading
    if heading in tails:
        return True
    parts = _JOINED.split(heading)
    return len(parts) > 1 and all(part in tails for part in parts)


def opens_hatnote(text: str, lang: str, *, is_italic: bool) -> bool:
    """Whether a note above the prose begins like a hatnote: in italics, or else with a colon."""
    text = text.casefold()
    if not is_italic:
        return any(text.startswith(f"{w}:") for w in _words(lang, "hatnote"))
    begins = any(text.startswith((f"{w} ", f"{w}:")) for w in _words(lang, "hatnote"))
    return begins or any(w in text for w in _words(lang, "redirects_here"))


def redirect_target(text: str, site: Site) -> str | None:
    """The target of a redirect page's text, with its ``#section``; None for other pages.

    Source: https://www.mediawiki.org/wiki/Help:Redirects. For dumps without ``<redirect>``.
    """
    head = text[:1000].lstrip()
    match = re.match(r"([#＃][^\s:\[]+)\s*:?\s*\[\[([^\[\]|\n]+)", head)
    if match and match[1].casefold() in _words(site.lang, "redirect"):
        return match[2].strip().removeprefix(":").strip() or None
    return None
