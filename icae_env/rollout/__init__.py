"""Play episodes: what an agent is, one episode of one agent, and the golden submission of a task."""

from icae_env.rollout.agent import Agent, Brief, make_agent
from icae_env.rollout.episode import EpisodeResult, Watcher, play
from icae_env.rollout.golden import golden_submission

__all__ = ["Agent", "Brief", "EpisodeResult", "Watcher", "golden_submission", "make_agent", "play"]
