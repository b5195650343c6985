"""What challenge.yaml would say of a truth and a submission, by what stands in the two files.

Two tables are all that is asked: `forms.FORMS`, how files are written, and `kinds.KINDS`, what
their columns mean. The first entry that fits decides, so what is rarer stands further up.
"""
