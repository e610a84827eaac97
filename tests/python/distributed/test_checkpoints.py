"""Checkpoints: what is read is what was written, by zarr and h5py too, or an error."""

import json
import os
import shutil

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import distributed
from cuproxide.distributed import CheckpointError, _checkpoint
from cuproxide.distributed._checkpoint import _chunk_shape
from cuproxide.distributed.array import distributed_array
from processes import started

zarr = pytest.importorskip("zarr", minversion="3.1")
h5py = pytest.importorskip("h5py")

FORMATS = ["zarr", "hdf5"]


def plainly(path, name):
    """An array as users without this package read it."""
    if (path / "data.h5").exists():
        with h5py.File(path / "data.h5") as file:
            return file[name][()]
    return zarr.open_group(str(path), mode="r")[name][...]


DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]


@pytest.mark.parametrize("format", FORMATS)
def test_dtypes(tmp_path, format):
    rng = np.random.default_rng(0)
    arrays = {dtype: rng.normal(scale=50, size=(4, 5)).astype(dtype) for dtype in DTYPES}
    arrays["complex128"][0, 0] = complex(np.nan, -0.0)
    distributed.save(tmp_path / "c", arrays, format=format)
    found = distributed.load(tmp_path / "c")
    assert list(found) == DTYPES and found.attributes == {}
    for dtype, array in arrays.items():
        assert found[dtype].dtype == dtype and found[dtype].get().tobytes() == array.tobytes()
        plain = plainly(tmp_path / "c", dtype)
        assert plain.dtype == dtype and plain.tobytes() == array.tobytes()


@pytest.mark.parametrize("format", FORMATS)
def test_bfloat16_is_stored_as_its_bits(tmp_path, format):
    array = cp.arange(6).astype("bfloat16").reshape(2, 3)
    distributed.save(tmp_path / "c", {"x": array}, format=format)
    found = distributed.load(tmp_path / "c")["x"]
    assert found.dtype == array.dtype and found.astype("float32").tolist() == [[0, 1, 2], [3, 4, 5]]
    bits = array.view("uint16").get()
    plain = plainly(tmp_path / "c", "x")
    assert plain.dtype == bits.dtype and (plain == bits).all()
    if format == "zarr":
        assert zarr.open_group(str(tmp_path / "c"))["x"].attrs["dtype"] == "bfloat16"
    else:
        with h5py.File(tmp_path / "c" / "data.h5") as file:
            assert file["x"].attrs["dtype"] == "bfloat16"


@pytest.mark.parametrize("format", FORMATS)
def test_chunks_of_zeros(tmp_path, format):
    # zarr leaves out chunks that equal the fill value, as negative zeros do.
    for name, zeros in {"plus": np.zeros(8), "minus": -np.zeros(8)}.items():
        x = distributed_array(zeros, {0: [slice(0, 4), slice(4, 8)]})
        distributed.save(tmp_path / name, {"x": x}, format=format)
        assert distributed.load(tmp_path / name)["x"].get().tobytes() == zeros.tobytes()
        assert plainly(tmp_path / name, "x").tobytes() == zeros.tobytes()
    # What is missing is not zeros.
    files = sorted(path for path in (tmp_path / "minus").rglob("*") if path.is_file())
    chunk = files[-1] if format == "zarr" else tmp_path / "minus" / "part-00000.h5"
    chunk = next((path for path in files if path.parent.name == "c"), chunk)
    chunk.unlink()
    with pytest.raises(FileNotFoundError, match="is missing"):
        distributed.load(tmp_path / "minus")


@pytest.mark.parametrize("format", FORMATS)
def test_forms(tmp_path, format):
    arrays = {
        "scalar": np.float32(2.5), "none": np.empty((0, 3)), "one": np.arange(1),
        "deep": np.arange(24).reshape(1, 2, 3, 4), "strided": np.arange(20).reshape(4, 5).T[::2],
    }  # fmt: skip
    distributed.save(tmp_path / "c", arrays, format=format)
    found = distributed.load(tmp_path / "c")
    for name, array in arrays.items():
        assert found[name].shape == np.shape(array) and found[name].dtype == array.dtype
        assert (found[name].get() == array).all() and (plainly(tmp_path / "c", name) == array).all()


