
// The kinds of packs: their files lie below a path, and those with the same key in one of `count` packs.
const PACKS = @PACKS@;
const MEDIA_TYPES = @MEDIA_TYPES@;

// The pack that has a file, and the name of the file in it; null for files that lie in none.
function packed(file) {
  const kind = PACKS.find((one) => file.startsWith(one.path));
  const name = kind && decodeURIComponent(file.slice(kind.path.length));
  const key = kind && new RegExp(kind.key).exec(name);
  if (!key) return null;
  const number = (crc32(key[0]) % kind.count).toString(16).padStart(4, "0");
  return { pack: `${BASE}/@PACK_FOLDER@/${kind.name}/${number.slice(-@PACK_FOLDER_DIGITS@)}/${number}.pack`, name };
}

function crc32(text) {
  let sum = -1;
  for (const byte of new TextEncoder().encode(text)) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

// The way to a laboratory's public page from an address with another name of it; null for all other addresses.
// `textOf` returns the text of a file, by its name below the root of the site, or null where there is none.
const PUBLIC = "@PUBLIC@";
async function renamed(path, textOf) {
  const start = `${BASE}/${PUBLIC}/`;
  const found = PUBLIC && path.startsWith(start) && /^([0-9]+)\/[^/]+\/?(?:index\.html)?$/.exec(path.slice(start.length));
  const text = found ? await textOf(`@LABORATORIES@${found[1]}/index.json`) : null;
  const { url } = text ? JSON.parse(text) : { url: path };
  return url === path ? null : moved(url);
}

// [repeat] ETags are made from bytes, so the JSON and the page of a path each have their own
function isUnchanged(request, found) {
  const bare = (etag) => etag.trim().replace(/^W\//, "");
  const known = (request.headers.get("If-None-Match") || "").split(",").map(bare);
  const etag = bare(found.headers.get("ETag") || "");
  return etag !== "" && (known.includes(etag) || known.includes("*"));
}

// The answer of the host for a file, from its answer for the pack that the file lies in.
async function cut(request, pack, name) {
  if (pack.status !== 200) return pack;
  const bytes = new Uint8Array(await pack.arrayBuffer());
  const body = bytes.indexOf(10) + 1;
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, body)));
  if (!Object.hasOwn(head, name)) return new Response(null, { status: 404 });
  const [start, size, digest] = head[name];
  const headers = new Headers(pack.headers);
  ["Content-Length", "Content-Encoding"].forEach((field) => headers.delete(field));
  headers.set("Content-Type", MEDIA_TYPES[/\.[^.]*$/.exec(name)] || "application/octet-stream");
  headers.set("ETag", `"${digest}"`);
  if (isUnchanged(request, { headers })) return new Response(null, { status: 304, headers });
  const isEmpty = request.method === "HEAD";
  return new Response(isEmpty ? null : bytes.subarray(body + start, body + start + size), { headers });
}
