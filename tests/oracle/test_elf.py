"""What of a compiled program decides how it is served."""

from __future__ import annotations

import subprocess
from pathlib import Path

from reference_programs import reference

from icae_env.oracle.elf import is_compiled, needs_loader, without_loading


def test_kinds_of_programs() -> None:
    assert is_compiled(reference()) and not is_compiled(b"#!/bin/sh\n")
    assert needs_loader(reference(static=False)) and not needs_loader(reference())


def test_without_loading_only_names_of_variables_differ(tmp_path: Path) -> None:
    before = reference()
    after = without_loading(before)
    assert len(after) == len(before) and after != before
    assert (
        b"\0GCONV_PATH\0" in before and b"\0GCONV_PATH\0" not in after and b"\0LD_LIBRARY_PATH\0" not in after
    )
    assert without_loading(before) != after  # nobody can know the new names
    program = tmp_path / "program"
    program.write_bytes(after)
    program.chmod(0o755)
    assert (
        subprocess.run([program, "args"], capture_output=True, check=False).stdout
        == f"[{program}]\n[args]\n".encode()
    )
