"""The life of a board, held to `score` offline; on both databases."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import boards
import numpy as np
import pytest

import scorer
from scorer.board import standings
from scorer.board.phases import shown_at
from scorer.core.errors import ChallengeError, Refused, UnknownName, UsageError
from scorer.reports.base import Options, report_format

RULES = """\
timezone: Europe/Ljubljana
splits: {public: 0.3, private: rest, seed: 2011}
phases:
  - {id: main, opens: 2026-01-01T00:00:00Z, closes: 2026-01-31T23:59:59Z, show: public}
  - {id: final, after: main, show: private}
"""
DAY = datetime(2026, 1, 5, 12, tzinfo=UTC)
END = datetime(2026, 3, 1, tzinfo=UTC)


def day(n):
    return DAY + timedelta(days=n)


@pytest.fixture
def board(life, store):
    life.rules(RULES)
    with life.open(store) as made:
        yield made


def names(live):
    return [standing.name for standing in live.report.leaderboard]


def values(live):
    measure = live.report.primary.id
    return {s.name: s.values[measure] for s in live.report.leaderboard}


def test_a_board_is_what_score_makes_of_the_files_that_count(board, life):
    sent = {name: life.sent(name, noise) for name, noise in (("a", 2), ("b", 1), ("c", 0.6))}
    board.add([sent["a"]], "red", now=day(0))
    board.add([sent["b"]], "red", now=day(1))
    board.add([sent["c"]], "blue", now=day(2))
    live = board.board(split="all", now=day(3))
    files = [scorer.SubmissionFile("red", sent["b"]), scorer.SubmissionFile("blue", sent["c"])]
    offline = boards.score(life.folder, files, splits=["all"])
    assert live.report.leaderboard == offline.leaderboard
    assert replace(live.report.scope, phase=None, time=None) == offline.scope
    for form in ("csv", "markdown", "table"):
        write = report_format("leaderboard", form).write
        timeless = replace(live.report, scope=offline.scope)
        assert write(timeless, Options(per_list=True)) == write(offline, Options(per_list=True))
    assert live.rows["red"].entry == 2
    assert live.rows["red"].entries == 2


def test_a_split_is_what_score_makes_of_a_truth_of_its_lists(board, life):
    sent = {name: life.sent(name, noise) for name, noise in (("a", 2), ("b", 1))}
    for team, path in sent.items():
        board.add([path], team, now=day(0))
    public = board.versions.splits()["public"]
    assert len(public) == 18
    live = board.board(now=day(1))
    assert (live.split, live.phase) == ("public", "main")
    life.grade = {key: grade for key, grade in life.grade.items() if key[0] in public}
    truth = life.folder.parent / "public.csv"
    rows = "".join(f"{n},{d},{g}\n" for (n, d), g in life.grade.items())
    truth.write_text(f"list,item,grade\n{rows}")
    cut = {}
    for name, path in sent.items():
        lines = path.read_text().splitlines()
        cut[name] = path.with_name(f"{name}-cut.csv")
        kept = [line for line in lines[1:] if line.split(",")[0] in public]
        cut[name].write_text("\n".join([lines[0], *kept, ""]))
    challenge = scorer.load(life.folder).with_truth(truth)
    offline = boards.score(challenge, [scorer.SubmissionFile(n, p) for n, p in cut.items()])
    assert live.report.leaderboard == offline.leaderboard


def test_phases_show_what_they_say_and_an_entry_keeps_its_phase(board, life):
    board.add([life.sent("a", 1)], "red", now=day(0))
    assert board.board(now=day(1)).split == "public"
    assert board.board(now=END).split == "private"
    assert board.board(phase="main", now=END).split == "public"
    assert board.ledger.get(1).phase == "main"
    assert shown_at(board.versions.rules(), day(0)) == "public"
    with pytest.raises(UnknownName, match="did you mean 'private'"):
        board.board(split="privat")
    with pytest.raises(UnknownName, match="no phase"):
        board.board(phase="later")


def test_the_same_bytes_of_a_team_are_refused_and_of_another_are_not_evaluated_again(board, life):
    path = life.sent("a", 1)
    (first,) = board.add([path], "red", now=day(0))
    (again,) = board.add([path], "red", now=day(1))
    assert (again.status, again.code) == ("refused", "S803")
    assert "entry 1" in again.message
    (other,) = board.add([path], "blue", now=day(1))
    assert (other.status, other.entry, other.values) == ("scored", 2, first.values)
    shown = first.values["public"]["nDCG@10"]
    assert values(board.board(now=day(2))) == {"red": shown, "blue": shown}


def test_a_quota_counts_only_what_was_scored(life, store):
    life.rules(RULES.replace("show: public}", "show: public, quota: {per_day: 1}}"))
    with life.open(store) as board:
        (rejected,) = board.add([life.bad()], "red", now=day(0))
        assert rejected.status == "rejected"
        assert {problem.code for problem in rejected.problems} >= {"S501"}
        one, two, three = (life.sent(name, 1) for name in "abc")
        assert board.add([one], "red", now=day(0))[0].status == "scored"
        (refused,) = board.add([two], "red", now=day(0))
        assert (refused.status, refused.code) == ("refused", "S802")
        assert "possible 2026-01-06T00:00:00+01:00" in refused.message
        assert board.add([two], "red", now=day(1))[0].status == "scored"
        assert board.add([three], "blue", now=day(1))[0].status == "scored"
        _, left = board.ledger.quota("red", day(1))
        assert left.today == 0


def test_decisions_change_the_board_and_why_says_so(board, life):
    for n, (team, noise) in enumerate([("red", 1), ("red", 2), ("blue", 1.5)]):
        board.add([life.sent(f"{team}{n}", noise)], team, now=day(n))
    assert names(board.board(now=day(4))) == ["red", "blue"]
    board.decide("withdraw", 1, "a mistake", by="red", now=day(4))
    assert board.board(now=day(5)).rows["red"].entry == 2
    assert board.board(now=day(3)).rows["red"].entry == 1
    board.decide("disqualify", "blue", "copied", by="anna", now=day(5))
    assert names(board.board(now=day(6))) == ["red"]
    lines = "\n".join(board.why("blue", now=day(6)).lines)
    assert "team disqualified 2026-01-10T13:00:00+01:00: copied" in lines
    assert "not on the board" in lines
    board.decide("restore", "blue", "it was not", now=day(6))
    board.decide("rename", "blue", "a new name", name="azure", now=day(6))
    assert sorted(names(board.board(now=day(7)))) == ["azure", "red"]
    why = board.why("red", now=day(7))
    assert any("entry 1" in line and "withdrawn" in line for line in why.lines)
    kinds = [(event.kind, event.status) for event in board.log() if event.kind == "decision"]
    assert kinds == [("decision", act) for act in ("withdraw", "disqualify", "restore", "rename")]
    assert [event.entry for event in board.log("red") if event.kind == "entry"] == [1, 2]


@pytest.mark.slow("fills boards", beyond=2)
@pytest.mark.parametrize(
    ("act", "subject", "more", "words"),
    [
        ("withdraw", "red", {}, "takes an entry's number"),
        ("select", 2, {}, "no entry is called '2'"),
        ("rename", "red", {}, "its new name"),
        ("rename", "red", {"name": "red"}, "there is a team"),
        ("rename", "red", {"name": "7"}, "cannot be a name"),
        ("disqualify", "rad", {}, "did you mean 'red'"),
        ("disqualify", 1, {"reason": " "}, "needs a reason"),
        ("select", 1, {}, "not scored"),
    ],
)
def test_a_decision_that_does_not_fit_is_refused(board, life, act, subject, more, words):
    board.add([life.bad()], "red", now=day(0))
    with pytest.raises((UsageError, UnknownName), match=words):
        board.decide(act, subject, **({"reason": "why", "now": day(1)} | more))
    assert [event for event in board.log() if event.kind == "decision"] == []


@pytest.mark.slow("fills boards")
def test_a_team_decides_nothing_about_a_disqualified_entry(life, store):
    with life.open(store) as board:
        for n in range(3):
            board.add([life.sent(f"r{n}", 1)], "red", now=day(n))
        board.decide("disqualify", 1, "three accounts", by="anna", now=day(3))
        board.decide("withdraw", 2, "a mistake", by="red", now=day(3))
        for act in ("withdraw", "select", "unselect"):
            with pytest.raises(UsageError, match=r"entry 1 is disqualified.*: three accounts"):
                board.decide(act, 1, "mine", by="red", now=day(4))
        board.decide("disqualify", "red", "one person", by="anna", now=day(5))
        with pytest.raises(UsageError, match="the team of entry 3 is disqualified"):
            board.decide("withdraw", 3, "mine", by="red", now=day(6))
        lines = "\n".join(board.why("red", now=day(7)).lines)
        assert "disqualified 2026-01-08T12:00:00+00:00: three accounts" in lines
        assert "withdrawn" not in lines


@pytest.mark.slow("keeps and evaluates entries")
def test_selected_entries_count_in_the_last_phase(life, store):
    life.rules(RULES.replace("show: private}", "show: private, select: 1}"))
    with life.open(store) as board:
        for n, noise in enumerate((2.5, 0.5, 2.0)):
            board.add([life.sent(f"r{n}", noise)], "red", now=day(n))
        assert board.board(now=END).rows["red"].entry == 2  # the best on the public split
        board.decide("select", 3, "our pick", by="red", now=day(5))
        assert board.board(now=END).rows["red"].entry == 3
        board.decide("unselect", 3, "on second thought", by="red", now=day(7))
        assert board.board(now=END).rows["red"].entry == 2
        assert board.board(now=day(6)).rows["red"].entry == 2
        board.decide("select", 3, "our pick", by="red", now=day(8))
        assert board.board(now=day(6)).rows["red"].entry == 2
        assert any("not selected" in line for line in board.why("red", now=END).lines)


@pytest.mark.slow("fills boards", beyond=1)
@pytest.mark.parametrize("act", ["select", "unselect", "withdraw"])
def test_a_team_decides_nothing_after_private_values_are_shown(life, store, act):
    life.rules(RULES.replace("show: private}", "show: private, select: 1}"))
    with life.open(store) as board:
        for n, noise in enumerate((2.5, 0.5)):
            board.add([life.sent(f"r{n}", noise)], "red", now=day(n))
        board.decide("select", 1, "our pick", by="red", now=day(5))
        before = board.board(now=END)
        with pytest.raises(Refused) as refused:
            board.decide(act, 1 if act != "select" else 2, "now I know", by="red", now=END)
        assert [problem.code for problem in refused.value.problems] == ["S807"]
        assert refused.value.exit_code == 3
        assert board.board(now=END).report.leaderboard == before.report.leaderboard
        board.decide("disqualify", 2, "an organizer's act", by="anna", now=END)


def test_a_late_act_is_told_by_log_why_and_board(life, store):
    life.rules(RULES.replace("show: private}", "show: private, select: 1}"))
    with life.open(store) as board:
        for n, noise in enumerate((2.5, 0.5)):
            board.add([life.sent(f"r{n}", noise)], "red", now=day(n))
        assert board.decide("select", 1, "in time", late=True, now=day(5)).late is False
        assert board.board(now=END).report.notes == ()
        assert board.decide("select", 2, "was ill", by="anna", late=True, now=END).late
        live = board.board(now=END)
        assert live.rows["red"].entry == 2
        told = "entry 2 of red: select, late, 2026-03-01T01:00:00+01:00: was ill"
        assert [(note.code, note.message) for note in live.report.notes] == [("S807", told)]
        assert told in board.why("red", now=END).lines
        acts = [event.status for event in board.log() if event.kind == "decision"]
        assert acts == ["select", "select, late"]


def test_the_log_of_a_team_and_why_tell_the_same_reasons(board, life):
    for n, path in enumerate([life.sent("a", 1), life.sent("b", 3), life.bad(), life.sent("c", 2)]):
        board.add([path], "red", now=day(n))
    board.decide("withdraw", 4, "a mistake", by="red", now=day(4))
    board.add([life.sent("d", 1)], "red", now=day(5), evaluate=False)
    reasons = {e.entry: e.reason for e in board.log("red") if e.kind == "entry"}
    assert reasons == {
        1: "counts: rule best",
        2: "not better than entry 1",
        3: "rejected by the checks (S301, S501)",
        4: "withdrawn 2026-01-09T13:00:00+01:00: a mistake",
        5: "waits to be evaluated",
    }
    told = [e.reason for e in board.log() if e.kind == "entry"]
    assert told == [None, None, reasons[3], None, None]
    lines = board.why("red", now=day(5)).lines
    assert all(any(line.endswith(reasons[n]) for line in lines) for n in (2, 3, 4))


def test_entry_rules(board, life):
    for n, noise in enumerate((0.5, 2.0)):
        board.add([life.sent(f"r{n}", noise)], "red", now=day(n))
    assert board.board(rule="last", now=day(3)).rows["red"].entry == 2
    both = board.board(rule="all", now=day(3))
    assert {name: row.entry for name, row in both.rows.items()} == {"red (1)": 1, "red (2)": 2}


def test_baselines_stand_outside_the_ranks_without_rules(board, life):
    board.add([life.sent("a", 1)], "red", now=day(0))
    (made,) = board.add([life.sent("popular", 3)], "popular", now=END, baseline=True)
    assert made.status == "scored"
    live = board.board(now=END)
    rows = {standing.name: standing for standing in live.report.leaderboard}
    assert (rows["popular"].rank, rows["popular"].baseline) == (None, True)
    assert rows["red"].rank == 1


@pytest.mark.slow("keeps and evaluates entries")
def test_a_rescoring_first_shows_and_then_does_and_the_past_stays(board, life):
    for n, (team, noise) in enumerate([("red", 0.7), ("blue", 1.5)]):
        board.add([life.sent(team, noise)], team, now=day(n))
    before = values(board.board(split="all", now=day(2)))
    for key in [key for key in life.grade if key[0] in ("q00", "q01")]:
        life.grade[key] = 2 - life.grade[key]
    life.write_truth()
    with life.open(board.database.engine.url.render_as_string(False)) as later:
        assert later.versions.changed == ("truth.csv",)
        # the version in force still counts
        assert values(later.board(split="all", now=day(2))) == before
        (late,) = later.add([life.sent("late", 1)], "green", now=day(3))
        dry = later.rescore(dry_run=True, now=day(4))
        assert (dry.applied, dry.lists_changed) == (False, 2)
        assert {move.split for move in dry.moves} >= {"all"}
        assert values(later.board(split="all", now=day(4))) == before | {
            "green": late.values["all"]["nDCG@10"]
        }
        done = later.rescore(now=day(4))
        assert done.applied
        assert done.moves == dry.moves
        after = values(later.board(split="all", now=day(5)))
        files = [scorer.SubmissionFile(t, life.folder.parent / f"{f}.csv") for t, f in
                 (("red", "red"), ("blue", "blue"), ("green", "late"))]  # fmt: skip
        offline = boards.score(life.folder, files)
        assert after == {s.name: s.values["nDCG@10"] for s in offline.leaderboard}
        # each time is told under the version that was in force, or will be
        assert values(later.board(split="all", now=day(2))) == before
        assert values(later.board(split="all", now=END)) == after
        shown = [later.why("red", split="all", now=day(n)).lines[1] for n in (2, 5)]
        numbers = [f"{each['red']:.6g}" for each in (before, after)]
        assert all(line.endswith(each) for line, each in zip(shown, numbers, strict=True))
        assert [e.received for e in later.entries()] == [day(0), day(1), day(3)]
        again = later.rescore(now=day(6))
        assert (again.applied, again.lists_changed, again.moves) == (False, 0, ())


@pytest.mark.slow("fills boards")
def test_what_another_process_has_put_in_force_is_no_change(life, store):
    with life.open(store) as board:
        board.add([life.sent("a", 1)], "red", now=day(0))
        life.grade[next(iter(life.grade))] = 7
        life.write_truth()
        assert board.versions.changed == ("truth.csv",)
        with life.open(store) as other:
            assert other.versions.changed == ("truth.csv",)
            other.rescore(now=day(1))
        assert board.versions.changed == ()
        life.grade[next(iter(life.grade))] = 8
        life.write_truth()
        assert board.versions.changed == ("truth.csv",)


@pytest.mark.slow("fills boards")
def test_a_process_that_lives_long_reads_the_version_in_force_from_its_own_files(life, store):
    with life.open(store) as board:
        board.add([life.sent("a", 1)], "red", now=day(0))
    with life.open(store) as board:
        version = board.versions.in_force()
        before = board.versions.path_of(version).with_name("truth.csv").read_bytes()
        life.grade[next(iter(life.grade))] = 7
        life.write_truth()
        assert board.versions.path_of(version).with_name("truth.csv").read_bytes() == before
        assert board.versions.remade(version).values == version.values


def test_of_two_rescorings_at_once_the_later_one_leaves_nothing(board, life, monkeypatch):
    board.add([life.sent("a", 1)], "red", now=day(0))
    url = board.database.engine.url.render_as_string(False)
    life.rules(RULES + "title: Mine\n")
    with life.open(url) as mine:
        life.rules(RULES + "title: Theirs\n")
        with life.open(url) as theirs:
            finish = mine.database.queue.enqueue

            def meanwhile(*words):
                theirs.rescore(now=day(1))
                finish(*words)

            monkeypatch.setattr(mine.database.queue, "enqueue", meanwhile)
            with pytest.raises(UsageError, match="another process has re-scored"):
                mine.rescore(now=day(1))
        assert mine.board(now=day(2)).report.challenge.title == "Theirs"


@pytest.mark.slow("keeps and evaluates entries", beyond=1)
@pytest.mark.parametrize("when", ["before it counts", "while it is recorded"])
def test_an_entry_that_is_sent_during_a_re_scoring_waits_under_the_new_version(
    board, life, monkeypatch, when
):
    board.add([life.sent("a", 1)], "red", now=day(0))
    life.grade[life.lists[0], life.items[0]] = 2
    life.write_truth()
    with life.open(board.database.engine.url.render_as_string(False)) as later:
        first, ask = board.versions.make_first, later.database.queue.enqueue

        def send():
            return board.add([life.sent("b", 2)], "red", now=day(1), evaluate=False)

        def rescored():
            later.rescore(now=day(2))
            return first()

        def asked(*words):
            monkeypatch.undo()
            send()
            ask(*words)

        if when == "while it is recorded":
            monkeypatch.setattr(board.versions, "make_first", rescored)
            send()
        else:
            monkeypatch.setattr(later.database.queue, "enqueue", asked)
            later.rescore(now=day(2))
        assert later.ledger.statuses() == {1: "scored", 2: "pending"}
        later.evaluations.finish_pending()
        assert later.ledger.statuses() == {1: "scored", 2: "scored"}


def test_a_wrong_challenge_is_not_put_in_force(board, life):
    board.add([life.sent("a", 1)], "red", now=day(0))
    (life.folder / "truth.csv").write_text("list,item,grade\nq1,a,x\n")
    with life.open(board.database.engine.url.render_as_string(False)) as later:
        with pytest.raises(ChallengeError):
            later.rescore(now=day(1))
        assert names(later.board(now=day(2))) == ["red"]


def test_only_rules_of_the_board_change_without_a_new_evaluation(board, life, monkeypatch):
    board.add([life.sent("a", 1)], "red", now=day(0))
    life.rules(RULES + "title: Another\n")
    with life.open(board.database.engine.url.render_as_string(False)) as later:
        monkeypatch.setattr(
            "scorer.board.file_evaluation.score_submission", None
        )  # whoever evaluates fails
        assert later.rescore(now=day(1)).applied
        assert later.board(now=day(2)).report.challenge.title == "Another"


def test_work_shares_what_waits(board, life, work):
    for n in range(4):
        board.add([life.sent(f"w{n}", 1)], f"team{n}", now=day(0), evaluate=False)
    assert set(board.ledger.statuses().values()) == {"pending"}
    assert work(board, 1) == 1
    assert sorted(board.ledger.statuses().values()) == ["pending"] * 3 + ["scored"]
    assert work(board) == 3
    assert work(board) == 0


def test_a_failure_of_ours_costs_no_quota_and_has_a_reference(life, store, monkeypatch):
    life.rules(RULES.replace("show: public}", "show: public, quota: {per_day: 1}}"))
    with life.open(store) as board:
        board.versions.in_force()

        def failing(*words):
            raise MemoryError("no room")

        with monkeypatch.context() as patched:
            patched.setattr("scorer.board.file_evaluation.score_submission", failing)
            (added,) = board.add([life.sent("a", 1)], "red", now=day(0))
        assert (added.status, added.code) == ("failed", "S901")
        reference = added.message.rsplit(" ", 1)[1]
        assert "no room" in board.evaluations.failure(reference)
        assert "no room" not in added.message
        (second,) = board.add([life.sent("b", 1)], "red", now=day(0))
        assert second.status == "scored"
        board.evaluations.retry(reference)
        board.evaluations.finish_pending()
        assert board.ledger.outcome(1).status == "scored"


def test_the_ladder_keeps_a_value_that_did_not_improve_enough(life, store):
    life.rules(RULES)
    life.rewrite("{draws: 500}", "{draws: 500, ladder: 0.5}")
    with life.open(store) as board:
        board.add([life.sent("a", 2.0)], "red", now=day(0))
        board.add([life.sent("b", 0.5)], "red", now=day(1))
        assert board.board(now=day(2)).rows["red"].entry == 1
        assert board.board(now=END).rows["red"].entry == 2  # nobody climbs any more
        assert any(
            "no significant improvement" in line for line in board.why("red", now=day(2)).lines
        )


def test_tokens_are_kept_as_hashes_and_can_be_revoked(board):
    token = board.add_team("red", now=day(0))
    assert len(token) >= 22
    kept = board.database.tokens()
    assert token not in str(kept)
    board.new_token(None)
    assert board.revoke("red") == 1
    assert board.revoke("red") == 0
    with pytest.raises(UsageError, match="already"):
        board.add_team("red")


def test_values_of_json_are_those_of_every_split(board, life):
    (added,) = board.add([life.sent("a", 1)], "red", now=day(0))
    assert list(added.values) == ["all", "public", "private"]
    card = added.values
    sizes = {split: len(lists) for split, lists in board.versions.splits().items()}
    mixed = sum(card[split]["nDCG@10"] * sizes[split] for split in sizes) / 60
    assert mixed == pytest.approx(card["all"]["nDCG@10"], rel=1e-12)
    assert json.dumps(card)
    assert not any(np.isnan(v) for means in card.values() for v in means.values())


def test_the_challenges_own_baselines_stand_on_its_board(life, store):
    baseline = life.folder / "popular.csv"
    baseline.write_bytes(life.sent("popular", 3).read_bytes())
    life.rewrite("draws: 500", "draws: 500, baselines: [popular.csv]")
    sent = life.sent("a", 1)
    with life.open(store) as board:
        board.add([sent], "red", now=day(0))
        live = board.board(now=day(1))
        offline = boards.score(life.folder, [scorer.SubmissionFile("red", sent)])
        assert live.report.leaderboard == offline.leaderboard
        assert live.rows["popular"].entry is None
        assert [entry.number for entry in board.entries()] == [1]


def test_an_entry_that_says_nearly_the_same_is_remarked_on(board, life):
    first = life.sent("a", 1)
    board.add([first], "red", now=day(0))
    copy = life.folder.parent / "copy.csv"
    lines = first.read_text().splitlines()
    copy.write_text("\n".join([lines[0], *reversed(lines[1:]), ""]))
    (added,) = board.add([copy], "red", now=day(1))
    (problem,) = added.problems
    assert (problem.code, problem.severity) == ("S806", "warning")
    assert "entry 1" in problem.message
    seen_later = board.ledger.outcome(added.entry)  # as the page of the entry shows it
    assert [problem.code for problem in seen_later.problems] == ["S806"]
    assert list(board.add([copy], "blue", now=day(1))[0].problems) == []
    assert list(board.add([life.sent("c", 2)], "red", now=day(2))[0].problems) == []


@pytest.mark.slow("keeps a board")
@pytest.mark.parametrize("how", ["gone", "a folder"])
def test_a_remark_that_cannot_be_made_does_not_fail_the_entry(life, how):
    with life.open() as board:
        (first,) = board.add([life.sent("a", 1)], "red", now=day(0))
        (kept,) = life.folder.glob(f".scorer/files/*/{first.sha256}")
        kept.unlink()
        if how == "a folder":
            kept.mkdir()
        (added,) = board.add([life.sent("b", 1)], "red", now=day(1))
        assert (added.status, list(added.problems)) == ("scored", [])


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        ("kind: votes\n", ("C122", "kind: a challenge of votes has no submissions to score")),
        (
            "kind: values\nsubmission: {columns: {list: case, value: v}}\n",
            ("C121", "lists: nothing names the lists, which are the same for all entries"),
        ),
    ],
)
def test_of_what_has_no_entries_no_board_is_made(challenge, yaml, said):
    folder = challenge(yaml)
    with pytest.raises(ChallengeError) as caught:
        scorer.Board.open(folder)
    (problem,) = caught.value.problems
    assert (problem.code, problem.message[: len(said[1])]) == said
    assert not (folder / ".scorer").exists()


@pytest.mark.slow("evaluates entries")
def test_an_open_board_is_what_a_new_one_is_and_draws_for_files_that_count_alone(
    life, store, monkeypatch
):
    drawn = []
    certainty = standings.add_statistics

    def counted(*args):
        drawn.append(args)
        return certainty(*args)

    monkeypatch.setattr(standings, "add_statistics", counted)
    life.rules(
        "splits: {public: 0.5, private: rest, seed: 1}\nphases: [{id: main, show: public}]\n"
    )

    def same(board):
        own, before = board.board(now=DAY), len(drawn)
        with life.open(store) as fresh:
            other = fresh.board(now=DAY)
        del drawn[before:]
        assert other.rows == own.rows
        assert other.report.leaderboard == own.report.leaderboard
        assert other.report.certainty.p.tobytes() == own.report.certainty.p.tobytes()
        assert other.report.notes == own.report.notes

    with life.open(store) as board:
        for team, noise in (("red", 0.5), ("blue", 1.0), ("green", 2.0)):
            board.add([life.sent(team, noise)], team, now=DAY)
        same(board)
        assert len(drawn) == 1
        board.add([life.sent("worse", 9.0)], "red", now=DAY)
        board.decide("rename", "blue", "a new name", name="indigo", now=DAY)
        board.decide("rename", "indigo", "the old name", name="blue", now=DAY)
        same(board)
        assert len(drawn) == 1
        board.add([life.sent("better", 0.1)], "green", now=DAY)
        same(board)
        board.decide("disqualify", 2, "two accounts", by="anna", now=DAY)
        same(board)
        board.decide("rename", "red", "a new name", name="scarlet", now=DAY)
        same(board)
        assert len(drawn) == 4