@pytest.mark.parametrize("format", FORMATS)
def test_another_form_is_read(tmp_path, format):
    whole = np.arange(99.0).reshape(9, 11)
    x = distributed_array(whole, {0: [(slice(0, 4), slice(0, 5)), (slice(0, 4), slice(5, 11)), slice(4, 9)]})
    distributed.save(tmp_path / "c", {"x": x}, format=format, attributes={"step": [1, "a"]})
    parts = {0: [slice(0, 1), (slice(1, 9), slice(0, 10)), (slice(1, 9), slice(10, 11))]}
    found = distributed.load(tmp_path / "c", {"x": parts}, names=["x"])
    assert found.attributes == {"step": [1, "a"]}
    assert (found["x"].get() == whole).all() and len(found["x"].all_chunks()[0]) == 3


@pytest.mark.parametrize("format", FORMATS)
def test_what_changed_on_the_disk_is_found(tmp_path, format):
    distributed.save(tmp_path / "c", {"x": np.arange(1000.0)}, format=format)
    files = [path for path in (tmp_path / "c").rglob("*") if path.is_file() and path.stat().st_size >= 8000]
    (file,) = files
    content = bytearray(file.read_bytes())
    place = content.index(np.float64(500.0).tobytes())
    content[place] ^= 1
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"chunk \(0,\) of 'x' in .* is not what was written"):
        distributed.load(tmp_path / "c")
    assert distributed.load(tmp_path / "c", verify=False)["x"].size == 1000


@pytest.mark.parametrize("format", FORMATS)
def test_an_earlier_checkpoint_stays(tmp_path, format, monkeypatch):
    path = tmp_path / "c"
    distributed.save(path, {"x": np.arange(3)}, format=format)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        distributed.save(path, {"x": np.arange(4)}, format=format)
    with monkeypatch.context() as patch:
        patch.setattr(_checkpoint, "_synchronize", fails)
        with pytest.raises(OSError, match="No space left"):
            distributed.save(path, {"x": np.arange(4)}, format=format, overwrite=True)
    assert os.listdir(tmp_path) == ["c"] and distributed.load(path)["x"].tolist() == [0, 1, 2]
    # A job that is killed leaves a folder that is no checkpoint; the next one removes it.
    shutil.copytree(path, tmp_path / "c.partial-1234")
    distributed.save(path, {"x": np.arange(4)}, format=format, overwrite=True)
    assert os.listdir(tmp_path) == ["c"] and distributed.load(path)["x"].tolist() == [0, 1, 2, 3]
    # Killed between the two names.
    path.rename(tmp_path / "c.previous")
    assert distributed.load(path)["x"].tolist() == [0, 1, 2, 3]


def fails(path):
    raise OSError(28, "No space left on device")


