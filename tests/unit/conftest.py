"""What the tests of several rooms share."""

import pytest


@pytest.fixture(scope="session", params=["native", "python"])
def engine(request: pytest.FixtureRequest) -> str:
    """Each engine in turn: what a test says of one must be true of both."""
    name: str = request.param
    return name
