"""Write the configuration for Firebase Hosting, which needs each document as `index.html`, too.

The statements about it were tested on a stand-in for its local emulator, and on the emulator's own server.
"""

from labgen.hosts.profile import (
    ADDRESSED,
    HOSTS,
    Files,
    HostClass,
    HostSite,
    Limit,
    Measure,
    Profile,
    fill,
    fill_each,
)


def files(site: HostSite) -> Files:
    """Return the configuration.

    The folder to publish, `public`, must be beside it. It is a copy of out/ in which 404.html has to contain
    JSON, because every response where documents lie is sent as JSON.
    """
    documents = fill_each("firebase/documents.json", site)
    addressed = fill_each("firebase/addressed.json", site, ADDRESSED).removesuffix(",\n")
    return {
        f"{HOSTS}/firebase/firebase.json": fill(
            "firebase/firebase.json", site, DOCUMENT_FIELDS=documents, ADDRESSED_FIELDS=addressed
        )
    }


FIREBASE = Profile(
    "firebase",
    "Firebase Hosting",
    HostClass.JSON_ONLY,
    f"`{HOSTS}/firebase/firebase.json`; each document lies as `index.html` too",
    files,
    cannot=(
        "answers browsers with JSON whatever the query says, and other methods like GET; its emulator sends "
        "no 304"
    ),
    alias="index.html",
    limits=(Limit(Measure.FILE_SIZE, 2_000_000_000, "take another host: files, nginx"),),
    deploy=(
        "rm -rf public && mkdir -p public$BASE_PATH  # BASE_PATH: `base_path`, if any",
        "cp -R out/. public$BASE_PATH/ && cp out/404.json public/404.html",
        "cp out/.hosts/firebase/firebase.json .",
        "npx firebase-tools deploy --only hosting --project laboratories",
    ),
)
