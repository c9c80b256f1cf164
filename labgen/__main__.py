"""`python -m labgen` is the command `labgen`."""

from labgen.cli import main

if __name__ == "__main__":
    main(prog_name="labgen")
