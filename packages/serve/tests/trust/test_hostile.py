"""Bundles from somebody who means harm: whatever they say, nothing of theirs runs and nothing of ours leaves."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from skyfall_crl.ports.errors import CrlError
from skyfall_crl.serve.bundle import Bundle, MissingCheckpoint
from skyfall_crl.serve.errors import BundleError
from skyfall_crl.serve.inspection import examine, summary
from skyfall_crl.serve.runner import build_environment, load_policy, serve

IMPORTS: dict[str, Mapping[str, Any]] = {
    "env.id": {"env": {"id": "canary:make"}},
    "a gymnasium id with a module": {"env": {"id": "canary:Canary-v0"}},
    "policy.id": {"policy": {"id": "canary:Policy"}},
    "regime.provider": {"regime": {"provider": "canary:Provider"}},
    "nested in env.kwargs": {"env": {"id": "acme/nested", "kwargs": {"part": "canary:make"}}},
    "nested in policy.kwargs": {"policy": {"id": "acme/nested", "kwargs": {"part": "canary:Policy"}}},
    "nested in a gymnasium id": {
        "env": {"id": "CartPole-v1", "kwargs": {"env_id": {"inner": ["canary:Canary-v0"]}}},
    },
}
REACHING: dict[str, tuple[str, Any]] = {
    "a secret of the environment": ("env", {"kwargs": {"features": "${env:HOME}"}}),
    "a file as a secret": ("env", {"kwargs": {"headers": {"x": "a ${file:/etc/passwd} b"}}}),
    "a secret of the policy": ("policy", {"kwargs": {"deep": [{"api_key": "${env:HOME}"}]}}),
    "a secret of the schedule": ("regime", {"params": {"schedule": {"regimes": ["${env:HOME}"]}}}),
    "an absolute path": ("env", {"kwargs": {"audit": "/etc/cron.d/x"}}),
    "a home": ("env", {"kwargs": {"audit": "~/.bashrc"}}),
    "a path upwards": ("policy", {"kwargs": {"file": "a/../../b"}}),
    "a drive": ("policy", {"kwargs": {"file": "C:\\boot.ini"}}),
    "a schedule in a file": ("regime", {"provider": "scheduled", "params": {"schedule": "s.yaml"}}),
}


def served(**sections: Any) -> Callable[[Path], Any]:
    """Return what serves a bundle with some sections of its manifest changed."""

    def attempt(folder: Path) -> Any:
        data = Bundle.load(folder).to_dict()
        for name, section in sections.items():
            data[name] = {**data[name], **section}
        Bundle.from_dict(data).save(folder)
        return serve(folder, steps=3)

    return attempt


@pytest.mark.parametrize("sections", IMPORTS.values(), ids=IMPORTS.keys())
def test_ids_that_import_are_refused_and_nothing_is_imported(
    bundle: Path, acme: Any, trail: Path, sections: Mapping[str, Any]
) -> None:
    """Wherever in the bundle they stand; looking into the bundle imports nothing either."""
    with pytest.raises(CrlError):
        served(**sections)(bundle)
    found = Bundle.load(bundle)
    for use in (lambda: build_environment(found), lambda: load_policy(found, bundle)):
        try:
            use()
        except CrlError:
            continue
    assert list(summary(found))
    assert list(examine(found, bundle))
    assert not trail.exists()


@pytest.mark.parametrize(
    "name", [name for name in IMPORTS if "gymnasium" not in name and name != "regime.provider"]
)
def test_a_trusted_bundle_imports_what_it_names(bundle: Path, acme: Any, trail: Path, name: str) -> None:
    """Which shows that the canary sings."""
    data = Bundle.load(bundle).to_dict()
    for section, changes in IMPORTS[name].items():
        data[section] = {**data[section], **changes}
    Bundle.from_dict(data).save(bundle)
    with pytest.raises((CrlError, SystemExit)):
        serve(bundle, steps=3, trust=True)
    assert trail.read_text() == "imported"


@pytest.fixture
def importing() -> Iterator[str]:
    """A Gymnasium id whose environment is another one, named by an argument, as compatibility layers are."""
    gymnasium.register("Importing-v0", entry_point=lambda inner="CartPole-v1": gymnasium.make(inner))
    yield "Importing-v0"
    del gymnasium.registry["Importing-v0"]


@pytest.mark.parametrize("way", ["an argument", "an axis"])
def test_a_gymnasium_id_is_not_handed_an_import(importing: str, trail: Path, way: str) -> None:
    """Gymnasium resolves ids of its own kind, by rules of its own."""
    canary = "canary:Canary-v0"
    schedule = {"regimes": [{"regime_id": "A", "axes": {"which": canary}}], "shift_mode": "abrupt"}
    manifest: dict[str, Any] = {"env": {"id": importing, "kwargs": {"inner": canary}}}
    if way == "an axis":
        manifest = {
            "env": {"id": importing, "axes": {"which": [{"argument": "inner"}]}},
            "regime": {"provider": "scheduled", "params": {"schedule": schedule}},
        }
    found = Bundle.from_dict(manifest)
    with pytest.raises(BundleError, match="looks like an id that imports a module"):
        build_environment(found)
    assert not trail.exists()


@pytest.mark.parametrize("place", REACHING)
def test_arguments_that_reach_for_what_is_the_users_are_refused(bundle: Path, place: str) -> None:
    """Secrets could be sent away, and files be read or written."""
    section, changes = REACHING[place]
    with pytest.raises(BundleError, match=rf"^{section}\."):
        served(**{section: changes})(bundle)


def test_what_the_user_gives_is_not_suspected(acme: Any, tmp_path: Path) -> None:
    """An argument given in place of a recorded one may be a secret or a path."""
    manifest = Bundle.from_dict({"env": {"id": "acme/bare", "kwargs": {"ends_after": "/x"}}})
    with pytest.raises(BundleError, match=r"env\.kwargs\.ends_after: names '/x'"):
        build_environment(manifest)
    assert build_environment(manifest, ends_after="/y").ends_after == "/y"
    assert build_environment(manifest, trust=True).ends_after == "/x"


@pytest.mark.parametrize(
    "path",
    [
        *("/etc", "..", "../other", "checkpoint/../../other", ".", "", "C:\\x", "a\\b", "a\0b"),
        *("~", "//host/share", "checkpoint:stream"),
    ],
)
def test_weights_outside_the_bundle_are_refused(bundle: Path, path: str) -> None:
    """A bundle that says it is complete in itself keeps its weights inside."""
    (bundle.parent / "other").mkdir()
    with pytest.raises((BundleError, MissingCheckpoint), match=r"policy\.checkpoint: |no folder"):
        served(policy={"checkpoint": path})(bundle)


def test_an_external_path_has_to_be_absolute(bundle: Path) -> None:
    """A relative one would depend on where somebody stands."""
    with pytest.raises(BundleError, match="expected an absolute path, being external"):
        served(policy={"external": True})(bundle)


def test_weights_outside_the_bundle_need_digests_and_no_file_beside_them(
    bundle: Path, tmp_path: Path
) -> None:
    """Pointing at a folder of the user's, however large, leads to its first unlisted file."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "diary.txt").write_text("dear diary")
    outside = {"external": True, "checkpoint": str(tmp_path / "mine")}
    with pytest.raises(CrlError, match=r"diary\.txt: expected only what the manifest lists"):
        served(policy=outside)(bundle)
    with pytest.raises(BundleError, match=r"policy\.files: expected digests"):
        served(policy={**outside, "files": None})(bundle)


