"""The Python for which markers are evaluated."""

from __future__ import annotations

import re
from typing import NamedTuple

from icae_env.errors import ConfigError


class PythonTarget(NamedTuple):
    """A CPython on Linux.

    Args:
        version: Two or three numbers: ``3.11`` or ``3.11.2``.
        machine: As ``platform.machine()`` tells it.
    """

    version: str = "3.11"
    machine: str = "x86_64"

    def environment(self, extra: str = "") -> dict[str, str]:
        """Return the variables of markers (PEP 508).

        Raises:
            ConfigError: The version is none.
        """
        if not re.fullmatch(r"\d+\.\d+(\.\d+)?", self.version):
            raise ConfigError(
                f"'{self.version}' is no Python version.", field="python", mend="Write it as 3.11 or 3.11.2."
            )
        short = ".".join(self.version.split(".")[:2])
        full = self.version if self.version.count(".") == 2 else f"{self.version}.0"
        return {
            "python_version": short,
            "python_full_version": full,
            "implementation_name": "cpython",
            "implementation_version": full,
            "platform_python_implementation": "CPython",
            "os_name": "posix",
            "sys_platform": "linux",
            "platform_system": "Linux",
            "platform_machine": self.machine,
            "platform_release": "",
            "platform_version": "",
            "extra": extra,
        }
