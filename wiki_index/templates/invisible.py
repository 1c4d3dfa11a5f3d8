"""Templates that show nothing in a page's prose: notes, hatnotes, navigation, maintenance.

Exact names, and beginnings and endings that English Wikipedia keeps for one purpose
(https://en.wikipedia.org/wiki/Wikipedia:Template_index); the other languages' follow.
"""

from __future__ import annotations

_NOTES = """
citation|cite|citation needed|cn|fact|harv|harvnb|harvp|harvid|harvtxt|harvcol|harvcoltxt|sfn|sfnp
sfnm|sfnmp|sfnref|efn|efn-ua|efn-lr|efn-la|efn-ur|efn-lg|refn|ref|rp|r|ran|note|note label
ref label|reflist|references|notelist|notelist-ua|notelist-lr|notefoot|notes|refbegin|refend
harvard citation|harvard citation no brackets|harvard citation text|harvard citations
ref supports2|wayback|webarchive|dead link|deadlink|dl|google books|oclc|issn|isbn|doi|pmid|pmc
bibcode|arxiv|jstor|hdl|lccn|asin|cite quote|inflation-fn|inflation-year|me-pedigree|source-attribution
eb1911|catholic|cite eb1911|1911|dnb|schaff-herzog|jewishencyclopedia|nie|gbs|gutenberg|link note
subscription required|subscription|registration required|closed access|open access|free access
paywall|self-published source|self-published inline|sps|primary source inline|inconsistent citations
inflation/fn|#tag:ref|#tag|unbulleted list citebundle|multiref|multiref2|cref|cnote|cref2|cnote2
shortened footnote template|sfn whitelist|page needed|page number needed|pn|vol. needed
pageneeded|page range too broad|chapter needed|isbn missing|author missing|full citation needed
full|non-primary source needed|not in source|failed verification|verify source|verification needed
vs|vn|better source|better source needed|bsn|unreliable source?|unreliable source|rs
additional citation needed|third-party inline|medical citation needed|mcn|irrelevant citation
attribution needed|barrington|goldbookref|greenwood&earnshaw2nd|rubberbible86th|pd-notice|source
fact-now|cbignore|lang-en-gb-notice|wikicite|citeref|psc|me|cite wikisource|wikisource-inline
dictionary.com|cia world factbook|country study|stateddept|statedept|loc|usgs|wikidata list end
"""

_HATNOTES = """
about|about2|about-distinguish|other uses|other uses2|otheruses|other people|other places|other ships
other|for|for2|for-multi|for-text|redirect|redirect2|redirect3|redirect4|redirect-multi|redirect-several
redirect-distinguish|redirect-distinguish2|redirect-distinguish-text|redirect-synonym|technical reasons
distinguish|distinguish2|distinguish-redirect|confused|confuse|main|main article|main list|mainarticle
main category|see also|seealso|also|see|further|further2|further information|details|details2|details3
see also2|hatnote|hatnote group|rellink|dablink|broader|detail|similar names|family name hatnote
spanish name|chinese name|japanese name|korean name|hungarian name|eastern name order|patronymic
portuguese name|catalan name|icelandic name|vietnamese name|indonesian name|malay name|thai name
family name explanation|given name hatnote|surname|selfref|self-reference|crossref|crossreference
highlight round|about year|year dab|bulgarian name|eastern slavic name|ukrainian name|arabic name
philippine name|filipino name|burmese name|mongolian name|turkish name|western name order|elect
introductory article|intro article|correct title|lowercase title|lowercase|wrongtitle|italic title
italictitle|italic title infobox|title language|displaytitle|short description|shortdesc|no italic title
listen to|technical|context|abbreviations|contents|related articles|for timeline|wikipedia how-to
redirects here|other hurricanes|other storms|hndis-cleanup|for outline|outline|distinguish-otheruses
this|other topics|use list-defined references|refer|further cleanup|listed|dynamic list|incomplete list
complete list|expand list|missing|inc-up|inc-lit|inc-film|inc-transport|inc-video|inc-musong|sia-notice
"""

