"""Languages, their images, and tasks asked for in another language."""

from __future__ import annotations

import pytest

from icae_env.errors import UnknownNameError
from icae_env.sandbox.images import definition
from icae_env.tasks import load_public
from icae_env.tasks.languages import LANGUAGE_IMAGES, check_language, image_for, in_language, language_image


@pytest.mark.parametrize(
    ("given", "name"),
    [("Rust", "rust"), ("C++", "cpp"), ("c#", "csharp"), ("TS", "typescript"), ("golang", "go")],
)
def test_a_language_has_one_name(given: str, name: str) -> None:
    assert check_language(given) == name
    assert language_image(given) == LANGUAGE_IMAGES[name]


def test_every_image_is_defined() -> None:
    assert set(LANGUAGE_IMAGES.values()) <= set(definition.names())


def test_an_unknown_language_names_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"no language 'dart'.*Valid names: cpp, csharp, go"):
        check_language("dart")


def test_a_task_in_another_language_has_its_image() -> None:
    task = load_public("bracex", "L2")
    other = in_language(task, "C#")
    assert (other.spec.language, other.spec.image) == ("csharp", "mono")
    assert (other.prd, other.level, other.spec.limits) == (task.prd, "L2", task.spec.limits)
    assert in_language(task, None) is task
    assert in_language(task, "Python") is task
    assert image_for(task.spec, None) == image_for(task.spec, "python") == "python"
    assert image_for(task.spec, "js") == "node"
