"""What all services have in common: one call with its attempts, on threads and on event loops."""

from __future__ import annotations

import asyncio
import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, ClassVar
from urllib.parse import urlsplit

from icae_env.errors import ConfigError, EpisodeStateError, ModelRequestError
from icae_env.llm.base import Completion, Message, ToolSpec
from icae_env.llm.clients import Clients
from icae_env.llm.failures import from_connection, from_status, malformed
from icae_env.llm.keys import key_from, scrub, scrub_error
from icae_env.llm.options import ServiceOptions
from icae_env.llm.retry import Attempts, Failure


class AnswerError(ValueError):
    """An answer that arrived whole and is none.

    Args:
        message: What is wrong with it.
        failure: What it means, where the answer itself says so.
    """

    def __init__(self, message: str, failure: Failure | None = None) -> None:
        super().__init__(message)
        self.failure = failure


class ServiceModel(ABC):
    """A model behind an official SDK.

    Args:
        model: Its name at the service.
        options: How it is asked.
        sdk: The SDK's module.

    Raises:
        ConfigError: There is no key, or the SDK does not take the address.
    """

    service: ClassVar[str]
    """First part of the name that users write."""
    client_class: ClassVar[str]
    key_variables: ClassVar[tuple[str, ...]]
    """Those that the SDK reads, in its order."""

    def __init__(self, model: str, options: ServiceOptions, sdk: ModuleType) -> None:
        self.name = f"{self.service}/{model}"
        self.context_window = options.context_window
        self._model, self._shared = model, options
        found = [name for name in self.key_variables if os.environ.get(name)]
        self._variable = options.api_key_env or (found or self.key_variables)[0]
        self._key = key_from(self._variable, self.name)
        self._sdk: Any = sdk
        self._closed = False
        self._errors: tuple[type[Exception], ...] = (getattr(sdk, f"{self.client_class}Error"),)
        try:
            # The key is handed over by name only where the SDK would not look for it.
            given = self._key if options.api_key_env else None
            base = {"base_url": options.base_url} if options.base_url else {}
            self._clients = Clients(sdk, self.client_class, options.timeout, given, **base)
        except (*self._errors, ValueError, TypeError) as error:
            raise ConfigError(
                scrub_error(f"The client of '{self.name}' cannot be made: {error}", self._key),
                mend="check the option base_url and the variables of the SDK.",
            ) from None
        address = urlsplit(str(self._clients.sync.base_url))
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ConfigError(
                f"The address of '{self.name}' is no http or https address.",
                mend="write the option base_url as http://HOST:PORT/v1, with what the service wants after it.",
            )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @abstractmethod
    def _request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        """Return the arguments of the SDK's call."""

    @abstractmethod
    def _endpoint(self, client: Any) -> Callable[..., Any]:
        """Return the SDK's call, in the form that gives the raw response."""

    @abstractmethod
    def _read(self, document: dict[str, Any], asked: int) -> Completion:
        """Return what a response says.

        Args:
            document: The response's JSON object.
            asked: Number of messages it answers.

        Raises:
            AnswerError: It says nothing that can be used.
        """

    def complete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Return the next message of the conversation; see ``ChatModel``."""
        request, attempts = self._checked_request(messages, tools), Attempts(self._shared)
        while True:
            outcome: Completion | Failure
            try:
                outcome = self._outcome(self._endpoint(self._clients.sync)(**request), len(messages))
            except self._errors as error:
                outcome = self._failure(error)
            # Raised out here, so that no error carries the SDK's own, which may tell the key.
            if isinstance(outcome, Completion):
                return self._finished(outcome, attempts)
            time.sleep(attempts.wait(outcome))

    async def acomplete(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Completion:
        """Do the same as ``complete`` without blocking the event loop."""
        request, attempts = self._checked_request(messages, tools), Attempts(self._shared)
        client = await self._clients.of_running_loop()
        while True:
            outcome: Completion | Failure
            try:
                outcome = self._outcome(await self._endpoint(client)(**request), len(messages))
            except self._errors as error:
                outcome = self._failure(error)
            if isinstance(outcome, Completion):
                return self._finished(outcome, attempts)
            await asyncio.sleep(attempts.wait(outcome))

    def close(self) -> None:
        """Close the connections; a second call does nothing."""
        self._closed = True
        self._clients.close()

    def _checked_request(self, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[str, Any]:
        if self._closed:
            raise EpisodeStateError(f"The model '{self.name}' is closed.")
        if not any(message.role != "system" for message in messages):
            raise ModelRequestError(
                f"{self.name}: the conversation has no message besides those of the system."
            )
        request = self._request(messages, tools)
        further = {**request.get("extra_body", {}), **self._shared.extra_body}
        return request | ({"extra_body": further} if further else {})

    @staticmethod
    def _finished(completion: Completion, attempts: Attempts) -> Completion:
        return completion.model_copy(update={"seconds": attempts.seconds, "retries": attempts.failed})

    def _outcome(self, response: Any, asked: int) -> Completion | Failure:
        try:
            document = json.loads(response.http_response.content)
        except (ValueError, RecursionError):
            return malformed(self.name, "is not JSON")
        document = scrub(document, self._key)
        if not isinstance(document, dict):
            return malformed(self.name, "is not a JSON object")
        try:
            return self._read(document, asked)
        except AnswerError as error:
            return error.failure or malformed(self.name, str(error), key=self._key)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            return malformed(
                self.name, f"is not of the form it should have ({type(error).__name__})", key=self._key
            )

    def _failure(self, error: Exception) -> Failure:
        if isinstance(error, self._sdk.APIStatusError):
            response: Any = error.response
            return self._from_status(response.status_code, error.body, response.headers)
        if isinstance(error, self._sdk.APIConnectionError):
            return from_connection(self.name, type(error).__name__, error.__cause__, key=self._key)
        told = scrub_error(f"{self.name}: {type(error).__name__}: {error}", self._key)
        return Failure(error=ModelRequestError, message=told, again=False)

    def _from_status(self, status: int, body: Any, headers: Any = None) -> Failure:
        return from_status(self.name, status, body, headers=headers, key=self._key, variable=self._variable)
