"""What models cost, and what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from icae_env.errors import ConfigError
from icae_env.llm import Usage
from icae_env.llm.prices import Price, Prices, load_prices, user_file


def test_the_shipped_table() -> None:
    prices = load_prices()
    assert prices.date is not None and len(prices.models) > 10
    for name, price in prices.models.items():
        assert name.startswith(("openai/", "anthropic/")) and 0 < price.input < price.output
        assert price.cached is not None and price.cached < price.input
        assert (price.cache_write is not None) == name.startswith("anthropic/")
    assert prices.cost(
        "openai/gpt-4o", Usage(input_tokens=1_000_000, output_tokens=100_000)
    ) == pytest.approx(3.5)


def test_unknown_is_none_and_never_zero() -> None:
    prices = load_prices()
    assert prices.of("openai/no-such-model") is None
    assert prices.cost("openai/no-such-model", Usage(input_tokens=1, output_tokens=1)) is None
    for usage in (None, Usage(), Usage(input_tokens=5), Usage(output_tokens=5)):
        assert prices.cost("openai/gpt-4o", usage) is None


def test_cached_tokens() -> None:
    price = Price(input=10, output=100, cached=1, cache_write=20)
    assert price.cost(Usage(input_tokens=1000, output_tokens=0)) == pytest.approx(0.01)
    usage = Usage(input_tokens=1000, output_tokens=10, cached_tokens=600, cache_write_tokens=100)
    assert price.cost(usage) == pytest.approx((300 * 10 + 600 * 1 + 100 * 20 + 10 * 100) / 1e6)
    plain = Price(input=10, output=100)
    assert plain.cost(usage) == pytest.approx((1000 * 10 + 10 * 100) / 1e6)
    assert Price(input=0, output=0).cost(usage) == 0


def test_later_tables_win_name_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(user_file()).startswith(str(tmp_path))
    user_file().parent.mkdir(parents=True)
    table = (
        '[models]\n"openai/gpt-4o" = {{ input = {0}, output = {0} }}\n"{1}" = {{ input = 0, output = 0 }}\n'
    )
    user_file().write_text(table.format(1, "openai/user-*"))
    assert load_prices().models["openai/gpt-4o"].input == 1
    (tmp_path / "variable.toml").write_text(table.format(2, "openai/variable"))
    monkeypatch.setenv("ICAE_PRICES", str(tmp_path / "variable.toml"))
    (tmp_path / "given.toml").write_text("date = 2026-01-31\n" + table.format(3, "openai/user-mine"))
    assert load_prices().models["openai/gpt-4o"].input == 2
    prices = load_prices(tmp_path / "given.toml")
    assert prices.models["openai/gpt-4o"].input == 3 and str(prices.date) == "2026-01-31"
    assert {"openai/gpt-5", "openai/user-*", "openai/variable"} <= set(prices.models)
    assert prices.of("openai/user-x") == Price(input=0, output=0)


def test_the_longest_pattern_wins() -> None:
    a, b, c = (Price(input=number, output=number) for number in (1, 2, 3))
    prices = Prices(models={"openai/*": a, "openai/qwen*": b, "openai/qwen3": c})
    assert [prices.of(f"openai/{name}") for name in ("x", "qwen2", "qwen3")] == [a, b, c]
    assert prices.of("anthropic/x") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("date = ", "not TOML"),
        ('[models]\n"a/b" = { input = 1 }', r"models\.a/b\.output"),
        ('[models]\n"a/b" = { input = -1, output = 1 }', r"models\.a/b\.input"),
        ('[models]\n"a/b" = { input = nan, output = 1 }', r"models\.a/b\.input"),
        ('[model]\n"a/b" = 1', "model"),
    ],
)
def test_a_wrong_table_is_told_with_its_field(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=told) as error:
        load_prices(file)
    assert "p.toml" in str(error.value)


def test_a_table_that_was_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load_prices(tmp_path / "none.toml")
