
const MARK = "X-Labgen-File";

// [files] what was deployed under a name; what is deployed lies at the root, whatever the base path is
// [repeat] the ETag is that of the file, so the JSON and the page of a path each have their own
function asset(request, context, file) {
  const address = new URL(request.url);
  const asked = address.pathname;
  address.pathname = file.slice(BASE.length);
  if (address.pathname === asked) return context.next({ sendConditionalRequest: true });
  address.search = "";
  const headers = new Headers(request.headers);
  headers.set("Accept-Encoding", "identity");
  headers.set(MARK, "1");
  return fetch(address, { method: request.method, headers: headers, redirect: "manual" });
}

// a file, which may lie in a pack
async function read(request, context, file) {
  const place = packed(file);
  if (!place) return asset(request, context, file);
  return cut(request, await asset(new Request(request.url), context, place.pack), place.name);
}

// A decision and, where it has a file, what was read of it, as an answer.
function answer(decision, found) {
  const isEmpty = [204, 301, 304].includes(decision.status);
  const headers = new Headers(found ? found.headers : {});
  Object.entries(decision.fields).forEach(([name, value]) => headers.set(name, value));
  const body = found ? found.body : isEmpty ? null : decision.body;
  return new Response(body, { status: decision.status, headers: headers });
}

// [missing] also where a file was decided on and is not there
async function answerMissing(request, context, path, query) {
  const decision = missing(path, query, request.headers.get("Accept"));
  if (!decision.file) return answer(decision);
  return answer(decision, await read(new Request(request.url), context, decision.file));
}

// [search] a file of the index
async function textOf(request, context, name) {
  const found = await read(new Request(request.url), context, BASE + "/" + name);
  if (!found.ok && found.status !== 404) throw new Error(`${found.status} for ${name}`);
  return found.ok ? found.text() : null;
}

export default async function (request, context) {
  // what this function asks for comes back here
  if (request.headers.has(MARK)) return context.next({ sendConditionalRequest: true });
  const { pathname: path, search } = new URL(request.url);
  const query = search.slice(1);
  const decision = decide(request.method, path, query, request.headers.get("Accept"));
  if (decision.status === 404) return answerMissing(request, context, path, query);
  if (!decision.file) return answer(decision);
  const known = request.headers.get("If-None-Match");
  const listed = await searched(decision, query, known, (name) => textOf(request, context, name));
  if (listed) return answer(listed);
  const found = await read(request, context, decision.file);
  const isThere = found.status === 200 || found.status === 304;
  if (isThere) return answer({ ...decision, status: found.status }, found);
  // [slash] only where there is a document or a page
  const below = decision.below && (await read(new Request(request.url), context, decision.below));
  if (below && below.ok) return answer(moved(decision.location));
  const way = await renamed(path, (name) => textOf(request, context, name));
  if (way) return answer(way);
  return answerMissing(request, context, path, query);
}

export const config = { path: @PATHS@ };
