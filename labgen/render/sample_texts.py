"""Define the code samples of the reference: tasks of a client, in four languages.

`render.samples` replaces the names between `@`.
"""

GET = {
    "curl": "curl '@ORIGIN@@PATH@'",
    "javascript": """
const url = "@ORIGIN@@PATH@";
const answer = await fetch(url);
if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
console.log(await answer.json());
""",
    "python": """
import json
from urllib.request import urlopen

url = "@ORIGIN@@PATH@"
with urlopen(url) as answer:
    document = json.load(answer)
print(document)
""",
    "php": """
<?php
$url = "@ORIGIN@@PATH@";
$document = json_decode(file_get_contents($url), true);
print_r($document);
""",
}
"""How to get a document."""

KIT = {
    "javascript": """
import { directory, decode } from "@ORIGIN@@BASE@/labgen.js";

const labs = directory("@ORIGIN@@BASE@/");
for await (const { display_id, name } of labs.laboratories()) {
  console.log(display_id, name);
}
const { laboratory, gallery } = await labs.all("@LAB@");
console.log(laboratory.name, gallery.length);
console.log(decode(laboratory.contact_person.encoded_email));
""",
    "python": """
from labgen.client import Directory, decode

with Directory("@ORIGIN@@BASE@"@PYTHON_DOCUMENT@) as labs:
    for one in labs.laboratories():
        print(one["display_id"], one["name"])
    whole = labs.all("@LAB@")
print(whole["laboratory"]["name"], len(whole["gallery"]))
print(decode(whole["laboratory"]["contact_person"]["encoded_email"]))
""",
}
"""How to read the directory with the clients of labgen."""

LIST = {
    "curl": "curl '@ORIGIN@@PATH@'",
    "javascript": """
const origin = "@ORIGIN@";
let path = "@PATH@";
while (path) {
  const answer = await fetch(origin + path);
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const { results, next } = await answer.json();
  for (const laboratory of results) {
    console.log(laboratory.display_id, laboratory.name);
  }
  path = next@JS_FILE@;
}
""",
    "python": """
import json
from urllib.request import urlopen

origin = "@ORIGIN@"
path = "@PATH@"
while path:
    with urlopen(origin + path) as answer:
        page = json.load(answer)
    for laboratory in page["results"]:
        print(laboratory["display_id"], laboratory["name"])
    path = page["next"]@PYTHON_FILE@
""",
    "php": """
<?php
$origin = "@ORIGIN@";
$path = "@PATH@";
while ($path) {
    $page = json_decode(file_get_contents($origin . $path), true);
    foreach ($page["results"] as $laboratory) {
        echo $laboratory["display_id"], " ", $laboratory["name"], "\\n";
    }
    $path = $page["next"]@PHP_FILE@;
}
""",
}
"""How to list all laboratories."""

DECODE = {
    "curl": """
curl -s '@ORIGIN@@PATH@' |
  jq -r '.contact_person.encoded_email | split(",") | map(tonumber) | implode'
""",
    "javascript": """
const decode = codes =>
  codes && String.fromCodePoint(...codes.split(","));

const url = "@ORIGIN@@PATH@";
const { contact_person } = await (await fetch(url)).json();
console.log(decode(contact_person.encoded_email));
console.log(decode(contact_person.encoded_phone));
""",
    "python": """
import json
from urllib.request import urlopen

def decode(codes):
    numbers = filter(None, codes.split(","))
    return "".join(chr(int(number)) for number in numbers)

url = "@ORIGIN@@PATH@"
with urlopen(url) as answer:
    person = json.load(answer)["contact_person"]
print(decode(person["encoded_email"]))
print(decode(person["encoded_phone"]))
""",
    "php": """
<?php
function decode(string $codes): string {
    $numbers = array_filter(explode(",", $codes));
    return iconv("UTF-32BE", "UTF-8", pack("N*", ...$numbers));
}

$url = "@ORIGIN@@PATH@";
$laboratory = json_decode(file_get_contents($url), true);
echo decode($laboratory["contact_person"]["encoded_email"]), "\\n";
echo decode($laboratory["contact_person"]["encoded_phone"]), "\\n";
""",
}
"""How to decode e-mail addresses and phone numbers."""

WALK = {
    "curl": """
curl -s '@ORIGIN@@EXAMPLE@' |
  jq -r '.items[] | .search_val + " " + .title'
""",
    "javascript": """
const origin = "@ORIGIN@";
const wanted = "@VALUE@";
let path = "@PATH@";
while (path) {
  const { results, next } = await (await fetch(origin + path)).json();
  for (const { display_id, name } of results) {
    const answer = await fetch(`${origin}@FOLDER@${display_id}/@SECTION@/@FILE@`);
    const { items } = await answer.json();
    if (items.some(item => item.search_val === wanted)) console.log(display_id, name);
  }
  path = next@JS_FILE@;
}
""",
    "python": """
import json
from urllib.request import urlopen

def get(path):
    with urlopen("@ORIGIN@" + path) as answer:
        return json.load(answer)

wanted = "@VALUE@"
path = "@PATH@"
while path:
    page = get(path)
    for laboratory in page["results"]:
        section = get("@FOLDER@" + laboratory["display_id"] + "/@SECTION@/@FILE@")
        if any(item["search_val"] == wanted for item in section["items"]):
            print(laboratory["display_id"], laboratory["name"])
    path = page["next"]@PYTHON_FILE@
""",
    "php": """
<?php
function get(string $path): array {
    return json_decode(file_get_contents("@ORIGIN@" . $path), true);
}

// Reads the section of each laboratory: a request for each.
$wanted = "@VALUE@";
$path = "@PATH@";
while ($path) {
    $page = get($path);
    foreach ($page["results"] as $laboratory) {
        $section = get("@FOLDER@" . $laboratory["display_id"] . "/@SECTION@/@FILE@");
        if (in_array($wanted, array_column($section["items"], "search_val"), true)) {
            echo $laboratory["display_id"], " ", $laboratory["name"], "\\n";
        }
    }
    $path = $page["next"]@PHP_FILE@;
}
""",
}
"""How to find laboratories by entries of their sections, if the site has no search."""

