"""Proof that a site is what was built: in its folder, and as a host serves it."""
