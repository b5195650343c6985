"""The version of scorer; the distribution, reports, signatures and receipts take it from here."""

__version__ = "0.2.0.dev0"
