"""DLPack capsules and `__cuda_array_interface__` with fields that no library in its right mind writes."""

import ctypes
import random
import re

import cuproxide as cp
import numpy as np
import pytest
from effort import drawn
from helpers import check

ON_HOST = cp.Device().backend == "cpu"
# The default device may be the host where there is a GPU.
NO_GPU = all(device.backend == "cpu" for device in cp.available_devices())
CPU, LEGACY, VERSIONED = 1, b"dltensor", b"dltensor_versioned"
I64_MAX, I64_MIN, I32_MAX, I32_MIN = 2**63 - 1, -(2**63), 2**31 - 1, -(2**31)


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_kept = []


def words(values):
    array = (ctypes.c_int64 * max(len(values), 1))(*values)
    _kept.append(array)
    return ctypes.addressof(array)


def capsule(versioned=False, **fields):
    """A capsule over the six float64 0 to 5 as a 2 x 3 tensor, with these fields instead."""
    memory = (ctypes.c_double * 6)(*range(6))
    sound = {
        "data": ctypes.addressof(memory),
        "device_type": CPU,
        "device_id": 0,
        "ndim": 2,
        "code": 2,
        "bits": 64,
        "lanes": 1,
        "shape": [2, 3],
        "strides": [3, 1],
        "byte_offset": 0,
    }
    fields = sound | fields
    head = {name: fields.pop(name) for name in ("major", "minor", "flags") if name in fields}
    for name in ("shape", "strides"):
        if isinstance(fields[name], list):
            fields[name] = words(fields[name])
    tensor = Tensor(**fields)
    made = Versioned(**({"major": 1, "minor": 0} | head), tensor=tensor) if versioned else Managed(tensor=tensor)
    _kept.extend([memory, made])
    return _new(ctypes.addressof(made), VERSIONED if versioned else LEGACY, None)


@pytest.fixture(autouse=True)
def forget():
    yield
    _kept.clear()


def taken(**fields):
    return cp.fromDlpack(capsule(**fields))


@pytest.mark.parametrize("versioned", [False, True])
def test_a_sound_capsule_is_taken(versioned):
    check(taken(versioned=versioned), np.arange(6.0).reshape(2, 3))
    check(taken(versioned=versioned, strides=None), np.arange(6.0).reshape(2, 3))
    check(taken(versioned=versioned, ndim=0, shape=None, strides=None, byte_offset=8), np.array(1.0))
    check(taken(versioned=versioned, shape=[0, 3], data=None), np.empty((0, 3)))
    check(taken(versioned=versioned, strides=[-3, 1], byte_offset=24), np.arange(6.0).reshape(2, 3)[::-1])


@pytest.mark.parametrize(
    "fields, error, words",
    [
        ({"ndim": I32_MAX}, ValueError, "ndim=2147483647"),
        ({"ndim": 65}, ValueError, "ndim=65"),
        ({"ndim": -1}, ValueError, "ndim=-1"),
        ({"ndim": I32_MIN}, ValueError, "ndim=-2147483648"),
        ({"shape": None}, ValueError, "shape=NULL"),
        ({"shape": [2, -3]}, ValueError, r"shape[1]=-3"),
        ({"shape": [I64_MIN, 3]}, ValueError, rf"shape[0]={I64_MIN}"),
        ({"shape": [I64_MAX, 3]}, ValueError, None),
        ({"shape": [2**32, 2**32], "strides": None}, ValueError, None),
        ({"shape": [I64_MAX, I64_MAX, 0], "ndim": 3, "strides": None}, ValueError, None),
        ({"strides": [I64_MAX, 1]}, ValueError, rf"strides[0]={I64_MAX}"),
        ({"strides": [I64_MIN, 1]}, ValueError, rf"strides[0]={I64_MIN}"),
        ({"strides": [2**60 - 1, 1]}, ValueError, "beyond"),
        ({"strides": [-(2**60) + 1, 1]}, ValueError, "beyond"),
        ({"shape": [2, 2], "strides": [2**59, -(2**59)]}, ValueError, "beyond"),
        ({"strides": 3}, ValueError, "strides=0x3"),
        ({"data": None}, ValueError, "data=NULL"),
        ({"data": None, "byte_offset": 64}, ValueError, "data=NULL"),
        ({"byte_offset": 2**64 - 8}, ValueError, f"byte_offset={2**64 - 8}"),
        ({"byte_offset": 1}, BufferError, "aligned"),
        ({"code": 99}, BufferError, "code 99"),
        ({"code": 3, "bits": 64}, BufferError, "code 3"),
        ({"bits": 0}, BufferError, "0 bits"),
        ({"bits": 65}, BufferError, "65 bits"),
        ({"bits": 255}, BufferError, "255 bits"),
        ({"lanes": 0}, BufferError, "0 lanes"),
        ({"lanes": 4}, BufferError, "4 lanes"),
        ({"device_type": 99}, BufferError, "type 99"),
        ({"device_type": -1}, BufferError, "type -1"),
        ({"device_type": 2, "device_id": I32_MAX}, BufferError, "number 2147483647"),
        ({"device_type": 10, "device_id": -1}, BufferError, "number -1"),
    ],
)
@pytest.mark.parametrize("versioned", [False, True])
def test_each_field_is_checked(versioned, fields, error, words):
    with pytest.raises(error, match=words and re.escape(words)):
        taken(versioned=versioned, **fields)


