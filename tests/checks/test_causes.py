"""The one cause of a file with many faults is told once, and repaired where it is certain.

Nothing here opens an answer: a kit without the truth tells and repairs the same.
"""

import csv
import io

import pytest

from scorer.cli import main as cli

IDS = [str(n) for n in range(1, 41)]
CLASSES = ["setosa", "versicolor", "virginica"]
LABELS = [CLASSES[n % 3] for n in range(40)]
PRICES = [f"{1200 + 317.25 * n:.2f}" for n in range(40)]


def text(header, *columns, separator=","):
    rows = [header.split(",")] * bool(header) + list(zip(*columns, strict=True))
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(rows)
    return out.getvalue()


def made(folder, column, role, answers, metric):
    """A challenge with these answers, as its folder, and as the kit that participants have."""
    folder.joinpath("answers.csv").write_text(text(f"id,{column}", IDS, answers))
    truth, sent = role
    folder.joinpath("challenge.yaml").write_text(
        f"truth: {{file: answers.csv, columns: {{list: id, {truth}: {column}}}}}\n"
        f"submission: {{columns: {{list: id, {sent}: {column}}}}}\nmetrics: [{metric}]\n"
    )
    assert cli.run(["kit", str(folder), "-o", str(folder / "kit.zip")]) == 0
    return {"folder": folder, "kit": folder / "kit.zip"}


@pytest.fixture(scope="module")
def challenges(tmp_path_factory):
    of_classes, of_prices = (tmp_path_factory.mktemp("challenge") for _ in range(2))
    return {
        "classes": made(of_classes, "species", ("label", "label"), LABELS, "Accuracy"),
        "prices": made(of_prices, "price", ("target", "prediction"), PRICES, "RMSE"),
    }


@pytest.fixture(params=["folder", "kit"])
def classes(challenges, request):
    return challenges["classes"][request.param]


@pytest.fixture
def prices(challenges):
    return challenges["prices"]["kit"]


