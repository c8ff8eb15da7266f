"""What OpenAI's two interfaces share."""

from __future__ import annotations

from typing import Any

_STATUS_OF = {
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "server_error": 500,
    "overloaded": 503,
    "timeout": 504,
}
"""HTTP status that an error inside of a good response would have had."""


class OpenAIAnswerError(ValueError):
    """A response that arrived with a good status and holds no answer.

    Args:
        message: What is wrong with it.
        error: The error that it holds, if any.
    """

    def __init__(self, message: str, error: Any) -> None:
        super().__init__(message)
        self.error = error

    @property
    def status(self) -> int | None:
        """HTTP status that the error would have had; None: it says nothing that is known."""
        if not isinstance(self.error, dict):
            return None
        code = self.error.get("code")
        if isinstance(code, int) and 400 <= code < 600:
            return code
        if code is None and self.error.get("type") is None:
            return None
        return _STATUS_OF.get(str(code), _STATUS_OF.get(str(self.error.get("type")), 400))
