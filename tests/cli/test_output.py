"""The form that `-o` means by its suffix, and the part of a board that `--top` shows."""

import pytest
from conftest import ROOT

VLNET = ROOT / "challenges/vlnet-2011"
GOOD = sorted((ROOT / "submissions_example/vlnet-2011/good").iterdir())


@pytest.fixture
def ranked(challenge):
    """Twelve submissions, of which two share a rank, a baseline, and one that is rejected."""
    truth = "list,item,grade\n" + "".join(f"q{n},a,1\n" for n in range(20))
    files = {
        f"s{k:02}.csv": "list,item\n"
        + "".join(f"q{n},{'a' if n < k else 'x'}\n" for n in range(20))
        for k in range(12)
    }
    files["twin.csv"] = files["s10.csv"]
    files["bad.csv"] = "list,item\nq0,a\nq0,a\n"
    base = {"base.csv": files["s09.csv"]}
    folder = challenge(
        "truth: truth.csv\nmetrics: [P@1]\nleaderboard: {baselines: [base.csv]}\n",
        **{"truth.csv": truth}, **base,
    )  # fmt: skip
    sent = folder.parent / "sent"
    sent.mkdir()
    for name, text in files.items():
        (sent / name).write_text(text)
    return folder, sorted(sent.iterdir())


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize(
    ("most", "names", "omitted"),
    [(1, ["s11"], 12), (2, ["s11", "s10", "twin"], 10), (3, ["s11", "s10", "twin"], 10),
     (4, ["s11", "s10", "twin", "s09"], 9), (99, None, 0)],
)  # fmt: skip
def test_the_first_ranks_and_what_they_are_in_the_whole(score, ranked, most, names, omitted):
    folder, sent = ranked
    whole = score(folder, *sent, "--format", "json").json(1)  # for what is rejected
    ran = score(folder, *sent, "--format", "json", "--top", most)
    part = ran.json(1)
    rows = part["leaderboard"]
    assert rows == whole["leaderboard"][: len(rows)]
    assert names is None or [row["name"] for row in rows] == names
    assert part.get("omitted", 0) == omitted
    assert "bad" in {each["name"] for each in part["submissions"]}
    assert "S304" in ran.err


@pytest.mark.slow("writes a report a row", beyond=1)
@pytest.mark.parametrize("form", ["table", "csv", "markdown", "latex", "html", "github", "json"])
def test_every_form_shows_a_part(score, ranked, form):
    folder, sent = ranked
    ran = score(folder, *sent, "--format", form, "--top", "2").assert_exit(1, out="s11")
    assert form in ("html", "json") or "0.15" not in ran.out  # of s03; pairs are of all
    if form in ("table", "markdown", "html", "latex"):
        assert "10 more submissions are ranked below these" in ran.out
