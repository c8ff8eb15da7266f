"""Answer the cases of one suite with the pinned package.

The adapter translates the task's neutral JSON to calls and the package's exceptions to ``error: WORD``
lines; every amount, rule and text it prints is the package's own.
"""

from __future__ import annotations

import json
import operator
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor"))

from stockholm import ConversionError, CurrencyMismatchError, Money, MoneyException, get_currency

CODES = frozenset(
    {"USD", "EUR", "GBP", "SEK", "NOK", "CHF", "INR", "HUF", "BHD", "JPY"}
    | {"KRW", "CLP", "VND", "ISK", "XAF", "KWD", "JOD", "OMR", "TND", "CLF"}
)
"""Codes of the task that carry their own number of digits; every other code is a plain label."""

ARITHMETIC = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "divide_whole": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
}
TESTS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
ODDITIES = (MoneyException, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What an input outside the contract may raise."""
FIELDS = {"amount": "amount", "minor": "from_sub_units", "whole": "units", "billionths": "nanos"}
KEYS = {
    "text": "value",
    "whole": "units",
    "billionths": "nanos",
    "code": "currency_code",
    "number": "amount",
    "minor": "sub_units",
}
MESSAGES = (
    ("Invalid values for 'units'", "bad-parts"),
    ("Values in input arguments", "parts-disagree"),
    ("Missing input values", "missing-amount"),
    ("Mismatching currency", "currency-conflict"),
    ("Invalid 'currency'", "bad-currency"),
    ("Input value cannot be used", "not-an-amount"),
    ("Monetary amounts cannot be infinite", "not-finite"),
    ("Input amount is not a number", "not-finite"),
    ("Input amount is too high", "too-high"),
    ("Input amount is too low", "too-low"),
    ("Unable to multiply two", "two-monies"),
    ("Unable to use a monetary amount as an exponent", "money-exponent"),
    ("Unable to perform operations on", "bad-operand"),
    ("Invalid values for min_decimals", "bad-bounds"),
)


def currency(code: Any) -> Any:
    """Return the package's currency for a listed code in any letter case, else the value itself."""
    listed = code.strip().upper() if isinstance(code, str) else code
    return get_currency(listed) if isinstance(listed, str) and listed in CODES else code


def arguments(value: dict[str, Any]) -> dict[str, Any]:
    """Translate an amount object to the package's keyword arguments."""
    named = {FIELDS[key]: item for key, item in value.items() if key in FIELDS}
    if named.get("from_sub_units") is False:
        del named["from_sub_units"]
    return named | ({"currency": currency(value["currency"])} if "currency" in value else {})


def read(value: Any) -> Money:
    """Read an amount: text, a number, or an object."""
    return Money(**arguments(value)) if isinstance(value, dict) else Money(value)


def right_side(value: Any) -> Any:
    """Read a right operand; what cannot be read is left to the operator, which has its own rules for it."""
    try:
        return read(value)
    except ConversionError:
        return arguments(value) if isinstance(value, dict) else value


def record(money: Money, keys: list[str]) -> str:
    """Print the chosen keys as compact JSON."""
    values = money.asdict(keys=tuple(KEYS[key] for key in keys))
    return json.dumps({key: values[KEYS[key]] for key in keys}, separators=(",", ":"))


def answer(case: dict[str, Any]) -> str:
    """Answer one case that the package accepts.

    Raises:
        MoneyException, ValueError, ArithmeticError: It refuses the case.
    """
    op = case["op"]
    if op in ARITHMETIC:
        return str(ARITHMETIC[op](read(case["left"]), right_side(case["right"])))
    if op == "compare":
        return json.dumps(TESTS[case["test"]](read(case["left"]), right_side(case["right"])))
    if op == "total":
        start = {"currency": currency(case["currency"])} if "currency" in case else {}
        return str(Money.sum([read(item) for item in case["items"]], **start))
    if op == "order":
        items = [read(item) for item in case["items"]]
        return "\n".join(str(item) for item in Money.sort(items, reverse=case.get("descending", False)))
    return answer_one(op, read(case["money"]), case)


def answer_one(op: str, money: Money, case: dict[str, Any]) -> str:
    """Answer a case about a single amount."""
    if op == "show":
        return money.as_string(min_decimals=case.get("min"), max_decimals=case.get("max"))
    if op == "layout":
        return format(money, case["layout"])
    if op == "round":
        return str(round(money, case.get("places", 0)))
    if op == "negate":
        return str(-money)
    if op == "absolute":
        return str(abs(money))
    if op == "relabel":
        return str(money.to_currency(currency(case["currency"])))
    if op == "minor":
        return money.to_sub_units().amount_as_string(min_decimals=0)
    if op == "record":
        return record(money, case.get("keys", ["text", "whole", "billionths", "code"]))
    raise KeyError(op)


def refusal(error: Exception, case: dict[str, Any]) -> str:
    """Return the task's word for one of the package's exceptions."""
    if isinstance(error, CurrencyMismatchError):
        return "currency-mismatch"
    for beginning, word in MESSAGES:
        if str(error).startswith(beginning):
            return word
    if isinstance(error, ArithmeticError) and case["op"] in ("divide", "divide_whole", "remainder"):
        return "zero-division"
    if isinstance(error, ValueError) and case["op"] == "layout":
        return "bad-layout"
    raise error


def line(case: dict[str, Any]) -> str:
    """Answer one case, refused or not."""
    try:
        return answer(case)
    except (MoneyException, ValueError, ArithmeticError) as error:
        return f"error: {refusal(error, case)}"


def main(suite: str) -> None:
    """Write the answer of every case of a suite; a case that fails leaves the others alone."""
    tests = Path("rcb_tests")
    target = tests / "stdout" / suite
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted((tests / suite).glob("*.json")):
        for index, case in enumerate(json.loads(file.read_text(encoding="utf-8"))["cases"]):
            try:
                text = line(case["input"])
            except ODDITIES as error:
                print(f"{file.stem}@{index:03d}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            (target / f"{file.stem}@{index:03d}.txt").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
