"""How far a board depends on what was decided."""

import csv
import io
import json

import numpy as np
import pytest

import scorer
from scorer.core.errors import ChallengeError, UsageError

# ten lists of ten items each; a run finds the relevant one at a rank, or not at all
LISTS = 10
TRUTH = "list,item,grade\n" + "".join(f"q{n},r,1\nq{n},x,0\n" for n in range(LISTS))
GROUPS = "list,group\n" + "".join(f"q{n},{'easy' if n < 6 else 'hard'}\n" for n in range(LISTS))
WEIGHTS = "list,weight\n" + "".join(f"q{n},{1 if n < 6 else 5}\n" for n in range(LISTS))
PLACES = {  # of the relevant item in each list; 0: not returned
    "steady": [2] * 10,
    "bold": [1] * 6 + [9] * 4,
    "slow": [3] * 9 + [1],
    "poor": [0] * 5 + [9] * 5,
}
PLAIN = "truth: truth.csv\nmetrics: [RR, Success@3]\n"
WITH_LISTS = "truth: truth.csv\nlists: lists.csv\nmetrics: [{}]\n"
RANKED_BY = "leaderboard: {{rank_by: {{{}}}}}\n"


def run(places):
    rows = ["list,item"]
    for n, place in enumerate(places):
        rows += [f"q{n},{'r' if at == place else f'n{at}'}" for at in range(1, 11)]
    return "\n".join(rows) + "\n"


@pytest.fixture
def board(challenge):
    """A challenge with its four runs: its folder, and the runs' paths."""

    def made(yaml=PLAIN, runs=(), **files):
        sent = {f"{name}.csv": run(places) for name, places in PLACES.items()} | dict(runs)
        folder = challenge(yaml, **{"truth.csv": TRUTH, **sent, **files})
        return folder, [folder / name for name in sent]

    return made


def by_name(study):
    return {each.variation: each for each in study.variations}


SHORT = {"short.csv": "list,item\n" + "".join(f"q{n},r\n" for n in range(5))}  # half, perfectly


@pytest.mark.slow("studies a board a row", beyond=3)
@pytest.mark.parametrize(
    ("yaml", "lists", "runs", "names", "ranks"),
    [
        # .644, .5, .4, .056; Success@3: steady and slow 1, bold .6, poor 0; medians 1, .5, .333
        (PLAIN, "", {}, "bold steady slow poor",
         {"Success@3": (3, 1, 1, 4), "median of the lists": (1, 2, 3, 4)}),
        # hard: .111, .5, .5, .111; alike: (1 + .111) / 2, .5, (.333 + .5) / 2
        (WITH_LISTS.format("RR"), GROUPS, {}, "bold steady slow poor",
         {"without easy": (3, 1, 1, 3), "without hard": (1, 2, 3, 4),
          "groups alike": (1, 2, 3, 4)}),
        # bold .644, short and steady .5
        ("truth: truth.csv\nsubmission: {missing_list: zero}\nmetrics: [RR]\n", "", SHORT,
         "bold short steady slow poor",
         {"lists that a submission lacks are left out": (2, 1, 3, 4, 5),
          "only lists that all have": (1, 1, 3, 4, 5)}),
        # (6 + 20 / 9) / 26, .5, (22 / 3 + 5) / 26, 25 / 9 / 26
        (WITH_LISTS.format("RR"), WEIGHTS, {}, "bold steady slow poor",
         {"lists weighted by weight": (3, 1, 2, 4)}),
        (WITH_LISTS.format("{metric: RR, weights: weight}"), WEIGHTS, {}, "steady slow bold poor",
         {"lists without weights": (2, 3, 1, 4)}),
    ],
    ids=["measures", "groups", "missing lists", "weights", "no weights"],
)  # fmt: skip
def test_variations_are_held_against_the_official_order(board, yaml, lists, runs, names, ranks):
    study = scorer.study(*board(yaml, runs, **{"lists.csv": lists}))
    assert study.names == tuple(names.split())
    found = by_name(study)
    assert {name: found[name].ranks for name in ranks} == ranks


