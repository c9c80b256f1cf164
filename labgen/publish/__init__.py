"""Send a built site to an object store or to a folder of a server: only what differs, in a safe order."""
