"""Define the published API: endpoints, document types, sections, and the HTTP contract of hosts."""
