"""The records of living boards in a database, and the files of their entries."""
