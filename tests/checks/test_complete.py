"""Orders of all candidates; those of one metric are cases of grades.yaml."""

import zipfile

TRUTH = "list,item,grade\nq1,a,3\nq1,b,2\nq1,c,1\nq2,a,1\nq2,b,2\nq2,c,3\n"


def test_a_formula_of_an_order_is_of_all_candidates_too(challenge, score):
    yaml = "truth: truth.csv\nitems: items.csv\nmetrics: [{id: a, metric: Tau}, {score: 1 - a}]\n"
    short = "list,item\nq1,a\nq1,b\nq2,c\nq2,b\nq2,a\n"
    items = "list,item\nq1,a\nq1,b\nq1,c\nq2,a\nq2,b\nq2,c\n"
    folder = challenge(yaml, **{"truth.csv": TRUTH, "items.csv": items, "short.csv": short})
    ran = score("check", folder, folder / "short.csv")
    assert "short.csv:2: error[S401] list 'q1' has 2 of its 3 candidates" in ran.out, ran


def test_the_kits_sample_is_complete(challenge, score, tmp_path):
    yaml = "truth: truth.csv\nitems: items.csv\nlists: lists.csv\nmetrics: [Tau]\n"
    items = "list,item\n" + "".join(f"{name},{n}\n" for name in ("q1", "q2") for n in range(30))
    files = {"items.csv": items.replace(",0\n", ",a\n").replace(",1\n", ",b\n")}
    files["truth.csv"] = "list,item,grade\nq1,a,1\nq1,b,2\nq2,a,1\nq2,b,2\n"
    folder = challenge(yaml, **files, **{"lists.csv": "list\nq1\nq2\n"})
    packed = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", packed).code == 0
    with zipfile.ZipFile(packed) as archive:
        (name,) = (name for name in archive.namelist() if "sample" in name)
        sample = archive.extract(name, tmp_path)
    assert score("check", packed, sample).code == 0


def test_without_candidates_completeness_cannot_be_asked_for(challenge, score):
    yaml = "truth: truth.csv\nsubmission: {complete: true}\nmetrics: [Tau]\n"
    folder = challenge(yaml, **{"truth.csv": TRUTH, "full.csv": TRUTH})
    ran = score("check", folder, folder / "full.csv")
    assert ran.code == 2
    assert "submission.complete: complete: true is of ranked lists whose candidates" in ran.err
