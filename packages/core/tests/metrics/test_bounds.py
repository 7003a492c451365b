"""Reference rewards."""

import pytest

from skyfall_crl.metrics import bounds_from_header, read_bounds
from skyfall_crl.ports.errors import ConfigError


@pytest.mark.parametrize(("name", "text"), [("b.json", '{"A": 0.85, "B": 1}'), ("b.yaml", "A: 0.85\nB: 1\n")])
def test_a_file_maps_identities_to_numbers(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = read_bounds(tmp_path / name)

    assert (dict(found.values), found.source) == ({"A": 0.85, "B": 1.0}, str(tmp_path / name))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[0.5]", "expected a mapping of identity to number, found list"),
        ("A: high", "A: expected a finite number, found 'high'"),
        ("A: .nan", "A: expected a finite number, found nan"),
        ("A: true", "A: expected a finite number, found True"),
        ("A: [", "expected YAML"),
    ],
)
def test_anything_else_is_refused_by_file_and_identity(tmp_path, text, complaint):
    path = tmp_path / "bounds.yaml"
    path.write_text(text)

    with pytest.raises(ConfigError, match=complaint) as caught:
        read_bounds(path)
    assert str(caught.value).startswith(str(path))


def test_a_header_holds_references_by_identity_and_name():
    header = {"references": {"A": {"informed": 0.9, "random": 0.4}, "B": {"random": 0.3}}}
    found = bounds_from_header(header, "informed")

    assert (dict(found.values), found.source) == ({"A": 0.9}, "the trace's reference `informed`")


@pytest.mark.parametrize("header", [{}, {"references": None}, {"references": {"A": {"random": 0.4}}}])
def test_a_header_without_the_reference_gives_no_bounds(header):
    found = bounds_from_header(header, "informed")

    assert (dict(found.values), found.source) == ({}, "none")
