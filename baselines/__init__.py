"""Agents that measure the benchmark, and simple ones to compare with."""