def test_versions_and_flags():
    with pytest.raises(BufferError, match=r"version 2\.0"):
        taken(versioned=True, major=2)
    with pytest.raises(BufferError, match="version 4294967295"):
        taken(versioned=True, major=2**32 - 1, minor=2**32 - 1)
    with pytest.raises(BufferError, match="flags=0x8"):
        taken(versioned=True, flags=8)
    # A later minor version may say more than is known here.
    check(taken(versioned=True, minor=9, flags=8), np.arange(6.0).reshape(2, 3))
    with pytest.raises(ValueError, match="capsule"):
        cp.fromDlpack(_new(1, b"something", None))
    with pytest.raises(TypeError):
        cp.fromDlpack(5)


@pytest.mark.skipif(not ON_HOST, reason="the memory is the host's")
def test_memory_that_must_not_be_written_is_copied():
    class Producer:
        def __dlpack__(self, **_):
            return capsule(versioned=True, flags=1)

        def __dlpack_device__(self):
            return CPU, 0

    made = cp.from_dlpack(Producer())
    made[...] = 7
    memory = _kept[-2] if isinstance(_kept[-2], ctypes.Array) else _kept[-3]
    assert list(memory) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(BufferError):
        cp.from_dlpack(Producer(), copy=False)


HOSTILE = {
    "ndim": [0, 1, 2, 3, 64, 65, -1, I32_MAX, I32_MIN],
    "code": [*range(20), 255],
    "bits": [0, 1, 8, 16, 32, 64, 128, 255],
    "lanes": [0, 1, 2, 65535],
    "byte_offset": [0, 1, 8, 2**63, 2**64 - 1, 2**64 - 8],
    "device_type": [1, 3, 0, -1, 99, I32_MIN, I32_MAX],
    "device_id": [0, 1, -1, I32_MAX],
}
LENGTHS = [0, 1, 2, 3, -1, 2**31, 2**32, 2**62, I64_MAX, I64_MIN]
STRIDES = [0, 1, 3, -1, -3, 2**31, 2**59, 2**60, 2**61, -(2**61), I64_MAX, I64_MIN]


def test_drawn_capsules_give_an_array_or_an_error():
    """Several fields at once. Whatever is taken has a size that its memory can have; its elements are not looked at."""
    drawing = random.Random(20)
    outcomes = {"taken": 0, "refused": 0}
    for _ in range(drawn(3000)):
        fields = {name: drawing.choice(values) for name, values in HOSTILE.items() if drawing.random() < 0.2}
        ndim = fields.get("ndim", 2)
        count = min(max(ndim, 0), 65)
        if drawing.random() < 0.6:
            fields["shape"] = drawing.choice([None, 3, [drawing.choice(LENGTHS) for _ in range(count)]])
        if drawing.random() < 0.6 or count > 2:
            fields["strides"] = drawing.choice([None, 5, [drawing.choice(STRIDES) for _ in range(count)]])
        if count > 2 and not isinstance(fields.get("shape"), (list, int)):
            fields["shape"] = [1] * count
        if fields.get("shape") == 3 and ndim == 0:
            fields["shape"] = None
        if drawing.random() < 0.2:
            fields["data"] = drawing.choice([None, 1, 2**64 - 8, 2**63])
        versioned = drawing.random() < 0.5
        if versioned and drawing.random() < 0.3:
            fields |= {"major": drawing.choice([0, 1, 2]), "flags": drawing.choice([0, 1, 2, 4, 2**63])}
        # What must not be written would be copied, which reads memory that does not exist.
        if fields.get("flags") == 1:
            del fields["flags"]
        made = capsule(versioned, **fields)
        try:
            array = cp.fromDlpack(made)
        except (ValueError, BufferError, OverflowError, MemoryError):
            outcomes["refused"] += 1
        else:
            outcomes["taken"] += 1
            assert array.ndim == max(fields.get("ndim", 2), 0) <= 64
            assert 0 <= array.nbytes < 2**63
    assert min(outcomes.values()) > drawn(3000) // 50, outcomes


