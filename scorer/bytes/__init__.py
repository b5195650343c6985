"""The bytes of files: opened safely, unpacked within limits, cut into lines, written whole."""
