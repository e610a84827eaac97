"""What `.ci/run` runs: steps that have passed are left out for the same sources only, and none runs twice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci"))

import passed  # noqa: E402

ALWAYS = ["lint", "wheel", "newest", "wheel-size", "demo", "docs", "test", "eager"]


@pytest.fixture
def checkout(tmp_path):
    """A small tree with every source that a step names, and tools that only say that they were called."""
    for place in {place for places in passed.SOURCES.values() for place in places}:
        path = tmp_path / place
        if (ROOT / place).is_dir():
            path.mkdir(parents=True, exist_ok=True)
            (path / "source").write_text(place)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"#!/bin/sh\necho {place}\n")
            path.chmod(0o755)
    for place in (".ci/run", "ci/passed.py"):
        shutil.copy(ROOT / place, tmp_path / place)
    for name in ("ci/check_versions", "ci/check_wheel_size", "bin/make"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text('#!/bin/sh\necho "ran $*"\n[ "$*" != "$FAILING" ] || exit 3\n')
        path.chmod(0o755)
    return tmp_path


def run(checkout, *arguments, failing="nothing"):
    """Runs `.ci/run` there. Returns its exit status, the steps that ran or would run, and all that it wrote."""
    environment = os.environ | {
        "PATH": f"{checkout}/bin:{os.environ['PATH']}", "PYTHON": sys.executable, "FAILING": failing,
    }  # fmt: skip
    done = subprocess.run(
        [checkout / ".ci/run", *arguments], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    pattern = r"^([\w-]+): (?!passed with)" if "--dry-run" in arguments else r"^== ([\w-]+)$"
    steps = re.findall(pattern, done.stdout, re.MULTILINE)
    return done.returncode, [step for step in steps if step not in ("times", "summary")], done.stdout + done.stderr


def test_sources_exist():
    for places in passed.SOURCES.values():
        assert [place for place in places if not (ROOT / place).exists()] == []


def test_the_record_is_of_steps_that_can_be_left_out():
    assert set(passed.read(ROOT)) <= set(passed.SOURCES)


def test_all_steps_run_without_a_record_and_few_with_one(checkout):
    status, steps, _ = run(checkout)
    assert status == 0 and set(steps) == {*ALWAYS, *passed.SOURCES} and len(steps) == len(set(steps))
    # A run that leaves steps out records nothing.
    assert not (checkout / "ci/passed.txt").exists()
    assert run(checkout, "all")[0] == 0
    assert set(passed.read(checkout)) == set(passed.SOURCES)
    # The fast path: a step more is more than the budget, one less is a check lost.
    assert run(checkout, "--dry-run")[1] == ALWAYS
    assert set(run(checkout, "--dry-run", "all")[1]) == {*ALWAYS, *passed.SOURCES}
    assert (checkout / "target/ci/times.txt").read_text().count("\n") == len({*ALWAYS, *passed.SOURCES})


def test_a_change_brings_back_the_steps_that_depend_on_it(checkout):
    for step in passed.SOURCES:
        passed.add(step, checkout)
    (checkout / passed.PACKAGE / "scipy").mkdir(exist_ok=True)
    (checkout / passed.PACKAGE / "scipy/new.py").write_text("")
    assert [step for step in passed.SOURCES if not passed.has(step, checkout)] == ["examples"]
    (checkout / passed.PACKAGE / "_routines/new.py").write_text("")
    assert [step for step in passed.SOURCES if not passed.has(step, checkout)] == ["standins", "precompile", "examples"]
    (checkout / "frontend-py/src/source").write_text("changed")
    assert not passed.has("clippy", checkout) and passed.has("nvrtc", checkout)
    (checkout / "hal/source").write_text("changed")
    assert [step for step in passed.SOURCES if passed.has(step, checkout)] == []


def test_another_compiler_brings_back_what_it_judges(checkout, monkeypatch):
    for step in passed.SOURCES:
        passed.add(step, checkout)
    monkeypatch.setattr(passed, "compiler", lambda: "rustc 9.9.9\n")
    assert {step for step in passed.SOURCES if not passed.has(step, checkout)} == passed.COMPILED


def test_a_change_of_python_runs_few_steps(checkout):
    """The short way: what a change of the package alone runs is counted here in steps."""
    for step in passed.SOURCES:
        passed.add(step, checkout)
    (checkout / passed.PACKAGE / "new.py").write_text("")
    assert run(checkout, "--dry-run")[1] == [*ALWAYS[:6], "examples", *ALWAYS[6:]]


def covered(path, step):
    """Whether a file is among the sources of a step."""
    return any(path == place or path.startswith(f"{place}/") for place in passed.SOURCES[step])


def test_precompilation_depends_on_every_module_that_it_imports():
    script = (
        "import sys, cuproxide.precompile, cuproxide.doctor\n"
        "from cuproxide._tools import catalogue\n"
        "catalogue.run(['?'])\n"
        "modules = [module for name, module in sys.modules.items() if name.startswith('cuproxide')]\n"
        "print(*(module.__file__ for module in modules if getattr(module, '__file__', None)), sep='\\n')\n"
    )
    environment = os.environ | {"CUPROXIDE_BACKEND": "cpu"}
    said = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    names = [path.rpartition("/cuproxide/")[2] for path in said.stdout.splitlines()]
    assert len(names) > 50
    missing = [name for name in names if not covered(f"{passed.PACKAGE}/{name}", "precompile")]
    assert [name for name in missing if not name.endswith(".so")] == []


def test_the_step_of_the_standins_depends_on_every_test_that_it_runs(tmp_path):
    for place in ("ci/test_standins", "backends", "tests"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).symlink_to(ROOT / place)
    (tmp_path / "bin").mkdir()
    for name in ("cargo", "python"):
        (tmp_path / "bin" / name).write_text('#!/bin/sh\necho "$*"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "PYTHON": str(tmp_path / "bin/python")}
    done = subprocess.run(
        [tmp_path / "ci/test_standins", "--python"], env=environment, capture_output=True, text=True, check=True
    )
    named = {word.partition("::")[0] for word in done.stdout.split() if word.startswith("tests/")}
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists() or not covered(path, "standins")] == []


def test_a_step_that_fails_beside_others_fails_the_run(checkout):
    status, steps, said = run(checkout, failing="examples")
    assert status == 3 and "ran examples" in said
    # Nothing follows in its lane, and the run ends where the lane is waited for.
    assert "precompile" not in steps and "standins" not in steps and {"test", "hiprtc"} < set(steps)


def test_tables_of_texts_are_those_of_the_last_run_that_passed(checkout):
    (checkout / "ci/texts").mkdir()
    for name in ("nvrtc-12.8.txt", "hiprtc-7.2.txt"):
        (checkout / "ci/texts" / name).write_text("0000\n")
    table = "target/ci/texts/nvrtc-12.9.txt"
    script = f'#!/bin/sh\nmkdir -p target/ci/texts\nprintf "$LINES" > {table}\necho "given: $*"\n'
    (checkout / "ci/compile_kernels").write_text(script.replace("$LINES", r"b2\na1\nb2\n"))
    # What no line is asked for again has none: another version's table, a text that is gone.
    said = run(checkout, "nvrtc")[2]
    tables = {path.name: path.read_text() for path in (checkout / "ci/texts").iterdir()}
    assert tables == {"nvrtc-12.9.txt": "a1\nb2\n", "hiprtc-7.2.txt": "0000\n"}
    # All steps mean all texts, too.
    assert "given: \n" in said and "given: all\n" in run(checkout, "all")[2]
    # A run that fails leaves the tables as they were.
    (checkout / "ci/compile_kernels").write_text(script.replace("$LINES", r"c3\n") + "exit 1\n")
    assert run(checkout, "nvrtc")[0] == 1
    assert (checkout / "ci/texts/nvrtc-12.9.txt").read_text() == "a1\nb2\n"


def test_tables_of_texts_are_small_and_of_the_compilers_that_are_used():
    tables = sorted((ROOT / "ci/texts").glob("*"))
    lines = [line for table in tables for line in table.read_text().splitlines()]
    assert [line for line in lines if not re.fullmatch("[0-9a-f]{16}", line)] == []
    assert sum(table.stat().st_size for table in tables) < 1_000_000
    versions = re.findall(r"==(\d+\.\d+)", (ROOT / "ci/nvrtc.txt").read_text())
    names = {f"nvrtc-{version}.txt" for version in versions}
    assert {table.name for table in tables if table.name.startswith("nvrtc")} <= names


@pytest.mark.parametrize("arguments", [["all"], ["nvrtc", "standins"]])
def test_what_fails_or_did_not_run_is_no_pass(checkout, arguments):
    (checkout / "ci/compile_kernels").write_text("#!/bin/sh\necho NOT RUN: no compiler\n")
    status, _, _ = run(checkout, *arguments, failing="test-standins PARTS=--python")
    assert status == 3
    assert not {"nvrtc", "standins"} & set(passed.read(checkout))


def test_the_workflow_runs_the_same_and_keeps_times_and_logs():
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    commands = re.findall(r"^      - run: (.*)$", text, re.MULTILINE)
    assert [command.split()[0] for command in commands if "apt-get" not in command] == [".ci/run"]
    assert "path: target/ci\n" in text and "if: always()" in text


def test_an_unknown_step_is_an_error(checkout):
    status, steps, said = run(checkout, "nvcc")
    assert status == 2 and steps == [] and "no step nvcc" in said


def test_every_call_of_cargo_selects_the_same_packages():
    # Another selection or profile builds faer and all crates again. Incremental builds and releases are no part of CI.
    texts = [
        ROOT / "Makefile",
        *(ROOT / "ci" / name for name in ("compile_kernels", "check_rocm_loader", "test_standins")),
    ]
    calls = [
        line.strip()
        for path in [*texts, ROOT / "ci/compile_hip_kernels"]
        for line in path.read_text().splitlines()
        if re.search(r"(cargo|\$\(CARGO\)) (build|test|doc|clippy|check|run)\b", line)
        and "CARGO_INCREMENTAL" not in line
    ]
    assert len(calls) == 7
    assert [line for line in calls if "--release --locked" not in line] == []
    others = [line for line in calls if "$(WORKSPACE)" not in line and "--exclude 'cuproxide-py*'" not in line]
    assert len(others) == 1 and "clippy" in others[0]
