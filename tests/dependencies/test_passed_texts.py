"""Texts of kernels that have passed are not compiled again, and nothing else is left out."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci"))

import passed_texts  # noqa: E402

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

# A compiler that knows one fault and writes down what it compiles.
COMPILER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int nvrtcCreateProgram(void **program, const char *text, const char *name, int count, const char **texts,
                       const char **names) {
    *program = strdup(text);
    return 0;
}
int nvrtcDestroyProgram(void **program) { free(*program); return 0; }
int nvrtcAddNameExpression(void *program, const char *expression) { return 0; }
int nvrtcCompileProgram(void *program, int count, const char **options) {
    FILE *file = fopen(COMPILED, "a");
    fprintf(file, "%s\n", (char *)program);
    fclose(file);
    return strstr(program, "broken") ? 6 : 0;
}
int nvrtcGetCUBINSize(void *program, size_t *size) { *size = 5; return 0; }
int nvrtcGetCUBIN(void *program, char *image) { memcpy(image, "whole", 5); return 0; }
int nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 9; return 0; }
"""

# Compiles the texts that it is given through a library, and prints the status and the image of each.
PROGRAM = """
import ctypes, json, sys
library = ctypes.CDLL(sys.argv[1])
for text, options, headers, expression in json.loads(sys.argv[2]):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"name.cu", headers, None, None) == 0
    if expression:
        assert library.nvrtcAddNameExpression(program, expression.encode()) == 0
    options = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    status = library.nvrtcCompileProgram(program, len(options), options)
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    library.nvrtcGetCUBIN(program, image)
    assert library.nvrtcDestroyProgram(ctypes.byref(program)) == 0
    print(status, image.raw.lstrip(b"\\x7f").decode())
"""


@pytest.fixture
def compile_texts(tmp_path):
    """Compiles texts as a step of CI does. Returns statuses with images, what the compiler got, and counts."""
    source, compiler, compiled = tmp_path / "compiler.c", tmp_path / "libnvrtc.so.12.9.86", tmp_path / "compiled"
    source.write_text(COMPILER)
    subprocess.run(["cc", "-shared", "-fPIC", f'-DCOMPILED="{compiled}"', source, "-o", compiler], check=True)
    record = tmp_path / "passed_texts.txt"

    def run(*texts, key="nvrtc 12.9", keep=True):
        library = passed_texts.stand(key, compiler, tmp_path / "stand", record)
        assert library.name == "libnvrtc.so.12"
        compiled.write_text("")
        command = [sys.executable, "-c", PROGRAM, library, json.dumps([(*text, 0, "", "")[:4] for text in texts])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        counts = passed_texts.passed(key, tmp_path / "stand", keep=keep, record=record)
        return done.stdout.split("\n")[:-1], compiled.read_text().split(), counts

    return run


def test_an_unchanged_tree_compiles_no_text(compile_texts):
    texts = [("one", ["-a"]), ("two", ["-a"]), ("two", ["-b"])]
    assert compile_texts(*texts) == (["0 whole"] * 3, ["one", "two", "two"], (3, 3))
    assert compile_texts(*texts) == (["0 ELF"] * 3, [], (3, 0))
    # A new text, other options and another version of the compiler are compiled; texts that are gone leave the record.
    assert compile_texts(("two", ["-b"]), ("new", ["-a"]), ("one", ["-a", "-b"]))[1:] == (["new", "one"], (3, 2))
    assert compile_texts(("one", ["-a"]))[1] == ["one"]
    assert compile_texts(("one", ["-a"]), key="nvrtc 13.5")[1] == ["one"]
    assert compile_texts(("one", ["-a"]))[1] == []


def test_what_fails_or_has_names_is_compiled_each_time(compile_texts):
    texts = [("broken", []), ("included", [], 1), ("named", [], 0, "f<int>")]
    for _ in range(2):
        found, compiled, counts = compile_texts(*texts)
        assert [line.split()[0] for line in found] == ["6", "0", "0"]
        assert (compiled, counts) == (["broken", "included", "named"], (0, 0))


def test_only_a_run_that_is_recorded_leaves_texts_out(compile_texts):
    assert compile_texts(("one", []), keep=False)[2] == (1, 1)
    assert compile_texts(("one", []))[2] == (1, 1)
    assert compile_texts(("one", []))[2] == (1, 0)


def test_the_record_is_in_order_and_small():
    lists = passed_texts.read()
    assert passed_texts.RECORD.stat().st_size < 1_000_000
    assert all(len(text) == 16 and int(text, 16) >= 0 for texts in lists.values() for text in texts)
    lines = passed_texts.RECORD.read_text().splitlines()
    assert lines == [line for key in sorted(lists) for line in (f"== {key}", *sorted(lists[key]))]
