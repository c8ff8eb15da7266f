"""Which failures of a service are tried again, and when."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict

from icae_env.errors import ModelError, ModelUnavailableError
from icae_env.llm.options import ServiceOptions

LONGEST_WAIT = 60.0
"""Seconds between two attempts, unless the service asks for more."""


class Failure(BaseModel):
    """One attempt that failed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    error: type[ModelError]
    """What it is to the caller when it is not tried again."""
    message: str
    """Free of the key."""
    again: bool
    """Whether another attempt may come through."""
    wait: float | None = None
    """Seconds that the service asks to wait."""


class Attempts:
    """The attempts of one call.

    Args:
        options: How many there may be, and for how long.
    """

    def __init__(self, options: ServiceOptions) -> None:
        self._options = options
        self._begun = time.monotonic()
        self.failed = 0

    @property
    def seconds(self) -> float:
        """Wall time since the begin of the call."""
        return time.monotonic() - self._begun

    def wait(self, failure: Failure) -> float:
        """Return the seconds to wait before the next attempt: twice as long each time, shortened by chance.

        Raises:
            ModelError: There is no next attempt; of the kind that the failure names.
        """
        self.failed += 1
        if not failure.again:
            raise failure.error(failure.message)
        if self.failed >= self._options.attempts:
            raise ModelUnavailableError(f"{failure.message} It was tried {_times(self.failed)}.")
        longest = min(self._options.retry_wait * 2.0 ** min(self.failed - 1, 20), LONGEST_WAIT)
        pause = longest * random.uniform(0.5, 1.0)
        if failure.wait is not None:
            # A little later than asked for, so that not all who wait come back at the same moment.
            pause = max(failure.wait, 0.0) + pause * 0.1
        if self.seconds + pause > self._options.retry_seconds:
            raise ModelUnavailableError(
                f"{failure.message} It was tried {_times(self.failed)}, and the next attempt, {pause:.1f} s from now, "
                f"would be later than retry_seconds ({self._options.retry_seconds:g} s) allows."
            )
        return pause


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a response asks to wait, from ``retry-after-ms`` or ``Retry-After`` (seconds or a date)."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if seconds >= 0:  # which NaN is not
            return seconds
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)).total_seconds(), 0.0)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