GOOD = text("id,species", IDS, LABELS)
PROBABILITIES = ["0.8" if n % 3 == 0 else "0.1" for n in range(40)]
# the file, words of its one error, and what --fix makes of it; None where nothing is certain
OF_CLASSES = {
    "case": (
        text("id,species", IDS, map(str.upper, LABELS)),
        "S521] 40 cells of species are no class of this challenge, in 3 spellings: 'SETOSA' "
        "differs from 'setosa' only by case",
        GOOD,
    ),
    "no header": (text("", IDS, LABELS), "S202] no header; the first line looks like", GOOD),
    "no header, the other order": (
        text("", LABELS, IDS),
        "help: begin the file with the names of its columns: species,id",
        text("species,id", LABELS, IDS),
    ),
    "one wrong name": (
        text("id,prediction", IDS, LABELS),
        "S201] column 'species' is missing; found: id, prediction; rename 'prediction'?",
        GOOD,
    ),
    "two wrong names": (
        text("row,prediction", IDS, LABELS),
        "rename 'row' to 'id' and 'prediction' to 'species'?",
        GOOD,
    ),
    "swapped": (
        text("id,species", LABELS, IDS),
        "S214] columns 'id' and 'species' are swapped: in the first row 'setosa' belongs to "
        "'species', '1' belongs to 'id'",
        text("species,id", LABELS, IDS),
    ),
    "swapped, one with another name": (
        text("label,id", IDS, LABELS),
        "S214] columns 'label' and 'id' are swapped: in the first row '1' belongs to 'id', "
        "'setosa' belongs to 'species'",
        GOOD,
    ),
    "an index": (
        text(",id,species", range(40), IDS, LABELS),
        "S203] unnamed first column; a pandas index?",
        GOOD,
    ),
    "an index in another order": (
        text(",id,species", range(40, 0, -1), IDS, LABELS),
        "S203] unnamed first column; a pandas index?",
        GOOD,
    ),
    "whole numbers that are perhaps an index": (
        text(",id,species", range(7, 87, 2), IDS, LABELS),
        "S203] unnamed first column; a pandas index?",
        None,
    ),
    "an index that is the ids": (
        text(",species", IDS, LABELS),
        "S201] column 'id' is missing; found: , species; rename ''?",
        GOOD,
    ),
    "codes of classes": (
        text("id,species", IDS, [CLASSES.index(label) for label in LABELS]),
        "S523] species holds numbers, such as '0', where a class is expected",
        None,
    ),
    "probabilities": (
        text("id,setosa,versicolor,virginica", IDS, *[PROBABILITIES] * 3),
        "S201] column 'species' is missing; the columns 'setosa', 'versicolor', 'virginica' seem "
        "to be probabilities of its classes",
        None,
    ),
    "probabilities in columns that are numbered": (
        text(
            "id,0,1,2",
            IDS,
            PROBABILITIES,
            *[["0.1" if p == "0.8" else "0.45" for p in PROBABILITIES]] * 2,
        ),
        "the columns '0', '1', '2' seem to be probabilities of its classes",
        None,
    ),
    "missing": (
        text("id,species", IDS, ["", *LABELS[1:]]),
        "help: predict a class for each of these rows",
        None,
    ),
}
PLAIN = text("id,price", IDS, PRICES)
COMMAS = [price.replace(".", ",") for price in PRICES]
OF_NUMBERS = {
    "thousands": (
        text("id,price", IDS, [f"{float(p):,.2f}" for p in PRICES]),
        "'1,200.00' is a number with marks between thousands; write 1200.00",
        PLAIN,
    ),
    "currency": (
        text("id,price", IDS, [f"{price} €" for price in PRICES]),
        "'1200.00 €' is a number with the currency €; write 1200.00",
        PLAIN,
    ),
    "brackets": (
        text("id,price", IDS, [f"[{price}]" for price in PRICES]),
        "'[1200.00]' is a number with brackets; write 1200.00",
        PLAIN,
    ),
    "decimal commas in a comma file": (
        "id,price\n" + "".join(f"{i},{p}\n" for i, p in zip(IDS, COMMAS, strict=True)),
        "help: decimal commas? write points",
        PLAIN,
    ),
    "German": (
        text("id,price", IDS, [f"{float(p):,.2f}".translate({44: 46, 46: 44}) for p in PRICES]),
        "'1.200,00' is a number with marks between thousands; write 1200.00",
        PLAIN,
    ),
    "commas behind a nought": (
        text("id,price", IDS, [f"0,{100 + n}" for n in range(40)]),
        "'0,100' has a decimal comma; write 0.100\n",
        text("id,price", IDS, [f"0.{100 + n}" for n in range(40)]),
    ),
    "per cent": (
        text("id,price", IDS, [f"{n},5 %" for n in range(40)]),
        "'0,5 %' is a percentage; write 0.005 or 0.5\n",
        None,
    ),
    "thousands or decimals": (
        text("id,price", IDS, [f"{n + 1},{100 + n}" for n in range(40)]),
        "'1,100' has a decimal comma; write 1.100, or 1100 if it marks thousands",
        None,
    ),
    "swapped": (
        text("id,price", PRICES, IDS),
        "S214] columns 'id' and 'price' are swapped",
        text("price,id", PRICES, IDS),
    ),
}


def held(score, tmp_path, challenge, sent, words, repaired):
    file, copy = tmp_path / "sent.csv", tmp_path / "copy.csv"
    file.write_text(sent)
    told = score("check", challenge, file)
    assert told.code == 1
    assert words in told.out
    assert told.out.count("error[") == 1
    ended = score("check", challenge, "--fix", file, "-o", copy)
    assert (ended.code == 0) == copy.exists() == (repaired is not None), ended
    assert repaired is None or copy.read_text() == repaired


@pytest.mark.slow("checks a file a row", beyond=4)
@pytest.mark.parametrize("case", OF_CLASSES)
def test_a_cause_of_classes(score, tmp_path, classes, case):
    held(score, tmp_path, classes, *OF_CLASSES[case])


@pytest.mark.parametrize("case", OF_NUMBERS)
def test_a_cause_of_numbers(score, tmp_path, prices, case):
    held(score, tmp_path, prices, *OF_NUMBERS[case])


