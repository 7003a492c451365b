"""The YAML reader: what it accepts, what it refuses, and that neither takes long."""

import os
import re
import string
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.document import MAX_BYTES, dump_yaml, parse_yaml, read_yaml
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.yaml_events import MAX_DEPTH, MAX_NODES

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.text(string.printable, max_size=12) | st.from_regex(r"[-+.0-9eE_:]{0,8}", fullmatch=True)
NUMBERS = st.integers(-(2**80), 2**80) | st.floats(allow_nan=False)
EXPONENT = re.compile(r"[0-9.][eE][-+]?[0-9]")
PLAIN = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(params=["compiled", "pure"], autouse=True, scope="module")
def parser(request: pytest.FixtureRequest):
    """Every test runs with libyaml where there is one, and with the parser in Python."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "pure":
            patch.delattr(yaml, "CSafeLoader", raising=False)
        elif not hasattr(yaml, "CSafeLoader"):
            pytest.skip("PyYAML was built without libyaml")
        yield request.param


def refusal(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse_yaml(text, "run.yaml")
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("run.yaml:")
    return message


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@UNTIMED
@given(PLAIN)
@example("1e5")
@example({"012": "1:30", "yes": "2024-01-01", "<<": "=", "1e-3": 1e-3})
@example([float("inf"), -0.0, 1e300, 5e-324])
@example({"\x85": ["a\u2028b", "\u2029", "\x85\n", "a\x85" * 99]})
def test_what_is_dumped_is_read_back_as_the_same_data(data: object) -> None:
    assert repr(parse_yaml(dump_yaml(data), "dumped")) == repr(data)


@UNTIMED
@given(PLAIN)
def test_documents_that_pyyaml_dumps_are_read_back_unless_their_text_looks_like_an_exponent(
    data: object,
) -> None:
    text = yaml.safe_dump(data, sort_keys=False)
    if text == dump_yaml(data):
        assert repr(parse_yaml(text, "dumped")) == repr(data)
    else:
        assert EXPONENT.search(text)


@UNTIMED
@given(st.text(max_size=60) | st.text("[]{}:,-?!&*<>|'\"%@# \n\ta1.e\\x0u", max_size=60))
@example("%YAML 1.999999999999999999999999999\n--- a")
@example('"\\UFFFFFFFF"')
@example('"\\ud800"')
@example("!!int ''")
@example("!!bool x")
@example("&a : *a")
def test_any_text_is_either_data_or_a_one_line_error(text: str) -> None:
    try:
        data = parse_yaml(text, "fuzz")
    except ConfigError as error:
        message, again = str(error), None
    else:
        message, again = "fuzz", repr(parse_yaml(dump_yaml(data), "again"))
    assert message.startswith("fuzz")
    assert "\n" not in message
    assert again is None or again == repr(data)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# nothing but a comment", None),
        ("3e-3", 0.003),
        ("-1E5", -100000.0),
        ("[1.5, .5, 1_000, 0x1F, .inf]", [1.5, 0.5, 1000, 31, float("inf")]),
        ("[yes, Off, true, ~, null]", [True, False, True, None, None]),
        ("[2024-01-01, 1:30, 12:30:45.5, =]", ["2024-01-01", "1:30", "12:30:45.5", "="]),
        ("'1e5'", "1e5"),
        ("! 12", "12"),
        ("!!str 12", "12"),
        ("!!float 1", 1.0),
        ("a: <<", {"a": "<<"}),
        ("'<<': 1", {"<<": 1}),
        ("a: |\n  two\n  lines\n", {"a": "two\nlines\n"}),
        ("\ufeffa: 1", {"a": 1}),
    ],
)
def test_scalars_mean_what_the_docstring_says(text: str, value: object) -> None:
    assert parse_yaml(text, "run.yaml") == value


def test_an_alias_is_a_copy_that_can_be_changed_alone() -> None:
    data = parse_yaml("a: &a {x: [1]}\nb: *a\n", "run.yaml")
    assert data == {"a": {"x": [1]}, "b": {"x": [1]}}
    assert data["a"]["x"] is not data["b"]["x"]


def test_an_anchor_can_stand_on_a_key_and_be_defined_anew() -> None:
    assert parse_yaml("&k name: &v 1\nother: [*k, *v]\n&v more: *v", "t") == {
        "name": 1,
        "other": ["name", 1],
        "more": "more",
    }


def test_a_merge_gives_way_to_own_keys_and_its_first_mapping_wins() -> None:
    text = "one: &one {a: 1, b: 1}\ntwo: &two {b: 2, c: 2}\nall: {c: 3, <<: [*one, *two]}\n"
    data = parse_yaml(text, "run.yaml")
    assert data["all"] == {"a": 1, "b": 1, "c": 3} == yaml.safe_load(text)["all"]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: 1\nb: 2\na: 3", "3:1", "expected each key once, found 'a' again"),
        ("x: {a: 1, a: 2}", "1:11", "expected each key once"),
        ("{<<: {a: 1}, <<: {b: 1}}", "1:14", "expected each key once"),
        ("a:\n  3: x", "2:3", "expected a text key, found '3' (put it in quotes)"),
        ("on: x", "1:1", "found 'on' (put it in quotes)"),
        ("null: x", "1:1", "expected a text key"),
        ("? [a]\n: x", "1:3", "expected a text key, found a mapping or a list"),
        ("[&a b, {*a : 1}]", "1:9", "expected a text key, found '*a'"),
        ("a: &a [*a]", "1:8", "'*a' inside itself"),
        ("a: &a {b: {c: *a}}", "1:15", "'*a' inside itself"),
        ("a: *b", "1:4", "found '*b'"),
        ("a: !!python/object/apply:os.system [ls]", "1:4", "python/object"),
        ("a: !secret x", "1:4", "'!secret'"),
        ("a: !!binary aGk=", "1:4", "binary"),
        ("a: !!set {x: }", "1:4", "set"),
        ("a: !!timestamp 2024-01-01", "1:4", "timestamp"),
        ("!!int 1: 2", "1:1", "expected a text key"),
        ("a: !!int 1:1:1", "1:4", "type int"),
        ("a: !!int x", "1:4", "type int"),
        ("a: !!bool x", "1:4", "type bool"),
        ("a: 1e999", "1:4", "type float"),
        (f"a: {'9' * 5000}", "1:4", "type int"),
        ("a: 1\n--- \nb: 2", "2:1", "expected one document"),
        ("<<: [1]", "1:7", "after <<"),
        ("<<: text", "1:5", "after <<"),
        ("a: b: c", "1:5", "expected YAML"),
        ("\tkey: 1", "1:1", "expected YAML"),
    ],
)
def test_a_broken_rule_is_named_with_its_place(text: str, place: str, words: str) -> None:
    message = refusal(text)
    assert message.startswith(f"run.yaml:{place}: ")
    assert words in message


@pytest.mark.parametrize(
    "text", ["!" * MAX_BYTES, f"*{'a' * 10**6}", f"&{'a' * 10**6} [b, [", f"? 1{'0' * 10**6}"]
)
def test_an_error_stays_short_whatever_it_quotes(text: str) -> None:
    assert len(refusal(text)) < 300


@pytest.mark.parametrize("text", ["a\0b", "\x07", "\ud800", '"\\ud800"', "\ud800: 1"])
def test_characters_that_are_no_text_are_refused(text: str) -> None:
    assert "expected YAML" in refusal(text)


@pytest.mark.parametrize(
    "text", ["[" * 1_000_000, "{a: " * 200_000, "- " * 500_000, "? " * 500_000, "a: [" + "[" * MAX_DEPTH]
)
def test_deep_nesting_is_an_error_and_never_a_crash(text: str) -> None:
    assert "expected" in refusal(text)


def test_the_deepest_permitted_document_is_read_and_one_level_more_is_not() -> None:
    assert parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH, "t") is not None
    assert f"at most {MAX_DEPTH} levels" in refusal("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


def test_levels_count_through_aliases() -> None:
    half = MAX_DEPTH // 2
    below = f"&a {'[' * half}{']' * half}"
    assert parse_yaml(f"- {below}\n- {'[' * (half - 1)}*a{']' * (half - 1)}", "t") is not None
    assert "levels with aliases expanded" in refusal(f"- {below}\n- {'[' * half}*a{']' * half}")


@pytest.mark.parametrize("levels", [9, 60])
def test_an_anchor_bomb_is_refused_by_what_it_would_expand_to(levels: int) -> None:
    assert f"at most {MAX_NODES} nodes with aliases expanded" in refusal(bomb(levels))


def test_keys_inside_an_alias_count_as_nodes() -> None:
    anchored = "a: &a {" + ", ".join(f"k{n}: 0" for n in range(1000)) + "}\n"
    assert parse_yaml(anchored + f"b: [{', '.join(['*a'] * 40)}]", "t") is not None
    assert "nodes" in refusal(anchored + f"b: [{', '.join(['*a'] * 60)}]")


def test_a_merge_bomb_is_refused() -> None:
    lines = ["a0: &a0 {" + ", ".join(f"k{n}: 0" for n in range(50)) + "}"]
    lines += [f"a{n}: &a{n} {{x: [{', '.join([f'*a{n - 1}'] * 9)}], <<: *a{n - 1}}}" for n in range(1, 9)]
    assert "nodes" in refusal("\n".join(lines))


def test_too_many_nodes_are_refused_without_any_alias(parser: str) -> None:
    if parser == "pure":
        pytest.skip("counts the same events, five times slower")
    assert "nodes" in refusal("[" + "0," * MAX_NODES + "]")


def test_text_over_the_limit_is_refused() -> None:
    assert str(MAX_BYTES) in refusal("#" * (MAX_BYTES + 1))


def test_a_file_is_read_with_its_byte_order_mark_taken_off(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_bytes(b"\xef\xbb\xbfname: caf\xc3\xa9\r\n")
    assert read_yaml(path) == read_yaml(str(path)) == {"name": "café"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00", "expected YAML"),
        (b"a: \xff\xfe", "UTF-8 text, found byte 3"),
        ("a: 1".encode("utf-16"), "UTF-8 text, found byte 0"),
        (b"#" * (50 << 20), f"at most {MAX_BYTES} bytes of YAML, found more"),
        (b"a: 1\n\nb: [", "expected YAML"),
    ],
)
def test_a_file_that_is_no_yaml_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "run.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_yaml(path)
    assert str(caught.value).startswith(f"{path}:")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r"nowhere\.yaml: expected a readable YAML file, found: no such file"
    ):
        read_yaml(tmp_path / "nowhere.yaml")


def test_a_directory_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a readable YAML file, found: is a directory"):
        read_yaml(tmp_path)


def test_a_path_no_file_can_have_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a readable YAML file"):
        read_yaml(tmp_path / "a\0b")


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that fails while it is read")
def test_a_file_that_fails_while_it_is_read_is_named() -> None:
    with pytest.raises(
        ConfigError, match="/proc/self/mem: expected a readable YAML file, found: input/output error"
    ):
        read_yaml("/proc/self/mem")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who can be denied a file")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    with pytest.raises(ConfigError, match="permission denied"):
        read_yaml(path)
