"""What a question is after, told from its wording alone: the interface, or a nod to a proposed default."""

from __future__ import annotations

import re
from collections.abc import Sequence

from icae_env.user_agent.cues import CuedPatterns
from icae_env.user_agent.words import COMMON_WORDS, symbols

_DEFAULT = re.compile(
    r"\b(?:(?:i['’]d|i would|we['’]d|we would)(?! (?:like|love|need|want|prefer to know|appreciate))|i['’]ll|i will|we['’]ll"
    r"|i(?: am|['’]m) (?:going to|assuming|thinking of)|i (?:intend|plan|assume|suggest|propose)|let me|defaulting to"
    r"|(?:my|our) (?:\w+ )?(?:plan|default|assumption|intention|proposal|suggestion|guess|idea|reading)|by default i"
    r"|unless you (?:say|tell|object|prefer|want)|is (?:that|this) (?:ok|okay|fine|right|acceptable))\b",
    re.IGNORECASE,
)

_CLOSED = frozenset(
    """
    is are am was were do does did has have had can could may might must shall should will would
    """.split()  # noqa: SIM905
)

_FURTHER = re.compile(r", (?:and|or) ", re.IGNORECASE)

# Fragments of the patterns below.
_NAMED = (
    r"(?:command|program|programme|executable|binary|script|tool|function|method|class|module|endpoint"
    r"|fields?|keys?|options?|flags?|switch(?:es)?|arguments?|parameters?|params?|attributes?|propert(?:y|ies))"
)
_CALLS = r"(?:operations?|ops?|commands?|calls?|requests?|methods?|functions?|actions?)"
_WHOLE = r"(?:input|output|request|response|result|reply|answer|document|object|json|payload|return value|record|message)"
_BY = r"(?:program|tool|it|names?|position|flags?|arguments?|booleans?|json|files?|fields?)"

_CALLS_CUES = """
    operation operations op ops command commands call calls request requests method methods function functions action actions
"""
_WHOLE_CUES = (
    "input output request response result reply answer document object json payload return record message"
)


_INTERFACE = CuedPatterns(
    ("api cli stdin stdout entry entrypoint entrypoints", r"\b(?:api|entry ?points?|cli|stdin|stdout)\b"),
    ("standard usage", r"\b(?:standard (?:input|output)|usage line)\b"),
    (
        "command",
        r"\bcommand[- ]line (?:\w+ )?(?:interface|syntax|usage|tool|program|look|format|flag|option|argument|switch)(?:es|s)?\b",
        r"\b(?:exact|full|whole|complete|entire|precise) command[- ]line\b",
    ),
    (
        "signature signatures",
        r"\b(?:the|call|function|method|exact|golden) signatures?(?= of\b|\W*$)",
    ),
    (
        "interface",
        r"\b(?:public|programming|external|exact) interface\b|\binterface (?:of|for|to)\b",
        r"\b(?:full|whole|complete|entire|exact|precise) (?:\w+ )?interface\b|\binterface\b(?=\W*(?:$|:|with\b|look))",
    ),
    ("expose exposed", r"\bexposed? (?:as|by|under)\b"),
    (
        "name names",
        rf"\bnames? of (?:the |each |your |its |these )?(?:\w+ ){{0,2}}{_NAMED}\b",
        rf"\b{_NAMED}(?:['’]s)? names?\b(?! (?:are|is) (?:case|allowed|valid|matched|compared))",
    ),
    (
        "called named invoked",
        rf"\b{_NAMED}\b(?: \w+){{0,3}} (?:called|named|invoked)\b",
        rf"\b(?:called|named|invoked)\b(?: \w+){{0,2}} {_NAMED}\b",
    ),
    (
        "field fields key keys option options argument arguments parameter parameters flag flags",
        rf"\b(?:what|which) (?:\w+ ){{0,3}}(?:fields?|keys?|options?|arguments?|parameters?|flags?)\b(?: \w+){{0,4}}"
        rf" (?:{_WHOLE}|takes?|accepts?|have|has|set|called|exist|each)\b",
    ),
    (
        "structure structured shape shaped layout schema consist consists contain contains look",
        rf"\b(?:structured?|shaped?|layout|schema|consists?|contains?|look like)\b.*\b{_WHOLE}\b",
        rf"\b{_WHOLE}(?: object| document)?\b(?: \w+){{0,3}} (?:structured?|shaped?|schema|consist|contain|look)\b",
    ),
    (
        _WHOLE_CUES,
        rf"(?<!as an )(?<!other )\b{_WHOLE} (?:object|document|fields?|keys?|format|schema|structure)\b",
    ),
    (
        "pass passed handed given supplied provided submitted",
        rf"\b(?:pass|passed|handed|given|supplied|provided|submitted) (?:in|to|as|by|over|via|through)?\b.*\b{_BY}\b",
    ),
    (
        "take takes accept accepts expect expects",
        rf"\b{_NAMED}\b(?: \w+){{0,3}} (?:each|every|it|they|them)(?: \w+){{0,3}} (?:takes?|accepts?|expects?)\b",
    ),
    (
        "goes comes gets",
        r"\bwhat (?:\w+ )?(?:goes|comes|gets) (?:in|out)\b.*\bwhat (?:\w+ )?(?:goes|comes|gets)\b",
    ),
    (
        _CALLS_CUES,
        rf"\b{_NAMED} (?:of|for) (?:each|every|all|the)(?: \w+)? {_CALLS}\b|\b{_CALLS} (?:and|with|together with) (?:their|its)\b",
    ),
    (
        "json",
        r"\bjson (?:do |does |shall |will )?(?:i|we|it|one) (?:get|send|receive|pass|read|print|take)\b",
    ),
    ("back", r"\bwhat (?:do|should|shall|must) (?:i|we) (?:print|return|output|send|write) back\b"),
    (
        "where",
        r"\bwhere (?:do|should|shall|must|can) (?:i|we) (?:read|get|find|take)\b.*\bwhere\b.*\b(?:write|put|print|leave)\b",
    ),
    ("key name field", r"\b(?:under|by) (?:which|what) (?:key|name|field)\b"),
    (
        "called call run invoke invoked start started",
        r"\bhow (?:is|do i|do we|should i|does one|will you|are) (?:it|the (?:program|tool|command|function)) ?(?:be )?"
        r"(?:called|call|run|invoked?|started?)\b",
    ),
)


def proposes_default(question: str) -> bool:
    """Return whether the asker says what they would do unless told otherwise."""
    return _DEFAULT.search(question) is not None


def asks_for_interface(question: str, words: Sequence[str]) -> bool:
    """Return whether the asker wants names and shapes: of commands, arguments, fields, input and output."""
    return _INTERFACE.match(question.casefold(), words)


def is_about_nothing(question: str, words: Sequence[str]) -> bool:
    """Return whether a message has neither a sign nor a word that is not in every second question."""
    return COMMON_WORDS.issuperset(words) and next(symbols(question), None) is None


def is_closed(question: str) -> bool:
    """Return whether a message is like a yes-or-no question: it begins as one, and asks no second thing after a comma."""
    words = question.split(None, 1)
    return bool(words) and words[0].casefold().strip(",:") in _CLOSED and not _FURTHER.search(question)
