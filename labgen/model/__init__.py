"""Define the data model: records, kinds of values, catalogues, summaries, pictures, site paths."""
