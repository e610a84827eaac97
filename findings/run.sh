# Sourced by the findings: installs pinned packages into a temporary folder and compares what a program prints.
# Usage: finding "package==version ..." EXPECTED <<'PROGRAM'
set -euo pipefail

finding() {
    local packages=$1 expected=$2
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    "${PYTHON:-python3}" -m venv "$folder"
    # shellcheck disable=SC2086
    "$folder/bin/pip" install --quiet --disable-pip-version-check $packages
    cat > "$folder/program.py"
    printf '%s\n' "$expected" > "$folder/expected"
    (cd "$folder" && bin/python program.py) > "$folder/seen"
    cat "$folder/seen"
    if ! diff "$folder/expected" "$folder/seen"; then
        echo "changed: see the lines above" >&2
        exit 1
    fi
    echo "as described, with $packages"
}