SEARCH = {
    "curl": "curl '@ORIGIN@@PATH@?@ARGUMENT@=@VALUE@'",
    "javascript": """
const query = new URLSearchParams({ @ARGUMENT@: "@VALUE@" });
const answer = await fetch("@ORIGIN@@PATH@?" + query);
const { count, results } = await answer.json();
console.log(count);
for (const { display_id, name } of results) console.log(display_id, name);
""",
    "python": """
import json
from urllib.parse import urlencode
from urllib.request import urlopen

query = urlencode({"@ARGUMENT@": "@VALUE@"})
with urlopen("@ORIGIN@@PATH@?" + query) as answer:
    page = json.load(answer)
print(page["count"])
for laboratory in page["results"]:
    print(laboratory["display_id"], laboratory["name"])
""",
    "php": """
<?php
$query = http_build_query(["@ARGUMENT@" => "@VALUE@"]);
$page = json_decode(file_get_contents("@ORIGIN@@PATH@?" . $query), true);
echo $page["count"], "\\n";
foreach ($page["results"] as $laboratory) {
    echo $laboratory["display_id"], " ", $laboratory["name"], "\\n";
}
""",
}
"""How to search, if the host supports it."""

SEARCH_FILES = {
    "curl": "curl '@ORIGIN@@BASE@/search/index.json'",
    "javascript": """
import { directory } from "@ORIGIN@@BASE@/labgen.js";

const labs = directory("@ORIGIN@@BASE@/");
const { count, results } = await labs.search({ @ARGUMENT@: "@VALUE@" });
console.log(count);
for (const { display_id, name } of results) console.log(display_id, name);
""",
    "python": """
from labgen.client import Directory

with Directory("@ORIGIN@@BASE@"@PYTHON_DOCUMENT@) as labs:
    found = labs.search({"@ARGUMENT@": "@VALUE@"})
print(found["count"])
for laboratory in found["results"]:
    print(laboratory["display_id"], laboratory["name"])
""",
    "php": WALK["php"],
}
"""How to search in the files of the index, with a client that reads only those that a query needs."""

MISSING = {
    "curl": "curl -s -o answer.txt -w '%{http_code}\\n' '@ORIGIN@@PATH@'",
    "javascript": """
const url = "@ORIGIN@@PATH@";
const answer = await fetch(url);
if (answer.status === 404) {
  console.log("404", @JS_REASON@);
}
""",
    "python": """
import json
from urllib.error import HTTPError
from urllib.request import urlopen

url = "@ORIGIN@@PATH@"
try:
    with urlopen(url) as answer:
        print(json.load(answer))
except HTTPError as error:
    print(error.code, @PYTHON_REASON@)
""",
    "php": """
<?php
$url = "@ORIGIN@@PATH@";
$context = stream_context_create(["http" => ["ignore_errors" => true]]);
$answer = file_get_contents($url, false, $context);
if (str_contains($http_response_header[0], " 404 ")) {
    echo "404 ", @PHP_REASON@, "\\n";
}
""",
}
"""How to detect that a document does not exist."""

REPEAT = {
    "curl": """
curl -s -o document.json --etag-save etag.txt '@ORIGIN@@PATH@'
curl -s -o document.json --etag-compare etag.txt -w '%{http_code}\\n' '@ORIGIN@@PATH@'
""",
    "javascript": """
const url = "@ORIGIN@@PATH@";
const first = await fetch(url);
const headers = { "If-None-Match": first.headers.get("ETag") };
const again = await fetch(url, { headers });
console.log(again.status);
""",
    "python": """
from urllib.error import HTTPError
from urllib.request import Request, urlopen

url = "@ORIGIN@@PATH@"
with urlopen(url) as answer:
    etag = answer.headers["ETag"]
try:
    urlopen(Request(url, headers={"If-None-Match": etag}))
except HTTPError as error:
    print(error.code)
""",
    "php": """
<?php
$url = "@ORIGIN@@PATH@";
$headers = array_change_key_case(get_headers($url, true));
$options = ["header" => "If-None-Match: " . $headers["etag"], "ignore_errors" => true];
file_get_contents($url, false, stream_context_create(["http" => $options]));
echo $http_response_header[0], "\\n";
""",
}
"""How to request a document only if it changed."""

RESOLVE = {
    "curl": """
curl -s '@ORIGIN@@PATH@' |
  jq -r '"@ORIGIN@" + .logo_url'
""",
    "javascript": """
const url = "@ORIGIN@@PATH@";
const laboratory = await (await fetch(url)).json();
console.log(new URL(laboratory.logo_url, url).href);
""",
    "python": """
import json
from urllib.parse import urljoin
from urllib.request import urlopen

url = "@ORIGIN@@PATH@"
with urlopen(url) as answer:
    laboratory = json.load(answer)
print(urljoin(url, laboratory["logo_url"]))
""",
    "php": """
<?php
$origin = "@ORIGIN@";
$laboratory = json_decode(file_get_contents($origin . "@PATH@"), true);
echo $origin . $laboratory["logo_url"], "\\n";
""",
}
"""How to make an absolute URL of a path."""
