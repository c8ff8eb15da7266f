"""What an SDK's exception, or an answer that is none, means to the caller."""

from __future__ import annotations

import re
from typing import Any

from pydantic import SecretStr

from icae_env.errors import ContextExceededError, ModelRequestError, ModelUnavailableError
from icae_env.llm.keys import scrub, scrub_error
from icae_env.llm.retry import Failure, retry_after

NO_KEY = SecretStr("")
_AGAIN = {408, 409, 425, 429}
_NEVER = {501, 505}
_TOO_LONG = {
    "context_length_exceeded",
    "context_window_exceeded",
    "model_context_window_exceeded",
    "prompt_too_long",
    "input_too_long",
    "request_too_large",
    "exceed_context_size_error",
}
_SPENT = {
    "insufficient_quota",
    "billing_hard_limit_reached",
    "billing_error",
    "contract_spend_limit_reached",
    "enforced_spend_limit_reached",
}
"""Codes of a limit that waiting does not lift."""
_TOO_LONG_TEXT = re.compile(
    r"maximum context length|(prompt|input) is too long|exceeds?( the)?( available)?( model's)? context"
    r"|longer than the model's context|context limit|reduce the length of the (messages|prompt|input)",
    re.IGNORECASE,
)
"""For services that give such an error no code."""
_MENDS = {
    401: "check the key in {key}.",
    403: "check what the key in {key} may do.",
    404: "check the model's name and the option base_url.",
}


def from_status(
    who: str, status: int, body: Any, *, headers: Any = None, key: SecretStr = NO_KEY, variable: str = ""
) -> Failure:
    """Return what an HTTP error means.

    Args:
        who: The model as the user named it.
        status: HTTP status.
        body: The response's JSON value, or its text.
        headers: The response's.
        key: What must not be told.
        variable: Where the key came from.
    """
    body = scrub(body, key)
    error = _inner(body)
    codes = [code for code in _codes(error) if code]
    text = scrub_error(_text(error, body), key)
    told = f"{who}: HTTP {status}{f' ({codes[0]})' if codes else ''}: {text}"
    if _too_long(status, codes, text):
        return Failure(error=ContextExceededError, message=told, again=False)
    again = (status in _AGAIN or (status >= 500 and status not in _NEVER)) and not set(codes) & _SPENT
    if again:
        wait = retry_after(headers) if headers is not None else None
        return Failure(error=ModelUnavailableError, message=told, again=True, wait=wait)
    mend = _MENDS.get(status, "").format(key=variable or "the environment")
    if status in (400, 422) and isinstance(error, dict) and isinstance(error.get("param"), str):
        mend = f"look at the parameter '{error['param']}'."
    return Failure(error=ModelRequestError, message=told + (f" Mend: {mend}" if mend else ""), again=False)


def from_connection(who: str, kind: str, cause: BaseException | None, *, key: SecretStr = NO_KEY) -> Failure:
    """Return what it means that there was no whole answer.

    Args:
        who: The model as the user named it.
        kind: Name of the SDK's exception.
        cause: What it came from.
        key: What must not be told.
    """
    detail = f" ({type(cause).__name__}: {cause})" if cause is not None and str(cause) else ""
    message = scrub_error(f"{who}: no whole answer came from the service: {kind}{detail}.", key)
    return Failure(error=ModelUnavailableError, message=message, again=True)


def malformed(who: str, what: str, *, key: SecretStr = NO_KEY) -> Failure:
    """Return what it means that an answer cannot be read."""
    return Failure(
        error=ModelUnavailableError, message=scrub_error(f"{who}: the answer {what}.", key), again=True
    )


def _too_long(status: int, codes: list[str], text: str) -> bool:
    if status == 413 or set(codes) & _TOO_LONG:
        return True
    # These say no more than "bad request", and some services put the status where a code belongs.
    named = [
        code
        for code in codes
        if not re.fullmatch(r"\d+|invalid_request_error|bad_?request(_?error)?", code, re.I)
    ]
    return status in (400, 422) and not named and bool(_TOO_LONG_TEXT.search(text))


def _inner(body: Any) -> Any:
    return body["error"] if isinstance(body, dict) and "error" in body else body


def _codes(error: Any) -> list[str]:
    """Return the structured names of an error, the most exact one first."""
    if not isinstance(error, dict):
        return []
    details = error.get("details")
    exact = details.get("error_code") if isinstance(details, dict) else None
    return [
        str(code) for code in (exact, error.get("code"), error.get("type")) if isinstance(code, (str, int))
    ]


def _text(error: Any, body: Any) -> str:
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        found = error["message"]
    else:
        found = error if isinstance(error, str) else str(body or "")
    words = " ".join(found.split()) or "(no text)"
    return words if len(words) <= 600 else f"{words[:600]} ..."
