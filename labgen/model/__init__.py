"""Define the data model: records, settings, kinds of values, catalogues, summaries, pictures, site paths."""
