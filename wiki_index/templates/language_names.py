"""English names of languages by their codes (ISO 639 and Wikipedia's own)."""

from __future__ import annotations

_TABLE = """
aa Afar|ab Abkhaz|ace Acehnese|ae Avestan|af Afrikaans|aii Assyrian Neo-Aramaic|ain Ainu|ak Akan
akk Akkadian|ale Aleut|aln Gheg Albanian|als Tosk Albanian|am Amharic|an Aragonese
ang Old English|ar Arabic|arc Imperial Aramaic|ary Moroccan Arabic|arz Egyptian Arabic
apc Levantine Arabic|acm Mesopotamian Arabic|afb Gulf Arabic|arn Mapuche|as Assamese|ast Asturian
av Avar|awa Awadhi|ay Aymara|az Azerbaijani|azb South Azerbaijani|ba Bashkir|bal Balochi
ban Balinese|bar Bavarian|bcl Central Bikol|be Belarusian|ber Berber|bg Bulgarian|bho Bhojpuri
bi Bislama|bik Bikol|bm Bambara|bn Bengali|bo Tibetan|br Breton|brx Boro|bs Bosnian|bua Buryat
ca Catalan|ce Chechen|ceb Cebuano|ch Chamorro|chr Cherokee|ckb Sorani Kurdish
cmn Mandarin Chinese|co Corsican|cop Coptic|cr Cree|crh Crimean Tatar|cs Czech|csb Kashubian
cu Church Slavonic|cv Chuvash|cy Welsh|da Danish|dak Dakota|de German|din Dinka|dsb Lower Sorbian
dum Middle Dutch|dv Maldivian|dz Dzongkha|ee Ewe|egy Egyptian|el Greek|en English
enm Middle English|eo Esperanto|es Spanish|et Estonian|ett Etruscan|eu Basque|ext Extremaduran
fa Persian|ff Fula|fi Finnish|fil Filipino|fj Fijian|fo Faroese|fr French|frk Frankish
frm Middle French|fro Old French|frp Arpitan|frr North Frisian|fur Friulian|fy West Frisian
ga Irish|gag Gagauz|gd Scottish Gaelic|gem Germanic|gez Geʽez|gl Galician|gmh Middle High German
gml Middle Low German|gmw-pro Proto-West Germanic|gem-pro Proto-Germanic|gn Guarani
goh Old High German|got Gothic|grc Ancient Greek|grc-gre Greek|grc-x-koine Koine Greek
gsw Swiss German|gu Gujarati|gv Manx|ha Hausa|hak Hakka Chinese|haw Hawaiian|hbo Biblical Hebrew
he Hebrew|hi Hindi|hil Hiligaynon|hit Hittite|hmn Hmong|hr Croatian|hsb Upper Sorbian
ht Haitian Creole|hu Hungarian|hy Armenian|hyw Western Armenian|ia Interlingua|iba Iban
id Indonesian|ie Interlingue|ig Igbo|ii Nuosu|ik Inupiaq|ilo Ilocano|inh Ingush|io Ido
is Icelandic|it Italian|iu Inuktitut|ja Japanese|jam Jamaican Patois|jbo Lojban|jv Javanese
ka Georgian|kaa Karakalpak|kab Kabyle|kbd Kabardian|kea Cape Verdean Creole|kg Kongo|ki Kikuyu
kk Kazakh|kl Greenlandic|km Khmer|kmr Northern Kurdish|kn Kannada|ko Korean|kok Konkani
krc Karachay-Balkar|krl Karelian|ks Kashmiri|ku Kurdish|kv Komi|kw Cornish|ky Kyrgyz|la Latin
lad Judaeo-Spanish|lb Luxembourgish|lez Lezgian|lg Luganda|li Limburgish|lij Ligurian|lkt Lakota
lld Ladin|lmo Lombard|ln Lingala|lo Lao|lt Lithuanian|ltg Latgalian|lv Latvian
lzh Literary Chinese|mad Madurese|mai Maithili|mg Malagasy|mga Middle Irish|mh Marshallese
mi Māori|min Minangkabau|mk Macedonian|ml Malayalam|mn Mongolian|mnc Manchu|mni Meitei|mnw Mon
mr Marathi|ms Malay|mt Maltese|mul Multiple languages|mwl Mirandese|my Burmese|myn Mayan
myv Erzya|mxi Mozarabic|na Nauruan|nah Nahuatl|nan Southern Min|nap Neapolitan
nb Norwegian Bokmål|nci Classical Nahuatl|nd Northern Ndebele|nds Low German
nds-nl Dutch Low Saxon|ne Nepali|new Newar|nl Dutch|nn Norwegian Nynorsk|no Norwegian
non Old Norse|nr Southern Ndebele|nrf Norman|nso Northern Sotho|nv Navajo|ny Chewa|oc Occitan
odt Old Dutch|oj Ojibwe|om Oromo|or Odia|orv Old East Slavic|os Ossetian|osx Old Saxon
ota Ottoman Turkish|otk Old Turkic|pa Punjabi|pag Pangasinan|pal Middle Persian|pam Kapampangan
pap Papiamento|pcd Picard|pdc Pennsylvania German|peo Old Persian|phn Phoenician|pi Pali
pl Polish|pms Piedmontese|pnb Western Punjabi|pro Old Occitan|prs Dari|ps Pashto|pt Portuguese
qu Quechua|raj Rajasthani|rap Rapa Nui|rgn Romagnol|rm Romansh|rn Kirundi|ro Romanian|rom Romani
ru Russian|rue Rusyn|rup Aromanian|rw Kinyarwanda|sa Sanskrit|sah Yakut|sat Santali|sc Sardinian
scn Sicilian|sco Scots|sd Sindhi|se Northern Sami|sg Sango|sga Old Irish|sgs Samogitian
sh Serbo-Croatian|shi Shilha|si Sinhala|sk Slovak|skr Saraiki|sl Slovene|sm Samoan|sn Shona
so Somali|sq Albanian|sr Serbian|srn Sranan Tongo|ss Swazi|st Sotho|stq Saterland Frisian
su Sundanese|sux Sumerian|sv Swedish|sw Swahili|syc Classical Syriac|syr Syriac|szl Silesian
ta Tamil|te Telugu|tet Tetum|tg Tajik|th Thai|ti Tigrinya|tk Turkmen|tl Tagalog|tlh Klingon
tn Tswana|to Tongan|tpi Tok Pisin|tr Turkish|trk Turkic|ts Tsonga|tt Tatar|tum Tumbuka|tw Twi
ty Tahitian|tyv Tuvan|tzm Central Atlas Tamazight|udm Udmurt|ug Uyghur|uga Ugaritic|uk Ukrainian
ur Urdu|uz Uzbek|ve Venda|vec Venetian|vep Veps|vi Vietnamese|vls West Flemish|vo Volapük
vro Võro|wa Walloon|war Waray|wo Wolof|wuu Wu Chinese|xal Kalmyk|xcl Classical Armenian|xh Xhosa
xmf Mingrelian|yi Yiddish|yo Yoruba|yue Cantonese|yua Yucatec Maya|za Zhuang|zea Zeelandic
zgh Standard Moroccan Berber|zh Chinese|zh-hans Simplified Chinese|zh-hant Traditional Chinese
zu Zulu|zza Zaza|sla Slavic|roa-tara Tarantino|be-tarask Belarusian|sr-latn Serbian
sr-cyrl Serbian|rus Russian|en-gb British English|en-us American English|fr-ca Canadian French
de-at Austrian German|pt-br Brazilian Portuguese|mo Moldovan|bpy Bishnupriya Manipuri
cnr Montenegrin|me Montenegrin|sh-latn Serbo-Croatian|sh-cyrl Serbo-Croatian
ine-pro Proto-Indo-European|sem-pro Proto-Semitic|alg-pro Proto-Algonquian|xno Anglo-Norman
gall Gallo|swc Congo Swahili|hz Herero|kj Kwanyama|kr Kanuri|lu Luba-Katanga|dag Dagbani
sou Southern Thai|tts Isan|nod Northern Thai|shn Shan|ksw S'gaw Karen|bug Buginese
mak Makassarese|ryu Okinawan|sid Sidama|luo Luo|mos Mossi|umb Umbundu|kmb Kimbundu|sus Susu
fon Fon|gaa Ga|nog Nogai|kum Kumyk|lbe Lak|dar Dargwa|ady Adyghe|abq Abaza|mdf Moksha
mhr Meadow Mari|chm Mari|koi Komi-Permyak|sma Southern Sami|smj Lule Sami|smn Inari Sami
sms Skolt Sami|fkv Kven|liv Livonian|izh Ingrian|vot Votic|prg Old Prussian|zlw-slv Slovincian
sjd Kildin Sami|nys Noongar|pjt Pitjantjatjara|bla Blackfoot|cho Choctaw|mus Muscogee|sei Seri
zap Zapotec|oto Otomi|pur Purépecha|tup Tupi
"""

LANGUAGES: dict[str, str] = dict(
    entry.split(" ", 1) for line in _TABLE.split("\n") for entry in line.split("|") if entry
)
_LONGEST_CODE = 35
"""Characters: https://www.rfc-editor.org/rfc/rfc5646#section-4.4.1."""


def language_name(code: str) -> str | None:
    """The language's English name, for a code with or without script or region; None: unknown."""
    code = code.lower().strip()[:_LONGEST_CODE]
    while code:
        if name := LANGUAGES.get(code):
            return name
        code = code.rpartition("-")[0]
    return None
