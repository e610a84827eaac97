"""The cache of compiled kernels on disk: who can write it, what it goes by, what is made anew."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import stat
import subprocess

import cuproxide as cp
import pytest

BACKEND = cp.Device().backend
on_cpu = pytest.mark.skipif(BACKEND != "cpu", reason="how the host's compiler is used")
compiled = pytest.mark.skipif(BACKEND not in ("cpu", "cuda", "hip"), reason="compiles no texts")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can give files away")

PROGRAM = """
import os
import cuproxide as cp
os.umask(0)
x = cp.zeros(1, "i4")
cp.RawKernel('extern "C" __global__ void cached(int* x) { x[0] = 7; }', "cached")((1,), (1,), (x,))
print(int(x[0]))
"""


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@compiled
def test_only_the_user_can_read_and_write_it(run_python, tmp_path):
    folder = tmp_path / "a" / "b"
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder).stdout == "7\n"
    entries = list(folder.iterdir())
    assert entries and {mode(entry) for entry in entries} == {0o600}
    assert mode(folder) == mode(folder.parent) == 0o700


@compiled
@pytest.mark.parametrize("open_to", [0o777, 0o1777, 0o770])
def test_a_folder_that_others_can_write_is_not_used(run_python, tmp_path, open_to):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(open_to)
    done = run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder)
    assert done.stdout == "7\n" and not list(folder.iterdir())
    assert done.stderr.count("RuntimeWarning") == 1
    for part in (str(folder), f"mode {open_to:04o}", f"user {os.geteuid()}", "chmod go-w", "CUPROXIDE_CACHE_DIR"):
        assert part in done.stderr


@compiled
@as_root
def test_what_belongs_to_others_is_not_used(run_python, tmp_path):
    folder = tmp_path / "planted"
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder).stdout == "7\n"
    entries = list(folder.iterdir())
    for entry in entries:
        os.chown(entry, 12345, -1)
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder).stdout == "7\n"
    assert all(entry.stat().st_uid == 0 for entry in entries), "made anew"
    os.chown(folder, 12345, -1)
    done = run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder)
    assert done.stdout == "7\n" and "belongs to user 12345 (mode 0700)" in done.stderr


def plant(entry, source):
    """Puts code into the place of an entry, in an entry's form."""
    library = entry.with_suffix(".so")
    subprocess.run(["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", library], input=source.encode(), check=True)
    code = library.read_bytes()
    library.unlink()
    entry.write_bytes(b"CUPROX1\n" + hashlib.sha256(code).digest() + code)


@on_cpu
@pytest.mark.skipif(not shutil.which("g++"), reason="no g++")
def test_code_that_others_planted_does_not_run(run_python, tmp_path):
    folder, mark = tmp_path / "cache", tmp_path / "mark"
    run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder)
    (entry,) = folder.iterdir()
    made = entry.read_bytes()
    evil = f'#include <stdio.h>\n__attribute__((constructor)) void f() {{ fclose(fopen("{mark}", "w")); }}'
    plant(entry, evil)
    entry.chmod(0o666)
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder).stdout == "7\n"
    assert not mark.exists() and mode(entry) == 0o600 and len(entry.read_bytes()) == len(made)
    # The user's own is loaded, is no library of kernels, and is made anew.
    plant(entry, evil)
    entry.chmod(0o600)
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder).stdout == "7\n"
    assert mark.exists() and len(entry.read_bytes()) == len(made)


@compiled
def test_what_cannot_be_loaded_is_made_anew(run_python, tmp_path):
    run_python(PROGRAM, CUPROXIDE_CACHE_DIR=tmp_path)
    entries = {entry: entry.read_bytes() for entry in tmp_path.iterdir()}
    code = b"machine code of another machine" * 100
    for entry in entries:
        entry.write_bytes(b"CUPROX1\n" + hashlib.sha256(code).digest() + code)
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=tmp_path).stdout == "7\n"
    assert all(len(entry.read_bytes()) == len(before) for entry, before in entries.items())


