"""Render documents as JSON, and pages as HTML through Jinja templates."""
