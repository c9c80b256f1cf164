"""Compare two states of a site by laboratory and field, and find the changes that break clients."""
