"""A program for the task ``bracex`` that knows no more of the hidden rules than it was told.

The whole program is the one that the agent ``scripted`` writes. Each rule below is one place of it; where the user was not asked,
the place does what one would guess from the document alone.
"""

from __future__ import annotations

from collections.abc import Collection

from baselines.scripted import SCRIPTS, read_script

QUESTIONS = {
    "padding": "When an end of a number range has leading zeros, how wide are the numbers?",
    "ceiling": "What is the default limit for max_words, and what is the error message?",
    "dollar": "How is a dollar sign before a brace treated, as in the placeholders of your mail templates?",
    "single": "What about braces with a single member or with nothing in them?",
    "blank": "Does an empty member between two commas count, and is a blank word printed?",
    "weather": "Which colour should the logo of the company have?",
}
"""Rule -> the question that brings it up. The last one is about nothing that the program does."""

_GUESSES = {
    "padding": ("padded = numbers and any(", "padded = False and any("),
    "ceiling": ("DEFAULT_CEILING = 1000", "DEFAULT_CEILING = 10_000"),
    "dollar": ('if self.source.startswith("${", self.at):', "if False:"),
    "single": ("if closed and len(slots) > 1:", "if closed:"),
    "blank": ("for word, kept in row.words() if word or kept]", "for word, kept in row.words()]"),
}
"""Rule -> (text of the program, what stands there without the rule)."""


def program(told: Collection[str]) -> dict[str, str]:
    """Return the bash action that writes the program.

    Args:
        told: The rules that it may know.
    """
    commands = ["mkdir -p rcb_tests"]
    for action in read_script(SCRIPTS / "bracex"):
        if action["type"] == "edit":
            text = _without(told, action["text"]) if action["path"] == "solution.py" else action["text"]
            commands.append(f"cat > {action['path']} <<'END-OF-FILE'\n{text}END-OF-FILE")
    return {"type": "bash", "command": "\n".join(commands)}


def _without(told: Collection[str], text: str) -> str:
    """Return the program with a guess in place of each rule that it was not told."""
    for rule, (known, guess) in _GUESSES.items():
        if known not in text:
            raise ValueError(f"The program has no place for the rule '{rule}' any more.")
        if rule not in told:
            text = text.replace(known, guess)
    return text
