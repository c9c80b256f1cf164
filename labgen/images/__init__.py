"""The renditions of pictures: originals read under limits, scaled, kept below .labgen/."""
