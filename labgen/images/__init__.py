"""Make renditions of pictures: decode originals within limits, scale them, store them below .labgen/."""
