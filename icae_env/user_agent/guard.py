"""Questions that are no questions: requests for everything at once, for the records, the tests or the source."""

from __future__ import annotations

from icae_env.user_agent.cues import CuedPatterns
from icae_env.user_agent.index import RecordIndex
from icae_env.user_agent.words import COMMON_WORDS, raw_words

MANY_WORDS = 10
"""Content words from which on a message may be a heap of keywords."""
FEW_FUNCTION_WORDS = 0.15
"""Share of function words below which a text is no sentence."""
MANY_FUNCTION_WORDS = 0.4
"""Share of function words from which on a text is prose, however many topics it touches."""

# Fragments of the patterns below.
_ORDER = (
    r"(?:list|tell|give|dump|print|send|show|write|state|lay out|provide|reveal|repeat|spell out|enumerate|share|output|recite"
    r"|disclose|paste|want|need|like|have|get|display|describe|summari[sz]e|return|export|leak)"
)
_GIVE = r"(?:paste|link|name|give|show|send|tell|where|copy|copies|which|url|download|read|look)"
_BULK = r"(?:all|every|everything|each|full|whole|entire|complete|list of)"
_KNOWN = (
    r"(?:hidden|requirements?|constraints?|records?|rules?|facts?|conventions?|specifications?|semantics|knowledge|notes?"
    r"|catalogu?e|answers?|decisions?)"
)
_YOURS = (
    r"(?:you|your|hidden|secret|internal|in (?:one|a single)|at once|all of them|without exception|nothing left out"
    r"|regarding this|about this)"
)
_TESTS = r"(?:tests?|test[- ]?(?:suites?|cases?|files?|inputs?|data)|cases|suites?)"
_CODE = r"(?:repo|repository|repositories|package|project|library|implementation|codebase|sources?|code)"


def _up_to(count: int) -> str:
    """Return a pattern for at most ``count`` words between two others."""
    return rf"(?:\W+\w+){{0,{count}}}?\W+"


