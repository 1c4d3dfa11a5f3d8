"""Countries by the codes that templates take: ISO 3166 alpha-3, and the IOC's and FIFA's."""

from __future__ import annotations

_TABLE = """
Afghanistan AFG|Albania ALB|Algeria DZA ALG|American Samoa ASM ASA|Andorra AND|Angola AGO ANG
Anguilla AIA|Antigua and Barbuda ATG ANT|Argentina ARG|Armenia ARM|Aruba ABW ARU|Australia AUS
Austria AUT|Azerbaijan AZE|The Bahamas BHS BAH|Bahrain BHR BRN|Bangladesh BGD BAN
Barbados BRB BAR|Belarus BLR|Belgium BEL|Belize BLZ BIZ|Benin BEN|Bermuda BMU BER|Bhutan BTN BHU
Bolivia BOL|Bosnia and Herzegovina BIH|Botswana BWA BOT|Brazil BRA|British Virgin Islands VGB IVB
Brunei BRU|Bulgaria BGR BUL|Burkina Faso BFA BUR|Burundi BDI|Cambodia KHM CAM|Cameroon CMR
Canada CAN|Cape Verde CPV|Cayman Islands CYM CAY|Central African Republic CAF|Chad TCD CHA
Chile CHL CHI|China CHN PRC|Colombia COL|Comoros COM|Democratic Republic of the Congo COD
Republic of the Congo COG CGO|Cook Islands COK|Costa Rica CRI CRC|Ivory Coast CIV|Croatia HRV CRO
Cuba CUB|Curaçao CUW CUR|Cyprus CYP|Czech Republic CZE|Denmark DNK DEN|Djibouti DJI|Dominica DMA
Dominican Republic DOM|East Timor TLS|Ecuador ECU|Egypt EGY|El Salvador SLV ESA|England ENG
Equatorial Guinea GNQ GEQ|Eritrea ERI|Estonia EST|Eswatini SWZ|Ethiopia ETH|European Union EU EUR
Falkland Islands FLK|Faroe Islands FRO FRO|Fiji FJI FIJ|Finland FIN|France FRA|French Guiana GUF
French Polynesia PYF TAH|Gabon GAB|The Gambia GMB GAM|Georgia GEO|Germany DEU GER|Ghana GHA
Gibraltar GIB|Greece GRC GRE|Greenland GRL|Grenada GRD GRN|Guadeloupe GLP|Guam GUM
Guatemala GTM GUA|Guernsey GGY|Guinea GIN GUI|Guinea-Bissau GNB GBS|Guyana GUY|Haiti HTI HAI
Honduras HND HON|Hong Kong HKG|Hungary HUN|Iceland ISL|India IND|Indonesia IDN INA|Iran IRN IRI
Iraq IRQ|Ireland IRL|Isle of Man IMN IOM|Israel ISR|Italy ITA|Jamaica JAM|Japan JPN|Jersey JEY
Jordan JOR|Kazakhstan KAZ|Kenya KEN|Kiribati KIR|Kosovo KOS XKX|Kuwait KWT KUW|Kyrgyzstan KGZ
Laos LAO|Latvia LVA LAT|Lebanon LBN LIB|Lesotho LSO LES|Liberia LBR|Libya LBY LBA
Liechtenstein LIE|Lithuania LTU|Luxembourg LUX|Macau MAC|Madagascar MDG MAD|Malawi MWI MAW
Malaysia MYS MAS|Maldives MDV|Mali MLI|Malta MLT|Marshall Islands MHL|Martinique MTQ
Mauritania MRT MTN|Mauritius MUS MRI|Mayotte MYT|Mexico MEX|Federated States of Micronesia FSM
Moldova MDA|Monaco MCO MON|Mongolia MNG MGL|Montenegro MNE|Montserrat MSR|Morocco MAR
Mozambique MOZ|Myanmar MMR MYA|Namibia NAM|Nauru NRU|Nepal NPL NEP|Netherlands NLD NED
New Caledonia NCL|New Zealand NZL|Nicaragua NIC NCA|Niger NER NIG|Nigeria NGA NGR|Niue NIU
North Korea PRK DPRK|North Macedonia MKD|Northern Ireland NIR|Northern Mariana Islands MNP
Norway NOR|Oman OMN OMA|Pakistan PAK|Palau PLW|Palestine PSE PLE|Panama PAN|Papua New Guinea PNG
Paraguay PRY PAR|Peru PER|Philippines PHL PHI|Poland POL|Portugal PRT POR|Puerto Rico PRI PUR
Qatar QAT|Réunion REU|Romania ROU ROM|Russia RUS|Rwanda RWA|Saint Helena SHN
Saint Kitts and Nevis KNA SKN|Saint Lucia LCA|Saint Martin MAF|Saint Pierre and Miquelon SPM
Saint Vincent and the Grenadines VCT VIN|Samoa WSM SAM|San Marino SMR|São Tomé and Príncipe STP
Saudi Arabia SAU KSA|Scotland SCO SCT|Senegal SEN|Serbia SRB|Seychelles SYC SEY|Sierra Leone SLE
Singapore SGP SIN|Sint Maarten SXM|Slovakia SVK|Slovenia SVN SLO|Solomon Islands SLB SOL
Somalia SOM|South Africa ZAF RSA|South Korea KOR ROK|South Sudan SSD
South Georgia and the South Sandwich Islands SGS|Spain ESP|Sri Lanka LKA SRI|Sudan SDN SUD
Suriname SUR|Sweden SWE|Switzerland CHE SUI|Syria SYR|Taiwan TWN ROC|Chinese Taipei TPE
Tajikistan TJK|Tanzania TZA TAN|Thailand THA|Togo TGO TOG|Tonga TON TGA
Trinidad and Tobago TTO TRI|Tunisia TUN|Turkey TUR|Turkmenistan TKM|Turks and Caicos Islands TCA
Tuvalu TUV|Uganda UGA|Ukraine UKR|United Arab Emirates ARE UAE|United Kingdom GBR UK
Great Britain GB|United States USA US|Uruguay URY URU|Uzbekistan UZB|Vanuatu VUT VAN
Vatican City VAT|Venezuela VEN|Vietnam VNM VIE|U.S. Virgin Islands VIR ISV|Wales WAL
Western Sahara ESH|Yemen YEM|Zambia ZMB ZAM|Zimbabwe ZWE ZIM|Soviet Union URS USSR|Yugoslavia YUG
Czechoslovakia TCH CSK|West Germany FRG|East Germany GDR DDR|Serbia and Montenegro SCG
Nazi Germany NAZ|Confederate States of America CSA|Abkhazia ABK
Sahrawi Arab Democratic Republic SADR|Northern Cyprus TRNC NCY|United Nations UNO
South Vietnam RVN|Bohemia BOH|Netherlands Antilles AHO|Unified Team EUN|Austria-Hungary AUH
Polisario POLIS|South Ossetia SOS|Transnistria PMR|Catalonia CAT|Quebec QUE|Ontario ONT|Texas TEX
Zaire ZAI|Burma BIR|Tibet TIB|Artsakh ART|United Team of Germany EUA|West Indies WIN
British Raj BRI|Bouvet Island BVT
"""


