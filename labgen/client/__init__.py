"""Read a published directory of laboratories. Needs only the standard library.

from labgen.client import Directory, decode

with Directory("https://labs.example.org") as labs:
    for one in labs.laboratories():
        print(one["display_id"], one["name"])
    whole = labs.all("00123")
    print(decode(whole["laboratory"]["contact_person"]["encoded_email"]))

`labgen.js` is the same in JavaScript; builds publish it.
"""

from labgen.client.directory import CatalogueEntry, Directory, DirectoryError, Found, decode

__all__ = ["CatalogueEntry", "Directory", "DirectoryError", "Found", "decode"]
