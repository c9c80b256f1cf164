"""An HTTP client for one host: limited in rate, time and size, without following redirects."""
