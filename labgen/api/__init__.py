"""The published API: what an endpoint is, parts that documents share, the sections, how hosts must answer."""
