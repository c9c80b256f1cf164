// The search of laboratories: all other requests are answered by the routes in vercel.json.
const BASE = "@BASE@";

function withFields(status, more) {
  const fields = { "Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff" };
  return { status: status, fields: { ...fields, ...more } };
}

// [format] the page is never filtered
function isPage(query, accept) {
  const format = new URLSearchParams(query).get("format");
  if (format) return format !== "json";
  return /text\/html/i.test(accept || "") && !/application\/json/i.test(accept || "");
}
