"""Name requests in reports."""

from labgen.contract.contract_asks import ALWAYS, is_of_browser
from labgen.contract.http_contract import BROWSER, Request
from labgen.problems.text import say


def subject_of(request: Request, *, is_repeated: bool = False) -> str:
    """Return a request in a line: what browsers add to it is named by who asks."""
    method, target, headers = request
    is_browser = ALWAYS[0] in headers
    own = [one for one in headers if not (is_browser and is_of_browser(one))]
    shown = "".join(
        AS_OPENED if value == BROWSER else say(", {name}: {value}", name=name, value=value)
        for name, value in own
    )
    if is_browser:
        shown += AS_ASKED.get(dict(headers).get("Sec-Fetch-Mode", ""), "")
    return say(
        "{method} {target}{shown}{part}",
        method=method,
        target=target,
        shown=shown,
        part=say(", with its ETag") if is_repeated else "",
    )


AS_OPENED = say(", as browsers ask")
AS_ASKED = {
    "navigate": AS_OPENED,
    "cors": say(", as scripts in browsers ask"),
    "no-cors": say(", as browsers ask for what pages show"),
}
"""Who asks, by the mode of a browser's request."""
