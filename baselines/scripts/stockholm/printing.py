"""Amounts as text: house style, minor units, ledger records and layouts."""

import json
import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from amounts import WIDE, Amount, Refused, make

LAYOUT = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>=^]))?(?P<sign>[-+ ])?(?P<zero>0)?(?P<width>[1-9]\d*)?"
    r"(?P<group>[,_])?(?:\.(?P<precision>0|[1-9]\d*))?(?P<letter>[mMfFdcs])?",
    re.DOTALL,
)


def to_places(number: Decimal, places: int) -> Decimal:
    """Round with ties away from zero."""
    return number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=WIDE)


def number_text(amount: Amount, least: int | None = None, most: int | None = None) -> str:
    """Return the number with ``least`` to ``most`` decimals, without the code."""
    if least is None:
        least = amount.digits if most is None else min(amount.digits, most)
    if most is None:
        most = max(least, 9)
    if least > most:
        raise Refused("bad-bounds")
    text = f"{to_places(amount.number, most):f}"
    while most > least and text.endswith("0"):
        text, most = text[:-1], most - 1
    text = text.rstrip(".")
    return text if re.search("[1-9]", text) else text.lstrip("-")


def show(amount: Amount, least: int | None = None, most: int | None = None) -> str:
    """Return an amount in house style."""
    text = number_text(amount, least, most)
    return f"{text} {amount.code.name}" if amount.code else text


def minor_text(amount: Amount) -> str:
    """Return the number of minor units."""
    return number_text(make(amount.number.scaleb(amount.digits), None), 0)


def ledger(amount: Amount, keys: list[str]) -> str:
    """Return the chosen keys as one line of JSON."""
    rounded = to_places(amount.number, 9)
    whole = rounded.to_integral_value(ROUND_DOWN)
    values = {
        "text": show(amount),
        "whole": int(whole),
        "billionths": int((rounded - whole).scaleb(9)),
        "code": amount.code.name if amount.code else None,
        "number": number_text(amount),
        "minor": minor_text(amount) if "minor" in keys else None,
    }
    return json.dumps({key: values[key] for key in keys}, separators=(",", ":"))


def layout(amount: Amount, pattern: str) -> str:
    """Return an amount as a layout asks for it."""
    found = LAYOUT.fullmatch(pattern)
    if not found or (found["zero"] and found["align"]):
        raise Refused("bad-layout")
    align, fill, letter = found["align"], found["fill"] or " ", found["letter"] or "s"
    name, width = amount.code.name if amount.code else "", int(found["width"] or 0)
    if letter in "cs":
        if found["sign"] or found["zero"] or align == "=" or found["group"]:
            raise Refused("bad-layout")
        body = name if letter == "c" else show(amount)
    else:
        body = _number(amount, found, letter, width)
        if name and letter in "mM":
            body = f"{body} {name}" if letter == "m" else f"{name} {body}"
    return _place(body, width, align, fill) if align and align != "=" else body


def _number(amount: Amount, found: re.Match[str], letter: str, width: int) -> str:
    precision = int(found["precision"]) if found["precision"] else None
    precision = 0 if letter == "d" else precision
    text = number_text(amount, precision, precision)
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    if not sign and found["sign"] in ("+", " "):
        sign = found["sign"]
    if found["group"]:
        head, point, tail = digits.partition(".")
        digits = f"{int(head):,}".replace(",", found["group"]) + point + tail
    if found["zero"] or found["align"] == "=":
        return sign + digits.rjust(width - len(sign), "0" if found["zero"] else found["fill"] or " ")
    return sign + digits if found["align"] else (sign + digits).rjust(width)


def _place(text: str, width: int, align: str, fill: str) -> str:
    space = max(0, width - len(text))
    left = {"<": 0, ">": space, "^": space // 2}[align]
    return fill * left + text + fill * (space - left)
