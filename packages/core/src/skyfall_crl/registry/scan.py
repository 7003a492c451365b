"""The names of installed plugins, read off the disk without the cost of importing `importlib.metadata`."""

import os
import sys

_HEADER = "[skyfall_crl]"


def plugin_names() -> list[str]:
    """Return the names that `discovery.candidates` would find in folders on `sys.path`, in order.

    For help texts only: what is found by other means, as in a zip file, is left out.
    """
    seen: set[str] = set()
    names: set[str] = set()
    for folder in sys.path:
        try:
            entries = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        for entry in entries:
            stem, extension = os.path.splitext(entry)
            if extension not in (".dist-info", ".egg-info"):
                continue
            distribution = stem.partition("-")[0].lower().replace(".", "_")
            if distribution not in seen:
                seen.add(distribution)
                names.update(_offered(os.path.join(folder, entry, "entry_points.txt")))
    return sorted(names)


def _offered(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return []
    names: list[str] = []
    inside = False
    for line in lines:
        if line.startswith("["):
            inside = line == _HEADER
        elif inside and "=" in line and not line.startswith("#"):
            names.append(line.partition("=")[0].strip())
    return names