_LAYOUT = """
clear|clr|clear left|clear right|-|br|break|col-begin|col-break|col-end|col-2|col-3|col-4|col-5|col
col-begin-small|col-1-of-2|col-2-of-2|col-1-of-3|col-2-of-3|col-3-of-3|colbegin|colend|col-float
col-float-end|col-float-break|div col|div col end|div col start|div col begin|divcol|div end|end div col
end|top|bottom|mid|toc|toc right|toc left|toc limit|toclimit|tocright|tocleft|toc top|notoc|compact toc
compacttoc|horizontal toc|alphabetical toc|skip to bottom|anchor|anchors|anc|shy|zwsp|zero width space
wbr|zwj|zwnj|lrm|rlm|thin|pad|fb|stack|stack begin|stack end|stackend|plainlist/end|endplainlist
hlist/end|flatlist/end|endflatlist|end plainlist|end flatlist|align|-end|gutter|row|table alignment
table row numbering|static row numbers|sticky header|sticky header top|sort under|import style
css|templatestyles|hidden end|hidden begin|collapse top|collapse bottom|cot|cob|hidden|nobots|bots
end box|endbox|box-end|s-start|start box|end tree list|tree list|tree list/end|tree list/styles
refbegin/styles|columns-start|column|columns-end|column-count|multicol|multicol-break|multicol-end
image label begin|image label|image label end|image label small|annotated image|annotated image 4
annotated link/sub|css image crop|css crop|superimpose|superimpose2|overlay|location map
location map+|location map~|location map many|location map start|location map end|osm location map
maplink|mapframe|multiple image|multiple images|multiimage|double image|auto images|triple image|gallery
image gallery|image|image array|wide image|tall image|panorama|photomontage|image frame|photo montage
vertical images list|vertical image|side box|imagemap|listen|listen image|listen header|listen footer
multi-listen start|multi-listen end|multi-listen item|video|audio player|pronunciation|pronounce
speaker|speakerlink|external media|external video|external image|external audio|quote box
quotebox|pull quote box|pquote|bar chart|bar box|bar percent|bar pixel|bar graph|graph:chart
graph:lines|graph:pageviews|pie chart|chart|chart/start|chart/end|chart top|chart bottom|chart2
chart2/start|chart2/end|familytree|familytree/start|familytree/end|tree chart|tree chart/start
tree chart/end|ahnentafel|ahnentafel-compact5|ahnentafel top|ahnentafel bottom|cladogram|clade|cladex
bar-box|brackets|4teambracket|8teambracket|16teambracket|32teambracket|rp-notice|graphic timeline
include timeline|horizontal timeline|simple horizontal timeline|timeline-event|timeline|legend
legend2|legend0|legend inline|legend-line|map caption|map-caption|weather box|weatherbox|climate chart
historical populations|historical population|us census population|population|kml|attached kml
geographic location|geobox coor|compass rose|adjacent communities|adjacent stations|s-rail|s-line
s-rail-start|rail start|routemap|bs-header|bs-table|bs|bs1|bs2|bs3|bs4|bs5|bs6|bs-map|rail-header2
charmap|latin letter info|letter other reps|chess diagram|chess diagram small|goban|score
font help|needhaircolor|chem-note|cite-needed-span-end|lookfrom|intitle|prefixindex|special
look from|in title|in title|flagicon|flag icon|flagdeco|flagicon image|flag decoration|flagiconr
icon|decrease|increase|steady|up|down|profit|loss|gain|nochange|same|decreasepositive|increasenegative
increase2|decrease2|rise|fall|gold medal|silver medal|bronze medal|gold1|silver2|bronze3|gold01|silver02
bronze03|medal|cite icon|rating|rating-5|stars|star|rarr-icon|trophy|sort icon|lock-icon|pp|protected
fossil range|fossilrange|long fossil range|geological range|phanerozoic 220px|all time 220px
wide template|nutritional value|unichar/main|anchor text|tick-icon|ambox|mbox|ombox|tmbox|cmbox|imbox
graph|family name|sfrac/styles|dead-link|when pagename is|reference column heading|coord missing
coordinates missing|gnis|ifempty-note|kosovo-note|serbia-kosovo-note|cyprus note|update after|updated
update needed|update|nofootnotes-span|notability|page numbers|nowrap begin|nowrap end|nowrapbegin|nowrapend
nobr begin|nobr end|wrap|wj|div|end div|nbhyph-note|quote box end|poem quote end|hr
"""

