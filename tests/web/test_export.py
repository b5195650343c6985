"""The pages as files: what a visitor sees and no more, linked to each other, with their digests."""

import hashlib
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from fastapi import HTTPException
from web_helpers import good, made, mixed, rows

from scorer.core.errors import ScorerError, UsageError
from scorer.web.context import Context
from scorer.web.export import MANIFEST, export, put_files

PUBLIC = {
    "index.html", "board-public.csv", "board-public.json", "challenge.json", "kit.zip",
    "receipts.html", "receipts.jsonl", "rules.html", "pictures/intervals-public.svg",
    "pictures/over-time-public.svg", "static/icon.svg", "static/page.css", "static/page.js",
    "static/picture.css", "static/site.css", "static/site.js",
}  # fmt: skip
LINK = re.compile(r'(?:href|src|action|data-part|data-events)="([^"]*)"')
SECRET = "q00,b,1"  # a row of the truth
SITE_JS = (Path(export.__code__.co_filename).parent / "static/site.js").read_text()


@pytest.fixture
def played(tmp_path):
    served = made(tmp_path)
    with served.board() as board:
        for team, text in (("red", mixed(2)), ("blue", rows(good)), ("<i>", mixed(3))):
            path = tmp_path / f"{team[0]}.csv"
            path.write_text(text)
            board.add([path], team)
    return served


def exported(served, folder):
    told = []
    export(served.folder, folder, None, None, False, told.append)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }, told


def dangling(pages):
    """Links of pages that lead to no file; those of other hosts are looked at by nobody."""
    for name, data in pages.items():
        if name.endswith(".html"):
            for link in LINK.findall(data.decode()):
                place = unquote(unescape(link).partition("#")[0])
                if place and not place.startswith("https://") and place not in pages:
                    yield name, link


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_site_is_what_a_visitor_sees(played, tmp_path):
    pages, told = exported(played, tmp_path / "site")
    assert pages.keys() == PUBLIC | {MANIFEST}
    assert told == [f"{tmp_path}/site: {len(pages)} files"]
    assert [*dangling(pages)] == []
    text = b"".join(data for name, data in pages.items() if name != "kit.zip").decode()
    assert "<i>" not in b"".join(data for n, data in pages.items() if "html" in n).decode()
    assert "blue" in text
    for hidden in (SECRET, "424242", "sign-in", "form_token", "/_/", "data-events"):
        assert hidden not in text.replace(SITE_JS, ""), hidden
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in pages.items()}
    del sums[MANIFEST]
    assert pages[MANIFEST].decode() == "".join(f"{d}  {n}\n" for n, d in sorted(sums.items()))


@pytest.mark.slow("serves a board and evaluates entries")
def test_another_site_takes_the_place_of_the_one_before(played, tmp_path):
    folder = tmp_path / "site"
    exported(played, folder)
    (folder / "CNAME").write_text("board.example.org")  # not ours, and left alone
    path = played.folder / "challenge.yaml"
    path.write_text(path.read_text().replace("closes: 2120-01-01", "closes: 2020-01-02"))
    with played.board() as board:
        board.seal()
        board.rescore()
    pages, _ = exported(played, folder)
    private = {re.sub("public", "private", name) for name in PUBLIC}
    assert pages.keys() >= private | {"challenge.seal", "CNAME", MANIFEST, "board-private.html"}
    assert "CNAME" not in pages[MANIFEST].decode()
    assert [*dangling(pages)] == []


@pytest.mark.slow("makes a store and starts the pages")
def test_a_page_that_cannot_be_made_is_named(tmp_path, monkeypatch):
    async def kit(self, site):
        raise HTTPException(503, "The kit cannot be made.")

    monkeypatch.setattr(Context, "kit", kit)
    with pytest.raises(ScorerError, match=r"/kit\.zip: this page cannot be made"):
        exported(made(tmp_path), tmp_path / "site")


def test_what_no_site_wrote_stays(tmp_path):
    (tmp_path / "rules.html").write_text("mine")
    with pytest.raises(UsageError, match=r"rules\.html is there, and is no file of a site"):
        put_files(tmp_path, {"rules.html": b""})
    assert (tmp_path / "rules.html").read_text() == "mine"


@pytest.mark.parametrize("manifest", ["mine\n", f"{'0' * 64}  ../truth.csv\n", "\xff"])
def test_a_file_that_is_no_manifest_removes_nothing(tmp_path, manifest):
    (tmp_path / MANIFEST).write_bytes(manifest.encode("latin-1"))
    with pytest.raises(UsageError, match=MANIFEST):
        put_files(tmp_path, {})


@pytest.mark.slow("serves a board and evaluates entries")
def test_a_watched_site_follows_the_board(played, tmp_path):
    lines, late = [], tmp_path / "late.csv"
    late.write_text(mixed(4))

    def told(line):
        lines.append(line)
        if len(lines) == 2:
            raise KeyboardInterrupt
        with played.board() as board:
            board.add([late], "latecomers")

    with pytest.raises(KeyboardInterrupt):
        export(played.folder, tmp_path / "site", None, None, False, told, watch=True)
    for name in ("index.html", "receipts.html", "receipts.jsonl"):
        assert "latecomers" in (tmp_path / "site" / name).read_text()
