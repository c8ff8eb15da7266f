"""Make a task from a real package with a language model: resumable stages, each checked before the next begins.

The model writes texts, inputs and the golden's adapter; what a case expects is printed by the golden, never written by the model.
"""

from icae_env.construction.pipeline.build import build_task
from icae_env.construction.pipeline.options import BuildOptions
from icae_env.construction.pipeline.report import BuildReport, StageReport

__all__ = ["BuildOptions", "BuildReport", "StageReport", "build_task"]
