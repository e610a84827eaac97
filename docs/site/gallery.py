"""Writes the gallery of examples: each program is run, and shown with what it printed, its picture and its time."""

import ast
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from pages import EXAMPLES, programs

SHARED = EXAMPLES / "harness.py"
LIMIT = 300  # seconds
# Where the name of the file is no title.
TITLES = {
    "black_scholes": "Black and Scholes' formula",
    "digits_cnn": "A network for digits",
    "kmeans_image": "k-means of an image",
    "mandelbrot_raw_kernel": "Mandelbrot set by a RawKernel",
    "monte_carlo_options": "Monte Carlo pricing of options",
    "reaction_jit": "Reaction and diffusion by jit",
}


def parts(program: Path) -> list[Path]:
    """The files beside an example that belong to it alone."""
    imported = [node.module for node in ast.walk(ast.parse(program.read_text())) if isinstance(node, ast.ImportFrom)]
    names = sorted({f"{module}.py" for module in imported} - {SHARED.name})
    return [EXAMPLES / name for name in names if (EXAMPLES / name).exists()]


def run(program: Path, store: Path) -> dict[str, object]:
    """The output and the time of an example. It runs again when its text has changed."""
    text = program.read_text()
    read = "".join(path.read_text() for path in (program, SHARED, *parts(program)))
    key = hashlib.sha256(read.encode()).hexdigest()
    picture, record = store / f"{program.stem}.png", store / f"{program.stem}.json"
    if record.exists() and (known := json.loads(record.read_text()))["key"] == key:
        return known
    command = [sys.executable, str(program)]
    if '"--output"' in text:
        command += ["--output", str(picture)]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, env={**os.environ, "TERM": "dumb"})
    if done.returncode:
        raise SystemExit(f"error: {program.name} failed\n{done.stdout}{done.stderr}")
    output = "\n".join(line.split("\r")[-1].rstrip() for line in done.stdout.split("\n") if str(store) not in line)
    known = {"key": key, "seconds": time.perf_counter() - start, "output": output.strip(), "picture": picture.exists()}
    record.write_text(json.dumps(known))
    return known


def pages(store: Path) -> dict[str, str | bytes]:
    """The pages of the gallery and their pictures by file name."""
    store.mkdir(parents=True, exist_ok=True)
    result: dict[str, str | bytes] = {}
    cards, entries = [], []
    ran = [(program, run(program, store)) for program in programs()]
    # Those with pictures first: cards of a row are as high as the highest.
    for program, known in sorted(ran, key=lambda entry: not entry[1]["picture"]):
        text = program.read_text()
        head, _, rest = (ast.get_docstring(ast.parse(text)) or program.stem).partition("\n")
        name = TITLES.get(program.stem) or program.stem.replace("_", " ").capitalize()
        lines = [f"# {name}\n", head + "\n", rest.strip() + "\n"]
        if known["picture"]:
            result[f"{program.stem}.png"] = (store / f"{program.stem}.png").read_bytes()
            lines.append(f"![{head}]({program.stem}.png)\n")
        lines.append(
            f"It took {known['seconds']:.1f} s where this site was built, start of Python included, and printed:\n"
        )
        lines.append(f"```text\n{known['output']}\n```\n")
        lines.append("## The program\n")
        for path in (program, *parts(program)):
            lines.append(f"`examples/{path.name}`\n\n```python\n{path.read_text()}```\n")
        result[f"{program.stem}.md"] = "\n".join(lines)
        image = f":img-top: {program.stem}.png\n" if known["picture"] else ""
        options = f":link: {program.stem}\n:link-type: doc\n{image}"
        cards.append(f":::{{grid-item-card}} {name}\n{options}\n{head}\n\n*{known['seconds']:.1f} s*\n:::\n")
        entries.append(program.stem)
    index = INDEX + "::::{grid} 1 2 3 3\n:gutter: 3\n\n" + "\n".join(cards) + "::::\n\n"
    result["index.md"] = index + "```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
    return result


INDEX = """# Examples

Programs to read and to run, each on every device that is found: `make examples`. Times are of the machine that built
this site and count the start of Python and what it compiles.

"""
