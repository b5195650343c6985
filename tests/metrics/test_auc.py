"""AUC over the catalogue: a submission that cannot be of it is refused, the others are scored."""

import re

import pytest

GOOD = "list,item,score\nq1,a,1\nq1,b,2\nq2,a,1\n"
LONG = "list,item,score\nq1,a,1\nq1,x,2\nq1,y,3\nq1,z,4\nq2,a,1\n"
STRANGE = "list,item,score\nq1,x,1\nq1,y,2\nq1,z,3\nq2,a,1\n"


@pytest.mark.parametrize(
    ("measure", "sent", "problem"),
    [
        ("pairs=all", LONG, "long.csv:3:4: error[S305] item 'x' is not in the catalogue"),
        ("pairs=all", STRANGE, "long.csv:2:4: error[S305] item 'x' is not in the catalogue"),
        ("pairs=all, catalogue=3", LONG, "error[S402] 'q1' has 4 items, and there are 3"),
    ],
)
def test_a_list_that_the_catalogue_cannot_hold(measure, sent, problem, challenge, score):
    items = "" if "catalogue" in measure else "items: items.csv\n"
    folder = challenge(
        f"truth: truth.csv\n{items}metrics: ['AUC({measure})']\n",
        **{
            "truth.csv": "list,item,grade\nq1,a,1\nq1,b,0\nq2,a,1\n",
            "items.csv": "item\na\nb\nc\n",
            "good.csv": GOOD,
            "long.csv": sent,
        },
    )
    ran = score(folder, folder / "long.csv", folder / "good.csv").assert_exit(1)
    assert problem in ran.told
    assert "good 0.750" in " ".join(ran.out.split())


def test_more_other_items_than_the_catalogue_leaves(challenge, score):
    """To refuse it would tell how many of its items are relevant, and to end would score nobody."""
    folder = challenge(
        "truth: truth.csv\nmetrics: ['AUC(pairs=all, catalogue=3)']\n",
        **{
            "truth.csv": "list,item,grade\nq1,a,1\nq1,b,0\nq2,a,1\n",
            "good.csv": GOOD,
            "strange.csv": STRANGE,
        },
    )
    ran = score(folder, folder / "strange.csv", folder / "good.csv")
    assert (ran.code, ran.err.count("error")) == (0, 0)
    means = [line.split()[1:] for line in ran.out.splitlines() if re.match("[12] ", line)]
    assert means == [["good", "0.750"], ["strange", "0.500"]]  # a below three others; above two
