"""The scope judges where a path leads, however it is spelled, and never raises."""

from typing import Any
from urllib.parse import quote, unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skyfall_crl.env.morpheus.action import ALLOWED_METHODS, CLOSED, DEFAULT_DOMAINS, ActionScope, ToolCall
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import WORLD_PLACEHOLDERS

WORLD = "65f0c0ffee65f0c0ffee65f0"
SCOPE = ActionScope()

SEPARATORS = [
    "/",
    "//",
    "\\",
    "%2f",
    "%2F",
    "%5c",
    "%252f",
    "/./",
    "/%2e/",
    "/erp/../",
    "/erp/%2e%2e/",
    "/x;y/../",
]


def encoded(character: str, how: int) -> str:
    """Return a character plain, percent-encoded once, or twice."""
    once = f"%{ord(character):02x}"
    return (character, once, once.replace("%", "%25"))[how]


@st.composite
def spellings(draw: st.DrawFn, words: st.SearchStrategy[str]) -> str:
    """Draw a path into a domain of the world, spelled in any way a server might still understand."""
    word = draw(words)
    cased = "".join(draw(st.sampled_from([c.upper(), c.lower()])) for c in word)
    spelled = "".join(encoded(c, draw(st.integers(0, 2))) for c in cased)
    tail = draw(st.sampled_from(["", "/", "/x", ";a=b/x", "?a=b"]))
    return f"/{WORLD}{draw(st.sampled_from(SEPARATORS))}{spelled}{tail}"


@pytest.mark.parametrize("domain", DEFAULT_DOMAINS)
@pytest.mark.parametrize("method", ALLOWED_METHODS)
def test_every_default_domain_is_open_to_every_allowed_verb(domain: str, method: str) -> None:
    assert SCOPE.judge(ToolCall(method, f"/{WORLD}/{domain}/things/T_1", {"a": 1}), WORLD) is None


@given(spellings(st.sampled_from(sorted(CLOSED - {"worlds"}))))
def test_a_closed_domain_stays_closed_however_it_is_spelled(path: str) -> None:
    assert SCOPE.judge(ToolCall("POST", path, {}), WORLD) is not None


LOOK_ALIKES = {
    "o": "\u043e\uff4f\u2134",
    "d": "\u0501\uff44\u217e",
    "s": "\u0455\uff53\u017f",
    "i": "\u0456\uff49\u2170",
}


@given(st.sampled_from(["od", "docs", "sim", "verification"]), st.data())
def test_a_closed_domain_written_with_look_alikes_is_refused(word: str, data: st.DataObject) -> None:
    spelled = "".join(data.draw(st.sampled_from(c + LOOK_ALIKES.get(c, ""))) for c in word)
    for path in (
        f"/{WORLD}/{spelled}/x",
        f"/{WORLD}/{quote(spelled)}/x",
        f"/{WORLD}/{quote(quote(spelled))}/x",
    ):
        assert SCOPE.judge(ToolCall("POST", path, {}), WORLD) is not None


PLACEHOLDER_PARTS = st.sampled_from(
    [*WORLD_PLACEHOLDERS, "/", ".", "..", "od", "erp", WORLD, "{", "}", ":", "%7B", ";", "x"]
)


@given(st.lists(PLACEHOLDER_PARTS, max_size=8).map("".join))
def test_no_way_of_writing_placeholders_leads_out_of_the_open_domains(tail: str) -> None:
    call, refusal = SCOPE.admit(ToolCall("PUT", f"/{tail}", {}), WORLD)
    if refusal is None:
        first, second, *_ = [part for part in unquote(call.path).split("/") if part not in ("", ".")]
        assert (first, second.lower()) == (WORLD, "erp")
        assert not set("{}<>") & set(unquote(call.path))
        assert call.resolved("elsewhere") == call


@given(spellings(st.sampled_from(["edi", "audit-logs", "knowledge-graph", "erpx", "er"])))
def test_a_domain_that_is_not_open_is_refused_however_it_is_spelled(path: str) -> None:
    assert SCOPE.judge(ToolCall("GET", path), WORLD) is not None