def _codes() -> dict[str, str]:
    table: dict[str, str] = {}
    for entry in _TABLE.replace("\n", "|").split("|"):
        words = entry.split()
        # The codes are the words at the end that are all capitals.
        first_code = next(
            (i for i in range(1, len(words)) if words[i].isupper() and "." not in words[i]), 0
        )
        for code in words[first_code:] if words else ():
            table.setdefault(code, " ".join(words[:first_code]))
    return table


COUNTRIES = _codes()

# Names by which articles call a country's data, where the country goes by another.
_OTHER_NAMES = {
    "People's Republic of China": "China", "Kingdom of Great Britain": "Great Britain",
    "Republic of Ireland": "Republic of Ireland", "Swaziland": "Eswatini",
    "Macedonia": "North Macedonia", "Republic of China": "Taiwan", "Bahamas": "The Bahamas",
    "Gambia": "The Gambia", "Russian Federation": "Russia", "Republic of Korea": "South Korea",
    "Côte d'Ivoire": "Ivory Coast", "Kingdom of France": "France", "German Empire": "Germany",
    "United States of America": "United States", "Kingdom of Italy": "Italy",
    "Islamic Republic of Iran": "Iran", "Weimar Republic": "Germany",
    "Ottoman Empire": "Ottoman Empire", "Timor-Leste": "East Timor", "Czechia": "Czech Republic",
}  # fmt: skip


def country_name(text: str) -> str:
    """The country that a code or a name stands for; the text itself where neither is known."""
    return COUNTRIES.get(text) or _OTHER_NAMES.get(text) or text
