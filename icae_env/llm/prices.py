"""What models cost: a table that ships with the package, and the user's own on top of it.

Tables are TOML: ``date``, and under ``models`` a name (or a pattern such as ``"openai/my-*"``) with US dollars per million
tokens: ``input`` and ``output``, and optionally ``cached`` (read from the service's cache) and ``cache_write``. Read in this
order, where a later table wins name by name: the package's, ``$XDG_CONFIG_HOME/icae_env/prices.toml``, the file in
``ICAE_PRICES``, the file that was given. A model that is in no table has no price: its cost is None, never 0.
"""

from __future__ import annotations

import datetime
import os
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from icae_env.errors import ConfigError
from icae_env.llm.base import Usage

PRICES_VARIABLE = "ICAE_PRICES"
"""Environment variable with a file of prices."""
_SHIPPED = "prices.toml"
_MILLION = 1_000_000


class Price(BaseModel):
    """Of one model, in US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    """Input read from the cache; None: as ``input``."""
    cache_write: float | None = Field(default=None, ge=0)
    """Input written to the cache; None: as ``input``."""

    def cost(self, usage: Usage) -> float | None:
        """Return US dollars; None where input or output tokens are not told.

        Where the service does not say how much came from its cache, all input costs the full price: the result is then the
        most that it can be, unless writing to the cache costs more.
        """
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached, written = usage.cached_tokens or 0, usage.cache_write_tokens or 0
        plain = max(usage.input_tokens - cached - written, 0)
        parts = (
            (plain, self.input),
            (cached, self.input if self.cached is None else self.cached),
            (written, self.input if self.cache_write is None else self.cache_write),
            (usage.output_tokens, self.output),
        )
        return sum(tokens * price for tokens, price in parts) / _MILLION


class Prices(BaseModel):
    """A table of prices."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    date: datetime.date | None = None
    """Day on which the prices were looked up."""
    models: Mapping[str, Price] = Field(default_factory=dict)
    """By the names that users write, or patterns of them."""

    def of(self, model: str) -> Price | None:
        """Return a model's price; None: unknown. A whole name comes before a pattern, and a longer pattern before a shorter."""
        if model in self.models:
            return self.models[model]
        found = [pattern for pattern in self.models if fnmatchcase(model, pattern)]
        return self.models[max(found, key=len)] if found else None

    def cost(self, model: str, usage: Usage | None) -> float | None:
        """Return what a call cost in US dollars; None where the price or the tokens are unknown."""
        price = self.of(model)
        return price.cost(usage) if price is not None and usage is not None else None


def user_file() -> Path:
    """Return where the user's own table lies, if there is one."""
    home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(home).expanduser() / "icae_env" / "prices.toml"


def load_prices(file: Path | str | None = None) -> Prices:
    """Return all tables in one.

    Args:
        file: A further table, which comes before all others.

    Raises:
        ConfigError: A table is not valid, or one that was named is not there.
    """
    shipped = files("icae_env.llm") / _SHIPPED
    tables = [_parse(shipped.read_text("utf-8"), _SHIPPED)]
    if user_file().is_file():
        tables.append(_read(user_file()))
    tables += [_read(Path(named).expanduser()) for named in (os.environ.get(PRICES_VARIABLE), file) if named]
    models: dict[str, Price] = {}
    for table in tables:
        models |= table.models
    return Prices(date=tables[-1].date or tables[0].date, models=models)


def _read(file: Path) -> Prices:
    try:
        return _parse(file.read_text("utf-8"), file)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prices cannot be read: {error}.", file=file) from error


def _parse(text: str, file: Path | str) -> Prices:
    try:
        return Prices.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"It is not TOML: {error}.", file=file) from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(
            f"{first['msg']}.",
            file=file,
            field=".".join(map(str, first["loc"])),
            mend='write [models."openai/NAME"] with input and output in US dollars per million tokens.',
        ) from error
