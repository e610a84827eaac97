"""Checks that the Markdown pages are true where a machine can tell.

Every relative link must lead to a file, every path in backticks that looks like a file of this repository must exist,
and every CUPROXIDE_ variable that the sources read must be explained in docs/environment.md, and no other.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = re.compile(r"\bCUPROXIDE_[A-Z_]*[A-Z]\b")
# Names that are read with either spelling: `settings::flag("NAME")`.
SETTING = re.compile(r'settings::(?:flag|variable)\("([A-Z_]+)"\)')
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
PATH = re.compile(r"`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+\.(?:rs|py|md|toml|txt|cuh|cu|h))`")
SOURCES = (".rs", ".py", ".pyi", ".sh")


def project_files() -> list[Path]:
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [ROOT / name for name in names.split("\0") if name and (ROOT / name).is_file()]


def broken_references(page: Path) -> list[str]:
    text = page.read_text()
    where = page.relative_to(ROOT)
    links = [(link, page.parent / link) for link in LINK.findall(text) if "://" not in link]
    paths = [(path, ROOT / path) for path in PATH.findall(text)]
    return [f"{where}: {name} does not exist" for name, target in links + paths if not target.exists()]


def undocumented_variables(files: list[Path]) -> list[str]:
    documented = set(VARIABLE.findall((ROOT / "docs/environment.md").read_text()))
    sources = [file for file in files if file.suffix in SOURCES and file != Path(__file__).resolve()]
    texts = [file.read_text() for file in sources]
    read = {name for text in texts for name in VARIABLE.findall(text)}
    read |= {f"CUPROXIDE_{name}" for text in texts for name in SETTING.findall(text)}
    missing = [f"docs/environment.md does not explain {name}" for name in sorted(read - documented)]
    return missing + [f"docs/environment.md explains {name}, which nothing reads" for name in sorted(documented - read)]


def main() -> int:
    files = project_files()
    pages = [file for file in files if file.suffix == ".md"]
    problems = [problem for page in pages for problem in broken_references(page)] + undocumented_variables(files)
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"{len(pages)} pages checked, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