_MAINTENANCE = """
refimprove|refimprove section|ref improve|more citations needed|more citations needed section
more footnotes|more footnotes needed|morefootnotes|no footnotes|nofootnotes|unreferenced|unref
unreferenced section|unreferenced-section|no references|one source|onesource|primary sources
third-party|self-published|unreliable sources|original research|or|orig|original research inline
npov|pov|pov section|pov-section|pov check|pov-title|pov statement|pov-statement|unbalanced
undue|undue weight|undue weight section|undue weight inline|peacock|peacock inline|peacock term
weasel|weasel-inline|weasel word|weasel words|weasel inline|advert|advertisement|promotional
promotional source|fan pov|fansite|coi|autobiography|blp sources|blp unsourced|blp primary sources
blp sources section|blp imdb refimprove|globalize|globalise|globalize-inline|globalize section
cleanup|cleanup-rewrite|cleanup rewrite|cleanup section|cleanup-section|clean up|copy edit|copyedit
copy edit section|copy edit inline|copyedit inline|ce|tone|tone inline|essay-like|essay|in-universe
inuniverse|plot|long plot|too long|very long|very long section|lead too short|lead too long|lead rewrite
lead missing|lead section|inadequate lead|introduction|missing information|expand|expand section
expand language|expandsect|empty section|stub section|sect-stub|section stub|sectstub|update section
out of date|outdated|update inline|update span|update-inline|dated info|as of?|multiple issues
issues|articleissues|article issues|merge|merge to|merge from|mergefrom|mergeto|merging|merge section
split|split section|split section portions|splitsection|move|move portions|moved|copy section to wikisource
copy to wikisource|copy to wiktionary|move to wiktionary|rewrite|restructure|sections|confusing
confusing section|unclear|unclear section|unclear inline|jargon|jargon-inline|jargon inline|technical-statement
disputed|disputed section|disputed-section|disputed inline|disputed-inline|disputed title|dispute about
accuracy dispute|hoax|contradict|contradict-inline|contradictory inline|contradicts others|self-contradictory
contradict-other|contradiction-inline|dubious|dubious inline|disputed-list|clarify|clarify section|clarification
clarification needed|clarify-span|clarifyme|clarify inline|huh|what|explain|elucidate|vague|vague-inline
ambiguous|ambiguous link|ambig-term|definition|definition needed|define|who|who?|whom|by whom|by whom?
according to whom|according to whom?|attribution|weasel-name|whose|which|which?|which calendar?|when|when?
where|where?|why|why?|how|how?|how often?|quantify|specify|example needed|examples|example farm|cherry picked
opinion|editorializing|editorialising|buzz|buzzword|cliche|euphemism|neologism inline|over-quotation
overly detailed|overdetailed|quote farm|quotefarm|excessive detail|too many photos|cleanup gallery
cleanup-gallery|cleanup-list|cleanup list|listify|prose|proseline|trivia|in popular culture|famous players
prone to spam|external links|link rot|linkrot|bare urls|bare url inline|cleanup bare urls|barelinks|cleanup-bare urls
relevance inline|relevance|off topic|off-topic|off topic inline|importance-inline|importance inline|importance
importance section|non sequitur|speculation|speculation inline|synthesis|synthesis inline|syn|synth|or inline
story|tense|repetition|duplication|expert needed|expert-subject|expert|expert subject|expert-verify|technical
recentism|recent|recently changed|current|current event|current related|currentsports|under construction
underconstruction|in use|inuse|in creation|gocein use|gocein|goceinuse|wikify|wikify section|dead end|deadend
orphan|uncategorized|uncategorised|improve categories|cat improve|underlinked|overlinked|overlinking
rough translation|cleanup translation|cleanup-translation|not english|notenglish|translated page|translated
notability|afd|article for deletion|article for deletion/dated|proposed deletion|proposed deletion/dated
prod blp|db|speedy deletion|hangon|copypaste|copyvio|close paraphrasing|copyright violation|non-free
find sources|find|research help|medref|medical citations needed|medref section|weight|undue-inline
qualify evidence|lacking overview|lopsided|pruned|debate|manual|how-to|howto|game guide|gameguide|game cleanup
directory|resume|resume-like|like resume|obituary|news release|newsrelease|press release|review|religious text primary
hype|spam|spam link|cleanup-spam|image requested|photo requested|reqphoto|image reference needed|audio requested
citation style|citation-style|citestyle|ref-cleanup|cleanup references|cleanup reorganize|cleanup-reorganize|reorganize
formatting|format footnotes|long quote|grammar|awkward|unbalanced section|systemic bias|colloquial|informal
inappropriate person|inappropriate tone|inappropriate title|cite check|citecheck|cite-check|ill-fit|misleading
verify|verify credibility|verifiability|credibility|ibid|op. cit.|chronology citation needed|chronology source
template link|inappropriate external links|sockpuppet|vandalism|interwiki conflict|peer review|good article
featured article|featured list|featured portal|featured topic|former featured article|ga icon|fa icon|link ga
link fa|link fl|fa|ga|gar/link|dyk talk|talkquote|talkheader|talk header|pp-move-indef|protection padlock
r to section|r from move|redr|redirect category shell|rcat shell|rcatshell|this is a redirect
redirect shell|r|rcat|r unprintworthy|category handler|defaultsort|default sort|lifetime|persondata|normdaten
authority control|ac|taxonbar|subject bar|portal|portal bar|portalbar|portal-inline|portalen|portals|book bar
wikipedia books|wikipedia book|wikipedia-books|books-inline|library resources box|engvarb|engvaro|engvar
british english|american english|commons|commons category|commons cat|commonscat|commons-inline|sister project links
sister project|sisterlinks|sister-inline|sister|sister bar|wikiquote|wikisource|wikibooks|wikiversity|wikinews
wiktionary|wikispecies|wikivoyage|wikimedia|wikidata|wikiatlas|wikt|wikia|wikilivres|wikisourcelang|wikisource author
wikisource-author|wikisource1911enc|wikipedia|interwiki|wikicite|meta|mediawiki|incubator|wiktionary-inline|iw-ref
wiktionary pipe|wikibooks-inline|wikinews-inline|wikiquote-inline|wikiversity-inline|spoken wikipedia|spoken article
dmoz|curlie|imdb name|imdb title|imdb|imdb event|imdb character|imdb company|imdb episode|mojo title|amg movie|allrovi
allmovie|allmusic|rotten tomatoes|rotten-tomatoes|metacritic|find a grave|findagrave|nndb|ibdb|ibdb name|iobdb name
official website|official|official site|official url|official blog|youtube|vimeo|twitter|facebook|instagram|myspace
linkedin|soundcloud|discogs|discogs artist|musicbrainz|musicbrainz artist|gutenberg author|gutenberg book
project gutenberg|internet archive|internet archive author|internet archive film|internet archive short film
librivox author|librivox book|librivox|open library|ol author|olid|olbook|worldcat|worldcat id|worldcat subject
bbc online|bbc programme|guardian topic|nyttopic|nytimes|c-span|cspan|charlie rose view|ted speaker|snopes|goodreads author
mathworld|planetmath|springer|eom|mactutor|mathgenealogy|nlab|scholarpedia|proofwiki|dads|sep|sep entry|iep|inpho
philpapers|oed-link|oetymd|itis|eol|iucn|iucn2008|redbook2005|msw3|in our time|pwre|pow|imslp|cantorion|sfdb|isfdb
isfdb name|isfdb title|vndb|mobygames|giantbomb|espn|atp|itf profile|wta|fifa player|soccerbase|transfermarkt
daviscup player|tennishof|baseballstats|sports links|footballstats|sports reference|sports-reference|cycling archives
icsc|goldbookref|oeis-link|osmrelation-inline|osmrelation|osm relation|geonet|govpubs|un document|congbio|congressbio
congresslinks|cia world factbook link|nobelprize|nobel link|hansard-contribs|uk mp links|who's who|gnd|viaf|lccn-link
atlas shrugged navbox|tv.com|tv.com show|tv guide|epguides|animenewsnetwork|ann|anime news network|mal|gbooks|sports
no more links|nomorelinks|no linkfarm|lookout|good topic|wikiproject|wikiproject banner shell|include-nasa|pd-usgov
wide image end|disambiguation|disambig|dab|disambiguation page|hndis|geodis|human name disambiguation|set index
set index article|sia|surname disambiguation|given name|mountainindex|shipindex|ship index|plantindex|roadindex
road disambiguation|mathdab|mathematics disambiguation|letter-number combination disambiguation|numberdis|schooldis
school disambiguation|hospital disambiguation|airport disambiguation|place name disambiguation|lndab|species latin name
species latin name disambiguation|species latin name abbreviation disambiguation|letter disambig|letter disambiguation
callsigndis|call sign disambiguation|chinese title disambiguation|genus disambiguation|taxonomy disambiguation|dabprimary
biology disambiguation|military unit disambiguation|mil-unit-dis|station disambiguation|stationdis|tndis|hurricane season
disambiguation cleanup|disamb|disambig-cleanup|dabconcept|church disambiguation|fungus disambiguation|music disambiguation
phrase disambiguation|portal disambiguation|synagogue disambiguation|opus disambiguation|video game disambiguation
caselaw disambiguation|molform|chemistry disambiguation|events by year|wikipedia disambiguation|surnames|nickname
"""

