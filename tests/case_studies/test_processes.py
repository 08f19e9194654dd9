import os

import pytest

from case_studies.processes import processes


@pytest.mark.parametrize(("setting", "threads"), [(None, "1"), ("3", "3")])
def test_a_process_has_one_thread_unless_the_environment_sets_more(monkeypatch, setting, threads):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", setting or "")
    if setting is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    with processes(1) as pool:
        assert pool.submit(os.getenv, "OPENBLAS_NUM_THREADS").result() == threads
