"""Turn records into files that other programs read: JSON Lines, CSV, SQLite, Parquet."""
