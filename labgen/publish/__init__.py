"""Publish a built site to an object store or a server's folder: only files that differ, in a safe order."""
