"""Object ids: 24 hexadecimal digits that follow from the seed and never from what an agent did."""

import re
from hashlib import blake2b

_OBJECT_ID = re.compile(r"[0-9a-f]{24}\Z")


def world_id(seed: int, ordinal: int) -> str:
    """Return the id of a seed's world number `ordinal`."""
    return blake2b(f"world/{seed}/{ordinal}".encode(), digest_size=12).hexdigest()


def object_prefix(seed: int) -> str:
    """Return the 14 digits that all object ids of a seed begin with."""
    return blake2b(f"object/{seed}".encode(), digest_size=7).hexdigest()


def log_prefix(seed: int) -> str:
    """Return the 14 digits that all ids of log entries of a seed begin with."""
    return blake2b(f"log/{seed}".encode(), digest_size=7).hexdigest()


def object_id(prefix: str, number: int, tag: int) -> str:
    """Return the id of what `tag` (0 to 255) stands for around order `number`; a ticket's tag is its stage."""
    return f"{prefix}{number:08x}{tag:02x}"


def order_number(ticket_id: str) -> int:
    """Return the number of the order a ticket is about; raises `ValueError` for what is no object id."""
    return int(ticket_id[14:22], 16)


def parts(ticket_id: str) -> tuple[str, int, int] | None:
    """Return prefix, order number and tag of an object id, or None for another text."""
    if _OBJECT_ID.match(ticket_id) is None:
        return None
    return ticket_id[:14], int(ticket_id[14:22], 16), int(ticket_id[22:], 16)