@compiled
def test_pipes_and_links_are_no_entries(run_python, tmp_path):
    run_python(PROGRAM, CUPROXIDE_CACHE_DIR=tmp_path)
    entries = list(tmp_path.iterdir())
    for entry in entries:
        entry.unlink()
        os.mkfifo(entry)
    assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=tmp_path).stdout == "7\n"
    assert all(entry.is_file() for entry in entries)
    aside = tmp_path / "aside"
    for entry in entries:
        entry.rename(aside)
        entry.symlink_to(aside)
        assert run_python(PROGRAM, CUPROXIDE_CACHE_DIR=tmp_path).stdout == "7\n"
        assert not entry.is_symlink()


@on_cpu
@pytest.mark.skipif(platform.machine() != "x86_64" or not shutil.which("g++"), reason="options of g++ for x86")
def test_machines_of_different_features_have_different_entries(run_python, tmp_path):
    """One command, as on nodes that share a home: what it compiles for is another matter."""
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\nexec g++ $FEATURES "$@"\n')
    compiler.chmod(0o755)
    folder = tmp_path / "cache"
    for features, count in (("", 1), ("-mavx2", 2), ("-mavx2", 2), ("-mfma", 3)):
        done = run_python(PROGRAM, CUPROXIDE_CACHE_DIR=folder, CXX=compiler, FEATURES=features)
        assert done.stdout == "7\n", done.stderr
        assert len(list(folder.iterdir())) == count


@on_cpu
def test_options_do_not_keep_a_kernel_from_being_found(run_python, tmp_path):
    program = PROGRAM.replace('"cached")(', '"cached", options=("-DX=1",))(')
    for _ in range(2):
        assert run_python(program, CUPROXIDE_CACHE_DIR=tmp_path).stdout == "7\n"
        assert len(list(tmp_path.iterdir())) == 1


SPELLINGS = [
    '#include "my.h"',
    '/* c */ #include "my.h"',
    '# /**/ include /* c */ "my.h"',
    '%:include "my.h"',
    '#inc\\\nlude "my.h"',
    '#include \\\n"my.h"',
    '#define NAME "my.h"\n#include NAME',
    '#if __has_include("my.h")\n#include "my.h"\n#endif',
]


@compiled
@pytest.mark.parametrize("spelling", SPELLINGS + ['#import "my.h"'] * (BACKEND == "cpu"))
def test_a_changed_header_is_seen_however_it_is_included(tmp_path, monkeypatch, spelling):
    monkeypatch.chdir(tmp_path)
    # Without options, the host's compiler looks into the current folder.
    options = () if BACKEND == "cpu" else (f"-I{tmp_path}",)
    code = spelling + '\nextern "C" __global__ void k(int* x) { x[0] = VALUE; }'
    x = cp.zeros(1, "i4")
    for value in (1, 2):
        (tmp_path / "my.h").write_text(f"#define VALUE {value}\n")
        cp.RawKernel(code, "k", options=options)((1,), (1,), (x,))
        assert int(x[0]) == value


@on_cpu
def test_folders_of_headers_are_seen_from_the_current_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "my.h").write_text("#define VALUE 3\n")
    x = cp.zeros(1, "i4")
    for options in (("-Iinc",), ("-I", "inc"), ("--include-path=inc",)):
        code = '#include <my.h>\nextern "C" __global__ void k(int* x) { x[0] += VALUE; }'
        cp.RawKernel(code, "k", options=options)((1,), (1,), (x,))
    assert int(x[0]) == 9


@on_cpu
@pytest.mark.parametrize("value", [" ", "\t \n"])
def test_a_compiler_of_no_name(run_python, value):
    code = """
import cuproxide as cp
try:
    cp.RawKernel('extern "C" __global__ void unseen(int* x) { }', "unseen").compile()
except ValueError as error:
    print(error)
"""
    done = run_python(code, CXX=value)
    assert done.stdout.startswith("CXX=") and "must name a C++ compiler" in done.stdout, done.stderr
    assert "panicked" not in done.stderr
    done = run_python("import cuproxide as cp; cp.show_config()", CXX=value)
    assert "panicked" not in done.stderr and done.returncode == 0