def test_a_study_says_what_stays_and_is_a_table(board):
    study = scorer.study(*board())
    assert study.ranks == (1, 2, 3, 4)
    other = by_name(study)["Success@3"]
    assert (other.about, other.winner_stays, other.podium_stays) == ("measure", False, True)
    assert other.winner == ["steady", "slow"]
    assert by_name(study)["median of the lists"].tau == 1.0
    assert repr(study) == "<Study of challenge: 'bold' first in 2 of 4 variations>"
    rows = study.to_polars()
    assert rows.height == 1 + len(study.variations)
    assert rows["rank of bold"].to_list()[:2] == [1, 3]
    pytest.importorskip("pandas")
    assert study.to_pandas().shape == rows.shape
    assert "<details><summary>Notes</summary>" in study._repr_html_()


@pytest.mark.slow("studies a board a row")
@pytest.mark.parametrize(
    ("yaml", "ranked_by", "about"),
    [
        (PLAIN + RANKED_BY.format("preference: RPP, aggregate: MC4"), "RPP by MC4",
         {"RR": "measure", "Borda": "aggregate"}),
        (PLAIN + RANKED_BY.format("measures: [RR, Success@3], aggregate: Borda"),
         "RR and Success@3 by Borda",
         {"RR": "measure", "Success@3": "measure", "Copeland": "aggregate"}),
        (WITH_LISTS.format("RR")
         + RANKED_BY.format("measures: [RR], each: list, aggregate: WinRate"),
         "RR by WinRate in each list", {"WinRate in each group": "aggregate"}),
    ],
    ids=["preferences", "measures", "lists"],
)  # fmt: skip
def test_ranks_that_are_put_together_have_other_aggregations(board, yaml, ranked_by, about):
    study = scorer.study(*board(yaml, **{"lists.csv": GROUPS}))
    assert study.ranked_by == ranked_by
    found = by_name(study)
    assert {name: found[name].about for name in about} == about
    if "preference" in yaml:
        assert np.isnan(study.halves.correlation)
        assert sum(each.about == "half" for each in study.variations) == 40
    elif "each: list" in yaml:
        # easy: bold, steady, slow, poor; hard: steady, slow, and bold and poor equal
        order = [study.names.index(name) for name in ("bold", "steady", "slow", "poor")]
        assert [found["without hard"].ranks[n] for n in order] == [1, 2, 3, 4]
        assert found["without easy"].ranks[order[1]] == 1


@pytest.mark.slow("studies three boards")
def test_halves_and_tenths_are_drawn_by_the_seed(board):
    first, again, other = (scorer.study(*board(), seed=seed) for seed in (5, 5, 6))
    assert first.variations == again.variations
    assert first.variations != other.variations
    for about, count in (("tenth", 20), ("half", 40)):
        assert sum(each.about == about for each in first.variations) == count
    assert first.halves.draws == 20
    assert 0.5 < first.halves.tau <= 1
    assert first.halves.correlation < first.halves.reliability <= 1


@pytest.mark.slow("studies boards")
@pytest.mark.parametrize(
    ("given", "tried"),
    [
        ("Success@3", {"Success@1", "Success@5", "Success@10"}),
        ("{metric: Success, k: 3, id: found}", {"found @1", "found @5", "found @10"}),
        ("RR", set()),
    ],
)
def test_a_measure_is_tried_with_the_cut_offs_that_lists_reach(board, given, tried):
    yaml = f"truth: truth.csv\nsubmission: {{length: 10}}\nmetrics: [{given}]\n"
    study = scorer.study(*board(yaml))
    assert {each.variation for each in study.variations if each.about == "cut-off"} == tried


@pytest.mark.slow("scores a board twice")
def test_cut_offs_give_what_a_board_with_them_gives(board):
    folder, runs = board("truth: truth.csv\nmetrics: [Success@3, Success@1]\n")
    study = scorer.study(folder, runs)
    found = by_name(study)["Success@5"]
    assert by_name(study)["Success@1"].about == "measure"  # the challenge has it
    report = scorer.score(folder, runs)
    assert [row.name for row in report.leaderboard] == list(study.names)
    asked = scorer.evaluate(folder / "truth.csv", runs, "Success@5")
    ranks = {row.name: row.rank for row in asked.leaderboard}
    assert found.ranks == tuple(ranks[name] for name in study.names)


