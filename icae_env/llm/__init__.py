"""Language models behind one small contract: ``ChatModel`` in ``base``, one module per kind of service.

``make_model`` makes them by name; ``meter`` adds what an episode needs: limits, costs and the log.
"""

from icae_env.llm.base import ChatModel, Completion, FinishReason, Message, ToolCall, ToolSpec, Usage
from icae_env.llm.make import forms, make_model

__all__ = [
    "ChatModel",
    "Completion",
    "FinishReason",
    "Message",
    "ToolCall",
    "ToolSpec",
    "Usage",
    "forms",
    "make_model",
]
