"""Make renditions of pictures: decode originals under limits, scale them, store them below .labgen/."""
