"""From documents to bytes: JSON, and pages through Jinja."""
