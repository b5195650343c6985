"""Files of submissions read and scored, in this process or in two."""
