import pytest

from polarbear.execution import close_workers
from polarbear.execution.guardian_client import driver_token
from polarbear.execution.guardian_main import bearers


@pytest.fixture(autouse=True)
def _no_process_left_behind():
    yield
    close_workers()
    assert bearers(driver_token()) == []
