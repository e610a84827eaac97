"""Compiles the tables of AMD's libraries against AMD's headers: python ci/check_amd_headers.py FOLDER

FOLDER holds Debian's packages libamdhip64-dev, libhipsparse-dev, libhiprand-dev, librocrand-dev, librccl-dev,
libhipsparselt-dev and libmiopen-dev, unpacked with `dpkg-deb -x`. Each function of a table must be in a header and take
as many parameters, each of the size and kind (integer or address, floating, structure) that the table says. What the
tables of HIP, hiprtc, hipBLAS, hipSOLVER and hipFFT say is written from headers by `backends/hip-sys/generate`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parent.parent


class Source(NamedTuple):
    """A table, what renames its functions, and the headers that declare them."""

    table: str
    names: str | None
    headers: tuple[str, ...]


SOURCES = (
    Source("backends/gpu/src/api/sparse.rs", "backends/hip/src/libraries/sparse.rs", ("hipsparse/hipsparse.h",)),
    Source("backends/gpu/src/api/random.rs", "backends/hip/src/libraries/random.rs", ("hiprand/hiprand.h",)),
    Source("backends/gpu/src/api/collectives.rs", None, ("rccl/rccl.h",)),
    Source(
        "backends/gpu/src/structured.rs", "backends/hip/src/libraries/structured.rs", ("hipsparselt/hipsparselt.h",)
    ),
    Source("backends/hip/src/api/miopen.rs", None, ("miopen/miopen.h",)),
)

# Element types that no signature names and not every compiler takes.
UNNEEDED = ("hip/hip_bfloat16.h", "hip/hip_fp8.h")

# Size and kind of a parameter: i for integers and addresses, f for floating numbers, s for structures.
SIZES = {
    **dict.fromkeys(("c_int", "c_uint", "i32", "u32"), (4, "i")),
    **dict.fromkeys(("i64", "u64", "usize", "c_ulonglong"), (8, "i")),
    "bool": (1, "i"),
    "c_float": (4, "f"),
    "c_double": (8, "f"),
    "UniqueId": (128, "s"),
}

PROGRAM = """\
#include <type_traits>
{includes}
template <class T> constexpr char kind = std::is_floating_point<T>::value ? 'f' : std::is_class<T>::value ? 's' : 'i';
template <class T, unsigned size, char of> struct Parameter {{
    static_assert(sizeof(T) == size, "a parameter of another size");
    static_assert(kind<T> == of, "a parameter of another kind");
}};
{checks}
"""


def functions(source: Source) -> dict[str, list[str]]:
    """The types of the parameters of each function, by AMD's name."""
    text = re.sub(r"//.*", "", (TOP / source.table).read_text())
    aliases = dict(re.findall(r"\btype (\w+) = ([^;]+);", text))
    called = dict(re.findall(r'\("(\w+)", "(\w+)"\)', (TOP / source.names).read_text())) if source.names else None
    found = {}
    for own, symbol, parameters in re.findall(r"\bfn (\w+) = (\w+)\(([^)]*)\);", text):
        name = symbol if called is None else called.get(own)
        if name is not None:
            types = [part.split(":", 1)[1].strip() for part in parameters.split(",") if ":" in part]
            found[name] = [aliases.get(kind, kind) for kind in types]
    return found


def checks(name: str, types: list[str]) -> str:
    """C++ that compiles if the header declares the function so."""
    sizes = [(8, "i") if kind.startswith("*") else SIZES[kind] for kind in types]
    parameters = ", ".join(f"class T{i}" for i in range(len(sizes)))
    template = f"template <class R{', ' * bool(sizes)}{parameters}> " if sizes else "template <class R> "
    arguments = ", ".join(f"T{i}" for i in range(len(sizes)))
    tests = " ".join(f"(void)Parameter<T{i}, {size}, '{kind}'>{{}};" for i, (size, kind) in enumerate(sizes))
    return (
        f'{template}void check_{name}(R (*)({arguments})) {{ static_assert(sizeof(R) == 4, "a status"); {tests} }}\n'
        f"template <class F> auto use_{name}(F f) -> decltype(check_{name}(f)) {{ return check_{name}(f); }}\n"
        f"void at_{name}() {{ use_{name}(&{name}); }}"
    )


def main() -> None:
    """Checks every table; the exit status says whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    include = parser.parse_args().folder / "usr/include"
    failed = False
    for source in SOURCES:
        found = functions(source)
        if not found:
            raise SystemExit(f"error: no function was found in {source.table}")
        text = PROGRAM.format(
            includes="\n".join(f"#include <{header}>" for header in source.headers),
            checks="\n".join(checks(name, types) for name, types in found.items()),
        )
        with tempfile.TemporaryDirectory() as empty:
            for name in UNNEEDED:
                path = Path(empty, name)
                path.parent.mkdir(exist_ok=True)
                path.touch()
            options = ["-std=c++17", "-fsyntax-only", "-w", "-D__HIP_PLATFORM_AMD__", f"-I{empty}", f"-I{include}"]
            done = subprocess.run(["g++", *options, "-xc++", "-"], input=text, text=True, capture_output=True)
        print(f"{source.headers[0]}: {len(found)} functions {'agree' if done.returncode == 0 else 'do not agree'}")
        if done.returncode:
            failed = True
            print("\n".join(line for line in done.stderr.splitlines() if "error" in line)[:4000])
    raise SystemExit(failed)


if __name__ == "__main__":
    main()
