"""Wrong ids: each is told once, at its first row; of very many the first are, and all counted."""

import pytest

from scorer.challenge.public import Public
from scorer.challenge.submission import Submission
from scorer.checks import base, ranked
from scorer.checks.base import SubmissionRows, examine
from scorer.checks.ids import INVISIBLE, PublicIds
from scorer.core.problems import KEPT, Findings
from scorer.reading.table import make_table


def found(lists, items, lines=None, rule="error"):
    """What is said of rows of these lists and items, in a challenge of q1, q2, a and b."""
    lines = lines or range(2, len(lists) + 2)
    table = make_table({"list": lists, "item": items}, lines=lines)
    public = Public("grades", dict.fromkeys(["q1", "q2"]), dict.fromkeys("ab"))
    rules = Submission(unknown_list=rule, missing_list="skip")
    findings = Findings()
    examine(SubmissionRows(table, public, rules, PublicIds(public)), findings)
    return findings


def test_an_id_is_told_once_at_its_first_row_with_the_number_of_its_rows():
    findings = found(["q1", "q1", "q2", "q2"], ["x", "a", "x", "y"], lines=[9, 3, 2, 5])
    told = [(each.line, each.list, each.item) for each in findings if each.code == "S305"]
    assert told == [(2, "q2", "x"), (5, "q2", "y")]
    assert "'x' is not in the catalogue (2 rows)" in next(iter(findings)).message


@pytest.mark.parametrize("most", [base.MOST_EXPLAINED, KEPT + 20])
def test_of_very_many_ids_the_first_are_told_and_all_are_counted(most, monkeypatch):
    for module in (base, ranked):
        monkeypatch.setattr(module, "MOST_EXPLAINED", most)
    many = KEPT + 50
    findings = found(["q1"] * many, [f"x{n}" for n in range(many)])
    told = [each for each in findings if each.code == "S305"]
    assert [each.item for each in told] == [f"x{n}" for n in range(KEPT)]
    assert findings.counts["S305"] == many
    lists = found([f"u{n}" for n in range(many)] + ["q1"], ["a"] * (many + 1))
    assert lists.counts["S302"] == many


def test_ignored_lists_are_one_warning_however_many_they_are():
    many = KEPT + 50
    findings = found([f"u{n}" for n in range(many)] + ["q1"], ["a"] * (many + 1), rule="ignore")
    (told,) = [each for each in findings if each.code == "S302"]
    assert f"{many:,} lists are not in this challenge, and are ignored: 'u0'" in told.message
    assert not findings.fatal


def test_an_id_with_a_fault_among_many_is_told_as_such():
    many = KEPT + 50
    findings = found(["q1"] * (many + 1), [*(f"x{n}" for n in range(many)), "A"])
    (told,) = [each for each in findings if each.code == "S312"]
    assert "'A' differs from 'a' only by" in told.message


def test_blanks_are_what_is_looked_for():
    """What `fold_id` leaves out of an ASCII id is what cannot be seen."""
    assert set(INVISIBLE) == {*range(33), 127}
