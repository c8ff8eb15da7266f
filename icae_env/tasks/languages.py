"""The languages a submission can be asked for, and the image that holds each one's toolchain."""

from __future__ import annotations

from icae_env.errors import UnknownNameError

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
