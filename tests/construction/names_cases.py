"""Inputs for a task made of inflection 0.5.1, as a model would write them: never with an output."""

from __future__ import annotations

from typing import Any

BEHAVIOURS: dict[str, tuple[str, int]] = {
    "rank-endings": ("A number is followed by st, nd or rd after its last digit, by th otherwise.", 231),
    "rank-teens": ("Numbers that end in 11, 12 or 13 take th.", 241),
    "rank-sign": ("The sign is printed and plays no part in the choice.", 215),
    "slug-plain": ("Runs of other characters become one joiner, letters become small.", 129),
    "slug-kept": ("Hyphens and low lines of the text stay.", 159),
    "slug-edges": ("Joiners are squeezed, and one at each end goes.", 162),
    "slug-empty": ("With an empty joiner nothing is put between words.", 143),
    "slug-letters": ("Accents go; letters without a plain form are left out.", 172),
    "label-plain": ("Low lines become blanks, the first letter a capital.", 178),
    "label-id": ("A final _id is dropped.", 179),
    "heading-words": ("Every word gets a capital, compound words are cut apart.", 185),
    "heading-apostrophe": ("A letter after an apostrophe stays small.", 191),
    "snake-plain": ("A low line goes before each inner capital.", 116),
    "snake-digits": ("Digits stay with the word before.", 118),
    "snake-runs": ("A run of capitals is one word.", 122),
    "compact-plain": ("Words are joined with capitals.", 352),
    "compact-small": ("The first letter may be small.", 348),
}
"""Id -> summary, and the line of test_inflection.py that shows it."""


def rank(number: int) -> dict[str, Any]:
    return {"op": "rank", "number": number}


def text(op: str, value: str, **fields: Any) -> dict[str, Any]:
    return {"op": op, "text": value, **fields}


_NATIVE: dict[str, dict[str, list[dict[str, Any]]]] = {
    "ranks": {
        "rank-endings": [rank(n) for n in (1, 2, 3, 4, 10, 1001)],
        "rank-teens": [rank(n) for n in (11, 12, 13, 112)],
        "rank-sign": [rank(n) for n in (-1, -13, -21, -102)],
    },
    "slugs": {
        "slug-plain": [text("slug", value) for value in ("Donald E. Knuth", "Test with + sign")],
        "slug-kept": [
            text("slug", "Allow_Under_Scores"),
            text("slug", "With-some-dashes", joiner="_"),
            text("slug", "Retain_hyphen-here", joiner="+"),
        ],
        "slug-edges": [
            text("slug", "!@#Leading bad characters"),
            text("slug", "Trailing bad characters!@#", joiner="_"),
            text("slug", "Squeeze - separators"),
        ],
        "slug-empty": [text("slug", value, joiner="") for value in ("Donald E. Knuth", "- Squeeze  it -")],
        "slug-letters": [text("slug", value) for value in ("Malmö", "Garçons", "Ærøskøbing", "Aßlar")],
    },
    "labels": {
        "label-plain": [
            text("label", value) for value in ("employee_salary", "underground", "Employee_HTML")
        ],
        "label-id": [text("label", value) for value in ("employee_id", "old_author_id")],
    },
    "headings": {
        "heading-words": [
            text("heading", value) for value in ("ActiveRecord", "action web-service", "x-men rise")
        ],
        "heading-apostrophe": [text("heading", value) for value in ("david's code", "Fred's and Ann's")],
    },
    "snakes": {
        "snake-plain": [text("snake", value) for value in ("Product", "SpecialGuest")],
        "snake-digits": [text("snake", value) for value in ("Area51Controller", "Top10")],
        "snake-runs": [text("snake", value) for value in ("HTMLTidy", "FreeBSD", "HTMLTidyGenerator")],
    },
    "compacts": {
        "compact-plain": [
            text("compact", value) for value in ("Camel_Case", "special_gUEST", "area51_controller")
        ],
        "compact-small": [text("compact", value, small=True) for value in ("Capital", "Camel_cASE")],
    },
}
_PUBLIC = ("ranks-01", "slugs-01", "labels-01", "snakes-02")

_ENHANCED: dict[str, list[dict[str, Any]]] = {
    "far-ranks": [rank(n) for n in (0, 111, 211, 1013, 10012, -111, -12, -3, 1000003, 10111, -213, 999912)],
    "odd-slugs": [
        text("slug", "Crème brûlée"),
        text("slug", "日本 Tee"),
        text("slug", "__init__", joiner="-"),
        text("slug", "--a  b--"),
        text("slug", "a - b", joiner=""),
        text("slug", "...x...", joiner="_"),
    ],
    "odd-labels": [
        text("label", "_id"),
        text("label", "id_card_id"),
        text("label", "ALL_CAPS_ID"),
        text("label", "École_NORMALE"),
        text("label", "two__lines"),
    ],
    "odd-headings": [
        text("heading", "o'neil's XMLFile"),
        text("heading", "book_id"),
        text("heading", "semi-final-RoundTwo"),
        text("heading", "rock'n'roll"),
        text("heading", "well-known-facts"),
        text("heading", "bird's-eye viewPoint"),
        text("heading", "jack's_house rules"),
    ],
    "odd-snakes": [
        text("snake", "parseHTTPResponse"),
        text("snake", "Version2Beta"),
        text("snake", "already_snake-form"),
        text("snake", "ABC"),
        text("snake", "IOErrorX9Y"),
        text("snake", "XMLHttpRequest2"),
        text("snake", "TLSv3Handshake"),
    ],
    "odd-compacts": [
        text("compact", "mIXED_cASES_hERE"),
        text("compact", "ends_with_ID", small=True),
        text("compact", "XRay_Lab", small=True),
        # The package fails here, so that the golden has nothing to say.
        text("compact", "", small=True),
        # A native case already.
        text("compact", "Camel_Case"),
    ],
}
GOOD_ENHANCED = 40
"""Of these so many are left when what cannot be used is dropped."""


def native() -> list[dict[str, Any]]:
    """The native groups, as the stage wants them."""
    groups = []
    for stem, shown in _NATIVE.items():
        cases: list[dict[str, Any]] = []
        for behaviour, inputs in shown.items():
            for value in inputs:
                name = f"{stem}-{len(cases) + 1:02d}"
                case = {"id": name, "input": value, "behaviour": behaviour}
                cases.append({**case, "public": True} if name in _PUBLIC else case)
        groups.append({"stem": stem, "description": f"What {stem} look like.", "cases": cases})
    return groups


def enhanced() -> list[dict[str, Any]]:
    """The enhanced groups."""
    return [
        {
            "stem": stem,
            "description": f"Corners of {stem.partition('-')[2]}.",
            "cases": [
                {"id": f"{stem}-{number:02d}", "input": value} for number, value in enumerate(inputs, 1)
            ],
        }
        for stem, inputs in _ENHANCED.items()
    ]
