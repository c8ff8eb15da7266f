"""Answer questions about amounts of money: JSON in, one text out."""

import json
import sys
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

from amounts import WIDE, Amount, Code, Refused, differ, field_code, make, read, read_right
from printing import layout, ledger, minor_text, show, to_places


def calculate(op: str, left: Amount, right: Amount) -> Amount:
    """Return the result of one of the seven calculations."""
    if op in ("add", "subtract"):
        return add(left, right if op == "add" else Amount(-right.number, right.code))
    if op == "multiply":
        if left.code and right.code:
            raise Refused("two-monies")
        return make(left.number * right.number, left.code or right.code)
    if op == "power":
        if right.code:
            raise Refused("money-exponent")
        return make(left.number**right.number, left.code)
    return divide(op, left, right)


def add(left: Amount, right: Amount) -> Amount:
    """Return the sum of two amounts that do not differ in their codes."""
    if differ(left, right):
        raise Refused("currency-mismatch")
    return make(left.number + right.number, left.code or right.code)


def divide(op: str, left: Amount, right: Amount) -> Amount:
    """Return a quotient, a whole quotient or a remainder; Decimal cuts whole quotients toward zero."""
    if not right.number:
        raise Refused("zero-division")
    if op == "remainder":
        return make(left.number % right.number, left.code)
    number = left.number / right.number if op == "divide" else left.number // right.number
    return make(number, None if right.code else left.code)


def compare(test: str, left: Amount, right: Amount | None) -> bool:
    """Return the outcome of one of the six tests."""
    if test in ("eq", "ne"):
        same = right is not None and left.number == right.number
        if right is not None and differ(left, right):
            same = left.number == right.number == 0
        return same == (test == "eq")
    if right is None:
        raise Refused("bad-operand")
    if differ(left, right):
        raise Refused("currency-mismatch")
    a, b = left.number, right.number
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[test]


def total(items: list[Amount], code: Code | None) -> Amount:
    """Return the sum of all items."""
    result = make(Decimal(0), code)
    for item in items:
        result = add(result, item)
    return result


def order(items: list[Amount], descending: bool) -> str:
    """Return the items in order of size, one a line; equal ones keep their places."""
    if any(differ(first, second) for first in items for second in items):
        raise Refused("currency-mismatch")
    ranked = sorted(items, key=lambda item: -item.number if descending else item.number)
    return "\n".join(show(item) for item in ranked)


def answer_pair(case: dict[str, Any]) -> str:
    """Answer a question with a left and a right side."""
    left, right = read(case["left"]), read_right(case["right"])
    if case["op"] == "compare":
        return "true" if compare(case["test"], left, right) else "false"
    if right is None:
        raise Refused("bad-operand")
    return show(calculate(case["op"], left, right))


def answer_list(case: dict[str, Any]) -> str:
    """Answer a question about a list."""
    items = [read(item) for item in case["items"]]
    if case["op"] == "total":
        return show(total(items, field_code(case.get("currency"))))
    return order(items, case.get("descending", False))


def answer_single(case: dict[str, Any]) -> str:
    """Answer a question about one amount."""
    amount = read(case["money"])
    number, code = amount
    answers = {
        "show": lambda: show(amount, case.get("min"), case.get("max")),
        "layout": lambda: layout(amount, case["layout"]),
        "round": lambda: show(make(to_places(number, case.get("places", 0)), code)),
        "negate": lambda: show(make(-number, code)),
        "absolute": lambda: show(make(abs(number), code)),
        "relabel": lambda: show(make(number, field_code(case["currency"]))),
        "minor": lambda: minor_text(amount),
        "record": lambda: ledger(amount, case.get("keys", ["text", "whole", "billionths", "code"])),
    }
    return answers[case["op"]]()


def answer(case: dict[str, Any]) -> str:
    """Answer any question."""
    try:
        if "left" in case:
            return answer_pair(case)
        return answer_list(case) if "items" in case else answer_single(case)
    except Refused as refusal:
        return f"error: {refusal}"


def main(suite: str) -> None:
    """Write the answers of a suite; a question that goes wrong leaves the others alone."""
    tests = Path("rcb_tests")
    target = tests / "stdout" / suite
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted((tests / suite).glob("*.json")):
        for index, case in enumerate(json.loads(file.read_text(encoding="utf-8"))["cases"]):
            try:
                text = answer(case["input"])
            except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as fault:
                print(f"{file.stem} {index}: {fault!r}", file=sys.stderr)
                continue
            (target / f"{file.stem}@{index:03d}.txt").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    with localcontext(WIDE):
        main(sys.argv[1])
