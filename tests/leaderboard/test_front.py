"""Cost beside quality: answers of files, the Pareto front, and tracks with ranks of their own."""

import csv
import random
import re

import boards
import pytest

import scorer
from scorer.api.report import Report
from scorer.core.errors import UsageError
from scorer.reports.leaderboard.figures import pareto
from scorer.results.json import ABSENT

LISTS = [f"q{n:02d}" for n in range(20)]
RULES = """truth: truth.csv
lists: lists.csv
metrics: [AP, P@2]
questions:
  cost: {type: number, better: lower, board: true}
  data: {choices: [open, closed], board: true}
  own: {choices: ["yes", "no"], board: true}
  secret: {}
leaderboard:
  draws: 500
"""
TRACKS = """  tracks:
    - {id: shut, answer: {data: closed}}
    - {id: english, group: en}
    - {id: own English, group: [en], answer: {own: "yes"}}
"""
SKILL = {"cheap": 0.2, "middle": 0.7, "strong": 3.0, "dear": 0.66, "luxury": 3.0, "lost": 0.3}
ANSWERS = {
    "cheap": {"cost": 0.5, "data": "open", "own": "yes", "secret": "a plan"},
    "middle": {"cost": "2", "data": "open", "own": "no"},
    "strong": {"cost": "10", "data": "closed", "own": "yes"},
    "dear": {"cost": "9.50", "data": "closed"},
    "luxury": {"cost": "100", "data": "closed"},
}


def sent(skill, seed):
    chance = random.Random(seed)
    rows = (
        f"{q},{i},{(i in 'ab') * skill + chance.random():.6f}\n" for q in LISTS for i in "abcdef"
    )
    return "list,item,score\n" + "".join(rows)


@pytest.fixture
def made(challenge):
    """A challenge with its rules, and the files of six submissions."""

    def make(rules=RULES):
        truth = "".join(f"{q},{i},{int(i in 'ab')}\n" for q in LISTS for i in "abcdef")
        groups = "".join(f"{q},{'en' if n % 4 else 'de'}\n" for n, q in enumerate(LISTS))
        folder = challenge(
            rules,
            **{"truth.csv": f"list,item,grade\n{truth}", "lists.csv": f"list,group\n{groups}"},
        )
        files = []
        for seed, (name, skill) in enumerate(SKILL.items()):
            files.append(folder.parent / f"{name}.csv")
            files[-1].write_text(sent(skill, seed))
        return folder, files

    return make


def places(report):
    return {row.name: report.pareto.place(row.name) for row in report.leaderboard}


def test_the_front_is_by_the_numbers_that_are_seen(made):
    report = boards.score(*made(), answers=ANSWERS)
    assert places(report) == {
        "strong": "yes",
        "luxury": "no",  # right in every list as strong is, and dearer
        "middle": "yes",
        "dear": "no",
        "cheap": "yes",
        "lost": "",
    }
    assert report.pareto.without == ("lost",)
    assert report.pareto.dominated_by["dear"] == ("middle",)
    rows = {row["name"]: row for row in Report(report).to_dict()["leaderboard"]}
    assert (rows["dear"]["front"], rows["lost"]["front"]) == ("no", None)
    assert rows["cheap"]["answers"] == {"cost": "0.5", "data": "open", "own": "yes"}
    told = Report(report).to_dict()["pareto"]
    assert told["axes"][1] == {"id": "cost", "better": "lower"}
    assert told["front"] == [n for n, place in places(report).items() if place == "yes"]
    assert told["dominated_by"]["dear"] == ["middle"]
    assert told["without"] == ["lost"]


@pytest.mark.slow("scores six submissions a row", beyond=1)
@pytest.mark.parametrize(
    ("rule", "axes"),
    [
        ("pareto: [P@2]", ["AP", "P@2"]),
        ("pareto: ['p@2', cost]", ["AP", "P@2", "cost"]),
        ("pareto: []", None),
    ],
)
def test_measures_are_axes_too(made, rule, axes):
    report = boards.score(*made(RULES + f"  {rule}\n"), answers=ANSWERS)
    assert [axis.id for axis in report.pareto.axes] == axes if axes else report.pareto is ABSENT


@pytest.mark.slow("scores six submissions several times")
def test_without_answers_there_is_no_front_and_without_tests_there_is(made):
    folder, files = made()
    assert boards.score(folder, files).pareto is ABSENT
    assert "pareto" not in scorer.score(folder, files).to_dict()
    folder, files = made(RULES + "  tiers: false\n")
    report = boards.score(folder, files, answers=ANSWERS)
    assert list(report.pareto.front) == ["strong", "middle", "cheap"]