@pytest.mark.parametrize(
    ("cells", "repaired"),
    [
        (["1.234.567,5", "80.230", "12,5"], ["1234567.5", "80230", "12.5"]),
        (["1,234,567", "80,230", "12.5"], ["1234567", "80230", "12.5"]),
        (["1,234,567", "12,5", "7"], None),  # a comma is both
        (["(5)", "6", "7"], None),  # accountants' minus, or brackets
        (["80 %", "6", "7"], None),
    ],
)
def test_marks_of_a_column_mean_the_same(score, tmp_path, prices, cells, repaired):
    file, copy = tmp_path / "sent.csv", tmp_path / "copy.csv"
    file.write_text(text("id,price", IDS, [*cells, *PRICES[3:]]))
    score("check", prices, "--fix", file, "-o", copy)
    rows = copy.read_text().splitlines()[1:4] if copy.exists() else []
    found = [row.split(",")[1] for row in rows] or None
    assert found == repaired


def test_what_has_no_single_cause_is_told_as_it_is(score, tmp_path, classes):
    file = tmp_path / "sent.csv"
    file.write_text(text("id,species", [f"x{i}" for i in IDS], LABELS))
    told = score("check", classes, file)
    assert "S311" in told.out
    assert "S214" not in told.out
    file.write_text(text("when,why", LABELS, LABELS))
    assert score("check", classes, file).out.count("S201") > 1


def test_few_places_are_each_told_and_many_once(score, tmp_path, prices):
    file = tmp_path / "sent.csv"
    file.write_text(text("id,price", IDS, ["a", "b", "c", *PRICES[3:]]))
    assert score("check", prices, file).out.count("error[") == 3
    file.write_text(text("id,price", IDS, ["a", "b", "c", "d", "e", *PRICES[5:]]))
    said = score("check", prices, file).out
    assert said.count("error[") == 1
    assert "  and 4 more of S501, on lines 3, 4, 5, ... (--all)" in said
    assert score("check", prices, "--all", file).out.count("error[") == 5


def test_a_terminal_has_the_line_with_a_caret(score, tmp_path, prices, terminal):
    terminal(100)
    file = tmp_path / "sent.csv"
    file.write_text(text("id,price", IDS, ["abc", *PRICES[1:]]))
    said = score("check", prices, file).out
    assert "  2 | 1,abc\n    |   ^^^\n" in said


@pytest.mark.parametrize("name", ["Unnamed: 0", "index", "level_0"])
def test_an_index_with_a_name_is_told_and_removed(score, tmp_path, classes, name):
    file, copy = tmp_path / "sent.csv", tmp_path / "copy.csv"
    file.write_text(text(f"{name},id,species", range(40), IDS, LABELS))
    told = score("check", classes, file)
    assert f"warning[S205] column '{name}' is not used; a pandas index?\n  help: write" in told.out
    assert score("check", classes, "--fix", file, "-o", copy).code == 0
    assert copy.read_text() == GOOD


@pytest.mark.parametrize(
    ("column", "range", "cells", "repaired"),
    [
        ("probability", "", ["47.8%", "11 %", "100 %", "0 %"], ["0.478", "0.11", "1.00", "0.00"]),
        ("probability", "", ["47,8 %", "0.5", "3,5 %", "1"], ["0.478", "0.5", "0.035", "1"]),
        ("probability", "", ["0.5 %", "0.7 %", "0.2", "0.3"], None),  # shares, or a sign too many
        ("score", ", range: [0, 100]", ["50 %", "20 %", "7", "9"], None),  # both are inside
        ("score", ", range: [1, 100]", ["50 %", "20 %", "7", "9"], ["50", "20", "7", "9"]),
        ("score", "", ["50 %", "20 %", "7", "9"], None),
    ],
)
def test_a_percentage_is_repaired_where_its_range_is_known(
    score, tmp_path, monkeypatch, column, range, cells, repaired
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("id,y\na,1\nb,0\nc,1\nd,0\n")
    (tmp_path / "challenge.yaml").write_text(
        "truth: {file: t.csv, columns: {list: id, label: y}}\n"
        f"submission: {{columns: {{list: id, {column}: p}}{range}}}\nmetrics: [AUROC]\n"
    )
    (tmp_path / "sent.csv").write_text(text("id,p", "abcd", cells))
    assert "is a percentage; write" in score("check", ".", "sent.csv").out
    ran = score("check", ".", "--fix", "sent.csv", "-o", "copy.csv")
    copy = tmp_path / "copy.csv"
    assert (copy.read_text() if copy.exists() else None) == (
        None if repaired is None else text("id,p", "abcd", repaired)
    ), ran
