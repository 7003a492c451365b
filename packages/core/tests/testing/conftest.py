"""What the tests of the conformance kit share: one way to see a complaint."""

from collections.abc import Callable
from typing import Any

import pytest

from skyfall_crl.testing import ConformanceError


@pytest.fixture
def complaint() -> Callable[..., str]:
    """Return a function that runs a check which must fail, and gives its message: one line of rule, finding, cause."""

    def run(check: Callable[..., None], *arguments: Any, **keywords: Any) -> str:
        with pytest.raises(ConformanceError) as caught:
            check(*arguments, **keywords)
        message = str(caught.value)
        where, _, rest = message.partition(": ")
        assert len(message.splitlines()) == 1
        assert where
        assert "expected" in rest
        assert "found" in rest
        assert ";" in rest
        return message

    return run
