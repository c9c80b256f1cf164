
// The search of laboratories, answered from the files of the search index.
const LIST = BASE + "@LIST@";
const { searcher, toJson } = (() => {
@CLIENT@
return { searcher, toJson };
})();

// [search] What a query for the list finds, as a decision; null where all laboratories are asked for.
// `textOf` returns the text of a file, by its name below the root of the site, or null where there is none.
async function searched(decision, query, known, textOf) {
  if (decision.file !== LIST || !query) return null;
  const search = searcher(textOf);
  if (!(await search.isAsked(query))) return null;
  const { status, document } = await search(query);
  const body = toJson(document);
  if (status !== 200) return { ...withFields(status, { "Content-Type": "@JSON_TYPE@", Vary: "Accept" }), body };
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(body)));
  const etag = `"${[...digest.slice(0, 12)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
  const bare = (known || "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  const fields = { ...decision.fields, ETag: etag };
  return { status: bare.includes(etag) || bare.includes("*") ? 304 : 200, fields, body };
}
