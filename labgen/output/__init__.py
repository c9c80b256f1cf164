"""The files under out/: claimed, staged, moved into place, and pruned."""
