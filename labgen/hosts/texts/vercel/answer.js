
export default async function (request) {
  const { pathname, search, origin } = new URL(request.url);
  const query = search.slice(1), accept = request.headers.get("Accept");
  if (!["GET", "HEAD"].includes(request.method) || pathname + "index.json" !== LIST) return;
  if (isPage(query, accept)) return;
  const decision = {
    ...withFields(200, { "Content-Type": "@JSON_TYPE@", "Cache-Control": "@REVALIDATED@", Vary: "Accept", Allow: "@METHODS@" }),
    file: LIST,
  };
  const found = await searched(decision, query, request.headers.get("If-None-Match"), async (name) => {
    const answer = await fetch(`${origin}${BASE}/${name}`);
    return answer.ok ? answer.text() : null;
  });
  return found ? new Response(found.status === 304 ? null : found.body, { status: found.status, headers: found.fields }) : undefined;
}

export const config = { matcher: "@LIST_PATH@" };
