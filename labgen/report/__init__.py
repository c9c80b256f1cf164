"""Format problems and results, for people and for programs."""
