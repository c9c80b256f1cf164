"""What labgen asks of the operating system: input files and their stamps, processes, progress, times."""