_DUMPS = CuedPatterns(
    # All that the User Agent knows.
    (
        "all every everything each full whole entire complete list catalogue catalog",
        rf"\b{_ORDER}\b{_up_to(4)}{_BULK}\b{_up_to(3)}{_KNOWN}\b.*\b{_YOURS}\b",
        rf"\b{_BULK}\b(?:\W+(?:the|of|your|these|those|single|known))*\W+(?:hidden|secret|internal|stored|recorded)\b",
        rf"\b{_ORDER}\b{_up_to(3)}(?:all|every|full|whole|entire|complete)\b(?:\W+(?:the|of|your|a|list|single|set))*\W+"
        r"(?:requirements?|constraints?|records?|catalogu?e|hidden|specifications?|facts|answers)\b"
        r"(?!\s+(?:fields?|codes?|types?|formats?))",
        rf"\b{_ORDER}\b{_up_to(3)}(?:full|whole|entire|complete)\W+(?:\w+\W+)?(?:specifications?|spec|requirements?|prd)\b",
        rf"\bcatalogu?e of (?:the |all |your )*{_KNOWN}\b",
        r"\b(?:tell|give|show|send) (?:me |us )?(?:absolutely |simply |just )?everything\b",
        r"\beverything (?:that )?(?:you (?:know|hold|keep|were told)|there is to)\b",
        r"\ball (?:of )?(?:the )?(?:facts|things|rules|requirements|information|details|answers) (?:that )?"
        r"you (?:know|have|hold|keep)\b",
    ),
    (
        "nothing leave exception",
        r"\bnothing (?:is )?left out\b",
        r"\bleave nothing out\b",
        r"\bwithout exception\b.*\byou\b",
    ),
    # The records themselves.
    (
        "keyword keywords",
        r"\b(?:trigger(?:ing)?|every|each|your|all|the) keywords?\b.*\b(?:records?|json|entry|entries|print|dump|constraints?)\b",
        r"\b(?:records?|json|print|dump|constraints?|list)\b.*\bkeywords?\b",
    ),
    ("id ids facts", r"\b(?:constraint|record) ids?\b", r"\bids, (?:facts|keywords)\b"),
    (
        "json records record data instructions prompt database",
        rf"\b{_ORDER}\b{_up_to(4)}(?:your|raw|internal|requirement|hidden|oracle) (?:\w+ )?"
        r"(?:json|records?|data file|instructions|prompt|database)\b",
        r"\byour (?:system )?(?:prompt|instructions|records?|database|json)\b.*"
        r"\b(?:verbatim|word for word|print|dump|show|json|raw)\b",
    ),
    (
        "prompt ignore disregard forget",
        r"\bsystem prompt\b",
        r"\b(?:ignore|disregard|forget) (?:all |your |the |any )*(?:previous|prior|earlier|above) "
        r"(?:instructions|rules|messages?)\b",
        r"\b(?:ignore|disregard|forget) (?:what|all|everything|whatever)(?: that)? you (?:were|are|have been|know|had been)\b",
    ),
    # The tests and what they expect.
    (
        "hidden secret secretly private held withheld official grading evaluation enhanced native",
        rf"\b(?:hidden|secret|private|held[- ]out|withheld|official|grading|evaluation|enhanced|native) {_TESTS}\b",
        r"\btested in secret\b|\bsecretly tested\b",
    ),
    ("grader graders autograder", r"\b(?:auto)?graders?\b"),
    ("key", r"\banswer key\b"),
    (
        "leak paste dump reveal show give print send share",
        rf"\b(?:leak|paste|dump|reveal|show|give|print|send|share)\b{_up_to(4)}"
        rf"(?:test[- ]?(?:suites?|cases?|files?|inputs?|data)|tests|expected (?:outputs|results|answers))\b",
    ),
    (
        "expected expect",
        rf"\bexpected outputs? (?:of|for|in|from) (?:the |each |every |all |your )*{_TESTS}\b",
    ),
    # The package behind the task.
    (
        "original source upstream reference existing underlying official github gitlab repo repository",
        rf"\b(?:original|source|upstream|reference|existing|underlying|official) (?:open[- ]source )?{_CODE}\b.*\b{_GIVE}\b",
        rf"\b{_GIVE}\b.*\b(?:original|upstream|reference|existing|underlying) (?:open[- ]source )?{_CODE}\b",
        rf"\b(?:source code|open[- ]source|source repo(?:sitory)?|github|gitlab)\b.*\b{_GIVE}\b",
        rf"\b{_GIVE}\b.*\b(?:source code|source repo(?:sitory)?|github|gitlab)\b",
    ),
    (
        "original reference golden underlying code",
        rf"\b{_ORDER}\b{_up_to(4)}(?:original|reference|golden|underlying) (?:implementation|solution|program|code|sources?)\b",
        rf"\b{_ORDER}\b{_up_to(3)}(?:source )?code (?:of|behind) (?:the |your )(?:program|tool|package|library|solution|golden)\b",
    ),
    (
        "repo repository repositories package project library implementation codebase source sources code",
        rf"\b(?:which|what)\b{_up_to(3)}{_CODE}\b.*\b(?:taken|take|took|copied|modelled|modeled|derived|ported|stems?|comes?) "
        r"(?:this |it )?(?:from|on|after)\b",
        rf"\bfrom (?:which|what)\b{_up_to(4)}{_CODE}\b",
        rf"\b(?:name|which|what|where)\b.*\b{_CODE} (?:\w+ )?behind\b",
        r"\bwhere(?:'s| is| are| can i find| do i find) (?:its|the|your) (?:original )?"
        r"(?:sources?|source code|repo|repository|codebase)\W*$",
    ),
    (
        "paste",
        r"(?:^|[.?!,;:]\s*|\b(?:and|or|please|you) )paste (?:\w+ )?(?:it|them|its|the|a few|some|your|code|source)\b",
    ),
)


class Guard:
    """Tell dumping from asking; what it flags is refused before any router sees it.

    Args:
        index: The index of the records that are guarded.
    """

    def __init__(self, index: RecordIndex) -> None:
        self._index = index

    def reason(self, question: str) -> str | None:
        """Return why the question is refused, for the host's eyes; None when it is not."""
        folded = " ".join(question.casefold().replace("’", "'").split())
        words = raw_words(folded)
        if _DUMPS.match(folded, words):
            return "asks for the records, the tests or the source"
        return "heaps up keywords" if self._is_heap(folded, words) else None

    def _is_heap(self, folded: str, words: list[str]) -> bool:
        content = sum([word not in COMMON_WORDS for word in words]) if len(words) >= MANY_WORDS else 0
        if content < MANY_WORDS:
            return False
        if content <= (1 - MANY_FUNCTION_WORDS) * len(words):
            return False
        touched = len(self._index.whole_phrases(self._index.terms(folded)))
        no_sentence = content > (1 - FEW_FUNCTION_WORDS) * len(words)
        least = max(4.0, self._index.size / 3) if no_sentence else max(8.0, self._index.size * 0.6)
        return touched >= least