_OTHER_LANGUAGES = """
hauptartikel|siehe auch|begriffsklärung|begriffsklärungshinweis|dieser artikel|weiterleitungshinweis|belege fehlen
belege|überarbeiten|lückenhaft|lesenswert|exzellent|informativ|all coordinates|positionskarte|panorama|wikisource
quellen|neutralität|veraltet|nur liste|wikinews|folgenleiste|personenleiste|absatz|anker|bibel-note|literatur|internetquelle
dnb-portal|tocright|imagemap-note|mehrere bilder|schwesterprojekte|allmusic|wiktionary|commonscat|commons|einzelnachweise
article détaillé|article connexe|articles détaillés|voir aussi|voir homonymes|voir homonyme|homonymie|confusion
à ne pas confondre|redirection|ébauche|à sourcer|à vérifier|référence nécessaire|réf. nécessaire|refnec|refsou
référence souhaitée|références|notes et références|réf|portail|palette|catégorie principale|légende|légende/début
légende/fin|image|images|colonnes|début de colonnes|fin de colonnes|sommaire|sommaire à droite|autres projets|bases
liens|dictionnaires|autorité|ancre|sans titre|titre en italique|article de qualité|bon article|en cours|coord-titre
méta bandeau|bandeau|à illustrer|source insuffisante|sources secondaires|pertinence|à recycler|quoi|qui|quand|où|lequel
lesquelles|lesquels|précision nécessaire|passage évasif|interprétation personnelle|multi bandeau|admissibilité|ouvrage|article
lien web|lien brisé|chapitre|harvsp|sfn|note|double image|clr|message galerie|unité/2-note|infobox fin|traduction de|crédit d'auteurs
véase también|véase|ap|artículo principal|otros usos|otros usos|redirige aquí|desambiguación|desambig|cita requerida|cr|listaref
referencias|control de autoridades|portal|artículo bueno|artículo destacado|wikificar|referencias adicionales|mejorar redacción
copyedit|traducido de|destacado|obra citada|cita libro|cita web|cita publicación|enlace roto|esbozo|miniesbozo|imagen múltiple
clear|ord|título en cursiva|distinguir|confundido|otros proyectos|en obras|plantilla de navegación|refn|aclarar|quién|cuándo
основная статья|главная|см. также|перенаправление|значения|другие значения|о|не путать|к удалению|нет источников|нет ссылок
достоверность|источник|источник?|проверено|уточнить|кто|когда|стиль|переписать|закончить|дополнить|внешние ссылки|примечания
литература|книга|статья|публикация|cite web|вс|навигационная таблица|навигация|портал|родственные проекты|избранная статья
хорошая статья|добротная статья|неоднозначность|многозначность|фамилия|имя|тёзки|список однофамильцев|список примечаний|sfn
якорь|содержание справа|toc-right|зл|нп-сноска|конец кол|кол|библиоинформация|спортивные ссылки|сортировать|rq|нет иллюстраций
seealso|otheruses|redirect|出典の明記|要出典|要出典範囲|複数の問題|独自研究|脚注ヘルプ|脚注|reflist|notelist|節スタブ|節stub|aimai|曖昧さ回避
dl2|normdaten|デフォルトソート|ウィキプロジェクト|出典無効|いつ|誰|誰2|どこ|要検証|要校閲|pathnav|国名|良質な記事|秀逸な記事|混同|参照方法|更新
wikify|単一の出典|観点|雑多な内容の箇条書き|正確性|告知|右|左|clear|統合文字|記事名の制約|特殊文字|半保護|保護
消歧义|消歧義|disambig|主条目|主條目|参见|參見|see also|其他|其他用途|distinguish|重定向|redirect|noteta|参考资料|參考資料|来源请求|來源請求
fact|cite web|refimprove|unreferenced|节stub|小作品|優良條目|典范条目|典範條目|规范控制|規範控制|dead link|noteta|link style|lead too short
خطأ نحوي|مفصلة|مقالة مفصلة|انظر أيضا|طالع أيضا|توضيح|تمييز|مصدر|بحاجة لمصدر|مراجع|ضبط استنادي|شريط بوابات|بوابة|تصنيف كومنز|روابط شقيقة
يتيمة|بذرة|وصلة مكسورة|استشهاد ويب|استشهاد بكتاب|استشهاد بدورية محكمة|مقالة مختارة|مقالة جيدة|تدقيق لغوي|معلومات أقل|لا مصدر|من|متى|شريط جانبي
"""

