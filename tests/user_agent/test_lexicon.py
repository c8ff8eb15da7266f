from __future__ import annotations

import time

import pytest

from icae_env.user_agent import KeywordRouter, RecordSet
from icae_env.user_agent.lexicon import neighbours, shapes
from icae_env.user_agent.records import Examples, Record
from icae_env.user_agent.words import stem


def records(*responses: str, examples: tuple[str, ...] = ()) -> RecordSet:
    items = [
        Record(constraint_id=f"R{number}", oracle_response=text) for number, text in enumerate(responses)
    ]
    items[0] = items[0].model_copy(update={"examples": Examples(colloquial=examples)})
    return RecordSet(records=tuple(items))


RESPONSES = (
    "A delimiter at the end is truncated.",
    "Blue tulips sell best in April.",
    "Windows are washed by the caretaker.",
    "Lamps stay lit all night long.",
)


def found(record_set: RecordSet, question: str) -> list[str]:
    return [match.id for match in KeywordRouter(record_set).route(question).matches]


def test_a_word_may_stand_for_another() -> None:
    assert found(records(*RESPONSES), "Is the trailing separator cut or kept?") == []  # a yes-or-no question
    assert found(records(*RESPONSES), "What of the trailing separator, is it cut?") == ["R0"]
    assert found(records(*RESPONSES), "What of the trailing turnip, is it peeled?") == []


def test_links_go_both_ways_and_no_stem_is_its_own_neighbour() -> None:
    near = neighbours()
    assert len(near) > 500
    for word, others in near.items():
        assert word not in others
        assert all(word in near[other] for other in others)
    assert stem("truncate") in near[stem("cut")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("is [1, 2] the same as 1.5?", ["list", "decimal"]),
        ("has ' amount ' blanks, or is it \"\"?", ["spaced", "empty"]),
        (r"c:\tmp and notes.txt and a/b", ["drive", "file", "path"]),
        ("{a,b}, {a: 1}, {{name}} and ${name}", ["braces", "map", "placeholder", "placeholder"]),
        (
            "-5, 007, 12345678, 1e9, 0xff, 1-3 and 5km",
            ["negative", "zeros", "huge", "power", "hex", "range", "unit"],
        ),
        (
            "on 2024-02-29 at 10:30, version 1.2.3, 1,000 --force",
            ["date", "time", "version", "thousands", "option"],
        ),
        ("<b>日本</b> at a.b@c.de or http://x", ["tag", "tag", "foreign", "email", "url"]),
        ("i'd say it's plain, don't you? (well-known)", []),
    ],
)
def test_literals_tell_their_shape(text: str, names: list[str]) -> None:
    assert sorted(shapes(text)) == sorted(f"<{name}>" for name in names)


def test_every_shape_is_a_word_of_the_lexicon() -> None:
    shown = "{{x}} http://x a@b.c c:\\ \"\" ' x' [1, 2] {a: 1} {a} <b> --x 2024-01-01 1:00 1,000 1.2.3 0xf 1e3 -1 1.5 1-2"
    named = set(shapes(shown + " 1234567 01 5m a/b a.txt é"))
    assert len(named) == 26
    assert named <= set(neighbours())


def test_examples_lead_to_their_record_in_other_words_and_order() -> None:
    examples = (
        "mum typed noon twice, who leaves the attic?",
        "granny and grandpa both want the attic at noon",
        "what if two aunts want the same attic",
    )
    question = "attic at noon, grandpa or aunt?"
    assert found(records(*RESPONSES), question) == []
    assert found(records(*RESPONSES, examples=examples), question) == ["R0"]
    assert found(records(*RESPONSES, examples=examples), "which wine goes with fish?") == []


def test_hostile_literals_cost_no_time() -> None:
    for text in ("[" * 2000, "{" * 2000, "' " * 1000, "a." * 1000, "1," * 1000, "{%" * 1000, "<a" * 1000):
        start = time.perf_counter()
        list(shapes(text))
        assert time.perf_counter() - start < 1.0, text[:4]