@given(spellings(st.sampled_from(DEFAULT_DOMAINS)))
def test_an_open_domain_spelled_oddly_is_judged_without_an_exception(path: str) -> None:
    reason = SCOPE.judge(ToolCall("GET", path), WORLD)
    assert reason is None or reason == reason.strip().lower()


@given(
    st.text(alphabet=f"/\\.%25ef2{WORLD[:3]}odwrp;?#: \t", max_size=40).map(lambda text: f"/{WORLD}/{text}")
)
def test_what_is_let_through_leads_into_an_open_domain_under_every_decoding(path: str) -> None:
    if SCOPE.judge(ToolCall("GET", path), WORLD) is not None:
        return
    text = path.partition("?")[0]
    for _ in range(4):
        walked: list[str] = []
        for segment in text.replace("\\", "/").split("/"):
            name = segment.partition(";")[0]
            if name == "..":
                walked = walked[:-1]
            elif name not in ("", "."):
                walked.append(name)
        assert walked[0] == WORLD
        assert walked[1].lower() in DEFAULT_DOMAINS
        text = unquote(text)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (f"/{WORLD}/od/descriptors/1/execute", "closed_domain"),
        (f"/{WORLD}/verification/verify-ticket", "closed_domain"),
        (f"/{WORLD}/reward-config", "closed_domain"),
        (f"/{WORLD}/erp/../od/x", "closed_domain"),
        (f"/{WORLD}/od/../erp/x", "closed_domain"),
        (f"/{WORLD}/%6f%64/x", "closed_domain"),
        (f"/{WORLD}/%256f%2564/x", "closed_domain"),
        ("/world/act", "closed_domain"),
        ("/sim/worlds/x/advance", "closed_domain"),
        ("/chaos/presets", "closed_domain"),
        ("/docs/mesh", "closed_domain"),
        (f"/{WORLD}/../sim", "closed_domain"),
        ("/65f0c0ffee65f0c0ffee0000/erp/orders", "foreign_world"),
        (f"/{WORLD}/../65f0c0ffee65f0c0ffee0000/erp/orders", "foreign_world"),
        ("/erp/orders", "foreign_world"),
        (f"/{WORLD}", "out_of_scope"),
        (f"/{WORLD}/edi/1", "out_of_scope"),
        (f"http://elsewhere/{WORLD}/erp/orders", "bad_path"),
        (f"//elsewhere/{WORLD}/erp/orders", "bad_path"),
        (f"/\\elsewhere/{WORLD}/erp/orders", "bad_path"),
        (f"{WORLD}/erp/orders", "bad_path"),
        (f"/{WORLD}/erp/orders#/od", "bad_path"),
        (f"/{WORLD}/erp%3f/../od", "bad_path"),
        (f"/{WORLD}/erp%23/x", "bad_path"),
        (f"/{WORLD}/erp/a b", "bad_path"),
        (f"/{WORLD}/erp/\n", "bad_path"),
        (f"/{WORLD}/erp%00/x", "bad_path"),
        (f"/{WORLD}/\uff4f\uff44/x", "bad_path"),
        (f"/{WORLD}/erp/%25252525252e", "bad_path"),
        (f"/{WORLD}/erp/" + "x" * 3000, "bad_path"),
        (f"/{WORLD}/od./x", "closed_domain"),
        (f"/{WORLD}/Verification../x", "closed_domain"),
        (f"/{WORLD}/erp./orders", "out_of_scope"),
        (f"/{WORLD}./erp/orders", "foreign_world"),
        (f"/{WORLD}/erp/.../od", "bad_path"),
        (f"/{WORLD}/%2e%2e%2e/od", "bad_path"),
        (f"/{WORLD}/erp/%2e%2e;a/%2e%2e;a/{WORLD}/od", "closed_domain"),
        (f"/{WORLD}/o\u0501/x", "bad_path"),
        (f"/{WORLD}/%D0%BEd/x", "bad_path"),
        (f"/{WORLD}/%25EF%25BD%258F%25EF%25BD%2584/x", "bad_path"),
        (f"/{WORLD}/o%C2%ADd/x", "bad_path"),
        (f"/{WORLD}/\u2024\u2024/sim", "bad_path"),
        (f"/{WORLD}\u2215od", "bad_path"),
        ("/{worldId}/../{worldId}/od/x", "closed_domain"),
        ("/{worldId}/:domain/x", "bad_path"),
        ("/{worldId}/erp/{id}", "bad_path"),
        ("/{worldId}/erp/%7Bid%7D", "bad_path"),
        ("/{worldId}/erp/<id>", "bad_path"),
        ("/%7BworldId%7D/erp/orders", "bad_path"),
        ("/{world{worldId}Id}/erp/orders", "bad_path"),
        ("/:worldIdx/erp/orders", "foreign_world"),
        (f"/{WORLD}/finance/reward-config", "closed_domain"),
        (f"/{WORLD}/erp/Reward_Config.json", "closed_domain"),
        (f"/{WORLD}/erp/%72ewardConfig", "closed_domain"),
        (f"/{WORLD}/erp/orders?_method=DELETE", "bad_method"),
        (f"/{WORLD}/erp/orders?a=b&%5fmethod=DELETE", "bad_method"),
        (f"/{WORLD}/erp/orders?X-HTTP-Method-Override=PUT", "bad_method"),
        ("", "bad_path"),
    ],
)
def test_a_refusal_says_why(path: str, reason: str) -> None:
    assert SCOPE.judge(ToolCall("GET", path), WORLD) == reason


