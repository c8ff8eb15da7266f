"""Making tasks: scaffold a folder, record a golden's outputs, check the whole, import other corpora."""

from icae_env.construction.gate import Fault, GateReport, check_gate

__all__ = ["Fault", "GateReport", "check_gate"]
