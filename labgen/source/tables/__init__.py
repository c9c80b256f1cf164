"""Read data that is written in tables: CSV files, workbooks of spreadsheets, SQLite databases."""
