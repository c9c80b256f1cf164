"""What a build remembers of the last one, in .labgen/."""
