"""Explain the codes of problems with templates, pictures, hosts, and writing the site."""

from labgen.problems.explanation import EITHER, WARNING, Explanation

SITE_CODES: dict[str, Explanation] = {
    "blocked-content": Explanation(
        "A template puts something into a page that the page's own Content-Security-Policy forbids.",
        "Browsers do not show or run it. The policy keeps scripts of others out of the pages.",
        '<b style="color: red">, or <img src="https://elsewhere.example/a.png">',
        'Put it into a file in templates/static/, whose address is site.static("name").',
        WARNING,
    ),
    "broken-image": Explanation(
        "An original cannot be decoded: it ends too early, is damaged, or is no picture.",
        "No rendition can be made of it.",
        "data/media/halle.jpg was cut off when it was copied",
        "Save it again with an image program, or fetch it again.",
    ),
    "cannot-write": Explanation(
        "The site cannot be written to out/.",
        "The folder holds files that labgen did not write, is in use, or the disk is full or read-only.",
        "out/ holds an index.html of yours",
        "Do what the message says; the site in out/ is as it was.",
    ),
    "changed-field": Explanation(
        "Most values of a column changed since the last build, or letters of many were lost. From a tenth of "
        "the values on, it is a warning.",
        "A column that was replaced, converted or saved in another encoding is right by its form.",
        "`phone` in 300 laboratories was 030 4711, and is 4711",
        "Correct it. If it is meant: labgen build --allow-change phone. `changed_percent` below [limits] in "
        "data/site.toml sets another share.",
        EITHER,
    ),
    "emptied-field": Explanation(
        "A column lost its values since the last build, or a catalogue its entries. From a tenth of the "
        "values on, it is a warning.",
        "A column that is missing, renamed or hidden leaves no mistake in what remains.",
        "`website` was filled in 30 laboratories, and is empty in all",
        "Bring the values back. If they are meant to go: labgen build --allow-change website. "
        "`emptied_percent` below [limits] in data/site.toml sets another share.",
        EITHER,
    ),
    "image-too-large": Explanation(
        "An original has more than 100,000,000 pixels, 20,000 on a side, or 100,000,000 bytes.",
        "A picture of a few bytes can unpack to more than a machine's memory: labgen decodes under limits.",
        "a scan of 60,000 pixels in width",
        "Scale it down: 3,200 pixels on the longer side are plenty for the largest rendition, 1600x900.",
    ),
    "low-contrast": Explanation(
        "A colour in the settings is hard to read on the ground of the pages.",
        "Links are in this colour, and many people could not read them.",
        'colour = "#7fb0e0"',
        "Take a darker one for light pages, a lighter one for dark pages: a contrast of 4.5 or more.",
        WARNING,
    ),
    "many-removals": Explanation(
        "A build would remove more than five laboratories, and more than a tenth of them.",
        "Data that was cut off on its way (an export of the first lines) would empty the site.",
        "data/laboratories/ holds 5 files, but the site in out/ has 300 laboratories",
        "Bring the data back. If they are meant to go: labgen build --allow-removals. "
        "`removed_percent` below [limits] in data/site.toml sets another share.",
    ),
    "mislabelled-image": Explanation(
        "A picture is of another format than its name says, or of one that labgen does not read, or its name "
        "does not end like that of a picture.",
        "Some programs go by the name, and fail. HEIC, TIFF and SVG are not read; an SVG can hold scripts.",
        "a screenshot in PNG that is called halle.jpg",
        "Call it what it is, or export it as JPEG, PNG, WebP, AVIF or GIF.",
    ),
    "missing-image": Explanation(
        "An image that a laboratory names is not below data/media/.",
        "The API would name an address that does not exist.",
        '"logo": "logos/alpha.png"',
        "Put the file there, or correct the name; upper and lower case count.",
    ),
    "missing-words": Explanation(
        "A language that labgen does not know lacks words of the interface.",
        "Pages show them in English, in the middle of another language.",
        "templates/languages/rm.toml without `download`",
        "Write them below [words]; labgen's own files of words show all of them.",
        WARNING,
    ),
    "moved-values": Explanation(
        "Values of a column stand at other laboratories than in the last build, or those of a catalogue at "
        "other ids: the column was sorted or moved by itself, or exchanged with another one.",
        "Each value is sound, but belongs to another laboratory.",
        "`name` of 30 laboratories, which moved by 1 row",
        "Undo it in the table. If it is meant: labgen build --allow-change name. `moved_percent` below "
        "[limits] in data/site.toml sets another share.",
    ),
    "over-limit": Explanation(
        "The site is larger than a host takes.",
        "The host would refuse the deployment, or serve a part of the site.",
        "labgen build --host cloudflare, with 1,300 laboratories: over 20,000 files",
        "Do what the message says. `--allow-over-limit` builds all the same, for a plan that takes more.",
        EITHER,
    ),
    "repeated-value": Explanation(
        "Different values of a column became the same one, or a few, since the last build.",
        "A spreadsheet fills a cell into all below it at a slip of the mouse.",
        "`email` of 30 laboratories is that of the first",
        "Undo it in the table. If it is meant: labgen build --allow-change email.",
    ),
    "small-image": Explanation(
        "An original is smaller than the largest rendition that is made of it.",
        "The API names pictures of fixed sizes (specification 2.1, 2.5, 2.6): it is enlarged, and blurred.",
        "a logo of 64x64 pixels: it is shown in 200x160",
        "Put a larger one in its place: logos need 200x160 pixels, `image` 160x224, `gallery` 1600x900.",
        WARNING,
    ),
    "stale-output": Explanation(
        "Files in out/ are not what the data makes, though builds said that they are up to date.",
        "Somebody changed them, a disk damaged them, or a build missed what an edit reaches.",
        "labgen build --audit 100%, after a document in out/ was edited by hand",
        "All files were made anew: publish them. Report it if nobody changed files in out/.",
        WARNING,
    ),
    "template-error": Explanation(
        "A template cannot be compiled, or fails when a page is rendered.",
        "Nothing is written before all pages are rendered.",
        "{{ page.titel }}",
        "Mend the line that is named; docs/guides/templates.md lists the variables that templates see.",
    ),
    "two-hosts": Explanation(
        "Two hosts need a file of the same name with other contents.",
        "Both would read what was written for one of them.",
        'hosts = ["netlify-rules", "cloudflare-assets"]',
        "Build once for each host, into a folder of its own: --host and --out.",
    ),
    "unknown-host": Explanation(
        "labgen does not know the host, or it cannot serve the API at all.",
        "What a host needs can be written only for those that labgen knows.",
        'hosts = ["ngnix"]',
        "`labgen hosts` lists them; `files` is for any other.",
    ),
    "unpublished-file": Explanation(
        "A file in templates/static/ is not published, because its name is not that of a file for browsers.",
        "Copies of editors, keys and programs would be public, for hosts send them as they are.",
        "templates/static/style.css.bak, or id_rsa",
        "Remove it. If browsers need it, name it in `static_files` in data/site.toml.",
        WARNING,
    ),
    "unused-block": Explanation(
        "A template has a block that no page shows: the templates that it extends have none of that name, or "
        "those that extend it replace it.",
        "A block replaces the one of the same name; what it holds would be missing without a word.",
        "{% block mian %}, in a template that extends built-in/page.html",
        "Correct the name, or move it to another template; docs/guides/templates.md lists the blocks.",
        WARNING,
    ),
    "unused-copies": Explanation(
        "`copies` asks for compressed copies that none of the chosen hosts serves.",
        "They are not made, so clients that take this compression get another one, or none.",
        'hosts = ["nginx"] and copies = ["gz", "zst"]',
        "Leave it out of `copies`, or build for a host that serves it.",
        WARNING,
    ),
    "unused-image": Explanation(
        "A file below data/media/ is named by no laboratory.",
        "It is probably a slip in a name, or was left behind. It is not published.",
        "data/media/logos/alpha-alt.png",
        "Name it in a record, or remove it. Notes (.md, .txt) and hidden files are passed over.",
        WARNING,
    ),
    "unused-packs": Explanation(
        "`packs` is set, but none of the chosen hosts has a function that cuts files out of packs.",
        "No packs are made, and each document is a file that counts.",
        'hosts = ["nginx"] and packs = ["laboratories"]',
        "Leave out `packs`, or build for a host with such a function (`labgen hosts`).",
        WARNING,
    ),
    "unused-template": Explanation(
        "A file in templates/ is used by no page.",
        "It is probably a slip in the name, and what it says would be missing without a word.",
        "view-laboratry.html lies in templates/",
        "Rename it, or remove it. Notes (.md, .txt) and hidden files are passed over.",
        WARNING,
    ),
    "unusual-option": Explanation(
        "The upgrade options are others than one monthly and one annual of the plan `business`.",
        "That is what the specification shows (2.8, and the table of section 4); clients may know no other.",
        '"freq": "weekly"',
        "Correct the slip. What is meant so is published as it stands.",
        WARNING,
    ),
}
