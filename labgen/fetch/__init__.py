"""Fetch from one host: bounded in time and size, politely, without following redirects."""
