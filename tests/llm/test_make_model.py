"""Models by their names, and their options."""

from __future__ import annotations

import subprocess
import sys

import pytest

from icae_env import registry
from icae_env.errors import ConfigError, UnknownNameError
from icae_env.llm import forms, make_model
from icae_env.llm.retry import retry_after


class Plain:
    """A third party's model."""

    def __init__(self, size: str = "small") -> None:
        self.name, self.size = "plain", size


def test_a_class_of_ones_own() -> None:
    model = make_model(f"{__name__}:Plain", {"size": "large"})
    assert type(model).__name__ == "Plain" and model.size == "large"  # type: ignore[attr-defined]
    with pytest.raises(ConfigError, match=r"options \['colour'\]"):
        make_model(f"{__name__}:Plain", {"colour": "red"})


@pytest.mark.parametrize("name", ["gpt-5", "opnai/gpt-5", "", ":", "a b:C", ":Class", "./x:Y"])
def test_unknown_names_list_the_forms(name: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        make_model(name)
    for form in ("openai/NAME", "anthropic/NAME", "scripted:FILE", "replay:PATH", "module:Class"):
        assert form in str(error.value) and form in forms()


@pytest.mark.parametrize(
    ("name", "form"),
    [("openai/", "openai/NAME"), ("anthropic", "anthropic/NAME"), ("openai:gpt", "openai/NAME"),
     ("scripted:", "scripted:FILE"), ("scripted/x", "scripted:FILE"), ("replay: ", "replay:PATH")],
)  # fmt: skip
def test_incomplete_names_say_what_to_write(name: str, form: str) -> None:
    with pytest.raises(ConfigError, match=f"incomplete.*write {form}"):
        make_model(name)


def test_a_module_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match="cannot be imported"):
        make_model("no.such.module:Model")


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("openai/m", {"temprature": 1}, "temprature.*no such option.*temperature"),
        ("openai/m", {"temperature": "warm"}, "openai/m: temperature"),
        ("openai/m", {"api": "completions"}, "openai/m: api"),
        ("openai/m", {"extra_body": "{"}, "openai/m: extra_body"),
        ("anthropic/m", {"thinking_budget": 5}, "anthropic/m: thinking_budget"),
        ("anthropic/m", {"seed": 5}, "seed.*no such option"),
    ],
)
def test_wrong_options_are_told_by_name(name: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        make_model(name, options)


def test_names_with_slashes_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    model = make_model(
        "openai/Qwen/Qwen3-8B:free", {"base_url": "http://127.0.0.1:9/v1", "context_window": "32768"}
    )
    assert (model.name, model.context_window) == ("openai/Qwen/Qwen3-8B:free", 32768)
    model.close()


def test_the_registry_names_them() -> None:
    assert {"anthropic", "openai", "replay", "scripted"} <= set(registry.names("model"))


def test_the_sdks_are_imported_on_first_use() -> None:
    code = (
        "import sys, icae_env.llm, icae_env.llm.meter, icae_env.llm.prices, icae_env.llm.openai, icae_env.llm.anthropic\n"
        "from icae_env.llm.conformance import wire\n"
        "print([name for name in ('openai', 'anthropic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_retry_after_in_all_its_forms() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}) == 0
    far = retry_after({"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"})
    assert far is not None and far > 1e8
    for odd in ("soon", "", "nan", "-5"):
        assert retry_after({"retry-after": odd}) is None
    assert retry_after({}) is None
