#!/usr/bin/env bash
# hipRAND of ROCm 7.2.4 (Debian experimental) where no GPU is visible: generators are made, seeded and ordered with success,
# drawing answers an error, and destroying one ends the process with SIGABRT; making one of Philox or of a Sobol' sequence ends
# it at once. hipRAND's header documents statuses for these calls, the end of the process for none. The same holds of
# generators of the host (hiprandCreateGeneratorHost), which draw nothing without a GPU either; of these Sobol' sequences can be
# made. rocRAND's message names the destructor of its Poisson tables (library/src/rng/distribution/poisson.hpp). Needs apt,
# Debian's keys, 120 MB of downloads and 1 GB in a temporary folder; nothing is installed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"/{root,state/lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d,log}
: > "$folder/status"
for suite in sid experimental; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${DEBIAN_MIRROR:-http://deb.debian.org/debian} $suite main"
done > "$folder/etc/sources.list"
cat > "$folder/apt.conf" <<END
Dir::State "$folder/state";
Dir::State::status "$folder/status";
Dir::Cache "$folder/cache";
Dir::Etc "$folder/etc";
Dir::Log "$folder/log";
APT::Architecture "amd64";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Check-Valid-Until "false";
Acquire::Languages "none";
END
export APT_CONFIG=$folder/apt.conf
apt-get update -q > "$folder/log/update"
apt-get install -q -y --download-only -t experimental libhiprand1 > "$folder/log/download"
for package in "$folder"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder/root" --keep-directory-symlink --exclude './usr/share/*'
done
ls "$folder"/cache/archives | grep rocrand1

cat > "$folder/program.py" <<'PROGRAM'
import ctypes
import os

library = ctypes.CDLL("libhiprand.so.1")


def said(make, kind, destroy):
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        words, generator = (ctypes.c_uint * 4)(), ctypes.c_void_p()
        statuses = [getattr(library, make)(ctypes.byref(generator), kind)]
        statuses.append(library.hiprandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(1)))
        statuses.append(library.hiprandGenerate(generator, words, ctypes.c_size_t(4)))
        if destroy:
            statuses.append(library.hiprandDestroyGenerator(generator))
        os.write(writer, str(statuses).encode())
        os._exit(0)
    os.close(writer)
    signal = os.waitpid(process, 0)[1] & 127
    return f"signal {signal}" if signal else os.read(reader, 99).decode()


kinds = {"XORWOW": 401, "MRG32k3a": 402, "MTGP32": 403, "Philox": 404, "MT19937": 405, "Sobol'": 501}
for name, kind in kinds.items():
    for make in "hiprandCreateGenerator", "hiprandCreateGeneratorHost":
        print(f"{name}, {make}: make, seed, draw {said(make, kind, False)}; destroy too {said(make, kind, True)}")
PROGRAM
cat > "$folder/expected" <<'END'
XORWOW, hiprandCreateGenerator: make, seed, draw [0, 0, 999]; destroy too signal 6
XORWOW, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 999]; destroy too signal 6
MRG32k3a, hiprandCreateGenerator: make, seed, draw [0, 0, 999]; destroy too signal 6
MRG32k3a, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 999]; destroy too signal 6
MTGP32, hiprandCreateGenerator: make, seed, draw [0, 0, 102]; destroy too signal 6
MTGP32, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 102]; destroy too signal 6
Philox, hiprandCreateGenerator: make, seed, draw signal 6; destroy too signal 6
Philox, hiprandCreateGeneratorHost: make, seed, draw signal 6; destroy too signal 6
MT19937, hiprandCreateGenerator: make, seed, draw [0, 0, 102]; destroy too signal 6
MT19937, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 102]; destroy too signal 6
Sobol', hiprandCreateGenerator: make, seed, draw signal 6; destroy too signal 6
Sobol', hiprandCreateGeneratorHost: make, seed, draw [0, 0, 102]; destroy too signal 6
END
# The libraries bring their own C library, so a Python of this machine runs by their loader.
folders=$(find "$folder/root" -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
"$(find "$folder/root" -name 'ld-linux-x86-64.so.2' -print -quit)" --library-path "$folders" \
    "$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')" "$folder/program.py" > "$folder/seen"
cat "$folder/seen"
diff "$folder/expected" "$folder/seen" || { echo "changed: see the lines above" >&2; exit 1; }
echo "as described"