_PREFIXES = (
    "cite ", "citation needed", "harv", "sfn", "efn", "refn", "reflist", "vcite", "vancite",
    "pp-", "portal", "commons cat", "commons-", "wikisource", "wikibooks", "wikiquote-", "sister",
    "navbox", "campaignbox", "succession", "s-bef", "s-aft", "s-ttl", "s-non", "s-off", "s-par",
    "s-hon", "s-reg", "s-break", "s-end", "s-ach", "s-mil", "s-new", "s-vac", "s-inc", "s-aca",
    "s-bus", "s-legal", "s-dip", "s-ppo", "s-prec", "s-rel", "s-roy", "s-sports", "s-start",
    "s-tul", "s-gov", "s-media", "s-fam", "s-court", "s-npo", "s-pre", "s-vis", "s-other",
    "authority control", "short description", "defaultsort:", "displaytitle:", "contains ",
    "interlanguage-note", "expand ", "update ", "cleanup", "merge", "pov", "r from ", "r to ",
    "r with ", "official ", "imdb ", "gutenberg ", "librivox ", "internet archive ", "worldcat",
    "isfdb", "largest cities", "country topics", "location map", "osm ", "graph:", "legend",
    "chart top", "clade", "familytree", "family tree", "tree chart", "ahnentafel", "bs-", "wikiproject ",
    "attached ", "template:cite ", "taxonbar", "subject bar", "redirect-", "redirect ", "other uses",
    "otheruses", "spoken wikipedia", "wikidata-", "medal ", "medaltop", "medalbottom", "csp-",
    "blp ", "unreferenced", "refimprove", "more citations", "lead ", "spaceflight crew",
    "vorlage:", "navigationsleiste", "commonscat", "portail", "palette", "bandeau", "ébauche",
    "прочие проекты", "навигационная", "navegación", "шаблон:", "cita ", "literatur", "استشهاد",
    "بوابة", "بذرة", "timeline", "skip to ", "user ", "infobox mapframe", "#tag:", "#invoke:",
    "#coordinates:", "#section", "#lst", "toc ", "pd-", "msw3 ", "iucn", "col-begin", "col-break",
    "col-end", "div col", "image label", "multi-listen", "external m", "infobox network switching",
)  # fmt: skip

