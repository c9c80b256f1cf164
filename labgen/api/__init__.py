"""Define the published API: endpoints, document types, sections, and how hosts must answer."""
