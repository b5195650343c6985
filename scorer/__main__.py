"""`python -m scorer`, the same as the command `score`."""

from scorer.cli.start import main

if __name__ == "__main__":
    main()