@pytest.mark.slow("scores six submissions several times")
def test_what_is_not_for_the_board_is_in_no_form(made):
    report = boards.score(*made(RULES + TRACKS), answers=ANSWERS)
    for form in ("text", "json", "html", "csv", "markdown", "latex"):
        assert "a plan" not in Report(report).render(form), form


@pytest.mark.slow("scores six submissions several times")
def test_tracks_are_boards_of_their_own(made):
    folder, files = made(RULES + TRACKS)
    whole = boards.score(folder, files, answers=ANSWERS)
    shut, english, own = whole.tracks
    closed = [path for path in files if path.stem in ("strong", "dear", "luxury")]
    alone = boards.score(
        folder, closed, answers={n: ANSWERS[n] for n in ("strong", "dear", "luxury")}
    )
    assert [(row.rank, row.name, row.values, row.ranks) for row in shut.leaderboard] == [
        (row.rank, row.name, row.values, row.ranks) for row in alone.leaderboard
    ]
    assert places(shut) == places(alone)
    part = [LISTS[n] for n in range(20) if n % 4]
    assert list(english.lists) == part
    means = {each.name: each.groups["AP"]["en"] for each in whole.submissions}
    assert {row.name: row.values["AP"] for row in english.leaderboard} == pytest.approx(means)
    assert [row.name for row in own.leaderboard] == ["strong", "cheap"]
    assert [row.interval for row in own.leaderboard] == [
        row.interval for row in english.leaderboard if row.name in ("strong", "cheap")
    ]


@pytest.mark.slow("scores six submissions several times")
def test_ranks_in_tracks_are_columns(made, score, terminal):
    folder, files = made(RULES + TRACKS)
    rows = [["name", "cost", "data", "own"]]
    rows += [[n, *(str(a.get(k, "")) for k in rows[0][1:])] for n, a in ANSWERS.items()]
    with (folder.parent / "answers.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    words = (folder, *files, "--answers", folder.parent / "answers.csv", "-q")
    for width in (60, 80, 120):
        terminal(width)
        ran = score(*words).assert_exit(0)
        assert max(map(len, ran.out.splitlines())) <= width
        assert re.search(r"^ *rank +name +AP .* front", ran.out, re.M), width
    assert re.search(r"cost ↓ .* front +shut +english", ran.out)
    table = list(csv.DictReader(score(*words, "--format", "csv").out.splitlines()))
    found = {row["name"]: [row["cost"], row["front"], row["shut rank"]] for row in table}
    assert found["dear"] == ["9.50", "no", "3"]
    assert found["cheap"] == ["0.5", "yes", ""]
    told = score(*words, "--format", "json").json()["tracks"]
    assert [(each["id"], each["groups"], each["answer"], each["lists"]) for each in told] == [
        ("shut", [], {"data": ["closed"]}, 20),
        ("english", ["en"], {}, 15),
        ("own English", ["en"], {"own": ["yes"]}, 15),
    ]


def test_the_picture_has_each_once(made):
    report = boards.score(*made(), answers=ANSWERS)
    (figure,) = pareto(report, 4)
    for wide in (340.0, 720.0):
        body = figure.draw(wide).body
        assert body.count("<circle") == 5
        assert body.count('class="baseline"') == 2
        assert all(f">{name}</text>" in body for name in ("cheap", "middle", "strong"))
    assert [row.cells[0].text for row in figure.numbers.rows] == list(report.pareto.names)
    assert ">cost</text>" in Report(report).plot(kind="pareto").svg()


@pytest.mark.slow("opens a challenge a row", beyond=2)
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("name,cost\ncheap,-3", ":2: the answer to 'cost' is '-3', expected at least 0"),
        ("name,cost\n\ncheap,1\ncheap,1", ":4: the answers of 'cheap' come again"),
        ("name,cost\ncheap", ":2: 1 cells, where the head has 2"),
        ("name,costs\ncheap,3", "no question is called 'costs'; did you mean 'cost'?"),
        ("team,cost\ncheap,3", "one column is called name"),
        ("", "the file is empty"),
        ("name,cost\nother,3", "no submission is called as in the answers ('other')"),
        (b"name,cost\n\xff,3", "cannot be read as CSV"),
    ],
)
def test_answers_that_are_wrong_are_told_with_their_line(made, rows, words):
    folder, files = made()
    path = folder.parent / "answers.csv"
    path.write_bytes(rows if isinstance(rows, bytes) else rows.encode())
    with pytest.raises(UsageError) as caught:
        boards.score(folder, files[:1], answers=path)
    assert words in str(caught.value)
