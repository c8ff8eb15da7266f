"""Checks of conversations over several calls; the server refuses what the real services refuse."""

from __future__ import annotations

from icae_env.llm.base import ChatModel, Completion, Message
from icae_env.llm.conformance.common import ASK, TOOLS, Connect, playing
from icae_env.llm.conformance.turns import Call, Turn, call, say


def _continued(model: ChatModel, conversation: list[Message], result: str = "done") -> Completion:
    """Ask, put the answer and a result of each of its calls to the conversation, and return it."""
    completion = model.complete(conversation, TOOLS)
    conversation.append(completion.message)
    conversation += [
        Message(role="tool", tool_call_id=wish.id, text=result) for wish in completion.message.tool_calls
    ]
    return completion


class ConversationChecks:
    """Several calls."""

    def test_results_of_tools(self, connect: Connect) -> None:
        """Also of several calls at once, and empty ones."""
        both = Turn(
            calls=(
                Call(name="bash", arguments={"command": "a"}),
                Call(name="bash", arguments={"command": "b"}),
            )
        )
        with playing(connect, call("bash", {"command": "ls"}), both, say("Done.")) as (server, model):
            conversation = list(ASK)
            _continued(model, conversation, "first result")
            assert server.requests[-1].position == 0
            _continued(model, conversation, "")
            assert "first result" in server.requests[-1].last and server.requests[-1].position == 1
            assert _continued(model, conversation).message.text == "Done."
            assert server.requests[-1].position == 2

    def test_a_person_speaks_after_results(self, connect: Connect) -> None:
        """A user's message may follow results of tools, and another user's message."""
        with playing(connect, call("bash", {"command": "ls"}), say("Yes.")) as (server, model):
            conversation = list(ASK)
            _continued(model, conversation)
            conversation += [Message(role="user", text="Well?"), Message(role="user", text="Go on.")]
            assert _continued(model, conversation).message.text == "Yes."
            assert "Well?" in server.requests[-1].last or "Go on." in server.requests[-1].last

    def test_bad_calls_can_be_repaired(self, connect: Connect) -> None:
        """A conversation with calls that no service would accept as they stand goes on all the same."""
        turns = (call("bash", '{"command": '), call("rm everything!", "[1]"), call("x" * 99), say("Sorry."))
        with playing(connect, *turns) as (_, model):
            conversation = list(ASK)
            for _ in turns[:-1]:
                _continued(model, conversation, "This was no valid call.")
            assert _continued(model, conversation).message.text == "Sorry."

    def test_empty_messages(self, connect: Connect) -> None:
        """An answer without words, and one of white space, can stand in a conversation."""
        with playing(connect, say(""), say(" \n"), say("Here.")) as (_, model):
            conversation = list(ASK)
            for _ in range(2):
                _continued(model, conversation)
                conversation.append(Message(role="user", text="Say something."))
            assert _continued(model, conversation).message.text == "Here."

    def test_reasoning_is_shown_and_the_conversation_goes_on(self, connect: Connect) -> None:
        """Whether or not the service wants it back, what goes back is not changed."""
        turns = (
            call("bash", {"command": "ls"}, reasoning="First look."),
            say("Hm.", reasoning="Then think."),
            say("cut", reasoning="And", finish="length"),
            say("Done."),
        )
        with playing(connect, *turns) as (_, model):
            conversation = list(ASK)
            for turn in turns:
                assert _continued(model, conversation).message.reasoning in (turn.reasoning, "")
                if conversation[-1].role == "assistant":
                    conversation.append(Message(role="user", text="Go on."))

    def test_messages_of_another_service(self, connect: Connect) -> None:
        """They are sent by their text and calls alone."""
        with playing(connect, say("Fine.")) as (_, model):
            foreign = Message(
                role="assistant",
                text="I looked.",
                reasoning="Hm.",
                blocks=({"service": "elsewhere"}, {"type": "odd"}),
            )
            conversation = [*ASK, foreign, Message(role="user", text="And?")]
            assert model.complete(conversation).message.text == "Fine."

    def test_messages_survive_their_json(self, connect: Connect) -> None:
        """A conversation that was written to a file and read again goes on."""
        with playing(connect, call("bash", {"command": "ls"}, reasoning="Look."), say("Done.")) as (_, model):
            conversation = list(ASK)
            _continued(model, conversation)
            again = [Message.model_validate_json(message.model_dump_json()) for message in conversation]
            assert again == conversation and model.complete(again, TOOLS).message.text == "Done."
