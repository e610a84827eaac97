"""What depends on the version of ROCm, on stand-ins that name one."""

import os

import pytest

pytestmark = pytest.mark.skipif(os.environ.get("CUPROXIDE_BACKEND") != "hip", reason="only ROCm's")


def test_another_rocm_does_not_run_what_the_last_one_compiled(run_python, tmp_path):
    def images(version):
        run_python(
            "import cuproxide as cp; print(cp.ones(3) + 1)", CUPROXIDE_CACHE_DIR=tmp_path, STANDIN_VERSION=version
        )
        return {path.name for path in tmp_path.glob("*.bin")}

    first = images(70_051_831)
    assert first
    assert images(70_051_831) == first
    second = images(70_253_211)
    assert second > first and len(second) == 2 * len(first)
