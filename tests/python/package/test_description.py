"""The description that a package index shows: README.md without links that need the repository."""

import importlib
import io
import pathlib
import re
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).parents[3]
LINK = re.compile(r"\]\(([^)]*)\)")

pytestmark = pytest.mark.skipif(not (ROOT / "ci").exists(), reason="the scripts are not beside the tests")


@pytest.fixture
def description(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "ci"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield importlib.import_module("description")
    for name in ("description", "pages"):
        sys.modules.pop(name, None)


def test_without_an_address_links_are_names_of_files(description):
    readme = (ROOT / "README.md").read_text()
    relative = [target for target in LINK.findall(readme) if "://" not in target]
    assert len(relative) > 10
    made = description.standalone(readme)
    assert [target for target in LINK.findall(made) if "://" not in target] == []
    assert "![" not in made
    for target in relative:
        file = target.partition("#")[0]
        if not file.endswith(".png"):
            assert f"`{file}`" in made
            assert (ROOT / file).exists()


def test_with_an_address_links_lead_to_its_pages(description):
    made = description.standalone((ROOT / "README.md").read_text(), "https://docs.example/0.2.0")
    found = [target for target in LINK.findall(made) if target.startswith("https://docs.example/")]
    pages = {
        f"https://docs.example/0.2.0/{page.removesuffix('.md')}.html" for page in description.pages.sources().values()
    }
    pages |= {"https://docs.example/0.2.0/gallery/index.html", "https://docs.example/0.2.0/_images/julia.png"}
    assert len(found) > 10
    assert {target.partition("#")[0] for target in found} <= pages
    assert any("#" in target for target in found)
    assert all("://" in target for target in LINK.findall(made))


@pytest.mark.parametrize(
    ("text", "site", "expected"),
    [
        ("[a](https://b.example/c) ", None, "[a](https://b.example/c)"),
        ("see [docs/fft.md](docs/fft.md)", None, "see `docs/fft.md`"),
        ("[`docs/fft.md`](docs/fft.md)", None, "`docs/fft.md`"),
        ("[the page](docs/fft.md#part)", None, "the page (`docs/fft.md`)"),
        ("[the page](docs/fft.md#part)", "https://d.example", "[the page](https://d.example/fft.html#part)"),
        ("[a file](Cargo.toml)", "https://d.example", "a file (`Cargo.toml`)"),
        ("a\n\n![x](docs/pictures/julia.png)\n\nb", None, "a\n\nb"),
        ("```text\n[a](docs/fft.md)\n```", None, "```text\n[a](docs/fft.md)\n```"),
        ("[#](#here)", "https://d.example", "[#](#here)"),
    ],
)
def test_one_link(description, text, site, expected):
    assert description.standalone(text, site).startswith(expected)


def test_the_address_is_that_of_the_metadata(description):
    head = "Metadata-Version: 2.4\nName: cuproxide\nVersion: 7.8\nProject-URL: {}, https://d.example/p/\n\n"
    body = "[how](docs/fft.md)\n\nend\n"
    assert description.rewritten(head.format("Documentation") + body) == head.format("Documentation") + (
        "[how](https://d.example/p/7.8/fft.html)\n\nend\n"
    )
    made = description.rewritten(head.format("Homepage") + body)
    assert made.startswith(head.format("Homepage") + "how (`docs/fft.md`)\n\nend\n")


def test_of_an_sdist_only_the_metadata_change(description, tmp_path):
    texts = {
        "p-1/PKG-INFO": b"Name: p\nVersion: 1\n\n[a](docs/fft.md)\n",
        "p-1/README.md": b"[a](docs/fft.md)\n",
        "p-1/x/PKG-INFO": b"x\n\n[a](b)",
    }
    path = tmp_path / "p-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in texts.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime, entry.mode = len(content), 5, 0o755
            archive.addfile(entry, io.BytesIO(content))
    copy = tmp_path / "copy.tar.gz"
    copy.write_bytes(path.read_bytes())
    description.finish_sdist(path)
    description.finish_sdist(copy)
    assert copy.read_bytes() == path.read_bytes()
    with tarfile.open(path) as archive:
        assert archive.getnames() == list(texts)
        made = {entry.name: archive.extractfile(entry).read() for entry in archive}
        assert all((entry.mtime, entry.mode) == (5, 0o755) for entry in archive)
    assert made.pop("p-1/PKG-INFO").decode().startswith("Name: p\nVersion: 1\n\na (`docs/fft.md`)\n")
    assert made == {name: texts[name] for name in made}
