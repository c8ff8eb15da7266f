"""The languages a submission can be asked for, and the image that holds each one's toolchain."""

from __future__ import annotations

from icae_env.errors import UnknownNameError
from icae_env.tasks.models import PublicTask, TaskSpec

LANGUAGE_IMAGES = {
    "python": "python",
    "javascript": "node",
    "typescript": "typescript",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "cpp": "cpp",
    "php": "php",
    "ruby": "ruby",
    "csharp": "mono",
    "kotlin": "kotlin",
}
"""Language -> name of an image definition. Dart is left out: Debian bookworm has no toolchain for it."""
_OTHER_NAMES = {
    "golang": "go",
    "js": "javascript",
    "ts": "typescript",
    "c++": "cpp",
    "c#": "csharp",
    "cs": "csharp",
}


def check_language(name: str) -> str:
    """Return the one name of a language, whatever its casing; ``c++``, ``c#``, ``golang``, ``js`` and ``ts`` are known too.

    Raises:
        UnknownNameError: There is no image for it; the valid names are listed.
    """
    plain = name.strip().casefold()
    plain = _OTHER_NAMES.get(plain, plain)
    if plain not in LANGUAGE_IMAGES:
        raise UnknownNameError("language", name, LANGUAGE_IMAGES)
    return plain


def language_image(name: str) -> str:
    """Return the name of the image with a language's toolchain.

    Raises:
        UnknownNameError: There is none.
    """
    return LANGUAGE_IMAGES[check_language(name)]


def in_language(task: PublicTask, language: str | None) -> PublicTask:
    """Return a task as it is when a submission in some language is asked for, on that language's image.

    Args:
        task: The task.
        language: The language; None and the task's own leave the task as it is.

    Raises:
        UnknownNameError: There is no such language.
    """
    if language is None or check_language(language) == task.spec.language:
        return task
    changes = {"language": check_language(language), "image": image_for(task.spec, language)}
    return task.model_copy(update={"spec": task.spec.model_copy(update=changes)})


def image_for(spec: TaskSpec, language: str | None) -> str:
    """Return the name of the image that a task's submissions in some language run on; None: the task's own language.

    Raises:
        UnknownNameError: There is no such language.
    """
    if language is None or check_language(language) == spec.language:
        return spec.image
    return language_image(language)
