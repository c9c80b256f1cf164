
// [files] what was deployed under a name. Always with its headers: a 304 of Cloudflare Pages has no ETag
function asset(request, env, file) {
  const address = new URL(request.url);
  address.pathname = nameOf(file);
  address.search = "";
  const headers = new Headers(request.headers);
  headers.delete("If-None-Match");
  return env.ASSETS.fetch(new Request(address, { method: request.method, headers }));
}

// a file, which may lie in a pack
async function read(request, env, file) {
  const place = packed(file);
  if (!place) return asset(request, env, file);
  return cut(request, await asset(new Request(request.url), env, place.pack), place.name);
}

// A decision and, where it has a file, what was read of it, as an answer.
// [compression] Cloudflare compresses by Accept-Encoding
function answer(decision, found) {
  const isEmpty = [204, 301, 304].includes(decision.status);
  const headers = new Headers(found ? found.headers : {});
  Object.entries(decision.fields).forEach(([name, value]) => headers.set(name, value));
  headers.set("Vary", decision.fields.Vary ? `${decision.fields.Vary}, Accept-Encoding` : "Accept-Encoding");
  const body = found ? found.body : decision.body;
  return new Response(isEmpty ? null : body, { status: decision.status, headers: headers });
}

// [missing] also where a file was decided on and is not there
async function answerMissing(request, env, path, query) {
  const decision = missing(path, query, request.headers.get("Accept"));
  if (!decision.file) return answer(decision);
  return answer(decision, await read(new Request(request.url), env, decision.file));
}

// [search] a file of the index
async function textOf(request, env, name) {
  const file = BASE + "/" + name;
  const found = await read(new Request(request.url), env, file);
  return isThere(file, found) ? found.text() : null;
}

export default {
  async fetch(request, env) {
    const { pathname: path, search } = new URL(request.url);
    const query = search.slice(1);
    const decision = decide(request.method, path, query, request.headers.get("Accept"));
    if (decision.status === 404) return answerMissing(request, env, path, query);
    if (!decision.file) return answer(decision);
    const known = request.headers.get("If-None-Match");
    const listed = await searched(decision, query, known, (name) => textOf(request, env, name));
    if (listed) return answer(listed);
    const found = await read(request, env, decision.file);
    if (isThere(decision.file, found)) {
      return answer({ ...decision, status: isUnchanged(request, found) ? 304 : found.status }, found);
    }
    // [slash] only where there is a document or a page
    const below = decision.below && (await read(new Request(request.url), env, decision.below));
    if (below && below.ok) return answer(moved(decision.location));
    const way = await renamed(path, (name) => textOf(request, env, name));
    return way ? answer(way) : answerMissing(request, env, path, query);
  },
};
