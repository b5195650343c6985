"""Result files of platforms, one a file: what runs there reads the values of one submission."""
