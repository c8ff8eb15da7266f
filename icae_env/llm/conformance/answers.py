"""Checks of what a model makes of one answer."""

from __future__ import annotations

import json

from icae_env.llm.base import Usage
from icae_env.llm.conformance.common import ASK, Connect, answer, playing
from icae_env.llm.conformance.turns import Call, Turn, call, say


class AnswerChecks:
    """One call."""

    def test_text(self, connect: Connect) -> None:
        """A plain text arrives as it is."""
        for text in ("Nothing.", " a\n\tb ", 'é \U0001f600 "quoted" \\n'):
            completion = answer(connect, say(text))
            assert completion.message.role == "assistant" and completion.message.text == text
            assert (completion.finish, completion.message.tool_calls) == ("stop", ())
            assert completion.model

    def test_tool_calls(self, connect: Connect) -> None:
        """Each has a name, its arguments as JSON text, and an id of its own; text beside them stays."""
        calls = (Call(name="bash", arguments={"command": "echo 'é'"}), Call(name="submit"))
        completion = answer(connect, Turn(text="Let me see.", calls=calls))
        first, second = completion.message.tool_calls
        assert (first.name, json.loads(first.arguments)) == ("bash", {"command": "echo 'é'"})
        assert (second.name, json.loads(second.arguments or "{}")) == ("submit", {})
        assert first.id and second.id and first.id != second.id
        assert (completion.message.text, completion.finish) == ("Let me see.", "tool_calls")

    def test_malformed_arguments_are_given_on(self, connect: Connect) -> None:
        """They are the agent's to judge, and no error."""
        text = '{"command": "ls'
        (wish,) = answer(connect, call("bash", text)).message.tool_calls
        assert (wish.name, wish.arguments) == ("bash", text)

    def test_unknown_tools_are_given_on(self, connect: Connect) -> None:
        """So are calls of tools that were not offered."""
        (wish,) = answer(connect, call("rm.everything", {"sure": True})).message.tool_calls
        assert wish.name == "rm.everything"

    def test_an_answer_without_words(self, connect: Connect) -> None:
        """It is a completion with an empty text."""
        completion = answer(connect, say(""))
        assert (completion.message.text, completion.message.tool_calls) == ("", ())

    def test_cut_off_by_length(self, connect: Connect) -> None:
        """The text so far is there, and the reason."""
        completion = answer(connect, say("As far as", finish="length"))
        assert (completion.message.text, completion.finish) == ("As far as", "length")

    def test_refusal(self, connect: Connect) -> None:
        """It is told from a normal answer, and its words are kept."""
        completion = answer(connect, Turn(refusal="I will not."))
        assert (completion.message.text, completion.finish) == ("I will not.", "filter")

    def test_usage(self, connect: Connect) -> None:
        """Input counts the whole prompt, its cached part too."""
        completion = answer(
            connect, say("x", usage=Usage(input_tokens=1000, output_tokens=30, cached_tokens=600))
        )
        usage = completion.usage
        assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (1000, 30, 600)

    def test_missing_usage_is_unknown(self, connect: Connect) -> None:
        """None, never 0."""
        completion = answer(connect, say("x", usage=None))
        assert (completion.usage.input_tokens, completion.usage.output_tokens) == (None, None)

    def test_what_is_sent(self, connect: Connect) -> None:
        """The system's text and the user's arrive, and no tools where none were offered."""
        with playing(connect, say("x")) as (server, model):
            model.complete(ASK)
            (request,) = server.requests
            assert request.refused is None and request.last == ASK[-1].text
            assert ASK[0].text in json.dumps(request.body) and "tools" not in request.body
