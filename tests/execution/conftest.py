import pytest

from polarbear.execution import close_workers
from polarbear.execution.guardian_client import driver_token
from polarbear.execution.guardian_main import processes_with_token


@pytest.fixture(autouse=True)
def _no_process_left_behind():
    yield
    close_workers()
    assert processes_with_token(driver_token()) == []
