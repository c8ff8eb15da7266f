import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from icae_env.env.actions import (
    ACTION_TYPES,
    AskUser,
    Bash,
    Edit,
    InvalidAction,
    Submit,
    Terminal,
    parse_action,
)
from icae_env.env.tools import action_from_call, parameters, tools

VALID = [
    ({"type": "bash", "command": "ls"}, Bash(command="ls")),
    ({"type": "edit", "op": "view", "path": "a"}, Edit(op="view", path="a")),
    (
        {"type": "edit", "op": "view", "path": "a", "view_range": [1, -1]},
        Edit(op="view", path="a", view_range=(1, -1)),
    ),
    ({"type": "edit", "op": "create", "path": "a", "text": ""}, Edit(op="create", path="a", text="")),
    (
        {"type": "edit", "op": "replace", "path": "a", "old": "x", "new": ""},
        Edit(op="replace", path="a", old="x", new=""),
    ),
    (
        {"type": "edit", "op": "insert", "path": "a", "line": 0, "text": "é"},
        Edit(op="insert", path="a", line=0, text="é"),
    ),
    ({"type": "ask_user", "question": ""}, AskUser(question="")),
    ({"type": "terminal", "keys": "q", "enter": False}, Terminal(keys="q", enter=False)),
    ({"type": "terminal", "keys": "q", "wait": 0.5}, Terminal(keys="q", wait=0.5)),
    ({"type": "submit"}, Submit()),
]


@pytest.mark.parametrize(("fields", "model"), VALID, ids=lambda value: str(value)[:40])
def test_mapping_model_and_json_text_mean_the_same_action(fields, model):
    assert parse_action(fields) == model
    assert parse_action(model) is model
    assert parse_action(json.dumps(fields)) == model
    assert parse_action(json.dumps(fields).encode()) == model


@pytest.mark.parametrize(
    ("given_action", "named"),
    [
        (None, "null"),
        (3, "a number"),
        (True, "a boolean"),
        ([], "a list"),
        ("", "not JSON"),
        ("ls -la", "not JSON"),
        ("[1]", "a list"),
        ("[" * 100_000, "not JSON"),
        ('{"type": "bash", "command": "a"', "not JSON"),
        (b"\xff", "not JSON"),
        ({}, "Field 'type' is missing"),
        ({"type": "bsh"}, "there is no action 'bsh'"),
        ({"type": None}, "there is no action 'None'"),
        ({"type": ["bash"]}, "type"),
        ({"type": "x" * 10_000}, "there is no action 'xxx"),
        ({"type": "bash"}, "Field 'command' is missing"),
        ({"type": "bash", "command": 3}, "Field 'command'"),
        ({"type": "bash", "command": "\ud800"}, "Field 'command'"),
        ('{"type": "bash", "command": "\\ud800"}', "not JSON"),
        ({"type": "bash", "command": "ls", "cwd": "/"}, "Field 'cwd' is no field of 'bash'"),
        ({"type": "submit", "text": "x"}, "Field 'text' is no field of 'submit'"),
        ({"type": "edit", "path": "a"}, "Field 'op' is missing"),
        ({"type": "edit", "op": "delete", "path": "a"}, "Field 'op'"),
        ({"type": "edit", "op": "create", "path": "a"}, "Field 'text' is missing (op 'create')"),
        ({"type": "edit", "op": "replace", "path": "a", "old": "b"}, "Field 'new' is missing"),
        ({"type": "edit", "op": "insert", "path": "a", "text": "b"}, "Field 'line' is missing"),
        ({"type": "edit", "op": "view", "path": "a", "old": "b"}, "Field 'old' does not belong to op 'view'"),
        ({"type": "edit", "op": "view", "path": ""}, "Field 'path'"),
        ({"type": "edit", "op": "insert", "path": "a", "line": -1, "text": ""}, "Field 'line'"),
        ({"type": "terminal", "keys": "a", "wait": math.inf}, "Field 'wait'"),
        ({"type": "terminal", "keys": "a", "wait": math.nan}, "Field 'wait'"),
        ({1: 2, "type": "bash", "command": ""}, "Field '1'"),
    ],
    ids=lambda value: repr(value)[:50],
)
def test_an_invalid_action_names_the_field_and_gives_an_example(given_action, named):
    result = parse_action(given_action)
    assert isinstance(result, InvalidAction)
    assert named in result.message
    assert "Example: {" in result.message
    assert len(result.message) < 1000
    result.message.encode("utf-8")


def test_empty_text_in_a_foreign_field_is_taken_as_left_out():
    action = parse_action({"type": "edit", "op": "view", "path": "a", "old": "", "new": "", "text": ""})
    assert isinstance(action, Edit)
    assert action.op == "view"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(values | st.builds(lambda kind, rest: {**rest, "type": kind}, st.sampled_from([*ACTION_TYPES]),
       st.dictionaries(st.sampled_from(["command", "op", "path", "text", "line", "keys", "x"]), values)))  # fmt: skip
def test_nothing_raises(value):
    result = parse_action(value)
    assert result.type in (*ACTION_TYPES, "invalid")
    if isinstance(result, InvalidAction):
        result.message.encode("utf-8")


@pytest.mark.parametrize("style", ["openai-chat", "openai-responses", "anthropic", "mcp"])
def test_tools_carry_every_field_of_the_models(style):
    key = {"anthropic": "input_schema", "mcp": "inputSchema"}.get(style, "parameters")
    made = tools(style)
    inner = [tool["function"] for tool in made] if style == "openai-chat" else made
    assert [tool["name"] for tool in inner] == [*ACTION_TYPES]
    for tool in inner:
        assert tool["description"]
        schema = tool[key]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert set(schema["properties"]) == set(ACTION_TYPES[tool["name"]].model_fields) - {"type"}
        assert all("description" in field for field in schema["properties"].values())
    json.dumps(made)


def test_tool_schemas_have_no_unions_and_no_references():
    text = json.dumps([parameters(name) for name in ACTION_TYPES])
    for word in ("anyOf", "oneOf", "$ref", "prefixItems"):
        assert word not in text


def test_a_tool_call_becomes_an_action():
    assert action_from_call("bash", '{"command": "ls"}') == Bash(command="ls")
    assert action_from_call("submit", "") == Submit()
    assert action_from_call("ask_user", {"question": "q"}) == AskUser(question="q")
    for name, arguments in (("bash", "{"), ("bash", "[]"), ("nothing", {}), ("bash", {"type": "submit"})):
        assert isinstance(action_from_call(name, arguments), InvalidAction)
