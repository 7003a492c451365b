"""The tool call an agent proposes, and the boundary it has to stay inside."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from urllib.parse import unquote_plus

from skyfall_crl.env.morpheus.action_text import extract_ticket_ids, parse_tool_call
from skyfall_crl.env.morpheus.limits import ALLOWED_METHODS, ActionLimits, limits_of
from skyfall_crl.env.morpheus.paths import MAX_PATH_LENGTH, readings
from skyfall_crl.ports.errors import ConfigError
from skyfall_crl.ports.tools import ActionOutcome, ToolCall

__all__ = [
    "ALLOWED_METHODS",
    "CLOSED",
    "DEFAULT_DOMAINS",
    "ActionOutcome",
    "ActionScope",
    "ToolCall",
    "extract_ticket_ids",
    "parse_tool_call",
]

DEFAULT_DOMAINS: tuple[str, ...] = ("tickets", "erp", "wms", "tms", "finance", "ledger", "planning", "logs")

CLOSED: frozenset[str] = frozenset(
    {
        "od",
        "verification",
        "world",
        "worlds",
        "chaos",
        "docs",
        "sim",
        "reward-config",
        "reward_config",
        "rewardconfig",
    }
)
"""What no agent may reach under any scope: what drives or shifts a world, looks behind it or scores an agent."""

_PLAIN = re.compile(r"/([\w-]+)/([a-z]+)(?:/[\w-]+(?:[.:][\w-]+)*)*(?:\?[\w=&.,:-]*)?", re.ASCII)
_SUSPECT = re.compile("reward|method", re.IGNORECASE)
_OVERRIDE = re.compile(r"(?:^|&)(?:_method|(?:x-http-)?method-override)=", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[^A-Za-z]")


@dataclass(frozen=True, slots=True)
class ActionScope:
    """The capability boundary an action must fall inside.

    `domains` are the parts of a world an agent may work in, `methods` the verbs it may use; both are compared
    without regard to case. `limits` are the operator's brake, as `ActionLimits` or their mapping; `audit` is a file
    to which every write is appended. Both hold for each environment by itself, and neither changes what `judge` says.
    Raises `ConfigError` when `domains` names something of `CLOSED`.
    """

    domains: tuple[str, ...] = DEFAULT_DOMAINS
    methods: tuple[str, ...] = ALLOWED_METHODS
    limits: ActionLimits = field(default_factory=ActionLimits)
    audit: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", limits_of(self.limits))
        if self.audit is not None:
            object.__setattr__(self, "audit", fspath(self.audit))
        object.__setattr__(self, "domains", tuple(domain.strip("/").lower() for domain in self.domains))
        object.__setattr__(self, "methods", tuple(method.upper() for method in self.methods))
        closed = sorted(CLOSED.intersection(self.domains))
        if closed:
            raise ConfigError(
                f"action_scope.domains: {', '.join(closed)} can't be opened to an agent; "
                f"expected some of {', '.join(DEFAULT_DOMAINS)}"
            )

    def judge(self, call: ToolCall, world_id: str) -> str | None:
        """Return why the call may not be sent, or None when it may; never raises.

        Reasons: `bad_method` (also where a query asks for another one), `bad_path` (no well-formed path inside a
        server, or a placeholder that nobody fills in), `bad_body` (not a JSON object), `foreign_world` (outside
        this world), `closed_domain`, `out_of_scope`. A path that could be read in several ways is refused when
        any of them is.
        """
        return self.admit(call, world_id)[1]

    def admit(self, call: ToolCall, world_id: str) -> tuple[ToolCall, str | None]:
        """Return the call as it would be sent, placeholders filled in, and what `judge` says about it."""
        try:
            if self._is_plain(call, world_id):
                return call, None
            call = call.resolved(world_id)
        except (AttributeError, TypeError):
            path: object = call.path
            return call, "bad_method" if isinstance(path, str) else "bad_path"
        return call, None if self._is_plain(call, world_id) else self._refusal(call, world_id)

    def _is_plain(self, call: ToolCall, world_id: str) -> bool:
        """Tell whether a call is in scope and spelled so that there is one way to read it."""
        plain = _PLAIN.fullmatch(call.path)
        return (
            plain is not None
            and len(call.path) <= MAX_PATH_LENGTH
            and plain[1] == world_id
            and plain[2] in self.domains
            and call.method in self.methods
            and _is_json_object_or_none(call.body)
            and _SUSPECT.search(call.path) is None
        )

    def _refusal(self, call: ToolCall, world_id: str) -> str | None:
        if call.method not in self.methods:
            return "bad_method"
        if not _is_json_object_or_none(call.body):
            return "bad_body"
        found = readings(call.path)
        if found is None:
            return "bad_path"
        if _OVERRIDE.search(unquote_plus(call.path.partition("?")[2])):
            return "bad_method"
        reasons = {reason for segments in found if (reason := self._place(segments, world_id)) is not None}
        for reason in ("closed_domain", "foreign_world", "out_of_scope"):
            if reason in reasons:
                return reason
        return None

    def _place(self, segments: list[str], world_id: str) -> str | None:
        """Say where one reading of a path leads, or None when it leads into this world's open domains."""
        if not segments or segments[0] != world_id:
            return "closed_domain" if segments and segments[0].lower() in CLOSED else "foreign_world"
        if len(segments) == 1:
            return "out_of_scope"
        domain = segments[1].lower().rstrip(".")
        if any("rewardconfig" in _PUNCTUATION.sub("", segment).lower() for segment in segments):
            return "closed_domain"
        if domain in self.domains and segments[1][-1] != ".":
            return None
        return "closed_domain" if domain in CLOSED else "out_of_scope"


def _is_json_object_or_none(body: object) -> bool:
    return body is None or body.__class__ is dict or isinstance(body, Mapping)
