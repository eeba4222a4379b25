"""`python -m bytepair`: the command line."""

from bytepair.cli import main

if __name__ == "__main__":
    main()
