from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from icae_env.dependencies.layers import Layers, Unavailable, normalise
from icae_env.errors import UnknownNameError


@pytest.mark.parametrize(
    ("ecosystem", "name", "wanted"),
    [
        ("python", "Ruamel.__yaml", "ruamel-yaml"),
        ("python", " python_dateutil", "python-dateutil"),
        ("java", "jackson-core", "jackson-core"),
        ("java", "Saxon-HE", "Saxon-HE"),
        ("javascript", "@Scope/name", "@Scope/name"),
        ("javascript", "JSONStream", "JSONStream"),
        ("cpp", "OpenSSL", "openssl"),
        ("cpp", "yaml-cpp", "yaml-cpp"),
    ],
)
def test_names_compare_as_their_ecosystem_compares_them(ecosystem, name, wanted) -> None:
    assert normalise(ecosystem, name) == wanted


def test_an_unknown_ecosystem_is_named() -> None:
    with pytest.raises(UnknownNameError, match="ecosystem 'rust'"):
        normalise("rust", "serde")  # type: ignore[arg-type]


def test_layers_go_through_json_and_are_normalised() -> None:
    layers = Layers(
        ecosystem="python",
        declared=frozenset({"PyYAML", "Python_Dateutil"}),
        installed=frozenset(),
        traced=Unavailable("ptrace is not allowed here"),
    )
    written = json.loads(layers.model_dump_json())
    assert written["declared"] == ["python-dateutil", "pyyaml"]
    assert written["installed"] == []
    assert written["traced"] == {"unavailable": "ptrace is not allowed here"}
    assert Layers.model_validate_json(layers.model_dump_json()) == layers
    assert layers.traced == Unavailable("ptrace is not allowed here")


def test_unavailable_needs_its_reason_and_nothing_else() -> None:
    with pytest.raises(ValidationError):
        Layers.model_validate(
            {"ecosystem": "cpp", "declared": [], "installed": [], "traced": {"unavailable": "x", "more": 1}}
        )
