"""A bundle's weights on disk: written whole or not at all, found where the manifest says, checked before use."""

import hashlib
import os
import shutil
import stat
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from skyfall_crl.ports.algorithm import Algorithm, WeightsFormat
from skyfall_crl.ports.errors import CheckpointError, PolicyError
from skyfall_crl.serve.errors import BundleError, MissingCheckpoint
from skyfall_crl.trace.rewind import sync_directory
from skyfall_crl.train.checkpoint import sync_files

_PICKLED_SUFFIXES = (".dill", ".joblib", ".pickle", ".pkl")


def write_weights(algorithm: Algorithm, target: Path, *, replace: bool) -> WeightsFormat | None:
    """Have `algorithm` write its checkpoint to the folder `target`, which appears only when it is complete.

    Returns None, and leaves no folder, for an algorithm that has nothing to write. Raises `BundleError` where
    something lies at `target` and `replace` doesn't say that it may go.
    """
    if not replace and (target.is_symlink() or (target.exists() and not _is_empty(target))):
        raise BundleError(f"{target}: expected a new folder for the weights, found something else there")
    partial, old = (target.with_name(f".{target.name}.{end}") for end in ("partial", "old"))
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        written = algorithm.checkpoint(partial)
        if written is not None and not any(_files(partial)):
            raise PolicyError(
                f"{type(algorithm).__name__}.checkpoint: expected files of format {WeightsFormat(written).value}, "
                "found none written"
            )
        sync_files(partial)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    if written is None:
        shutil.rmtree(partial)
    else:
        partial.rename(target)
    sync_directory(target.parent)
    shutil.rmtree(old, ignore_errors=True)
    return None if written is None else WeightsFormat(written)


def record_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Return size in bytes and SHA-256 of every file under a folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): {"bytes": path.stat().st_size, "sha256": _digest(path)}
        for path in _files(folder)
    }


def locate(recorded: str, directory: Path, *, external: bool) -> Path:
    """Return the folder that a manifest in `directory` names; an external one by an absolute path, others inside.

    Raises `BundleError` for a path of the wrong kind and `MissingCheckpoint` for one that leads nowhere.
    """
    path = Path(recorded)
    if "\0" in recorded:
        raise BundleError("policy.checkpoint: expected a path, found text that is none")
    if external:
        if not path.is_absolute():
            raise BundleError(
                f"policy.checkpoint: expected an absolute path, being external, found {recorded!r}"
            )
        if not path.is_dir():
            raise MissingCheckpoint(
                f"{path}: expected the weights of this bundle, which are kept outside it, found no folder; they were "
                "moved or deleted, or the bundle came from another machine"
            )
        return path
    if path.is_absolute() or not path.parts or ".." in path.parts or "\\" in recorded or ":" in recorded:
        raise BundleError(f"policy.checkpoint: expected a path inside the bundle, found {recorded!r:.80}")
    found = directory / path
    if not found.is_dir():
        raise MissingCheckpoint(
            f"{found}: expected the weights of this bundle, found no folder; the bundle was copied in part"
        )
    if not found.resolve().is_relative_to(directory.resolve()):
        raise BundleError(f"{found}: expected a folder inside the bundle, found a link out of it")
    return found


def check_files(folder: Path, recorded: Mapping[str, Mapping[str, Any]] | None, *, pickles: bool) -> None:
    """Raise unless a folder holds exactly the files that were recorded, none of them a link.

    Without a record there is nothing to compare with. `pickles` says whether files may be of a kind that runs code
    when it is read. Raises `MissingCheckpoint`, `CheckpointError` or `BundleError`, naming the file.
    """
    found: dict[str, Path] = {}
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if recorded is not None and name not in recorded:
            raise CheckpointError(f"{path}: expected only what the manifest lists, found this file as well")
        if not pickles and (why := _pickled(path)) is not None:
            raise BundleError(f"{path}: expected no pickle, since reading one can run anything, found {why}")
        found[name] = path
    for name, facts in (recorded or {}).items():
        if name not in found:
            raise MissingCheckpoint(f"{folder / name}: expected this file of the weights, found none")
        if _digest(found[name]) != facts.get("sha256"):
            raise CheckpointError(
                f"{found[name]}: expected the content that was exported, found another (SHA-256 differs)"
            )


def _files(folder: Path) -> Iterator[Path]:
    """Yield every file under a folder, in order; raises `BundleError` for what is neither file nor folder."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted([*folders, *names]):
            path = Path(place, name)
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode):
                yield path
            elif not stat.S_ISDIR(mode):
                raise BundleError(
                    f"{path}: expected files and folders alone among the weights, found a link or device"
                )


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and next(folder.iterdir(), None) is None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _pickled(path: Path) -> str | None:
    """Return what betrays a pickle, or None; weights of a few formats alone are known to be none."""
    if path.name.endswith(_PICKLED_SUFFIXES):
        return "the suffix of one"
    with path.open("rb") as file:
        start = file.read(2)
        file.seek(max(0, path.stat().st_size - 1))
        end = file.read(1)
    if start[:1] == b"\x80" and start[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05") and end == b".":
        return "the opcodes of one"
    if start != b"PK" or not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as archive:
        inside = [name for name in archive.namelist() if name.endswith(_PICKLED_SUFFIXES)]
    return f"{inside[0]} in an archive" if inside else None
