"""What can be wrong with source data, each kind of check in a module."""
