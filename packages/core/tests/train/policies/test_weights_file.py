"""A vector file is read whole or refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skyfall_crl.ports.errors import CheckpointError
from skyfall_crl.train.policies.weights_file import read_vector, write_vector


def test_a_vector_comes_back_bit_for_bit(tmp_path: Path) -> None:
    vector = np.array([0.1, -0.0, 1e300, 5e-324])
    write_vector(tmp_path / "w.npy", vector)
    assert read_vector(tmp_path / "w.npy", 4).tobytes() == vector.tobytes()


def test_the_file_can_be_overwritten_while_the_vector_is_in_use(tmp_path: Path) -> None:
    write_vector(tmp_path / "w.npy", np.ones(4))
    vector = read_vector(tmp_path / "w.npy", 4)
    write_vector(tmp_path / "w.npy", np.zeros(4))
    assert vector.tolist() == [1.0] * 4


@pytest.mark.parametrize(
    "array",
    [
        np.ones(3),
        np.ones((4, 1)),
        np.ones(4, dtype=np.float32),
        np.array([1.0, np.nan, 1.0, 1.0]),
        np.array([1.0, np.inf, 1.0, 1.0]),
        np.array(["a", "b", "c", "d"]),
    ],
)
def test_another_size_type_or_value_is_refused(tmp_path: Path, array: np.ndarray) -> None:
    np.save(tmp_path / "w.npy", array)
    with pytest.raises(CheckpointError, match="vector of 4 finite numbers"):
        read_vector(tmp_path / "w.npy", 4)


def test_a_pickle_an_archive_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "pickle.npy", np.array([{}] * 4, dtype=object), allow_pickle=True)
    (tmp_path / "bare.npy").write_bytes(b"\x80\x04]\x94.")
    with (tmp_path / "archive.npy").open("wb") as file:
        np.savez(file, a=np.ones(4))
    for name in ("pickle.npy", "bare.npy", "archive.npy", "missing.npy"):
        with pytest.raises(CheckpointError, match=name):
            read_vector(tmp_path / name, 4)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_refused_or_still_a_vector(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "w.npy"
    write_vector(path, np.arange(4.0))
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans(), label="truncate"):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    else:
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(content))
    try:
        vector = read_vector(path, 4)
    except CheckpointError:
        return
    assert vector.shape == (4,)
    assert np.isfinite(vector).all()
    assert len(content) >= 4 * 8