@pytest.mark.parametrize("linked", ["folder", "file", "manifest"])
def test_links_out_of_the_bundle_are_refused(bundle: Path, tmp_path: Path, linked: str) -> None:
    """Whatever is behind them is not read."""
    place = {
        "folder": bundle / "checkpoint",
        "file": bundle / "checkpoint" / "weights.npy",
        "manifest": bundle / "manifest.yaml",
    }[linked]
    place.rename(tmp_path / "outside")
    place.symlink_to(tmp_path / "outside")
    with pytest.raises(BundleError, match="found a link"):
        serve(bundle, steps=3)


def test_a_pipe_among_the_weights_is_not_waited_for(bundle: Path) -> None:
    """Reading it would never end."""
    os.mkfifo(bundle / "checkpoint" / "pipe")
    with pytest.raises(BundleError, match=r"pipe: expected files and folders alone"):
        serve(bundle, steps=3)


class Payload:
    """Runs a command when it is unpickled."""

    def __init__(self, trail: Path) -> None:
        self.command = f"touch {trail}"

    def __reduce__(self) -> Any:
        return os.system, (self.command,)


@pytest.mark.parametrize("form", ["object array", "bare pickle", "torch archive"])
def test_pickled_weights_run_nothing(bundle: Path, tmp_path: Path, form: str) -> None:
    """In each form that loaders of weights know, digests or not."""
    trail, weights = tmp_path / "trail", bundle / "checkpoint" / "weights.npy"
    if form == "object array":
        np.save(weights, np.array([Payload(trail)], dtype=object), allow_pickle=True)
    elif form == "bare pickle":
        weights.write_bytes(pickle.dumps(Payload(trail)))
    else:
        import zipfile

        with zipfile.ZipFile(weights, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps(Payload(trail)))
    for files in ({}, None):
        data = Bundle.load(bundle).to_dict()
        data["policy"]["files"] = files
        Bundle.from_dict(data).save(bundle)
        with pytest.raises(CrlError):
            serve(bundle, steps=3)
    with pytest.raises(CrlError):
        served(policy={"files": None})(bundle)
    assert not trail.exists()


def test_the_restriction_holds_in_every_thread_of_the_command_line(
    bundle: Path, site: Path, trail: Path
) -> None:
    """A world that resolves an id in a thread of its own is refused it too."""
    (site / "threaded_plugin.py").write_text(
        "from skyfall_crl.registry import Ref, hookimpl\n\n\n@hookimpl\ndef skyfall_crl_environments():\n"
        '    return {"slow": Ref("threaded_plugin:Slow", "resolves in a thread")}\n\n\n'
        "class Slow:\n    def __new__(cls, part):\n        import threading\n\n"
        "        from skyfall_crl.registry import load\n\n        failed = []\n\n        def work():\n"
        "            try:\n                load('environments', part)\n"
        "            except Exception as error:\n                failed.append(error)\n\n"
        "        thread = threading.Thread(target=work)\n        thread.start()\n        thread.join()\n"
        "        raise failed[0]\n"
    )
    info = site / "threaded-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: threaded\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[skyfall_crl]\nthreaded = threaded_plugin\n")
    data = Bundle.load(bundle).to_dict()
    data["env"] = {"id": "threaded/slow", "kwargs": {"part": "canary:make"}}
    Bundle.from_dict(data).save(bundle)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
    program = "import sys\nfrom skyfall_crl.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", str(bundle), "--out", str(site / "out")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode != 0
    assert "only registered ids are allowed here" in done.stderr
    assert not trail.exists()
