"""Measurements beside bare baselines; see README.md."""
