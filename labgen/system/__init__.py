"""Use the operating system: input files and their stamps, worker processes, signals, times."""
