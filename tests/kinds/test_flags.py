"""True and False are 1 and 0 in truths and tables, and no numbers to rank items by."""

import pytest

TABLE = (
    "truth: {file: truth.csv, columns: {list: id, target: y, weight: w}}\n"
    "submission: {columns: {list: id, prediction: y}}\nmetrics: [MAE]\n"
)
LABELS = (
    "truth: {file: truth.csv, columns: {list: id, label: y}}\n"
    "submission: {columns: {list: id, COLUMN: p}}\nmetrics: [AUROC]\n"
)
WIDE = (
    "truth: {file: truth.csv, columns: {list: id, grade: has}, wide: {item: '*'}}\n"
    "submission: {columns: {list: id, score: p}, wide: {item: '*'}}\nmetrics: [AP]\n"
)
RANKED = "truth: truth.csv\nsubmission: {columns: {ROLE}}\nmetrics: [AP]\n"
RATED = "truth: {file: truth.csv, columns: {rating: stars}}\nmetrics: [MAE]\n"
FLAGS = "id,y,w\n1,True,1\n2,FALSE,true\n3,1,0\n"
TWO = "id,y\n1,0\n2,1\n"
TAGS = "id,a,b\nx,True,False\ny,false,true\n"
PAIRS = "list,item\nq,a\n"


@pytest.mark.parametrize(
    ("yaml", "truth", "sent", "code"),
    [
        (TABLE, FLAGS, "id,y\n1,true\n2,0\n3,False\n", None),
        (TABLE, FLAGS, "id,y\n1,yes\n2,0\n3,False\n", "S501"),
        (LABELS.replace("COLUMN", "probability"), TWO, "id,p\n1,False\n2,True\n", None),
        (LABELS.replace("COLUMN", "score"), TWO, "id,p\n1,False\n2,True\n", None),
        (WIDE, TAGS, "id,a,b\nx,.9,.2\ny,.3,.8\n", None),
        (WIDE, TAGS, "id,a,b\nx,True,.2\ny,.3,.8\n", "S501"),
        (RANKED.replace("ROLE", "score: s"), PAIRS, "list,item,s\nq,a,1\nq,b,true\n", "S501"),
        (RANKED.replace("ROLE", "rank: s"), PAIRS, "list,item,s\nq,a,1\nq,b,true\n", "S501"),
        (RATED, "list,item,stars\nu,a,True\n", "list,item,prediction\nu,a,1\n", None),
        (RATED, "list,item,stars\nu,a,1\n", "list,item,prediction\nu,a,True\n", "S501"),
    ],
)
def test_true_is_1_but_where_items_are_ranked(challenge, score, tmp_path, yaml, truth, sent, code):
    folder, file = challenge(yaml, **{"truth.csv": truth}), tmp_path / "sent.csv"
    file.write_text(sent)
    ran = score(folder, file)
    assert (ran.code, f"error[{code}]" in ran.err) == ((1, True) if code else (0, False)), ran
