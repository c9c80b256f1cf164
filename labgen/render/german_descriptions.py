"""Translate the descriptions of fields into German; others are shown in English."""

from collections.abc import Mapping

GERMAN: Mapping[str, str] = {
    "Laboratory identifier. Digits, may have leading zeros.": (
        "Nummer des Labors: Ziffern, auch mit führenden Nullen."
    ),
    "What clients show.": "Was Clients anzeigen.",
    "Whether the directory has verified the laboratory.": "Ob das Verzeichnis das Labor geprüft hat.",
    "Where the laboratory is.": "Wo das Labor ist.",
    "Relative path to an image of 100x80 pixels.": "Relativer Pfad eines Bildes von 100x80 Pixeln.",
    "Relative path to the same image at 200x160 pixels.": (
        "Relativer Pfad desselben Bildes mit 200x160 Pixeln."
    ),
    "City or place name. May be empty.": "Ort. Kann leer sein.",
    "Relative path of the laboratory's public page.": "Relativer Pfad der öffentlichen Seite des Labors.",
    "Commercial tier of the laboratory.": "Tarif des Labors.",
    "How far the laboratory is verified.": "Wie weit das Labor geprüft ist.",
    "Free text. May contain CR LF line breaks.": "Freier Text, auch mit Zeilenumbrüchen (CR LF).",
    "Whom to ask.": "Wen man fragen kann.",
    "Street address line.": "Straße und Hausnummer.",
    "Leading zeros are kept. May be empty.": "Mit führenden Nullen. Kann leer sein.",
    "Address of the laboratory's own site; null when there is none.": (
        "Adresse der eigenen Website des Labors; null, wenn es keine gibt."
    ),
    "What is known of the laboratory's work.": "Was über die Arbeit des Labors bekannt ist.",
    "Decimal number with two decimals, from 0.00.": "Dezimalzahl mit zwei Nachkommastellen, ab 0.00.",
    "Lower-case two-letter country code.": "Ländercode aus zwei Kleinbuchstaben.",
    "Last part of its listing page's address. May be empty.": (
        "Letzter Teil der Adresse der Seite des Landes. Kann leer sein."
    ),
    "Localized country name.": "Name des Landes in der Sprache des Verzeichnisses.",
    "Relative path to the country's listing page; null without a slug.": (
        "Relativer Pfad der Seite des Landes; null, wenn slug leer ist."
    ),
    "Key of the status.": "Schlüssel des Status.",
    "Its name in the language of the site.": "Sein Name in der Sprache des Verzeichnisses.",
    "Given name.": "Vorname.",
    "Family name.": "Nachname.",
    "Job title.": "Funktion.",
    "The e-mail address as decimal character codes, separated by commas. May be empty.": (
        "Die E-Mail-Adresse als dezimale Zeichencodes, durch Kommas getrennt. Kann leer sein."
    ),
    "The telephone number as decimal character codes, separated by commas. May be empty.": (
        "Die Telefonnummer als dezimale Zeichencodes, durch Kommas getrennt. Kann leer sein."
    ),
    "The number of projects, as a level.": "Die Zahl der Projekte, als Stufe.",
    "Name of the statistic.": "Name der Statistik.",
    "Qualitative level text.": "Die Stufe in Worten.",
    "Colour-level word.": "Ein Farbwort zur Stufe.",
    "Display label.": "Beschriftung.",
    "Relative path to an image of 160x160 pixels.": "Relativer Pfad eines Bildes von 160x160 Pixeln.",
    "Relative path to the same image at 1600x900 pixels.": (
        "Relativer Pfad desselben Bildes mit 1600x900 Pixeln."
    ),
    "Laboratory identifier.": "Nummer des Labors.",
    "Relative path to an image of 160x224 pixels; null when there is no image.": (
        "Relativer Pfad eines Bildes von 160x224 Pixeln; null, wenn es keines gibt."
    ),
    "City or place name. May be empty, may hold several places.": (
        "Ort. Kann leer sein und mehrere Orte enthalten."
    ),
    "Section name, equal to the path segment.": "Name des Abschnitts, wie im Pfad.",
    "Localized section title.": "Titel des Abschnitts in der Sprache des Verzeichnisses.",
    "Name of the search argument that takes this section's search_val values.": (
        "Name des Suchparameters, der die search_val dieses Abschnitts nimmt."
    ),
    "How many entries a display should show at first.": "Wie viele Einträge eine Anzeige zuerst zeigen soll.",
    "Count of entries that are not in items.": "Zahl der Einträge, die nicht in items stehen.",
    "The entries.": "Die Einträge.",
    "Identifies the entry in its catalogue.": "Nummer des Eintrags in seinem Katalog.",
    "What a search takes: the id as text.": "Was eine Suche nimmt: die id als Text.",
    "What a search takes; differs from the id.": "Was eine Suche nimmt; nicht die id.",
    "Description. May be empty.": "Beschreibung. Kann leer sein.",
    "Null in all entries that the specification shows.": (
        "In allen Einträgen, die die Spezifikation zeigt, null."
    ),
    "Identifies the certificate among those of the laboratory.": "Nummer der Urkunde unter denen des Labors.",
    "What a search takes; several certificates may share it.": (
        "Was eine Suche nimmt; mehrere Urkunden können es teilen."
    ),
    "Who issued the certificate.": "Wer die Urkunde ausgestellt hat.",
    "Designation of the standard that the laboratory is accredited by.": (
        "Bezeichnung der Norm, nach der das Labor akkreditiert ist."
    ),
    "Accreditation certificate number, may carry a suffix in parentheses.": (
        "Nummer der Urkunde, auch mit einem Zusatz in Klammern."
    ),
    "May be empty; may hold <sub>, <sup>, line breaks, tabs, and descriptions joined by ;;.": (
        "Kann leer sein; kann <sub>, <sup>, Zeilenumbrüche und Tabulatoren enthalten, "
        "und mehrere Beschreibungen, mit ;; verbunden."
    ),
    "The options for laboratories, by plan.": "Die Optionen für Labore, nach Tarif.",
    "Plan and frequency: <plan>:<freq>.": "Tarif und Häufigkeit: <plan>:<freq>.",
    "Display text of the price per period.": "Der Preis je Zeitraum, als Text.",
    "Observed values: monthly, annual.": "Wie oft gezahlt wird, etwa monthly oder annual.",
    "Plan key.": "Schlüssel des Tarifs.",
    "Display name of the plan.": "Name des Tarifs.",
    "True for the recommended option.": "true bei der empfohlenen Option.",
    "Whole number, once among the laboratory's job listings.": (
        "Ganze Zahl, einmal unter den Stellen des Labors."
    ),
    "Whole number, once among the laboratory's reviews.": (
        "Ganze Zahl, einmal unter den Bewertungen des Labors."
    ),
    "Whole number, once among the laboratory's resources.": (
        "Ganze Zahl, einmal unter den Unterlagen des Labors."
    ),
    "City or place name. May be empty; may hold several places.": (
        "Ort. Kann leer sein oder mehrere Orte enthalten."
    ),
    "Where the place is.": "In welchem Land der Ort liegt.",
    "Date, as YYYY-MM-DD.": "Datum, als JJJJ-MM-TT.",
    "Last day on which one may apply, as YYYY-MM-DD; null where none is set.": (
        "Letzter Tag für Bewerbungen, als JJJJ-MM-TT; null, wenn keiner gesetzt ist."
    ),
    "Where it is: an http(s) address, or a path that begins with /; null without one.": (
        "Wo es steht: eine Adresse mit http(s), oder ein Pfad, der mit / beginnt; null ohne Adresse."
    ),
    "Where it is: an http(s) address, or a path that begins with /.": (
        "Wo es steht: eine Adresse mit http(s), oder ein Pfad, der mit / beginnt."
    ),
    "An http(s) address, or a path that begins with /.": (
        "Eine Adresse mit http(s), oder ein Pfad, der mit / beginnt."
    ),
    "Decimal number with two decimals, as in the laboratory's own rating.": (
        "Dezimalzahl mit zwei Nachkommastellen, wie die Bewertung des Labors."
    ),
    "May be empty.": "Kann leer sein.",
    "Plain text. May be empty; may hold line breaks.": (
        "Einfacher Text. Kann leer sein und Zeilenumbrüche enthalten."
    ),
    "Name as clients show it. May be empty.": "Name, wie Clients ihn zeigen. Kann leer sein.",
    "How many laboratories the directory has.": "Wie viele Labore das Verzeichnis hat.",
    "Relative path of the next page; null on the last.": (
        "Relativer Pfad der nächsten Seite; null auf der letzten."
    ),
    "Relative path of the page before; null on the first.": (
        "Relativer Pfad der vorigen Seite; null auf der ersten."
    ),
    "The laboratories of this page.": "Die Labore dieser Seite.",
}
