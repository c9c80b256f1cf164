"""Define the published API: endpoints, document types, sections."""