_SUFFIXES = (
    " stub", "-stub", " navbox", " sidebar", " topics", " footer", " banner", " icon", " inline",
    "-inline", " sidebar with", " disambiguation", " link rot", " succession", " portal",
    " series", " navigation", " map caption", " weatherbox", " labelled map", " labeled map",
    " project links", " ref", "-ref", " category", " timeline", " text-notice", " imagemap",
    " image map", " location map", " route map", " rdt", " line templates", "/end", "/begin-notice",
    " start boxes", " navbar", " topic", " tournament winners", " singles champions", " squad",
    " doubles champions", " elections", " award winners", " templates", "/navbox",
)  # fmt: skip

_DATE_STYLES = ("dmy dates", "mdy dates", "ymd dates", "english", "spelling", "dates")

_NAMES = frozenset(
    name.strip()
    for block in (_NOTES, _HATNOTES, _LAYOUT, _MAINTENANCE, _OTHER_LANGUAGES)
    for line in block.splitlines()
    for name in line.split("|")
    if name.strip()
)

_INFOBOX_NAMES = frozenset(
    """taxobox automatic taxobox|speciesbox|subspeciesbox|hybridbox|virusbox|drugbox|chembox|geobox
    taxobox|automatic taxobox|mycomorphbox|ichnobox|oobox|infraspeciesbox|paraphyletic group
    starbox begin|elementbox|planetbox begin|nihongo infobox|protein|enzyme|gnf protein box
    карточка|государство|река|нп|нп+россия|ударная-установка|таксон|персона|учёный|писатель
    基礎情報 国|生物分類表|世界の一覧表|大学|日本の市|駅情報|人物|国家|信息框|صندوق معلومات|بطاقة|معلومات دولة
    ficha|taxoboks|métadonnées personne|taxobox début|infobox""".replace("\n", "|").split("|")
)  # fmt: skip


def is_infobox(name: str) -> bool:
    """Whether the normalised `name` is a box of data about the page's subject."""
    name = name.lower().strip()
    return (
        name.startswith(
            ("infobox ", "infobox", "ficha de ", "taxobox", "карточка", "صندوق معلومات")
        )
        or name.endswith((" infobox", "信息框"))
        or name.strip() in _INFOBOX_NAMES
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