@pytest.mark.slow("studies a board a row")
@pytest.mark.parametrize(
    ("yaml", "lists", "told", "tried"),
    [
        (WITH_LISTS.format("RR"), WEIGHTS.replace(",5", ",much"),
         "other cut-offs and weights: ", {"median of the lists"}),
        # a formula of groups has no value without one of them
        (WITH_LISTS.format("{id: both, score: easy + hard, primary: true}, "
                           "{metric: RR, group: easy, id: easy}, "
                           "{metric: RR, group: hard, id: hard}"), GROUPS,
         "no submission has a value: without easy; without hard", {"easy", "hard"}),
    ],
    ids=["weights that are no numbers", "no value"],
)  # fmt: skip
def test_what_cannot_be_tried_is_told_and_nothing_else_is_lost(board, yaml, lists, told, tried):
    study = scorer.study(*board(yaml, **{"lists.csv": lists}))
    (said,) = study.left_out
    assert said.startswith(told)
    assert tried <= {*by_name(study)}


@pytest.mark.slow("studies a board")
def test_values_of_other_tools_are_studied(challenge):
    head = "kind: values\nsubmission: {columns: {list: case}, values: {dice: {}, "
    folder = challenge(head + "time: {column: seconds, better: lower}}}\n")
    rows = {"a": "0.9,3", "b": "0.8,1", "c": "0.7,2"}
    runs = []
    for name, row in rows.items():
        runs.append(folder / f"{name}.csv")
        runs[-1].write_text("case,dice,seconds\n" + "".join(f"{n},{row}\n" for n in range(12)))
    study = scorer.study(folder, runs)
    assert (study.ranked_by, study.names) == ("dice", ("a", "b", "c"))
    assert by_name(study)["time"].ranks == (3, 1, 2)
    assert scorer.study(folder, runs, measures=["time"]).names == ("b", "c", "a")


@pytest.mark.slow("studies a board twice")
def test_a_table_of_systems_is_studied_without_a_challenge(score, tmp_path):
    rows = {"a": "0.9,3", "b": "0.8,1", "c": "0.7,2"}
    table = tmp_path / "results.csv"
    lines = [f"{name},{n},{row}\n" for name, row in rows.items() for n in range(12)]
    table.write_text("model,case,dice,seconds\n" + "".join(lines))
    ran = score("study", table, "--lower", "seconds", "--format", "json")
    found = json.loads(ran.out)
    assert [each["name"] for each in found["submissions"]] == ["a", "b", "c"]
    assert found["variations"][0]["ranks"] == [3, 1, 2]
    assert "private" not in found  # there is no truth
    assert "values in 'dice', 'seconds'" in ran.err
    cases = {name: {str(n): float(row[:3]) for n in range(12)} for name, row in rows.items()}
    assert scorer.study(cases).names == ("a", "b", "c")
    assert scorer.study(cases, lower="value").names == ("c", "b", "a")


@pytest.mark.slow("studies a board twice")
def test_a_measure_can_be_official(board):
    folder, runs = board()
    study = scorer.study(folder, runs, measures=["P@1", "RR"])
    assert study.ranked_by == "P@1"
    others = [each.variation for each in study.variations if each.about == "measure"]
    assert others == ["RR", "Success@3"]
    assert scorer.study(folder, runs, measures=["Success@3"]).ranked_by == "Success@3"


@pytest.mark.slow("studies a board")
def test_a_table_of_classes_is_studied(challenge):
    truth = "id,label\n" + "".join(f"{n},{'ab'[n % 2]}\n" for n in range(20))
    runs = {
        f"{name}.csv": "id,label\n"
        + "".join(f"{n},{'ab'[n % 2] if n % by else 'a'}\n" for n in range(20))
        for name, by in (("one", 3), ("two", 5), ("three", 7))
    }
    yaml = "truth: {file: truth.csv, columns: {list: id, label: label}}\n"
    yaml += "submission: {columns: {list: id, label: label}}\n"
    yaml += "metrics: [F1(average=macro), Accuracy]\n"
    folder = challenge(yaml, **{"truth.csv": truth}, **runs)
    study = scorer.study(folder, [folder / name for name in runs])
    found = by_name(study)
    assert (found["Accuracy"].about, found["Accuracy"].ranks) == ("measure", (1, 2, 3))
    assert "median of the lists" not in found  # a figure of all rows
    plain = by_name(scorer.study(folder, [folder / name for name in runs], measures=["Accuracy"]))
    assert "Borda: win rate over the rows" in plain
    assert "median of the rows" not in plain  # of 0 and 1
    assert study.halves.draws == 20


