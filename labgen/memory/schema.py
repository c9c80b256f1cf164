"""The tables of the database that labgen remembers a build in; see `memory.database`."""

FORMAT = 12
SCHEMA = """
-- The site in out/, in one row, which is written last.
CREATE TABLE site (
    program TEXT NOT NULL,         -- labgen's version, those of the packages it uses, and the hosts
    made_from TEXT NOT NULL,       -- digest of all that the site was made from; the marker in out/ has it too
    sources BLOB NOT NULL,         -- digest of all source files (see `files`)
    links BLOB NOT NULL,           -- digest of the symbolic links among the source files
    files INTEGER NOT NULL,        -- number of files in out/
    manifest TEXT NOT NULL         -- digest of the manifest's index, or ""
);
-- What the last build warned of, in the order in which it was found.
CREATE TABLE warning (
    number INTEGER PRIMARY KEY,
    problem BLOB NOT NULL          -- JSON (see `memory.warnings`)
);
-- Every source file. Names are bytes, because not all are UTF-8.
CREATE TABLE file (
    name BLOB PRIMARY KEY,
    stamp BLOB NOT NULL,           -- size, times and inode, or zeros where they cannot be trusted
    digest BLOB NOT NULL           -- of its content, or zeros
) WITHOUT ROWID;
-- The units of out/ (see `output.units`), but for the files that the site has once.
CREATE TABLE unit (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    folder TEXT NOT NULL,
    files INTEGER NOT NULL,        -- number of its files
    size INTEGER NOT NULL,         -- bytes of its files together
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
-- Entries of the settings and of the lists that laboratories share.
CREATE TABLE entry (
    list TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    fingerprint BLOB NOT NULL,     -- see `model.fingerprints`
    PRIMARY KEY (list, key)
) WITHOUT ROWID;
-- The names of the columns of fingerprints, in one row: JSON.
CREATE TABLE columns (names BLOB NOT NULL);
-- Laboratories without their contents (see `model.summaries.Summary`).
CREATE TABLE laboratory (
    number INTEGER PRIMARY KEY,    -- what the tables below call it
    display_id TEXT NOT NULL UNIQUE,
    file TEXT NOT NULL,
    line INTEGER,
    digest BLOB NOT NULL,
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    locality TEXT NOT NULL,
    country TEXT NOT NULL,
    rating TEXT NOT NULL,
    image TEXT,                    -- the picture on its card: JSON
    own_similar TEXT,              -- the record's list of display_ids: JSON; NULL if it has none
    facets BLOB NOT NULL,          -- an array: the code of its type (module `array`), then its bytes
    pictures TEXT,                 -- JSON
    placeholders TEXT,             -- JSON
    secrets BLOB NOT NULL,         -- arrays of digests
    mentions BLOB NOT NULL,
    fingerprint BLOB NOT NULL,     -- 4 bytes for each filled field (see `model.fingerprints`)
    extras TEXT                    -- JSON
);
CREATE INDEX laboratory_file ON laboratory (file);
CREATE INDEX laboratory_place ON laboratory (country, locality);
-- Which laboratories the list of a laboratory shows (see `model.summaries.SimilarList`).
CREATE TABLE similar (
    number INTEGER PRIMARY KEY,
    shown TEXT NOT NULL,           -- display_ids: JSON
    last INTEGER
);
-- Which laboratories name something: a facet, a country, a picture (see `inverted_index.ReferenceKind`).
CREATE TABLE named_by (
    kind TEXT NOT NULL,
    key NOT NULL,                  -- integer or text
    numbers BLOB NOT NULL,         -- 4 bytes for each laboratory, in the order of display_id
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
-- Which laboratories have which digests (see `digest_index.Digested`).
CREATE TABLE digest (
    kind TEXT NOT NULL,
    digest INTEGER NOT NULL,
    number INTEGER NOT NULL,       -- 0: the settings and the lists
    PRIMARY KEY (kind, digest, number)
) WITHOUT ROWID;
-- The search terms of laboratories, except entries of catalogues (see `memory.search_terms`).
CREATE TABLE terms (
    number INTEGER PRIMARY KEY,
    terms BLOB NOT NULL            -- JSON
);
CREATE TABLE found_by (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    numbers BLOB NOT NULL,         -- 4 bytes for each laboratory, ascending
    PRIMARY KEY (kind, key)
) WITHOUT ROWID;
-- The entries of catalogues that laboratories have, as the search index has them, and their terms.
CREATE TABLE search_entry (
    facet TEXT NOT NULL,
    id INTEGER NOT NULL,
    value TEXT NOT NULL,
    text TEXT NOT NULL,
    weight INTEGER NOT NULL,       -- see `search.entry_weights`
    PRIMARY KEY (facet, id)
) WITHOUT ROWID;
CREATE TABLE entry_term (
    term TEXT PRIMARY KEY,
    entries BLOB NOT NULL          -- facets and values: JSON
) WITHOUT ROWID;
-- The slots of laboratories in the search index, in one row: 4 bytes for each number from 0.
CREATE TABLE slot (slots BLOB NOT NULL);
-- Compiled templates, by a digest of the name; each has a digest of its file and its text, too.
CREATE TABLE template (
    key TEXT PRIMARY KEY,
    code BLOB NOT NULL
) WITHOUT ROWID;
"""