@pytest.mark.parametrize(
    "path",
    [
        f"/{WORLD}//erp/orders",
        f"/{WORLD}/ERP/orders",
        f"/{WORLD}/erp/orders/../invoices",
        f"/{WORLD}/erp/orders?status=IN_PROGRESS&search=two words",
        f"/{WORLD}/erp/orders/%4fRDER_1",
        "/{worldId}/erp/orders",
        "/{world_id}/erp/orders",
        "/<worldId>/tickets/{worldId}",
        f"/{WORLD}/wms/outbound-orders/wms:outbound-order:65f0",
        f"/{WORLD}/erp/rewards?method=cash",
        f"/{WORLD}/erp/orders?path=/od&next=../od",
        "/:worldId/erp/orders",
    ],
)
def test_harmless_spellings_are_let_through(path: str) -> None:
    assert SCOPE.judge(ToolCall("get", path), WORLD) is None


def test_an_admitted_call_names_the_world_and_an_upper_case_verb() -> None:
    call, reason = SCOPE.admit(ToolCall("put", "/{worldId}/erp/orders/O", {"a": 1}), WORLD)
    assert reason is None
    assert call == ToolCall("PUT", f"/{WORLD}/erp/orders/O", {"a": 1})


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "TRACE", "", "GET\r\nX: y", "POST /x"])
def test_other_verbs_are_refused(method: str) -> None:
    assert SCOPE.judge(ToolCall(method, f"/{WORLD}/erp/orders"), WORLD) == "bad_method"


@pytest.mark.parametrize("body", ["{}", [1], 3, True])
def test_a_body_that_is_no_json_object_is_refused(body: Any) -> None:
    assert SCOPE.judge(ToolCall("POST", f"/{WORLD}/erp/orders", body), WORLD) == "bad_body"


anything = st.one_of(
    st.none(), st.integers(), st.text(max_size=20), st.lists(st.integers(), max_size=2), st.binary()
)


@given(anything, anything, anything)
def test_judging_never_raises(method: Any, path: Any, body: Any) -> None:
    reason = SCOPE.judge(ToolCall(method, path, body), WORLD)
    assert reason is None or reason.isascii()


@pytest.mark.parametrize("domain", ["od", "OD", "/verification/", "sim", "reward-config", "world"])
def test_a_scope_can_not_open_what_is_closed(domain: str) -> None:
    with pytest.raises(ConfigError, match=r"action_scope\.domains"):
        ActionScope(domains=("erp", domain))


def test_a_narrower_scope_refuses_what_the_default_one_allows() -> None:
    scope = ActionScope(domains=("tickets",), methods=("get",))
    assert scope.judge(ToolCall("GET", f"/{WORLD}/tickets"), WORLD) is None
    assert scope.judge(ToolCall("PUT", f"/{WORLD}/tickets/1", {}), WORLD) == "bad_method"
    assert scope.judge(ToolCall("GET", f"/{WORLD}/erp/orders"), WORLD) == "out_of_scope"
