"""Numbers, names and reason codes in the words a report uses."""

from datetime import datetime

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"


def level(value: float | None) -> str:
    """Write a reward or a share of one with three significant places behind the point; a dash for nothing."""
    if value is None:
        return DASH
    places = 3 if abs(value) < 10 else 1
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        return text.removeprefix("-")
    return text.replace("-", MINUS)


def change(value: float) -> str:
    """Write a difference with its sign."""
    text = level(abs(value))
    return text if float(text.replace(",", "")) == 0 else f"{'+' if value > 0 else MINUS}{text}"


def count(value: float) -> str:
    """Write a whole number with thousands apart."""
    return f"{value:,.0f}".replace("-", MINUS)


def share(part: float, whole: float) -> str:
    """Write a part of a whole in percent, without hiding a small one behind a zero."""
    if not whole:
        return DASH
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "under 0.1%"
    if 99.9 < percent < 100:
        return "over 99.9%"
    return f"{percent:.1f}%"


def plural(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{count(number)} {noun}" if number == 1 else f"{count(number)} {noun}s"


def spoken(code: str) -> str:
    """Turn a code such as `hand_rule` into words."""
    return code.replace("_", " ")


def duration(seconds: float) -> str:
    """Write a time span in its two largest units."""
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def size(number: int) -> str:
    """Write a number of bytes."""
    amount = float(number)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def joined(parts: list[str]) -> str:
    """Join words into an enumeration."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def moment(text: str) -> str:
    """Write an ISO 8601 time so that it reads; other text stays as it is."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{time:%Y-%m-%d %H:%M} {time:%Z}".strip()
