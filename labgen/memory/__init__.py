"""Remember the last build in .labgen/, so that the next one reads and renders only what changed."""
