"""Run the preview server: serve the site as a full host would, and rebuild it on changes."""
