"""Name requests in reports."""

from labgen.contract.contract_asks import ALWAYS, is_of_browser
from labgen.contract.http_contract import BROWSER, Request
from labgen.problems.text import joined, say


def subject_of(request: Request, *, is_repeated: bool = False) -> str:
    """Return a request in a line: what browsers add to it is named by who asks."""
    method, target, headers = request
    is_browser = ALWAYS[0] in headers
    own = [one for one in headers if not (is_browser and is_of_browser(one))]
    added: list[str] = [AS_OPENED if value == BROWSER else f", {name}: {value}" for name, value in own]
    if is_browser:
        added.append(AS_ASKED.get(dict(headers).get("Sec-Fetch-Mode", ""), ""))
    if is_repeated:
        added.append(say(", with its ETag"))
    return joined([f"{method} {target}", *added])


AS_OPENED = say(", as browsers ask")
AS_ASKED = {
    "navigate": AS_OPENED,
    "cors": say(", as scripts in browsers ask"),
    "no-cors": say(", as browsers ask for what pages show"),
}
"""Who asks, by the mode of a browser's request."""
