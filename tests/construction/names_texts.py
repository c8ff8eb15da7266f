"""Requirements, levels and constraints of a task made of inflection 0.5.1, as a model would write them."""

from __future__ import annotations

GROUND = """# Forms of names

A catalogue keeps names of things; shelves, addresses, screens and programs each want them in a form of their own.

## Input and output

A case is a JSON object. Its field `op` says which form is wanted, and `text` holds the name, or `number` a whole number. The answer is one
line.

## Ranks

`rank` prints `number` followed by `st`, `nd` or `rd` where its last digit is `1`, `2` or `3`, and by `th` otherwise. Numbers whose last two
digits are `11`, `12` or `13` take `th`. The sign of a negative number is printed and plays no part in the choice: `-21` gives `-21st`.

```case
{"input": {"op": "rank", "number": 22}}
```

## Slugs

`slug` prints a form for addresses. Letters lose their accents, and what has no plain form is left out: `Malmö` gives `malmo`, `Ærø` gives `r`.
Every run of characters that are neither plain letters, digits, `-` nor `_` becomes one joiner: a `-`, or the one character that the field
`joiner` holds. The `-` and `_` of the text stay as they are, whatever the joiner. After that a run of joiners becomes a single one, and one
joiner at each end is taken away. Where `joiner` is empty, nothing is put in and nothing is taken away at the ends. Letters become small.

```case
{"input": {"op": "slug", "text": "Random text with *(bad)* characters"}}
```

## Labels

`label` prints a text for people. A final `_id` is dropped, and each `_` becomes a blank. The first character becomes a capital. All other
letters become small, also those that were capitals.

```case
{"input": {"op": "label", "text": "street_address"}}
```

## Snakes

`snake` puts a `_` between a small letter or a digit and a capital that follows. A run of capitals is one word; its last capital begins the next
word where a small letter follows: `HTMLTidy` gives `html_tidy`. Digits stay with the word before them: `Area51Controller` gives
`area51_controller`. Each `-` becomes `_`, and all letters become small.

```case
{"input": {"op": "snake", "text": "ApplicationController"}}
```

## Compacts

`compact` joins words: the character after a `_` becomes a capital and the `_` goes. The first letter becomes a capital too, or small where the
field `small` is true. All other letters stay as they are typed: `special_gUEST` gives `SpecialGUEST`.

```case
{"input": {"op": "compact", "text": "device_type"}}
```

## Headings

`heading` takes the snake form of the text, makes a label of that and gives every word a capital. So compound words are cut apart:
`ActiveRecord` gives `Active Record`. Hyphens become blanks: `x-men` gives `X Men`. A letter after an apostrophe stays small: `david's code` gives
`David's Code`.

```case
{"input": {"op": "heading", "text": "raiders_of_the_lost_ark"}}
```
"""
SIGNATURE = """Each case is one JSON object, each answer one line.
rank: {"op": "rank", "number": integer}
slug: {"op": "slug", "text": string, "joiner": string (optional)}
label, snake, heading: {"op": name, "text": string}
compact: {"op": "compact", "text": string, "small": boolean (optional)}"""
EDIT = {
    "old": "All other\nletters become small, also those that were capitals.",
    "new": "All other\nletters become small, also those that were capitals; those beyond ASCII stay as they are.",
    "reason": "odd-labels-04 keeps letters beyond ASCII",
}
CONSTRAINTS: dict[str, tuple[str, str, str]] = {
    "teens": ("L3", "Numbers whose last two digits are `11`, `12` or `13` take `th`.",
              "eleven|eleventh|twelve|thirteenth|teens|last two digits"),
    "negative_ranks": ("L2", "The sign of a negative number is printed and plays no part in the choice: `-21` gives `-21st`.",
                       "negative|negative number|minus|below zero|sign of a number"),
    "plain_letters": ("L3", "Letters lose their accents, and what has no plain form is left out: `Malmö` gives `malmo`, `Ærø` gives `r`.",
                      "accents|accented letters|umlaut|foreign letters|non-ascii|diacritics"),
    "kept_marks": ("L2", "The `-` and `_` of the text stay as they are, whatever the joiner.",
                   "hyphens in the text|low lines in the text|keep dashes|existing dashes|typed hyphen in a slug|typed marks stay"),
    "joiner_edges": ("L2", "After that a run of joiners becomes a single one, and one joiner at each end is taken away.",
                     "leading joiner|trailing joiner|ends of a slug|several joiners in a row|doubled joiners"),
    "empty_joiner": ("L1", "Where `joiner` is empty, nothing is put in and nothing is taken away at the ends.",
                     "empty joiner|joiner is empty|blank joiner|no joiner at all|zero-length joiner"),
    "final_id": ("L3", "A final `_id` is dropped, and each `_` becomes a blank.",
                 "id at its end|final id|key suffix|keep an id|with the id|id in a label"),
    "small_rest": ("L1", "All other letters become small, also those that were capitals; those beyond ASCII stay as they are.",
                   "capitals in a label|rest of the label|upper case in a label|shouting label|acronyms in a label"),
    "apostrophes": ("L2", "A letter after an apostrophe stays small: `david's code` gives `David's Code`.",
                    "apostrophe|apostrophes|possessive|quote mark in a word|genitive"),
    "hyphen_headings": ("L2", "Hyphens become blanks: `x-men` gives `X Men`.",
                        "hyphen in a heading|hyphenated heading|dash in a title|hyphenated words|hyphens in headings"),
    "cut_compounds": ("L1", "So compound words are cut apart: `ActiveRecord` gives `Active Record`.",
                      "compound words in a heading|camel case heading|glued words|words run together|split heading words"),
    "capital_runs": ("L2", "A run of capitals is one word; its last capital begins the next word where a small letter follows: "
                     "`HTMLTidy` gives `html_tidy`.",
                     "run of capitals|acronym in a snake|abbreviation|consecutive capitals|several capitals"),
    "digit_words": ("L1", "Digits stay with the word before them: `Area51Controller` gives `area51_controller`.",
                    "digits|numbers inside a name|digit in a snake|numerals|figures in names"),
    "compact_rest": ("L1", "All other letters stay as they are typed: `special_gUEST` gives `SpecialGUEST`.",
                     "other letters of a compact|capitals in a compact|inner capitals|casing within a compact word|compact letter case"),
}  # fmt: skip
"""Id -> the last level that hides it, the response, the triggers."""
REFERENCE = ("the way our cards do", "The first character becomes a capital.")
FALLBACK = "I have no wishes there."
_OPS = """A case is a JSON object. Its field `op` says which form is wanted, and `text` holds the name, or `number` a whole number. The answer is one
line.
"""
L1 = f"""# Forms of names

Our catalogue keeps names of all sorts of things. Shelves, addresses, screens and programs each want a form of their own. Write the program
that makes these forms for our clerks.

{_OPS}
- `rank` prints `number` followed by `st`, `nd` or `rd` where its last digit is `1`, `2` or `3`, and by `th` otherwise; there are exceptions.
- `slug` prints a form for addresses in small letters. Every run of characters that are neither plain letters, digits, `-` nor `_` becomes one
  joiner: a `-`, or the one character that `joiner` holds. Untidy names come out tidy.
- `label` prints a text for people. It begins {REFERENCE[0]}; keys are of no interest to people.
- `snake` puts a `_` between a small letter or digit and a capital that follows, makes each `-` a `_`, and letters small. It knows more
  about words.
- `compact` joins words: the character after a `_` becomes a capital and the `_` goes. The first letter becomes a capital too, or small where
  the field `small` is true.
- `heading` takes the snake form of the text, makes a label of that and gives every word a capital, as a typesetter would.

```case
{{"input": {{"op": "compact", "text": "device_type"}}}}
```
"""


