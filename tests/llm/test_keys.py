"""A key is in nothing that is written: no log, error, repr, raw response or trajectory."""

from __future__ import annotations

import io
import logging
import traceback
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from icae_env.env.trajectory import ModelLine, encode
from icae_env.errors import ConfigError, ModelError
from icae_env.llm import Message, make_model
from icae_env.llm.conformance.turns import Turn, call, fail, say
from icae_env.llm.conformance.wire import WireServer
from icae_env.llm.keys import scrub, scrub_error

KEY = "sk-planted-7f3a9c51e2d84b60"
ASK = [Message(role="user", text="Hello?")]


def told_turns() -> list[Turn]:
    """Return answers of a careless service, which repeats the key wherever it can."""
    return [
        say(f"Your key is {KEY}.", reasoning=f"{KEY}!"),
        call("bash", {"command": f"echo {KEY}", KEY: 1}),
        fail(500, message=f"Bearer {KEY} failed"),
        fail(400, KEY, message=f"Not with {KEY}"),
        fail(403, body=f"<html>{KEY}</html>"),
        fail(404, message="sk-planted-****************4b60 is not known"),
        Turn(body=f"no JSON but {KEY}"),
        Turn(body=f'{{"error": "{KEY}"}}'),
    ]


@pytest.mark.parametrize("interface", ["chat", "responses", "messages"])
def test_nothing_that_is_written_has_the_key(interface: str, connector: Any, tmp_path: Path) -> None:
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    file = tmp_path / "trajectory.jsonl"
    written: list[str] = []
    try:
        with WireServer(told_turns(), key=KEY) as server, file.open("wb") as stream:
            model = connector(server, interface, attempts=1)
            written.append(repr(model) + str(model) + model.name)
            for _ in range(len(told_turns())):
                try:
                    completion = model.complete(ASK)
                    line = ModelLine(index=0, kept=0, added=tuple(ASK), completion=completion, cost=None)
                    stream.write(encode(line))
                    written.append(completion.model_dump_json() + repr(completion))
                except ModelError as error:
                    logging.getLogger("someone").exception("It failed.")
                    written += traceback.format_exception(error)
                    chained: BaseException | None = error
                    while chained is not None:
                        written.append(repr(chained) + repr(vars(chained)))
                        chained = chained.__cause__ or chained.__context__
            server.key = "another-key-0123456789"
            with pytest.raises(ModelError, match="Mend: check the key in WIRE_KEY") as refused:
                model.complete(ASK)
            written += traceback.format_exception(refused.value)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    assert len(written) > 8 and log.getvalue() and file.stat().st_size
    for text in (*written, log.getvalue(), file.read_text()):
        assert KEY not in text and "4b60" not in text


def test_a_key_with_a_newline_is_told_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY + "\n")
    with pytest.raises(ConfigError, match="white space") as error:
        make_model("openai/m")
    assert KEY not in "".join(traceback.format_exception(error.value))


def test_tracebacks_with_variables_do_not_show_it(connector: Any) -> None:
    with WireServer([fail(400)], key=KEY) as server:
        model = connector(server, "messages")
        with pytest.raises(ModelError) as error:
            model.complete(ASK)
    told = traceback.TracebackException.from_exception(error.value, capture_locals=True)
    text = "".join(told.format())
    assert "attempts = " in text and KEY not in text.replace(repr(server.key), "")
    assert KEY not in repr({**vars(model), **vars(model._clients)})


def test_the_other_variable_of_anthropics_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    with WireServer([say("x")], key=KEY) as server:
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", KEY)
        model = make_model("anthropic/m", {"base_url": server.url})
        assert model.complete(ASK).message.text == "x"
        model.close()


@pytest.mark.parametrize("name", ["openai/m", "anthropic/m"])
def test_a_missing_key_is_told_at_once(name: str) -> None:
    variable = f"{name.partition('/')[0].upper()}_API_KEY"
    with pytest.raises(ConfigError, match=f"{variable} is not set"):
        make_model(name)
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        make_model(name, {"api_key_env": "MY_KEY"})


def test_placeholders_are_words_and_stay() -> None:
    assert scrub({"a none": ["none", 1, None]}, SecretStr("none")) == {"a none": ["none", 1, None]}
    assert scrub({f"a {KEY}": [KEY]}, SecretStr(KEY)) == {"a [key]": ["[key]"]}
    assert scrub("secret1 it is", SecretStr("secret1")) == "[key] it is"
    assert scrub_error("key sk-a***********z9 is wrong", SecretStr("EMPTY")) == "key [key] is wrong"
