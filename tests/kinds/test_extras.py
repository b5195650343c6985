"""Further columns, from challenge.yaml to a metric."""

import zipfile

import pytest

FILES = {
    "truth.csv": "user,item,grade,degree\nu1,a,1,0.5\nu1,b,2,3\nu2,a,1,7\n",
    "lists.csv": "user,group,phase\nu1,g1,one\nu2,g2,two\n",
    "items.csv": "item,genres,price\na,x|y,5\nb,x,6\nc,y:0.25|x:0.5,7\n",
    "sub.csv": "user,item,score,why\nu2,a,0.4,old\nu1,c,0.9,new\nu1,b,0.8,old\n",
    "own.py": '''
import numpy as np
from scorer import Figure, Floats, Judged, Ranked, metric
from scorer.views.recommendations import Scored


@metric("Degrees", title="Degrees of the hits", source="this test", range=(0, None))
def degrees(judged: Judged) -> Floats:
    """A sum over hits."""
    assert judged.extras.submission["why"].tolist() == ["old"] * judged.hits.rank.size
    assert set(judged.extras.list["phase"]) <= {"one", "two"}
    genres = judged.of_hits(judged.extras.item["genres"])
    assert genres.sum(axis=1).tolist() == [1.0] * judged.hits.rank.size
    return judged.hits.total(judged.of_hits(judged.extras.truth["degree"]))


@metric("Phase", title="One list at a time", source="this test")
def phase(ranked: Ranked) -> float:
    """Whether its list is of the first phase."""
    return float(ranked.extras.list["phase"][0] == "one" and ranked.extras.truth["degree"][0] == 3)


def spent(columns, weight):
    return float((weight * columns["spent"])[columns["phase"] == "one"].sum())


@metric("Spent", title="Spent", source="a test", range=(0, None))
def spending(scored: Scored) -> Figure:
    """In the first phase alone."""
    is_new = [why == "new" for why in scored.extras.submission["why"]]
    assert is_new == [price == 7 for price in scored.extras.item["price"]]
    rows = scored.extras.item["price"] * scored.score
    phase = scored.extras.list["phase"][scored.in_list]
    return Figure(spent, {"spent": rows, "phase": phase}, scored.in_list, no_bootstrap="a test")
''',
}
YAML = """
truth: {file: truth.csv, columns: {list: user, extra: {degree: number}}}
lists: {file: lists.csv, columns: {list: user, extra: [phase]}}
items: {file: items.csv, columns: {extra: {genres: classes, price: number}}}
submission: {columns: {list: user, extra: [why]}}
metrics: [Degrees, Phase, Spent]
plugins: [own.py]
"""


def test_further_columns_reach_metrics_by_name(challenge, score):
    folder = challenge(YAML, **FILES)
    ran = score(folder, folder / "sub.csv", "--allow-plugins", "--format", "json")
    assert ran.means() == {"Degrees": 5.0, "Phase": 0.5, "Spent": pytest.approx(7 * 0.9 + 6 * 0.8)}
    assert "not used" not in ran.err
    told = score("explain", folder, folder / "sub.csv", "--list", "u2", "--allow-plugins")
    told.assert_exit(0, out="Degrees = 7")


@pytest.mark.slow("reads every format", beyond=1)
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_in_other_formats(challenge, score, form, tmp_path):
    import polars as pl

    folder = challenge(YAML, **FILES)
    frame = pl.read_csv(folder / "sub.csv")
    path = tmp_path / f"sub.{form}"
    frame.write_ndjson(path) if form == "jsonl" else frame.write_parquet(path)
    ran = score(folder, path, "--allow-plugins", "--format", "json")
    assert ran.means()["Degrees"] == 5.0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("degree: number", "degre: number", "column 'degre' is missing"),
        ("degree: number", "degree: numbers", "did you mean 'number'?"),
        ("[phase]", "[phases]", "column 'phases' is missing"),
        ("genres: classes", "genres: vector", "'vector' is not 'text', 'number' or 'classes'"),
        ("[phase]", "[group]", "lists has no further column 'phase'; declared: group"),
        ("list: user, extra: [why]", "list: user, extra: {why: number}", "S501"),
        ("columns: {list: user, extra: [why]}", "extra: [why], columns: {list: user}", "C105"),
    ],
)
def test_what_is_wrong_is_told(challenge, score, old, new, said):
    assert old in YAML
    folder = challenge(YAML.replace(old, new), **FILES)
    ran = score(folder, folder / "sub.csv", "--allow-plugins")
    assert ran.code in (1, 2), ran
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_a_missing_column_of_a_submission_is_told(challenge, score):
    files = FILES | {"sub.csv": "user,item,score\nu1,b,0.8\nu2,a,1\n"}
    folder = challenge(YAML, **files)
    ran = score("check", folder, folder / "sub.csv", "--allow-plugins").assert_exit(1)
    assert "S201" in ran.out + ran.err
    assert "'why'" in ran.out + ran.err


def test_a_kit_asks_for_the_columns_of_a_submission(challenge, score, tmp_path):
    yaml = YAML.replace("metrics: [Degrees, Phase, Spent]\nplugins: [own.py]", "metrics: [P@1]")
    folder = challenge(yaml, **FILES)
    kit = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit).code == 0
    with zipfile.ZipFile(kit) as found:
        assert b"degree" not in b"".join(found.read(name) for name in found.namelist())
        (tmp_path / "sample.csv").write_bytes(found.read("sample_submission.csv"))
    score("check", kit, tmp_path / "sample.csv").assert_exit(0)
    assert score("check", kit, folder / "sub.csv").code == 0
