"""Amounts of money and how they are read from JSON."""

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any, NamedTuple

WIDE = Context(prec=120, rounding=ROUND_HALF_UP)
"""Enough digits that no calculation on amounts inside the limits shows a rounding."""
TOP = Decimal("999999999999999999.999999999")
DIGITS = dict.fromkeys(("JPY", "KRW", "CLP", "VND", "ISK", "XAF"), 0)
DIGITS |= dict.fromkeys(("USD", "EUR", "GBP", "SEK", "NOK", "CHF", "INR", "HUF", "BHD"), 2)
DIGITS |= dict.fromkeys(("KWD", "JOD", "OMR", "TND"), 3) | {"CLF": 4}

BARE = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
PLAIN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)", re.ASCII)
GROUPED = re.compile(r"[-+]?[0-9,]+,\d{3}(?:\.\d*)?", re.ASCII)
ENDLESS = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
CODED = re.compile(r"(?P<n1>[-+]?[0-9.,]+) +(?P<c1>[A-Za-z]+)|(?P<c2>[A-Za-z]+) +(?P<n2>[-+]?[0-9.,]+)")


class Refused(Exception):  # noqa: N818 - it is an answer, not a fault
    """A question that has no answer; the argument is the reason word."""


class Code(NamedTuple):
    """A currency code; only a listed one from a field brings its own number of digits."""

    name: str
    digits: int = 2


class Amount(NamedTuple):
    """A number with or without a code."""

    number: Decimal
    code: Code | None

    @property
    def digits(self) -> int:
        """Return the number of decimals that are always shown."""
        return self.code.digits if self.code else 2


def make(number: Decimal, code: Code | None) -> Amount:
    """Return an amount inside the limits, without a negative zero."""
    if number > TOP:
        raise Refused("too-high")
    if number < -TOP:
        raise Refused("too-low")
    return Amount(number if number else Decimal(0), code)


def differ(left: Amount, right: Amount) -> bool:
    """Tell whether two amounts carry two different codes."""
    return bool(left.code and right.code and left.code.name != right.code.name)


def field_code(value: Any) -> Code | None:
    """Read the field ``currency``."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise Refused("bad-currency")
    name = value.strip()
    if name.upper() in DIGITS:
        return Code(name.upper(), DIGITS[name.upper()])
    if not name:
        return None
    if not re.fullmatch(r"[A-Za-z]+", name):
        raise Refused("bad-currency")
    return _label(name)


def read(value: Any) -> Amount:
    """Read an amount: text, a number, or an object."""
    if not isinstance(value, dict):
        return make(*_scalar(value, None))
    parts = None
    if value.get("whole") is not None or value.get("billionths") is not None:
        parts = _parts(value)
    number, code = parts, field_code(value.get("currency"))
    if number is None or value.get("amount") is not None:
        number, code = _scalar(value.get("amount"), code)
    if value.get("minor"):
        number = number.scaleb(-(code.digits if code else 2))
    amount = make(number, code)
    if parts is not None and parts != amount.number:
        raise Refused("parts-disagree")
    return amount


def read_right(value: Any) -> Amount | None:
    """Read a right operand; None when that cannot be done, for whatever reason."""
    try:
        return read(value)
    except Refused:
        return None


def _label(text: str) -> Code:
    return Code(text.upper() if len(text) == 3 else text)


def _scalar(value: Any, code: Code | None) -> tuple[Decimal, Code | None]:
    if value is None or isinstance(value, bool) or (isinstance(value, str) and not value.strip()):
        raise Refused("missing-amount")
    if isinstance(value, (int, float)):
        return Decimal(str(value)), code
    if not isinstance(value, str):
        raise Refused("not-an-amount")
    found = CODED.fullmatch(value.strip())
    if not found:
        return _bare(value.strip()), code
    named = _label(found["c1"] or found["c2"])
    if code and code.name != named.name:
        raise Refused("currency-conflict")
    return _coded(found["n1"] or found["n2"]), code or named


def _bare(text: str) -> Decimal:
    if ENDLESS.fullmatch(text):
        raise Refused("not-finite")
    text = text.replace("_", "")
    if not BARE.fullmatch(text):
        raise Refused("not-an-amount")
    return Decimal(text)


def _coded(text: str) -> Decimal:
    text = text.rstrip(",")
    if GROUPED.fullmatch(text):
        text = text.replace(",", "")
    if not PLAIN.fullmatch(text):
        raise Refused("not-an-amount")
    return Decimal(text)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _parts(value: dict[str, Any]) -> Decimal:
    whole, small = (0 if value.get(key) is None else value[key] for key in ("whole", "billionths"))
    if not _is_whole(whole) or not _is_whole(small) or whole * small < 0:
        raise Refused("bad-parts")
    if abs(whole) >= 10**18 or abs(small) >= 10**9:
        raise Refused("bad-parts")
    return Decimal(whole) + Decimal(small).scaleb(-9)
