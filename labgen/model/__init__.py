"""The data: records that a person writes, kinds of values, summaries, pictures, German, site paths."""
