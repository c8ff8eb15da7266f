"""Parts import downwards only, and names of the package are what they are said to be."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import icae_env
from icae_env import errors

PACKAGE = Path(icae_env.__file__).parent
RANKS = {
    "errors": 0,
    "paths": 1,
    "registry": 1,
    "tasks": 2,
    "sandbox": 2,
    "llm": 2,
    "oracle": 3,
    "dependencies": 3,
    "user_agent": 3,
    "env": 4,
    "evaluation": 4,
    "selection": 5,
    "wired": 6,
    "factory": 7,
    "rollout": 8,
    "construction": 9,
    "reports": 9,
    "integrations": 9,
    "cli": 10,
}
"""A part imports from itself and from parts of a smaller rank only."""
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and full name of every import in a module, at any depth."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}:{node.lineno} is a relative import"
            module = node.module or ""
            yield node.lineno, module
            if module == "icae_env":
                yield from ((node.lineno, f"icae_env.{alias.name}") for alias in node.names)


def part(name: str) -> str | None:
    """Return the part of the package that a full module name lies in; None for the package itself."""
    pieces = name.split(".")
    return pieces[1] if len(pieces) > 1 and pieces[1] in RANKS else None


def test_every_part_has_a_rank() -> None:
    found = {file.relative_to(PACKAGE).parts[0].removesuffix(".py") for file in MODULES} - {
        "__init__",
        "__main__",
        "_data",
    }
    assert found <= set(RANKS)


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_point_downwards(file: Path) -> None:
    own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for line, name in imports(file):
        assert name.partition(".")[0] != "baselines", f"{file}:{line}: icae_env never imports baselines"
        other = part(name) if name.partition(".")[0] == "icae_env" else None
        if other is None or own in ("__init__", "__main__", other):
            continue
        assert RANKS[other] < RANKS[own], f"{file}:{line}: '{own}' may not import '{other}'"


def test_the_check_sees_an_upward_import(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        "def f():\n    from icae_env.cli import main\n    import icae_env.env.env\n    from icae_env import cli\n"
    )
    assert {part(name) for _, name in imports(file)} == {"cli", "env", None}


def test_every_error_is_exported_and_drawn_in_the_tree() -> None:
    classes = [
        item for item in vars(errors).values() if isinstance(item, type) and issubclass(item, Exception)
    ]
    assert len(classes) > 10
    for item in classes:
        assert issubclass(item, errors.ICAEError)
        assert getattr(icae_env, item.__name__) is item
        assert item.__name__ in icae_env.__all__
        assert item.__name__ in (errors.__doc__ or "")


def test_every_exported_name_is_there() -> None:
    for name in icae_env.__all__:
        assert getattr(icae_env, name) is not None
    assert set(icae_env.__all__) <= set(dir(icae_env))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = icae_env.no_such_name


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = ["docker", "libtmux", "pexpect", "openai", "anthropic", "rich", "typer", "pydantic"]
    code = f"import sys, icae_env; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_asking_for_help_loads_nothing_heavy() -> None:
    heavy = ["docker", "libtmux", "pexpect", "openai", "anthropic"]
    code = (
        "import sys\nfrom icae_env.cli.main import main\nsys.argv = ['icae', '--help']\n"
        f"try:\n    main()\nexcept SystemExit:\n    print('heavy:', [name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("heavy: []")
