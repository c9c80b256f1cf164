
// How the Worker names a file when it asks for it: as it is, below the base path.
function nameOf(file) {
  return file;
}

function isThere(file, found) {
  return found.status !== 404;
}
