"""Making tasks: scaffold a folder, record a golden's outputs, check the whole, import other corpora."""

from icae_env.construction.gate import Fault, GateReport, check_gate
from icae_env.construction.record import Difference, Recording, record_task
from icae_env.construction.scaffold import new_task

__all__ = ["Difference", "Fault", "GateReport", "Recording", "check_gate", "new_task", "record_task"]
