"""Guesses challenge.yaml from the contents of a truth and of a submission.

Two tables decide: `forms.FORMS`, how files are written, and `kinds.KINDS`, what their columns
mean. The first entry that fits wins, so rarer forms and kinds come first.
"""
