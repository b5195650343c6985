"""Intervals, paired tests, tiers and power; numpy and scipy only."""