@pytest.mark.slow("studies a board")
def test_where_nothing_else_can_be_decided_only_lists_are_drawn(challenge):
    truth = "id,label\n" + "".join(f"{n},{n % 7 / 2}\n" for n in range(30))
    yaml = "truth: {file: truth.csv, columns: {list: id, target: label}}\n"
    yaml += "submission: {columns: {list: id, prediction: label}}\nmetrics: [RMSE]\n"
    folder = challenge(yaml, **{"truth.csv": truth, "a.csv": truth, "b.csv": truth[:-4] + "9\n"})
    study = scorer.study(folder, [folder / "a.csv", folder / "b.csv"])
    assert study.decisions == []
    assert "Nothing else could be decided that this challenge has." in str(study)
    assert "By half of the" in str(study)


@pytest.mark.parametrize(("word", "said"), [("nDGC@3", "did you mean"), (" ", "is no measure"),
                                            ("", "is no measure")])  # fmt: skip
def test_a_measure_that_is_none_is_an_error(board, word, said):
    with pytest.raises((UsageError, ChallengeError), match=said):
        scorer.study(*board(), measures=[word])


@pytest.mark.slow("studies a board")
def test_one_submission_alone_is_an_error(board):
    folder, runs = board(runs={"broken.csv": "list\nq1\n"})
    with pytest.raises(UsageError, match="1 of 2 submissions can be scored"):
        scorer.study(folder, [runs[0], runs[-1]])
    (rejected,) = scorer.study(folder, runs).rejected
    assert rejected.name == "broken"


@pytest.mark.slow("studies a board five times")
def test_the_command_says_first_what_stays(score, board):
    folder, runs = board()
    text = score("study", folder, *runs).out
    for words in ("bold stays first in", "Not for publication", "Success@3"):
        assert words in text
    found = score("study", folder, *runs, "--format", "json", "--seed", "3").json()
    assert (found["schema"], found["seed"]) == ("study/1", 3)
    rows = list(csv.DictReader(io.StringIO(score("study", folder, *runs, "--format", "csv").out)))
    assert len(rows) == 1 + len(found["variations"])
    assert rows[0]["rank of bold"] == "1"
    page = score("study", folder, *runs, "--format", "html").out
    assert "<h2" in page
    assert "steady, slow" in page


@pytest.mark.slow("studies several boards")
def test_the_command_takes_a_truth_and_tells_who_is_rejected(score, board):
    folder, runs = board(runs={"broken.csv": "list\nq1\n"})
    assert score("study", folder / "truth.csv", *runs[:4], "-m", "RR", "-m", "P@1").code == 0
    assert "C101" in score("study", folder / "nowhere.csv").err
    assert "name submissions; of a living board" in score("study", folder).err
    ran = score("study", folder, *runs, "-q")
    ran.assert_exit(1, out="Not on the board, as they cannot be scored: broken.", err="broken.csv")


@pytest.mark.slow("studies three boards")
def test_runs_of_one_system_are_studied_as_their_mean(board):
    sent = {name: PLACES[name] for name in ("steady", "bold", "slow")}
    runs = {f"{name}#{seed}.csv": run(places) for name, places in sent.items() for seed in "12"}
    folder, files = board(runs=runs)
    once = scorer.study(folder, [f for f in files if f.stem in sent])
    repeated = [file for file in files if "#" in file.name]
    twice = scorer.study(folder, repeated)
    assert twice.names == once.names == ("bold", "steady", "slow")
    assert twice.variations == once.variations
    assert twice.halves == once.halves
    (folder / "bold#2.csv").write_text(run([4] * 10))
    varied = scorer.study(folder, repeated)
    assert varied.names == ("steady", "bold", "slow")  # .5, (.644 + .25) / 2, .4
    assert by_name(varied)["Success@3"].ranks == (1, 3, 1)  # 1, (.6 + 0) / 2, 1
    (folder / "bold#2.csv").write_text("list,item\n")
    with pytest.raises(UsageError, match="0 of 1 submissions"):  # it is rejected with its run
        scorer.study(folder, [file for file in repeated if file.name[0] == "b"])


def test_where_no_list_has_a_value_there_is_no_win_rate(challenge):
    folder = challenge(
        "truth: truth.csv\nundefined: skip\nmetrics: [nDCG, RR]\n",
        **{"truth.csv": "list,item,grade\nq1,a,0\nq2,b,0\n"},
    )
    for name in ("ann", "bob"):
        (folder / f"{name}.csv").write_text("list,item\nq1,a\nq2,b\n")
    study = scorer.study(folder, [folder / "ann.csv", folder / "bob.csv"])
    assert "Borda: win rate over the lists" not in by_name(study)
    assert any("Borda: win rate over the lists" in each for each in study.left_out)
