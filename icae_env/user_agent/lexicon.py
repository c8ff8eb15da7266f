"""Words that may stand for one another, and what the shape of a literal says: a small thesaurus of programming talk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from icae_env.user_agent.words import stem

LEXICON = "lexicon.txt"


@cache
def neighbours() -> dict[str, tuple[str, ...]]:
    """Return, for each stem or sign of the lexicon, those that may stand for it, in the order of the file.

    The first word of a line is linked to each other word of it, not these to one another.
    """
    found: dict[str, dict[str, None]] = {}
    for line in files(__package__).joinpath(LEXICON).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("# "):
            continue
        head, *others = dict.fromkeys(stem(word.casefold()) for word in line.split())
        for other in others:
            found.setdefault(head, {})[other] = None
            found.setdefault(other, {})[head] = None
    return {word: tuple(others) for word, others in found.items()}


Postings = dict[str, list[tuple[int, float]]]
"""For each stem the numbers of what it stands in, with weights."""


def with_synonyms(postings: Postings, factor: float) -> Postings:
    """Return postings in which a stem also leads, with ``factor`` of the weight, to where its neighbours stand."""
    near = neighbours()
    merged: dict[str, dict[int, float]] = {term: dict(items) for term, items in postings.items()}
    for term, items in postings.items():
        for other in near.get(term, ()):
            found = merged.setdefault(other, {})
            for number, weight in items:
                found[number] = max(found.get(number, 0.0), weight * factor)
    return {term: list(items.items()) for term, items in merged.items()}


_OPENING = re.compile(r"[\"'`{\[<$]")
_ENCLOSED = re.compile(
    r"""
    (?P<placeholder>\$?\{\{[^{}]*\}\}|\$\{[^{}]*\}|\{%[^%]*%\})
  | (?P<empty>(?<!\w)(?:""|''|``)(?!\w))
  | (?P<spaced>(?<!\w)(?:
        "(?:\ [^"\n]{0,40}|[^"\n]{0,40}\ )" | '(?:\ [^'\n]{0,40}|[^'\n]{0,40}\ )' | `(?:\ [^`\n]{0,40}|[^`\n]{0,40}\ )`
    ))
  | (?P<list>\[[^\[\]\n]*,[^\[\]\n]*\])
  | (?P<map>\{[^{}\n]*:[^{}\n]*\})
  | (?P<braces>\{[^{}\n]*\})
  | (?P<tag></?[a-z][a-z0-9]*/?>)
    """,
    re.VERBOSE,
)
_PLAIN = "?!.,;:()\"'`"
_WORDLIKE = re.compile(
    r"""
    (?P<url>[a-z]{2,9}://.)
  | (?P<email>[\w.+-]+@[\w-]+\.\w)
  | (?P<drive>\b[a-z]:\\)
  | (?P<option>^--?[a-z])
  | (?P<date>\b\d{4}-\d{1,2}-\d)
  | (?P<time>\b\d{1,2}:\d\d\b)
  | (?P<thousands>\b\d{1,3}(?:,\d{3})+\b)
  | (?P<version>\bv?\d+\.\d+\.\d)
  | (?P<hex>\b0x[0-9a-f])
  | (?P<power>\b\d+(?:\.\d+)?e[+-]?\d+\b)
  | (?P<negative>^-\d)
  | (?P<decimal>\b\d+\.\d+\b)
  | (?P<range>\b\d+(?:-|\.\.)\d+\b)
  | (?P<huge>\b\d{7,}\b)
  | (?P<zeros>\b0\d+\b)
  | (?P<unit>\b\d+[a-z]{1,2}\b)
  | (?P<path>[\w.*]/|/[\w.*])
  | (?P<file>\w\.[a-z]{1,5}\b)
  | (?P<foreign>[^\x00-\x7f‘’“”–—…])
    """,
    re.VERBOSE,
)


def shapes(folded: str) -> Iterator[str]:
    """Yield what the literals of a casefolded text look like, as names of the lexicon (``<decimal>``, ``<list>``)."""
    end = 0
    for opening in _OPENING.finditer(folded):
        match = _ENCLOSED.match(folded, opening.start()) if opening.start() >= end else None
        if match:
            end = match.end()
            yield f"<{match.lastgroup}>"
    for word in folded.split():
        # Most words are plain, and telling so is quicker than any pattern.
        if word.isalpha() and word.isascii():
            continue
        bare = word.strip(_PLAIN)
        if not (bare.isalpha() and bare.isascii()):
            match = _WORDLIKE.search(bare)
            if match:
                yield f"<{match.lastgroup}>"
