"""A model with what one episode adds to it: limits, costs and the log."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from icae_env.errors import ConfigError, ModelLimitError, ModelRequestError
from icae_env.llm.base import ChatModel, Completion, Message, ToolSpec, Usage
from icae_env.llm.limits import ModelLimits, ModelUse
from icae_env.llm.phase import current_phase
from icae_env.llm.prices import Prices

NO_LIMITS = ModelLimits()


class Listener(Protocol):
    """Sees every call that came through."""

    def __call__(
        self, phase: str, messages: Sequence[Message], completion: Completion, cost: float | None
    ) -> None:
        """See a call.

        Args:
            phase: Name of the agent's phase.
            messages: The whole conversation.
            completion: The answer.
            cost: US dollars; None: unknown.
        """
        ...


class Budget:
    """What many episodes may use together; safe for threads.

    Args:
        limits: For all of them.
        used: What earlier ones used, of a run that goes on.
    """

    def __init__(self, limits: ModelLimits = NO_LIMITS, used: ModelUse | None = None) -> None:
        self.limits = limits
        self._used = used or ModelUse()
        self._lock = threading.Lock()

    @property
    def used(self) -> ModelUse:
        """What was used so far."""
        with self._lock:
            return self._used

    def check(self, whose: str) -> None:
        """Do nothing as long as something is left.

        Args:
            whose: Told in the error.

        Raises:
            ModelLimitError: A limit is used up.
        """
        used = self.used
        tokens = (used.usage.input_tokens or 0) + (used.usage.output_tokens or 0)
        for limit, value, most, unit in (
            ("tokens", tokens, self.limits.tokens, "tokens"),
            ("cost", used.cost or 0.0, self.limits.cost, "US dollars"),
            ("model_seconds", used.seconds, self.limits.model_seconds, "seconds of the model"),
        ):
            if most is not None and value >= most:
                raise ModelLimitError(
                    f"The limit of {whose} is used up: {value:.6g} of {most:.6g} {unit}.", limit=limit
                )

    def add(self, use: ModelUse) -> None:
        """Count one call."""
        with self._lock:
            self._used = total(self._used, use)


class Meter:
    """A ``ChatModel`` for one episode. It plays a scripted or recorded model from its beginning.

    A limit is looked at before each call, so that the last one may go beyond it; what it brought is not thrown away.

    Args:
        model: The model, which stays open.
        limits: Of this episode.
        budget: Of all episodes of the run.
        prices: What models cost; None: nothing is known.
        listener: Sees every call.

    Raises:
        ConfigError: There is a limit on the cost, and no price.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        limits: ModelLimits = NO_LIMITS,
        budget: Budget | None = None,
        prices: Prices | None = None,
        listener: Listener | None = None,
    ) -> None:
        restarted = getattr(model, "restarted", None)
        self._model: ChatModel = restarted() if restarted is not None else model
        self.name, self.context_window = model.name, model.context_window
        self.current = ""
        """Name of the agent's phase."""
        self._own, self._budget = Budget(limits), budget or Budget()
        self._prices, self._listener = prices or Prices(), listener
        self._by_phase: dict[str, ModelUse] = {}
        self._lock = threading.Lock()
        self._both = (limits, self._budget.limits)
        if any(item.cost is not None for item in self._both) and self._prices.of(self.name) is None:
            raise ConfigError(
                f"There is a limit on the cost, and the price of '{self.name}' is not known.",
                field="limits.cost",
                mend=f'add [models."{self.name}"] with input and output to a file of prices, or leave the limit out.',
            )

    def __repr__(self) -> str:
        return f"<Meter of {self._model!r}>"

    @property
    def use(self) -> ModelUse:
        """What the episode used so far."""
        return self._own.used

    @property
    def use_by_phase(self) -> Mapping[str, ModelUse]:
        """What each phase used so far."""
        with self._lock:
            return dict(self._by_phase)

    def phase(self, name: str) -> None:
        """Begin a phase: the calls from here on are logged and counted under its name."""
        self.current = name

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Return the next message of the conversation; see ``ChatModel``.

        Raises:
            ModelLimitError: A limit of the episode or of the run is used up.
        """
        phase = self._check()
        with self._timed(phase), _told(phase):
            completion = self._model.complete(messages, tools)
        return self._counted(phase, messages, completion)

    async def acomplete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Do the same as ``complete`` without blocking the event loop."""
        phase = self._check()
        with self._timed(phase), _told(phase):
            completion = await self._model.acomplete(messages, tools)
        return self._counted(phase, messages, completion)

    def close(self) -> None:
        """Do nothing: the model is closed by who made it."""

    def _check(self) -> str:
        self._own.check("the episode")
        self._budget.check("the run")
        return self.current

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        """Count the time of a call, also of one that fails."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self._add(phase, ModelUse(seconds=time.monotonic() - begun))

    def _counted(self, phase: str, messages: Sequence[Message], completion: Completion) -> Completion:
        cost = self._prices.cost(self.name, completion.usage)
        self._add(phase, ModelUse(calls=1, usage=completion.usage, cost=cost, retries=completion.retries))
        if self._listener is not None:
            self._listener(phase, messages, completion, cost)
        silent = completion.usage.input_tokens is None or completion.usage.output_tokens is None
        if silent and any(item.tokens is not None or item.cost is not None for item in self._both):
            raise ModelRequestError(
                f"{self.name}: the service does not tell how many tokens a call took, so that the limits on tokens and "
                "cost cannot be kept. Mend: leave them out, or use a limit on model_seconds."
            )
        return completion

    def _add(self, phase: str, use: ModelUse) -> None:
        self._own.add(use)
        self._budget.add(use)
        with self._lock:
            self._by_phase[phase] = total(self._by_phase.get(phase, ModelUse()), use)


@contextmanager
def _told(phase: str) -> Iterator[None]:
    token = current_phase.set(phase)
    try:
        yield
    finally:
        current_phase.reset(token)


def total(first: ModelUse, second: ModelUse) -> ModelUse:
    """Return the sum of two uses; what either of them does not know is unknown, unless it has no calls."""
    known = [use for use in (first, second) if use.calls]
    usage, cost = Usage(), None
    if len(known) == 1:
        usage, cost = known[0].usage, known[0].cost
    elif known:
        usage = Usage(
            **{name: _sum(*(getattr(use.usage, name) for use in known)) for name in Usage.model_fields}
        )
        costs = [use.cost for use in known]
        cost = None if None in costs else sum(cost for cost in costs if cost is not None)
    return ModelUse(
        calls=first.calls + second.calls,
        usage=usage,
        cost=cost,
        seconds=first.seconds + second.seconds,
        retries=first.retries + second.retries,
    )


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
