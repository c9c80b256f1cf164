"""What differs between two states of a site, by laboratory and field, and what of it breaks clients."""
