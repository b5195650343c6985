"""Ids of the wrong form are told without the truth, repaired where it is certain, and seen."""

import pytest

TRUTH = "user,prediction\nu1,01 02 03\nu2,02 04\nu3,05\n"
SAMPLE = "user,prediction\nu1,01 02\nu2,02 03\nu3,01 05\n"
SAME = "user,prediction\nu1,01 02\nu2,02 03\nu3,05 01\n"
ITEMS = "item\n01\n02\n03\n04\n05\n"

WRITTEN = {  # how one id or several stand in a cell, and the code of what is wrong
    "commas": ('"{},{}"', "S313"),
    "blanks behind commas": ('"{}, {}"', "S313"),
    "Python": ("\"['{}', '{}']\"", "S313"),
    "numpy": ("['{}' '{}']", "S313"),
    "JSON": ('"[""{}"", ""{}""]"', "S313"),
    "quotes": ("'{}' '{}'", "S313"),
    "decimals": ("{}.0 {}.0", "S306"),
}
PAIRS = {"u1": ("01", "02"), "u2": ("02", "03"), "u3": ("05", "01")}
WRONG = {
    case: ("".join(f"{user},{cell.format(*pair)}\n" for user, pair in PAIRS.items()), code)
    for case, (cell, code) in WRITTEN.items()
}
WRONG["lost zeros"] = ("u1,1 2\nu2,2 3\nu3,5 1\n", "S307")


@pytest.fixture
def kits(tmp_path, monkeypatch, score):
    """Kits of a challenge as init writes it, of one with a catalogue, of one with neither."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("truth.csv", TRUTH), ("sample.csv", SAMPLE), ("items.csv", ITEMS)):
        (tmp_path / name).write_text(text)
    made = score("init", "--from", "truth.csv", "sample.csv", "pattern")
    assert "ids of items must match [0-9]{2}; change item_pattern if others are valid" in made.out
    text = (tmp_path / "pattern/challenge.yaml").read_text()
    assert "  item_pattern: '[0-9]{2}'\n" in text
    bare = text.replace("  item_pattern: '[0-9]{2}'\n", "")
    for name, yaml in (("bare", bare), ("items", f"{bare}items: items.csv\n")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "challenge.yaml").write_text(yaml)
        for file in ("truth.csv", "items.csv"):
            (folder / file).write_text((tmp_path / file).read_text())
    for name in ("pattern", "items", "bare"):
        assert score("kit", name, "-o", f"{name}.zip").code == 0
    return tmp_path


@pytest.mark.slow("checks and repairs a file a row", beyond=1)
@pytest.mark.parametrize("kit", ["pattern", "items"])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_ids_are_refused_and_repaired_by_a_kit(case, kit, kits, score):
    rows, code = WRONG[case]
    (kits / "mine.csv").write_text(f"user,prediction\n{rows}")
    ran = score("check", f"{kit}.zip", "mine.csv").assert_exit(1)
    assert {f"error[{code}]" in ran.out, "S305" not in ran.out} == {True}
    assert score("check", f"{kit}.zip", "mine.csv", "--fix").code == 0
    assert (kits / "mine.fixed.csv").read_text() == SAME


@pytest.mark.slow("checks and repairs a file a row", beyond=1)
@pytest.mark.parametrize("case", [case for case in WRONG if WRONG[case][1] == "S313"])
def test_separators_and_quotes_are_told_where_neither_items_nor_pattern_are_public(
    case, kits, score
):
    (kits / "mine.csv").write_text(f"user,prediction\n{WRONG[case][0]}")
    score("check", "bare.zip", "mine.csv").assert_exit(1, out="error[S313]")


def test_few_odd_ids_are_a_warning(kits, score):
    (kits / "mine.csv").write_text('user,prediction\nu1,01 02 "03"\nu2,02 04\nu3,"05,"\n')
    score("check", "bare.zip", "mine.csv").assert_exit(0, out="warning[S313]")


def test_a_file_none_of_whose_items_has_the_form_is_told_so_once(kits, score):
    (kits / "mine.csv").write_text("user,prediction\nu1,x y\nu2,z\nu3,v\n")
    ran = score("check", "pattern.zip", "mine.csv").assert_exit(1)
    assert ran.out.count("no item of this file looks as this challenge's do ([0-9]{2})") == 1


def test_the_sample_of_a_kit_has_the_form(kits, score):
    assert score("check", "pattern.zip", "sample.csv").code == 0
    import zipfile

    zipfile.ZipFile("pattern.zip").extract("sample_submission.csv")
    sample = score("check", "pattern.zip", "sample_submission.csv").out.splitlines()
    assert sample[0].endswith(": fine")


def test_a_submission_without_a_hit_is_marked_in_its_row(kits, score):
    (kits / "mine.csv").write_text("user,prediction\nu1,91\nu2,92\nu3,93\n")
    ran = score("pattern", "mine.csv", "sample.csv")
    (row,) = (line for line in ran.out.splitlines() if " mine " in line)
    assert row.rstrip().endswith("3, no hit")
    assert "No hit: 'mine' found no item that counts" in " ".join(ran.out.split())
    assert "sample" in ran.out
    assert ran.out.count("no hit") == 1


@pytest.mark.slow("checks and repairs a file a row", beyond=2)
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("item_pattern: '(a+'", "is no regular expression: unclosed group"),
        ("item_pattern: '[z-a]+'", "is no regular expression"),
        ("item_pattern: '[0-9]{2}'\nitems: items.csv", "leave the pattern out"),
    ],
)
def test_a_pattern_that_is_none_or_does_nothing(line, word, kits, score):
    text = (kits / "bare/challenge.yaml").read_text()
    (kits / "bare/challenge.yaml").write_text(text.replace("metrics:", f"  {line}\nmetrics:"))
    score("check", "bare", "sample.csv").assert_exit(2, err=word)