class Described:
    def __init__(self, **fields):
        sound = {"shape": (2, 3), "typestr": "<f8", "data": (4096, False), "version": 3}
        self.__cuda_array_interface__ = {
            name: value for name, value in (sound | fields).items() if value is not Ellipsis
        }


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"version": 99}, "version=99"),
        ({"version": -1}, "version=-1"),
        ({"version": "3"}, "version='3'"),
        ({"stream": 0}, "stream=0"),
        ({"stream": -1}, "stream=-1"),
        ({"stream": "x"}, "stream='x'"),
        ({"mask": np.ones(3)}, "mask"),
        ({"data": ...}, 'no "data"'),
        ({"data": (0, False)}, r"data=(0, False)"),
        ({"data": (-8, False)}, r"data=(-8, False)"),
        ({"data": 4096}, "data=4096"),
        ({"data": (2**64, False)}, "data="),
        ({"shape": ...}, 'no "shape"'),
        ({"shape": (-2, 3)}, r"shape=(-2, 3)"),
        ({"shape": [2, 3]}, "shape=[2, 3]"),
        ({"shape": (2.5, 3)}, "shape=(2.5, 3)"),
        ({"shape": (1,) * 65}, "65 entries"),
        ({"shape": (2**40, 2**40)}, None),
        ({"strides": (24,)}, r"strides=(24,)"),
        ({"strides": (24, 2**70)}, "strides="),
        ({"strides": (2**62, 2**62)}, "strides"),
        ({"strides": (-(2**40), 8)}, "beyond"),
        ({"typestr": ...}, 'no "typestr"'),
        ({"typestr": 5}, "typestr=5"),
        ({"typestr": "nonsense"}, "typestr='nonsense'"),
        ({"typestr": ">f8"}, "typestr='>f8'"),
        ({"descr": [("a", "<f4"), ("b", "<f4")]}, "descr="),
        ({"descr": [("", "<i8")]}, "descr="),
    ],
)
def test_each_entry_of_the_interface_is_checked(fields, words):
    with pytest.raises(ValueError, match=words and re.escape(words)):
        cp.asarray(Described(**fields))


@pytest.mark.parametrize("typestr", ["|O", "<U4", *(["|V8", "<M8[s]"] if NO_GPU else [])])
def test_types_that_devices_do_not_have(typestr):
    with pytest.raises((TypeError, ValueError)):
        cp.asarray(Described(typestr=typestr))


def test_an_interface_that_is_no_dict():
    class Odd:
        __cuda_array_interface__ = 5

    with pytest.raises(TypeError, match="not a dict"):
        cp.asarray(Odd())


@pytest.mark.skipif(not NO_GPU, reason="where there is a GPU, the address would be used")
def test_a_sound_interface_needs_a_gpu():
    for fields in ({}, {"version": ...}, {"strides": None, "stream": None, "mask": None, "descr": [("", "<f8")]}):
        with pytest.raises(TypeError, match="GPU"):
            cp.asarray(Described(**fields))


@pytest.mark.skipif(ON_HOST, reason="the interface is about GPU memory")
def test_the_interface_may_forbid_to_write():
    a = cp.arange(6.0)

    class View:
        def __init__(self, read_only):
            own = a.__cuda_array_interface__
            self.__cuda_array_interface__ = own | {"data": (own["data"][0], read_only)}

    for read_only in (False, True):
        view = cp.asarray(View(read_only))
        assert view.data.ptr == a.data.ptr and view.flags.writeable is not read_only
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5
    copied = cp.array(View(True))
    copied[...] = 9
    check(a, np.arange(6.0))


@pytest.mark.skipif(not ON_HOST, reason="the memory is the host's")
def test_arrays_of_other_protocols_are_numpys_to_check():
    class Odd:
        def __init__(self, **fields):
            self.__array_interface__ = {"shape": (3,), "typestr": "<f8", "data": (0, False), "version": 3} | fields

    for fields in ({"shape": (-3,)}, {"typestr": "nonsense"}, {"version": 99}, {"data": 5}, {"strides": (1, 2)}):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            cp.asarray(Odd(**fields))
