"""What is wrong in a project, where, what each code means, and `did you mean`: values, not exceptions."""
