"""Check laboratories: each by itself, then all against one another; and find what each of them names."""
