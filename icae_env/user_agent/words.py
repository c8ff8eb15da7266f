"""Words of a question or record: folded, split at identifiers' joints, without function words, reduced to stems.

Everything here is a pure function of the casefolded text, so that casing never changes an answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

COMMON_WORDS = frozenset(
    """
    a about actually add after again all already also although always am an and another any anyone anything apart are around
    as ask at away back be because been before being below best better between both but by call can cannot cant certain come
    could couldnt did didnt different do does doesnt doing done dont down during each either else enough etc even ever every
    everything exactly fact far few find first follow for found from further get give given go going good got had happen
    happens has have havent having he hello help hence her here hi his how however i id if ill im in instead into is isnt it
    its itself ive just keep know known last least leave let lets like made main make many may maybe me mean means might
    mine more most much must my near need needed needs neither never next no nor not nothing now of off ok okay on once one
    ones only onto or other others otherwise ought our out over own per perhaps plan please point possible precisely
    question quite rather really right same say says see seem seen shall she should shouldnt simply since so some somebody
    someone something sort still such sure take tell than thank thanks that thats the their them then there theres these
    they thing things think this those though three through thus to together too two under until unless up upon us use used
    using very via want wanted was wasnt way we well were what whatever when whenever where whereas wherever whether which
    while who whole whom whose why will wish with within without wont would wouldnt yes yet you your yours
    """.split()  # noqa: SIM905
)
"""Words of any question; one that has no other is about nothing."""

STOP_WORDS = frozenset(
    """
    a about am an and are as at be been being but by can cannot cant could couldnt did didnt do does doesnt doing
    dont for from get gets give given got had has have havent having he her his how however i id if ill im in into
    is isnt it its itself ive just let lets may me might must my need needed needs of ok okay on or our please
    question say says shall she should shouldnt so some such than thank thanks that thats the their them then there
    theres these they this those though thus to upon us very via want wanted was wasnt we well were what whatever
    when whenever where whereas wherever whether which while who whole whom whose why will wish with wont would
    wouldnt you your yours
    """.split()  # noqa: SIM905
)
"""Words that are never looked at. All others are weighed by rarity: ``first`` or ``same`` may be what a question is about."""

JOINTS = frozenset(
    """
    get set is has to from by of max min use do make parse build check find on in as for with no
    """.split()  # noqa: SIM905
)
"""Short words that programmers join to others in identifiers."""

LONGEST_WORD = 64
"""Letters of the longest word that is looked into."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SYMBOL = re.compile(r"([*{}\[\]\\|^~$#@&%+<>=/!:;.-])\1*")


def raw_words(text: str) -> list[str]:
    """Return the casefolded words of a text, possessive and elision marks dropped."""
    words = _WORD.findall(text.casefold())
    return [_unmarked(word) for word in words] if "'" in text or "’" in text else words


def _unmarked(word: str) -> str:
    if word.isalnum():
        return word
    word = word.replace("’", "'")
    return word[:-2] if word.endswith("'s") else word.replace("'", "")


def split_camel(text: str) -> str:
    """Return a text with spaces at the joints of its camel-case words; only for stored texts, whose casing is fixed."""
    return _CAMEL.sub(" ", text)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a word's stem: plural, tense and the commonest derivational endings removed."""
    if not 4 <= len(word) <= LONGEST_WORD or not word.isalpha():
        return word
    word = _plural(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "ls":
                word = word[:-1]
            break
    for ending in (
        "ations",
        "ation",
        "ional",
        "ively",
        "ness",
        "ment",
        "able",
        "ible",
        "ally",
        "ity",
        "ive",
        "ion",
        "ial",
        "ly",
        "al",
        "er",
        "or",
        "ic",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    if word.endswith("at") and len(word) >= 6:
        word = word[:-2]
    if word.endswith("e") and len(word) > 4:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def symbols(text: str) -> Iterator[str]:
    """Yield the runs of equal signs in a text (``**``, ``{``), without the punctuation of sentences."""
    for match in _SYMBOL.finditer(text):
        sign, end = match.group(), match.end()
        if sign in {".", "!", ":", ";", "-", "/"} and (
            end == len(text)
            or text[end].isspace()
            or (match.start() > 0 and text[match.start() - 1].isalnum())
        ):
            continue
        yield sign


def segment(word: str, vocabulary: Collection[str]) -> list[str]:
    """Split a word that is made up of known words only (``minwidth``); return it whole when it is not.

    Camel case cannot be read after casefolding, so joints are found by the vocabulary instead.
    """
    if len(word) > LONGEST_WORD:  # no identifier, and the search takes the square of the length
        return [word]
    # Most words fail here, which spares them the search.
    if not any(word[:end] in vocabulary for end in range(2, len(word) - 1)) or not any(
        word[start:] in vocabulary for start in range(2, len(word) - 1)
    ):
        return [word]
    reach: list[list[str] | None] = [[]] + [None] * len(word)
    for end in range(2, len(word) + 1):
        for start in range(0, end - 1):
            before = reach[start]
            if before is not None and word[start:end] in vocabulary:
                found = reach[end]
                if found is None or len(before) + 1 < len(found):
                    reach[end] = [*before, word[start:end]]
    return reach[len(word)] or [word]
