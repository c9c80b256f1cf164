
// How Pages names a file: out/ lies at its root, whatever the base path is, and it redirects from the names of pages
// to names without .html.
function nameOf(file) {
  return file.slice(BASE.length).replace(/\/index\.html$/, "/").replace(/\.html$/, "");
}

// A page that Pages found below a name without .html is not that name's file.
function isThere(file, found) {
  if (found.status !== 200 && found.status !== 304) return false;
  const isPage = /^text\/html/.test(found.headers.get("Content-Type") || "");
  return /\.html$/.test(file) || !isPage;
}