def fuller(level: str) -> str:
    """The PRD of a fuller level: L1 and, as a list, what it does not hide."""
    shown = [response for down, response, _ in CONSTRAINTS.values() if down < level]
    return L1 + "\n## Further rules\n\n" + "".join(f"- {text}\n" for text in shown)


INSTALL = """#!/bin/sh
set -eu
cd "$(dirname "$0")"
python3 -m pip install --quiet --no-deps --target vendor inflection==0.5.1
"""
TEST = """#!/bin/sh
set -eu
cd "$(dirname "$0")/.."
exec python3 adapter.py "$@"
"""
ADAPTER = """import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "vendor"))
import inflection


def answer(case):
    op, text = case["op"], case.get("text")
    if op == "rank":
        return inflection.ordinalize(case["number"])
    if op == "slug":
        return inflection.parameterize(text, case.get("joiner", "-"))
    if op == "compact":
        return inflection.camelize(text, not case.get("small", False))
    return {"label": inflection.humanize, "snake": inflection.underscore, "heading": inflection.titleize}[op](text)


suite = sys.argv[sys.argv.index("--cases-dir") + 1]
out = Path("rcb_tests/stdout") / suite
out.mkdir(parents=True, exist_ok=True)
for file in sorted((Path("rcb_tests") / suite).glob("*.json")):
    for index, case in enumerate(json.loads(file.read_text(encoding="utf-8"))["cases"]):
        try:
            text = answer(case["input"]) + "\\n"
        except (LookupError, TypeError) as error:
            print(repr(error), file=sys.stderr)
            continue
        (out / ("%s@%03d.txt" % (file.stem, index))).write_text(text, encoding="utf-8", newline="")
"""
