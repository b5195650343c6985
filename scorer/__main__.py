"""`python -m scorer`, the same as the command `score`."""

from scorer.cli.start import main

main()
