"""What a run may use of models: checked before it begins, and looked at while it goes."""

from __future__ import annotations

from collections.abc import Callable

from icae_env.errors import ConfigError, ModelLimitError
from icae_env.llm.limits import ModelLimits, ModelUse
from icae_env.llm.make import make_model
from icae_env.llm.meter import NO_LIMITS, Budget, Meter
from icae_env.llm.prices import Prices
from icae_env.rollout.store import RunConfig


def check_models(config: RunConfig, prices: Prices) -> None:
    """Make every model of a run once, so that what is wrong with it is known before anything is played.

    Raises:
        ConfigError: A name or an option is wrong, there is a limit on the cost and no price, or one and no model.
    """
    for name, options in config.model_options.items():
        model = make_model(name, options)
        try:
            Meter(model, limits=config.episode_limits, budget=Budget(config.run_limits), prices=prices)
        finally:
            model.close()
    if not config.model_options and (config.episode_limits, config.run_limits) != (NO_LIMITS, NO_LIMITS):
        raise ConfigError("There are limits on a model, and no agent uses one.", mend="leave them out.")


def used_up(limits: ModelLimits, spent: Callable[[], ModelUse]) -> str | None:
    """Return which limit of a run is used up, in words; None: none of them.

    Args:
        limits: Of the run.
        spent: Returns what all its episodes have used so far.
    """
    if limits == NO_LIMITS:
        return None
    try:
        Budget(limits, spent()).check("the run")
    except ModelLimitError as error:
        return str(error)
    return None
