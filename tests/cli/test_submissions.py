"""What the words of a command name as submissions."""

import json

import pytest

YAML = "truth: truth.csv\nmetrics: [AP]\nleaderboard: {baselines: [subs/popular.csv]}\n"
FILES = {"truth.csv": "list,item\nq,a\n"}


@pytest.fixture
def folder(challenge):
    made = challenge(YAML, **FILES)
    (made / "subs" / "deeper").mkdir(parents=True)
    (made / "subs" / ".hidden.csv").write_text("x")
    for name, items in {"popular": "xa", "mine": "a", "other": "xya"}.items():
        rows = "".join(f"q,{item}\n" for item in items)
        (made / "subs" / f"{name}.csv").write_text(f"list,item\n{rows}")
    return made


def names(ran):
    return {
        each["name"]: (each["baseline"], each["valid"])
        for each in json.loads(ran.out)["submissions"]
    }


ALL = {"mine": (False, True), "other": (False, True), "popular": (True, True)}


@pytest.mark.parametrize("words", [["subs"], ["subs/"], ["subs/mine.csv", "subs/other.csv"]])
def test_a_folder_stands_for_its_files(folder, score, words):
    ran = score(folder, *(f"{folder}/{word}" for word in words), "--format", "json")
    assert (ran.code, names(ran)) == (0, ALL)


def test_a_baseline_among_the_submissions_is_skipped_with_a_word(folder, score):
    ran = score(folder, *sorted((folder / "subs").glob("*.csv"))[1:], "--format", "json")
    assert (ran.code, names(ran)) == (0, ALL)
    assert "subs/popular.csv: warning[S110] this is a baseline of the challenge" in ran.err
    (line,) = score(folder, folder / "subs", "-q").err.splitlines()
    assert line.endswith("left out, which cannot be submissions: '.hidden.csv', 'deeper/'")


def test_a_copy_of_a_baseline_is_one_and_another_file_of_its_name_is_not(folder, score):
    copies = folder / "copies"
    copies.mkdir()
    text = (folder / "subs" / "popular.csv").read_text()
    (copies / "popular.csv").write_text(text)
    score(folder, copies).assert_exit(0, err="warning[S110]")
    (copies / "popular.csv").write_text(text + "q,z\n")
    score(folder, copies).assert_exit(2, err="two submissions are called 'popular'")
    ran = score(folder, f"mine={folder}/subs/popular.csv", "--format", "json")
    assert names(ran) == {"mine": (False, True), "popular": (True, True)}


def test_a_folder_without_files_is_told(folder, score):
    score(folder, folder / "subs" / "deeper").assert_exit(2, err="deeper is a folder without files")


def test_check_reads_a_folder_and_a_baseline_too(folder, score):
    ran = score("check", folder, folder / "subs").assert_exit(0)
    *files, empty, last = ran.out.splitlines()
    assert [line.split(": ")[-1] for line in files[::2]] == ["fine"] * 3
    assert (empty, last.split(": ")[-1]) == ("", "every file is fine")


def test_errors_and_warnings_of_one_code_are_counted_alike(challenge, score, tmp_path):
    lists = "".join(f"{n}\n" for n in range(1, 31))
    folder = challenge(
        "truth: truth.csv\nlists: lists.csv\nmetrics: [AP]\n",
        **{"truth.csv": "list,item\n1,7\n", "lists.csv": f"list\n{lists}"},
    )
    path = tmp_path / "floats.csv"
    path.write_text("list,item\n" + "".join(f"{n}.0,{n}.0\n" for n in range(1, 31)))
    said = "30 errors (S306)"
    assert score(folder, path).out == ""
    assert f"would be rejected: {said}, 1 warning (S306)" in score("check", folder, path).out


def test_two_submissions_of_the_same_bytes_are_told_to_whoever_scores(folder, score):
    text = (folder / "subs" / "mine.csv").read_text()
    (folder / "subs" / "third.csv").write_text(text)
    ran = score(folder, folder / "subs", "--format", "json")
    assert (ran.code, names(ran)) == (0, {**ALL, "third": (False, True)})
    told = "warning[S111] the file holds the same bytes as that of the submission 'mine'"
    assert f"subs/third.csv: {told}" in ran.err
    assert json.loads(ran.out)["notes"] == []  # for publication
    ran = score(folder, f"mine={folder}/subs/popular.csv")
    assert "as that of the baseline 'popular'" not in ran.err  # each is told of an earlier one
    assert "as that of the submission 'mine'" in ran.err
    (folder / "subs" / "third.csv").write_text(text + "\n")
    assert "S111" not in score(folder, folder / "subs").err
