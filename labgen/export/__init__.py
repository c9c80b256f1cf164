"""Convert records to files for other programs: JSON Lines, CSV, SQLite, Parquet."""
