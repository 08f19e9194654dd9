import os

import pytest

from case_studies.processes import processes


@pytest.mark.parametrize(("wished", "got"), [(None, "1"), ("3", "3")])
def test_a_process_has_one_thread_unless_somebody_wished_otherwise(monkeypatch, wished, got):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", wished or "")
    if wished is None:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    with processes(1) as pool:
        assert pool.submit(os.getenv, "OPENBLAS_NUM_THREADS").result() == got
