"""Whichever way a file takes, it gets the same findings and values; none tells of the truth."""

import gzip
import io
import re
import subprocess
import time
import zipfile
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rounds import rounds
from web_helpers import NOW, Here

import scorer
from scorer.api.fix import repair_files
from scorer.challenge.kit_archive import open_kit
from scorer.results.json import to_plain
from scorer.web.app import create
from scorer.web.context import Settings

SLOW = {"suppress_health_check": list(HealthCheck)}
YAML = (
    "id: x\ntruth: truth.csv\nlists: lists.csv\nitems: items.csv\n"
    "metrics: [nDCG@3, AP, P@2]\nsubmission: {missing_list: zero}\nleaderboard: {draws: 50}\n"
)
HIDDEN = YAML + "phases: [{id: main, show: none}]\n"
API = "/api/v1/challenges/x"
LISTS, ITEMS = ["q1", "q2", "q3"], ["a", "b", "c", "d"]
PUBLIC = {
    "lists.csv": "\n".join(["list", *LISTS, ""]),
    "items.csv": "\n".join(["item", *ITEMS, "e", ""]),
}

numbers = st.sampled_from(["1", "2.5", "-1e-3", "0", "7", "1,5", "nan", "", " 3", "x"])
fine_numbers = st.floats(-100, 100, width=32).map(lambda x: format(x, "g"))


@st.composite
def tables(draw, score=numbers):
    """Rows of lists and items, some of them unknown, twice, or with a number that is none."""
    names = st.sampled_from([*LISTS, "q9", "Q1", " q2"] if score is numbers else LISTS)
    items = st.sampled_from([*ITEMS, "zz", "A"] if score is numbers else ITEMS)
    rows = draw(st.lists(st.tuples(names, items, score), min_size=1, max_size=12))
    if score is not numbers:
        rows = list({row[:2]: row for row in rows}.values())
    return rows


def truths():
    grade = st.sampled_from([0, 1, 2])
    pairs = [(name, item) for name in LISTS for item in ITEMS]
    return st.lists(grade, min_size=len(pairs), max_size=len(pairs)).map(
        lambda grades: (
            "list,item,grade\n"
            + "".join(f"{n},{i},{g}\n" for (n, i), g in zip(pairs, grades, strict=True))
            + "q1,e,1\nq2,e,1\nq3,e,1\n"
        )  # so that each list has something relevant
    )


def written(folder, rows, form="csv"):
    """A file of these rows, of a name that says how it is written."""
    text = "list,item,score\n" + "".join(",".join(row) + "\n" for row in rows)
    if form == "jsonl":
        text = "".join(f'{{"list": "{a}", "item": "{b}", "score": "{c}"}}\n' for a, b, c in rows)
    data = text.encode()
    if form == "gz":
        data = gzip.compress(data)
    elif form == "zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("sent.csv", text)
        data = out.getvalue()
    path = folder / {"gz": "sent.csv.gz"}.get(form, f"sent.{form}")
    path.write_bytes(data)
    return path


def made(folder, truth, yaml=YAML):
    folder.mkdir()
    for name, text in {"challenge.yaml": yaml, "truth.csv": truth, **PUBLIC}.items():
        (folder / name).write_text(text)
    return folder


def kit_of(folder):
    return scorer.kit(folder).data


@pytest.fixture
def fresh(tmp_path_factory):
    """Folders, a new one each time: hypothesis runs a test again and again in one."""
    return lambda: tmp_path_factory.mktemp("way")


def told(findings):
    return sorted(
        (p.code, p.severity, p.message, p.line or 0, p.column or 0, p.list or "", p.item or "")
        for p in findings
    )


def values(scored):
    return {name: value.mean for name, value in scored.values.items()} if scored.valid else None


@pytest.mark.slow("scores, packs and repairs anew for each example")
@rounds(3, **SLOW)
@given(truth=truths(), rows=tables(), form=st.sampled_from(["csv", "jsonl", "gz", "zip"]))
def test_every_way_tells_the_same(truth, rows, form, fresh):
    place = fresh()
    folder, path = made(place / "x", truth), written(place, rows, form)
    (checked,) = scorer.check(folder, [path])
    report = scorer.score(folder, [path])
    (scored,) = report.submissions
    (place / "kit.zip").write_bytes(kit_of(folder))
    with open_kit(place / "kit.zip") as kit:
        (kitted,) = scorer.check(kit, [path])
    with scorer.Board.open(folder) as board:
        (added,) = board.add([path], "red")
    assert told(checked.findings) == told(scored.findings) == told(kitted.findings)
    assert told(added.problems) == told(scored.findings)
    assert (added.status == "scored") == scored.valid == (not checked.findings.fatal)
    if scored.valid:
        (of_board,) = added.values.values()
        assert of_board == pytest.approx(values(scored), rel=1e-12)


@pytest.fixture
def served(monkeypatch):
    """A server of a challenge, in this process; a client, and a team's and an organizer's token."""
    kept = SimpleNamespace(**{**vars(subprocess), "Popen": Here})
    monkeypatch.setattr("scorer.board.isolation.subprocess", kept)

    @contextmanager
    def serve(folder):
        app = create(Settings((str(folder),), limit=0))
        (site,) = app.state.context.sites.values()
        site.clock = lambda: NOW
        tokens = [site.board.add_team("red", now=NOW), site.board.new_token(None, now=NOW)]
        with TestClient(app, follow_redirects=False) as client:
            yield client, *({"Authorization": f"Bearer {token}"} for token in tokens)

    return serve


