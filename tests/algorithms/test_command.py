"""A program becomes an anytime algorithm: its output is read, its limits hold, and its failures are reported."""

import os
import select
import sys
from pathlib import Path

import pytest

from polarbear.algorithms import command, record_run
from tests.algorithms.outcomes import Sphere, outcome
from tests.algorithms.waiting import PATIENCE, WaitingRecorder


def python(code, *arguments):
    return command([sys.executable, "-c", code.replace("{", "{{").replace("}", "}}"), *arguments])


class TestCommand:
    def test_placeholders(self):
        program = python("import sys; print(len(sys.argv), sys.argv[1:][1])", "{instance}", "{seed}", "--t={budget}")
        assert outcome(program, "a file.cnf", seed=42)[1].events() == [(4.0, 42.0)]

    def test_a_string_is_split_without_a_shell(self):
        assert command("solve --name 'a b' {instance}").template == ("solve", "--name", "a b", "{instance}")

    def test_lines_of_every_kind(self):
        code = r"""print("# hello\n\n5 3.5\n{\"budget\": 6, \"value\": 2.5}\n  7\t1.5  ", end="")"""
        assert outcome(python(code))[1].events() == [(5.0, 3.5), (6.0, 2.5), (7.0, 1.5)]

    def test_values_alone_are_timed_by_the_recorder(self):
        _, recorder = outcome(python("print(2.5); print('{\"value\": 1.5}')"), budget=1e6, clock="seconds")
        assert [value for _, value in recorder.events()][-1] == 1.5

    def test_a_custom_line_parser(self):
        program = command(
            ["printf", "%s\n", "Solver 1.0", "incumbent=7 at=3"],
            parse=lambda line: (int(line[-1]), int(line[10])) if line.startswith("inc") else None,
        )
        assert outcome(program)[1].events() == [(3.0, 7.0)]

    def test_it_is_killed_when_it_goes_past_its_evaluations(self):
        code = "import itertools\nfor t in itertools.count(1): print(t, -t, flush=True)"
        ended, recorder = outcome(python(code), budget=50)
        assert not ended
        assert recorder.events()[-1] == (50.0, -50.0)

    def test_it_is_killed_with_its_children_when_its_seconds_are_over(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        # The shell and its children keep the pipe open: its end shows that all of them have ended.
        program = command(["sh", "-c", f"exec 7> {tmp_path}/pipe; echo 3; sleep 600 & sleep 600"])
        recorder = WaitingRecorder(lambda recorder: recorder.values)
        assert not record_run(program, Sphere(), 1, recorder)
        assert recorder.values == [3.0]
        assert select.select([pipe], [], [], PATIENCE)[0]
        assert os.read(pipe, 1) == b""
        os.close(pipe)

    def test_children_that_hold_its_output_are_not_waited_for(self):
        assert outcome(command(["sh", "-c", "echo 1 3; sleep 600 &"]))[0]

    def test_a_program_that_closes_its_output_may_go_on(self):
        assert outcome(command(["sh", "-c", "echo 1 3; exec >&- 2>&-; sleep 0.3; exit 0"]))[0]

    @pytest.mark.parametrize(
        ("program", "message"),
        [
            (["sh", "-c", "echo 1 3; exit 3"], "ended with exit status 3$"),
            (["sh", "-c", "echo 1 3; kill -SEGV $$"], "died by SIGSEGV"),
            (["no-such-program"], "expected a program that can be started, got no-such-program"),
            (["echo", "Starting"], "got 'Starting'; print other text to stderr"),
            (["echo", "1 2 3"], "got '1 2 3'"),
            (["echo", "3"], "only with clock='seconds'"),
            (["true"], "expected at least one value"),
            (["head", "-c", "3000000", "/dev/zero"], "bytes without an end of line"),
        ],
    )
    def test_failures(self, program, message):
        with pytest.raises(ValueError, match=message):
            outcome(command(program))

    def test_lines_may_be_appended_to_a_file(self):
        code = (
            "import sys; print('noise'); f = open(sys.argv[1], 'a'); f.write('5 3.5\\n7 '); f.flush(); f.write('1.5')"
        )
        assert outcome(python(code, "{output}"))[1].events() == [(5.0, 3.5), (7.0, 1.5)]

    def test_a_file_is_read_while_the_program_runs_and_removed_afterwards(self, tmp_path):
        script = f"echo $0 > {tmp_path}/name; echo 4 >> $0; sleep 600"
        recorder = WaitingRecorder(lambda recorder: recorder.values)
        assert not record_run(command(["sh", "-c", script, "{output}"]), Sphere(), 1, recorder)
        assert recorder.values == [4.0]
        assert not Path((tmp_path / "name").read_text().strip()).exists()

    def test_what_a_program_prints_beside_its_file_is_printed_to_standard_error(self, capfd):
        with pytest.raises(ValueError, match="exit status 3"):
            outcome(command(["sh", "-c", "echo 1 2 > $0; echo oh no; exit 3", "{output}"]))
        assert capfd.readouterr().err == "oh no\n"

    def test_memory_is_limited(self, capfd):
        code = "print(1, 5.0, flush=True); x = bytearray(600_000_000); print(2, 1.0)"
        template = [sys.executable, "-c", code]
        assert outcome(command(template))[1].events()[-1] == (2.0, 1.0)
        with pytest.raises(ValueError, match="exit status 1"):
            outcome(command(template, memory=400_000_000))
        assert "MemoryError" in capfd.readouterr().err

    def test_a_memory_limit_changes_neither_arguments_nor_messages(self, tmp_path):
        program = command(["printf", "%s\n", "1 2", "# $HOME 'x'"], memory=1 << 30)
        assert outcome(program)[1].events() == [(1.0, 2.0)]
        with pytest.raises(ValueError, match="expected a program that can be started, got no-such-program"):
            outcome(command(["no-such-program"], memory=1 << 30))

    def test_it_runs_in_its_folder(self, tmp_path):
        solver = tmp_path / "solver"
        solver.write_text("#!/bin/sh\ncat values")
        solver.chmod(0o755)
        (tmp_path / "values").write_text("3 4.5\n")
        for memory in (None, 1 << 30):
            assert outcome(command(["./solver"], folder=tmp_path, memory=memory))[1].events() == [(3.0, 4.5)]

    @pytest.mark.parametrize("memory", [0, 512, -1, 2.5, "1G"])
    def test_absurd_memory_is_refused(self, memory):
        with pytest.raises(ValueError, match="expected memory as a number of bytes"):
            command("solve", memory=memory)

    @pytest.mark.parametrize(
        "template", ["", [], [1], None, 7, "solve {problem}", "solve {", "solve {}", "'open", ["x", b"y"]]
    )
    def test_bad_templates_are_refused_at_once(self, template):
        with pytest.raises(ValueError, match="expected"):
            command(template)
