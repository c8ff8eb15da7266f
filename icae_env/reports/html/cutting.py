"""Texts of an episode, made harmless and cut to what a page can hold."""

from __future__ import annotations

from icae_env.reports.visible import visible


class Cutter:
    """Cut texts to one length, and count how many were cut.

    Args:
        limit: Characters that are kept of a text, two thirds of them from its begin.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0

    def __call__(self, text: str) -> str:
        """Return a text for the page."""
        if len(text) <= self.limit:
            return visible(text)
        self.count += 1
        head = 2 * self.limit // 3
        tail = self.limit - head
        left_out = len(text) - self.limit
        return (
            visible(text[:head])
            + f"\n[... {left_out:,} characters are left out of this page ...]\n"
            + visible(text[len(text) - tail :])
        )
