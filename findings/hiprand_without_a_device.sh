#!/usr/bin/env bash
# hipRAND of ROCm 7.2.4 (Debian experimental) where no GPU is visible: most generators are made and seeded with success, and
# only drawing answers an error: 999 (internal error) or 102 (allocation failed). The same holds of generators of the host
# (hiprandCreateGeneratorHost), which draw nothing without a GPU either. Some other calls end the process there instead of
# returning one of the statuses that hipRAND's header documents, so a program asks for a device first. Needs apt, Debian's
# keys, 120 MB of downloads and 1 GB in a temporary folder; nothing is installed.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | sort -u | grep '/debian/$')}
mkdir -p "$folder"/{root,state/lists/partial,cache/archives/partial,etc/apt.conf.d,etc/preferences.d,log}
: > "$folder/status"
for suite in sid experimental; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
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


def statuses(make, kind):
    words, generator = (ctypes.c_uint * 4)(), ctypes.c_void_p()
    made = getattr(library, make)(ctypes.byref(generator), kind)
    seeded = library.hiprandSetPseudoRandomGeneratorSeed(generator, ctypes.c_ulonglong(1))
    return [made, seeded, library.hiprandGenerate(generator, words, ctypes.c_size_t(4))]


kinds = {"XORWOW": 401, "MRG32k3a": 402, "MTGP32": 403, "Philox": 405}
for name, kind in kinds.items():
    for make in "hiprandCreateGenerator", "hiprandCreateGeneratorHost":
        print(f"{name}, {make}: make, seed, draw {statuses(make, kind)}", flush=True)
os._exit(0)
PROGRAM
cat > "$folder/expected" <<'END'
XORWOW, hiprandCreateGenerator: make, seed, draw [0, 0, 999]
XORWOW, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 999]
MRG32k3a, hiprandCreateGenerator: make, seed, draw [0, 0, 999]
MRG32k3a, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 999]
MTGP32, hiprandCreateGenerator: make, seed, draw [0, 0, 102]
MTGP32, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 102]
Philox, hiprandCreateGenerator: make, seed, draw [0, 0, 102]
Philox, hiprandCreateGeneratorHost: make, seed, draw [0, 0, 102]
END
# The libraries bring their own C library, so a Python of this machine runs by their loader.
folders=$(find "$folder/root" -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
"$(find "$folder/root" -name 'ld-linux-x86-64.so.2' -print -quit)" --library-path "$folders" \
    "$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')" "$folder/program.py" > "$folder/seen"
cat "$folder/seen"
diff "$folder/expected" "$folder/seen" || { echo "changed: see the lines above" >&2; exit 1; }
echo "as described"
