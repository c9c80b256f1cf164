
// What this function asks for of packs: without this header field, the routes say that there are none.
const MARK = "X-Labgen-Pack";

async function textOf(origin, name) {
  const found = await fetch(`${origin}${BASE}/${name}`);
  if (!found.ok && found.status !== 404) throw new Error(`${found.status} for ${name}`);
  return found.ok ? found.text() : null;
}

// The answers of searches, and of files that lie in packs; the routes in vercel.json answer all else.
export default async function (request) {
  const { pathname, search, origin } = new URL(request.url);
  const query = search.slice(1);
  const decision = decide(request.method, pathname, query, request.headers.get("Accept"));
  if (decision.status !== 200) return;
  const known = request.headers.get("If-None-Match");
  const listed = await searched(decision, query, known, (name) => textOf(origin, name));
  if (listed) return new Response(listed.status === 304 ? null : listed.body, { status: listed.status, headers: listed.fields });
  const place = packed(decision.file);
  if (!place) return;
  const pack = await fetch(origin + place.pack, { headers: { [MARK]: "1" } });
  const found = await cut(request, pack, place.name);
  if (![200, 304].includes(found.status)) return;
  const own = { "Content-Type": found.headers.get("Content-Type"), ETag: found.headers.get("ETag") };
  return new Response(found.body, { status: found.status, headers: { ...own, ...decision.fields } });
}

export const config = { matcher: @MATCHER@ };
