"""Audits, one a file: from the columns of a truth to problems for the organizer."""
