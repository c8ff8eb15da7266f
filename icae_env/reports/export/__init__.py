"""Trajectories in other programs' formats."""

from icae_env.reports.export.atif import ATIF_VERSION, Trajectory
from icae_env.reports.export.atif_episode import atif
from icae_env.reports.export.openai_messages import Conversation, conversations

__all__ = ["ATIF_VERSION", "Conversation", "Trajectory", "atif", "conversations"]
