"""The leaderboard scorer for challenges."""

__version__ = "0.1.0"
