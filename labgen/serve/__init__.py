"""The preview: a site as a full host would serve it, rebuilt while its keeper works."""