def test_arguments(tmp_path):
    with pytest.raises(ValueError, match="format='tar' is none of zarr, hdf5"):
        distributed.save(tmp_path / "c", {}, format="tar")
    for name in ("", "a/b", ".", "..", "__x", 3):
        with pytest.raises(ValueError, match="cannot have the name"):
            distributed.save(tmp_path / "c", {name: np.arange(3)})
    with pytest.raises(TypeError, match="cannot hold elements of"):
        distributed.save(tmp_path / "c", {"x": cp.zeros(2, [("a", "i4")])})
    with pytest.raises(TypeError, match="not JSON serializable"):
        distributed.save(tmp_path / "c", {}, attributes={"x": object()})
    with pytest.raises(FileNotFoundError, match="there is no checkpoint"):
        distributed.load(tmp_path / "c")
    assert os.listdir(tmp_path) == []
    distributed.save(tmp_path / "c", {"x": np.arange(3)})
    with pytest.raises(KeyError, match="has no array 'y'; it has x"):
        distributed.load(tmp_path / "c", names=["y"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="is not a checkpoint"):
        distributed.load(tmp_path / "empty")


def test_chunks():
    strips = [((0, 333), (0, 10)), ((333, 666), (0, 10)), ((666, 1000), (0, 10))]
    assert _chunk_shape((1000, 10), strips, 8) == (333, 10)
    # Parts that share no width do not make a thousand chunks.
    uneven = [((0, 14), (0, 10)), ((14, 29), (0, 10)), ((29, 100), (0, 10))]
    assert _chunk_shape((100, 10), uneven, 8) == (34, 10)
    assert np.prod(_chunk_shape((1 << 20, 1 << 10), [((0, 1 << 20), (0, 1 << 10))], 8)) * 8 <= 256 << 20


@pytest.mark.parametrize("format", FORMATS)
def test_ranks_write_and_others_read(tmp_path, format):
    result = started(3, "checkpoints.py", "store", "write", format, tmp_path)
    assert result.status == 0 and result.out.count("written") == 3, result.err
    result = started(2, "checkpoints.py", "store", "read", format, tmp_path)
    assert result.status == 0 and result.out.count("read") == 2, result.err
    assert (plainly(tmp_path / "step-3", "rows") == np.arange(70.0).reshape(10, 7)).all()
    assert (plainly(tmp_path / "step-3", "sums") == np.arange(12).reshape(3, 4)).all()
    before = json.dumps(sorted(map(str, tmp_path.rglob("*"))))
    result = started(2, "checkpoints.py", "store", "full", format, tmp_path)
    lines = [line for line in result.out.splitlines() if line.startswith("error|")]
    assert len(lines) == 2 and all("rank 1 could not write its part: OSError: [Errno 28]" in line for line in lines)
    assert json.dumps(sorted(map(str, tmp_path.rglob("*")))) == before


@pytest.mark.parametrize("format", ["zarr", "hdf5"])
def test_what_is_no_checkpoint_is_not_replaced(tmp_path, format):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "notes.txt").write_text("kept")
    (tmp_path / "file").write_text("kept")
    for name in ("own", "file"):
        with pytest.raises(FileExistsError, match=f"{name} exists and is not a checkpoint"):
            distributed.save(tmp_path / name, {"u": cp.ones(3)}, format=format, overwrite=True)
    assert (tmp_path / "own" / "notes.txt").read_text() == (tmp_path / "file").read_text() == "kept"


def test_data_of_others_in_the_same_formats_is_not_replaced(tmp_path):
    zarr, h5py = pytest.importorskip("zarr"), pytest.importorskip("h5py")
    zarr.create_group(str(tmp_path / "group")).create_array("mine", shape=(3,), dtype="f8")
    (tmp_path / "file").mkdir()
    with h5py.File(tmp_path / "file" / "data.h5", "w") as opened:
        opened["mine"] = np.ones(3)
    for name in ("group", "file"):
        before = sorted((tmp_path / name).rglob("*"))
        with pytest.raises(FileExistsError, match=f"{name} exists and is not a checkpoint"):
            distributed.save(tmp_path / name, {"u": cp.ones(3)}, overwrite=True)
        assert sorted((tmp_path / name).rglob("*")) == before


def test_only_what_this_name_left_over_is_removed(tmp_path):
    others = [tmp_path / name for name in ("run1.partial-0123abcd", "run[1].partial-mine")]
    left = tmp_path / "run[1].partial-0123abcd"
    for folder in (*others, left):
        folder.mkdir()
    distributed.save(tmp_path / "run[1]", {"u": cp.ones(3)})
    assert all(folder.exists() for folder in others) and not left.exists()


@pytest.mark.parametrize("format", ["zarr", "hdf5"])
def test_names_of_arrays(tmp_path, format):
    names = ["a b", "\u00fc", "100%", "%d %s", "a.b", "c", "chunk 0"]
    distributed.save(tmp_path / "x", {name: cp.full(3, float(at)) for at, name in enumerate(names)}, format=format)
    got = distributed.load(tmp_path / "x")
    assert {name: float(array[0]) for name, array in got.items()} == {name: at for at, name in enumerate(names)}
    for name in ("a\\b", "a\0b", "a" * 256):
        with pytest.raises(ValueError, match="cannot have the name"):
            distributed.save(tmp_path / "y", {name: cp.ones(3)}, format=format)


@pytest.mark.parametrize("format", ["zarr", "hdf5"])
def test_files_that_are_cut_off(tmp_path, format):
    distributed.save(tmp_path / "x", {"u": cp.arange(10.0), "s": cp.asarray(2.0)}, format=format)
    for file in [file for file in (tmp_path / "x").rglob("*") if file.is_file()]:
        content = file.read_bytes()
        for short in (b"", content[: len(content) // 2]):
            file.write_bytes(short)
            with pytest.raises(distributed.CheckpointError, match="cannot be read|is not what was written"):
                distributed.load(tmp_path / "x")
        file.write_bytes(content)
