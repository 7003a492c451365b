"""A session over HTTP: what goes into the file, and what a replay needs of the network."""

from pathlib import Path
from typing import Any

import pytest

from skyfall_crl.env.morpheus.http.stepped_backend import connect
from skyfall_crl.env.morpheus.ports import BackendError
from skyfall_crl.env.morpheus.recorded_backend import RecordedBackend, record
from skyfall_crl.env.morpheus.testing import check_backend

CANARY = "canary-7f3a91c2"


@pytest.mark.parametrize("sim", [False, True], ids=["deployment", "simulator"])
def test_a_recorded_session_replays_with_no_deployment_and_holds_no_header(
    stub: Any, tmp_path: Path, sim: bool
) -> None:
    stub.sim = sim
    path = tmp_path / "session.jsonl"
    check_backend(lambda: record(connect(stub.url, headers={"Authorization": f"Bearer {CANARY}"}), path))
    asked = len(stub.received)
    assert CANARY in stub.received[-1].headers["Authorization"]
    check_backend(lambda: RecordedBackend(path))
    assert len(stub.received) == asked
    assert CANARY not in path.read_text()
    assert "uthorization" not in path.read_text()


def test_a_header_that_the_deployment_echoes_in_a_failure_is_not_in_the_file(
    stub: Any, tmp_path: Path
) -> None:
    path = tmp_path / "session.jsonl"
    backend = record(connect(stub.url, headers={"Authorization": f"Bearer {CANARY}"}), path)
    stub.reply("GET", "/w/tickets", 401, {"error": f"who is Bearer {CANARY}?"})
    with pytest.raises(BackendError, match="401"):
        backend.get_tasks("w")
    backend.close()
    assert "[header]" in path.read_text()
    assert CANARY not in path.read_text()
