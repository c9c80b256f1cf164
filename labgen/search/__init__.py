"""Search the laboratories of a published site through its static files. Needs only the standard library.

from labgen.search import Search, web_reader

with web_reader("https://labs.example.org") as read:
    answer = Search(read)("materials__in=2,5&q=zugprüfung")
print(answer.document["count"])
"""

from labgen.search.query import Answer, Search
from labgen.search.reader import Read, folder_reader, web_reader

__all__ = ["Answer", "Read", "Search", "folder_reader", "web_reader"]
