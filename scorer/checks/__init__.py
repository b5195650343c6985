"""Checks, one a file: from columns and the public part to problems; its codes' pages beside it."""
