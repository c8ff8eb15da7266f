"""The docker backend: containers through the Docker Engine API.

The init of each container serves a spool (``spool.py``), so that commands, terminals and files cost what they cost on the host
and the daemon is asked only to create, start and remove.
"""

from __future__ import annotations

from icae_env.sandbox.docker.backend import DockerBackend

__all__ = ["DockerBackend"]
