// What is answered, without any platform's own functions: decide(method, path, query, accept) says it.
// `path` and `query` (without its "?") are as they were sent; `accept` may be undefined. A decision has
//     status, fields (header fields by name), and body (text) or file (a path; its bytes are the body).
// Status 200 always has a file. Where there is no such file:
//     if `below` is given and is there, the answer is moved(decision.location); otherwise
//     missing(path, query, accept).
// HEAD is answered as GET, without the body; ETag and 304 are the host's.

const BASE = "@BASE@";
const DOCUMENTS = @DOCUMENT_PATHS@;
const METHODS = "@METHODS@";
const NOT_FOUND = JSON.stringify(@NOT_FOUND@);
const NOT_ALLOWED = JSON.stringify(@NOT_ALLOWED@);
const THIS_NOT_ALLOWED = JSON.stringify(@THIS_NOT_ALLOWED@);

// [headers] on every answer, and more on some
function withFields(status, more) {
  const fields = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "@EXPOSED@",
    "X-Content-Type-Options": "nosniff",
  };
  Object.keys(more).forEach((name) => {
    fields[name] = more[name];
  });
  return { status: status, fields: fields };
}

// the text of a path, its slashes merged; null where no file can have such a name
function readable(path) {
  let text;
  try {
    text = decodeURIComponent(path).replace(/\/+/g, "/");
  } catch (error) {
    return null;
  }
  if (text[0] !== "/" || /[\x00-\x1f\x7f\\]/.test(text)) return null;
  // [hidden] neither packs nor what begins with a dot is published, and nothing leads up
  return /\/\.(?!well-known\/)|^\/api\/packs\//.test(text.slice(BASE.length)) ? null : text;
}

// whether a path lies where documents do
function isAmongDocuments(path) {
  return DOCUMENTS.some((start) => path.indexOf(start) === 0);
}

// a name or a value of a query, without percent-encoding
function decoded(text) {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch (error) {
    return text;
  }
}

// the last `format` of a query; "" where there is none
function formatOf(query) {
  let format = "";
  (query || "").split("&").forEach((part) => {
    const at = part.indexOf("=");
    const name = at < 0 ? part : part.slice(0, at);
    if (decoded(name) === "format") format = at < 0 ? "" : decoded(part.slice(at + 1));
  });
  return format;
}

// [format] the query wins over Accept; "" where there is no such format
function documentFor(query, accept) {
  const format = formatOf(query);
  if (format) return format === "json" ? "index.json" : format === "api" ? "api.html" : "";
  const wanted = (accept || "").toLowerCase();
  const isPage = wanted.indexOf("text/html") >= 0 && wanted.indexOf("application/json") < 0;
  return isPage ? "api.html" : "index.json";
}

// [missing] in JSON
function notFound() {
  const decision = withFields(404, { "Content-Type": "@JSON_TYPE@", Vary: "Accept" });
  decision.body = NOT_FOUND;
  return decision;
}

// [missing] the page where the query asks for it, and for browsers elsewhere than documents; JSON for all others
function missing(path, query, accept) {
  const isDocument = isAmongDocuments((readable(path) || "") + "/");
  if (documentFor(query, isDocument ? "" : accept) !== "api.html") return notFound();
  const decision = withFields(404, { "Content-Type": "@PAGE_TYPE@", Vary: "Accept" });
  decision.file = BASE + "/404.html";
  return decision;
}

// [slash] the way to the document's own path
function moved(location) {
  const decision = withFields(301, { Location: location });
  decision.body = "";
  return decision;
}

// [options]
function preflight() {
  const decision = withFields(204, {
    Allow: METHODS,
    "Access-Control-Allow-Methods": METHODS,
    "Access-Control-Allow-Headers": "@CORS_HEADERS@",
    "Access-Control-Max-Age": "86400",
  });
  decision.body = "";
  return decision;
}

// [methods] with the method's name, where it is a word
function refused(method) {
  const decision = withFields(405, { "Content-Type": "@JSON_TYPE@", Allow: METHODS });
  const isWord = /^[A-Za-z]+$/.test(method);
  decision.body = isWord ? THIS_NOT_ALLOWED.replace("METHOD", method) : NOT_ALLOWED;
  return decision;
}

// [json] [page] what a path that ends in a slash shows
function ofDocument(path, name) {
  const decision = withFields(200, {
    "Content-Type": name === "api.html" ? "@PAGE_TYPE@" : "@JSON_TYPE@",
    "Cache-Control": "@REVALIDATED@",
    Vary: "Accept",
    Allow: METHODS,
  });
  decision.file = path + name;
  return decision;
}

// [files] all other names: files, and paths without their slash
function ofFile(path, query) {
  const name = path.slice(BASE.length);
  // [caching]
  const isAddressed = @ADDRESSED_PATHS@.some((start) => name.indexOf(start) === 0);
  const decision = withFields(200, { "Cache-Control": isAddressed ? "@IMMUTABLE@" : "@REVALIDATED@" });
  if (/\.jsonl$/.test(name)) decision.fields["Content-Type"] = "@JSONL_TYPE@";
  decision.file = path;
  decision.below = path + (isAmongDocuments(path) ? "/index.json" : "/index.html");
  decision.location = path + "/" + (query ? "?" + query : "");
  return decision;
}

function decide(method, path, query, accept) {
  if (method === "OPTIONS") return preflight();
  if (method !== "GET" && method !== "HEAD") return refused(method);
  const text = readable(path);
  if (BASE && text === BASE) return moved(BASE + "/" + (query ? "?" + query : ""));
  if (text === null || text.indexOf(BASE + "/") !== 0) return missing(path, query, accept);
  const safe = text.split("/").map(encodeURIComponent).join("/");
  if (!/\/$/.test(safe)) return ofFile(safe, query);
  // [front] where no documents lie, a path that ends in a slash is a page, whatever is asked for
  if (!isAmongDocuments(safe)) return ofFile(safe + "index.html", query);
  const name = documentFor(query, accept);
  return name ? ofDocument(safe, name) : missing(path, query, accept);
}