def entered(client, team, path):
    """The number of an entry that is evaluated."""
    with path.open("rb") as sent:
        answer = client.post(f"{API}/entries", headers=team, files={"file": (path.name, sent)})
    assert answer.status_code == 202, answer.text
    number, until = answer.json()["entry"], time.monotonic() + 60
    while client.get(f"{API}/entries/{number}", headers=team).json()["status"] == "pending":
        assert time.monotonic() < until
        time.sleep(0.01)
    return number


def checked_by(client, path):
    with path.open("rb") as sent:
        return client.post(f"{API}/check", files={"file": (path.name, sent)}).json()["problems"]


@pytest.mark.slow("scores and serves anew for each example")
@rounds(3, **SLOW)
@given(truth=truths(), rows=tables(), form=st.sampled_from(["csv", "jsonl", "gz", "zip"]))
def test_a_server_tells_the_same(truth, rows, form, fresh, served):
    place = fresh()
    folder, path = made(place / "x", truth), written(place, rows, form)
    (scored,) = scorer.score(folder, [path]).submissions
    problems = to_plain(scored.findings)
    with served(folder) as (client, team, organizer):
        assert untold(checked_by(client, path)) == untold(problems)
        number = entered(client, team, path)
        entry = client.get(f"{API}/entries/{number}", headers=organizer).json()
        assert untold(entry["problems"]) == untold(problems)
        assert entry["status"] == ("scored" if scored.valid else "rejected")
        assert client.get(f"{API}/kit.zip").content == kit_of(folder)
        board = client.get(f"{API}/board", headers=organizer).json()["leaderboard"]
        rows = [row["values"] for row in board if row["entry"] is not None]
        if scored.valid:
            assert [entry["values"]["all"]] == [pytest.approx(values(scored), rel=1e-12)] == rows
        else:
            assert (entry["values"], rows) == (None, [])


def untold(problems):
    """Problems without the path, which says where a file is, in one order."""
    return sorted(str({**fields, "path": None}) for fields in problems)


PAGES = ("/", "/c/x", "/c/x/rules", "/c/x/submit", "/c/x/join", "/c/x/sign-in",
         f"{API}", f"{API}/board", "/c/x/board.csv")  # fmt: skip
OWN = ("/c/x/entries", "/c/x/entries/1", f"{API}/entries", f"{API}/entries/1", f"{API}/me")
# digests, what is drawn at random, and when a request came
RANDOM = re.compile(
    r'[0-9a-f]{64}|data-tag="[^"]*"'
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*"
)


@pytest.mark.slow("scores and serves anew for each example")
@rounds(3, **SLOW)
@given(one=truths(), other=truths(), rows=tables())
def test_two_truths_are_served_as_the_same_bytes(one, other, rows, fresh, served):
    said = []
    for truth in (one, other):
        place = fresh()
        folder, path = made(place / "x", truth, HIDDEN), written(place, rows)
        with served(folder) as (client, team, _):
            entered(client, team, path)
            answers = [str(checked_by(client, path)), client.get(f"{API}/kit.zip").content.hex()]
            for asked, headers in ((PAGES, {}), (PAGES + OWN, team)):
                got = [client.get(page, headers=headers) for page in asked]
                answers += [(str(a.url), a.status_code, RANDOM.sub("*", a.text)) for a in got]
        said.append(answers)
    for ours, theirs in zip(*said, strict=True):
        assert ours == theirs


@pytest.mark.slow("scores, packs and repairs anew for each example")
@rounds(3, **SLOW)
@given(truth=truths(), rows=tables(fine_numbers), form=st.sampled_from(["csv", "gz"]))
def test_a_repair_changes_no_value_of_what_was_accepted(truth, rows, form, fresh):
    place = fresh()
    folder, path = made(place / "x", truth), written(place, rows, form)
    (before,) = scorer.score(folder, [path]).submissions
    (repaired,) = repair_files(scorer.load(folder), [scorer.SubmissionFile("a", path)])
    (place / "fixed.csv").write_bytes(repaired.data)
    (after,) = scorer.score(folder, [place / "fixed.csv"]).submissions
    assert before.valid
    assert values(after) == values(before)


@pytest.mark.slow("scores, packs and repairs anew for each example")
@rounds(3, **SLOW)
@given(one=truths(), other=truths(), rows=tables())
def test_two_truths_give_the_same_bytes(one, other, rows, fresh, score, monkeypatch):
    said = []
    for truth in (one, other):
        place = fresh()
        folder, path = made(place / "x", truth), written(place, rows)
        monkeypatch.chdir(place)
        outputs = [kit_of(folder)]
        for words in (["--format", "json"], ["--all"], ["--fix", "-q"]):
            ran = score("check", folder.name, path.name, *words)
            outputs.append((ran.code, ran.out, ran.err))
        outputs.append(score("rule", folder.name).out)
        outputs.append([file.read_bytes() for file in sorted(place.glob("*.csv"))])
        said.append(outputs)
    assert said[0] == said[1]
