"""Names of countries, and the codes that people write for them besides those of ISO 3166-1 alpha-2."""

_COUNTRIES = """
ae Vereinigte Arabische Emirate, al Albanien, ar Argentinien, at Österreich, au Australien,
ba Bosnien und Herzegowina, be Belgien, bg Bulgarien, br Brasilien, ca Kanada, ch Schweiz, cl Chile, cn China,
cy Zypern, cz Tschechien, de Deutschland, dk Dänemark, ee Estland, eg Ägypten, es Spanien, fi Finnland,
fr Frankreich, gb Vereinigtes Königreich, gr Griechenland, hr Kroatien, hu Ungarn, ie Irland, il Israel,
in Indien, is Island, it Italien, jp Japan, kr Südkorea, li Liechtenstein, lt Litauen, lu Luxemburg,
lv Lettland, md Moldau, me Montenegro, mk Nordmazedonien, mt Malta, mx Mexiko, my Malaysia, nl Niederlande,
no Norwegen, nz Neuseeland, pl Polen, pt Portugal, ro Rumänien, rs Serbien, ru Russland, sa Saudi-Arabien,
se Schweden, sg Singapur, si Slowenien, sk Slowakei, th Thailand, tn Tunesien, tr Türkei, tw Taiwan,
ua Ukraine, us Vereinigte Staaten, vn Vietnam, za Südafrika
"""
COUNTRY_NAMES: dict[str, str] = dict(one.split(maxsplit=1) for one in _COUNTRIES.strip().split(","))
"""German names by ISO codes."""
_OTHERS = """
a at, d de, brd de,
are ae, aus au, aut at, bih ba, che ch, chi cl, chl cl, chn cn, den dk, deu de, dnk dk, esp es, est ee,
ger de, irl ie, isl is, isr il, kor kr, mda md, mne me, pol pl, por pt, prt pt, srb rs, sui ch, svk sk,
svn si, swe se, swz ch, tur tr, ukr ua
"""
OTHER_CODES: dict[str, str] = dict(one.split() for one in _OTHERS.split(","))
"""ISO codes by those on German cars, of ISO 3166-1 alpha-3, and in sports: `ger` is no slip in `ge`."""
