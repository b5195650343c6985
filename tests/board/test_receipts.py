"""Receipts, seals and what verification finds."""

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import scorer
from scorer.board.integrity import find_alterations
from scorer.board.receipts import RECEIPTS, sha256_of
from scorer.board.seal import REVEALED, SALT, SEAL
from scorer.board.verification import verify
from scorer.core.errors import UsageError

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def chain(life):
    """Receipts of a version, two teams, five entries and their evaluations, one a line."""
    with life.open() as board:
        for n in range(5):
            board.add([life.sent(f"s{n}", 1.0)], f"team{n % 2}", now=NOW)
        return board.receipts().splitlines()


def altered(line, **fields):
    return json.dumps(json.loads(line) | fields)


@pytest.mark.slow("keeps and evaluates entries")
def test_a_whole_chain_fits(chain, verify_text):
    assert verify_text("\n".join(chain) + "\n")[:2] == (13, [])
    version, team, entry, evaluation = (json.loads(line) for line in chain[:4])
    assert [version["kind"], team["kind"], evaluation["kind"]] == ["version", "team", "evaluation"]
    assert version["previous"] is None
    assert team["previous"] == version["digest"]
    assert set(entry) == {
        *("kind", "entry", "team", "received", "sha256", "size", "version"),
        *("recorded", "given", "row", "previous", "digest"),
    }


def test_a_receipt_is_looked_up_in_the_chain(chain, tmp_path):
    """A receipt alone in its file is whole by itself, and is in the chain or is not."""
    mine, published = tmp_path / "receipt-1.jsonl", tmp_path / "receipts.jsonl"
    mine.write_text(chain[2])
    assert verify([mine])[:2] == (1, [])
    published.write_text("\n".join(chain))
    found = verify([published, mine])
    assert found[:2] == verify([mine, published])[:2] == (14, [])
    told = (
        f"{mine}: entry 1 is in {published} (line 3), unaltered, and nothing is missing before it"
    )
    assert told in found.notes
    forged = [*chain[:2]]
    for line in chain[3:]:
        fields = json.loads(line) | {"previous": json.loads(forged[-1])["digest"]}
        del fields["digest"]
        forged.append(json.dumps(fields | {"digest": sha256_of(fields)}))
    published.write_text("\n".join(forged))
    assert verify([published])[:2] == (12, [])
    (problem,) = verify([published, mine])[1]
    assert "the receipt of entry 1 is not in the chain" in problem
    assert "whose last entry is 5" in problem
    kept = tmp_path / "kept.jsonl"  # an earlier copy of the chain
    kept.write_text("\n".join(chain[:6]))
    (problem,) = verify([kept, published])[1]
    assert problem.startswith(f"{kept}: the receipt of entry 1, ")
    published.write_text("\n".join(chain))
    assert f"{kept}: all of it is in {published}, unaltered" in verify([kept, published]).notes
    published.write_text("\n".join([*chain[:2], altered(chain[2], team="other"), *chain[3:]]))
    lost = verify([published, mine])
    assert any("was altered" in problem for problem in lost.problems)
    assert not any("unaltered" in note for note in lost.notes)
    mine.write_text(altered(chain[2], team="other"))
    assert any("was altered" in problem for problem in verify([mine])[1])


@pytest.mark.slow("keeps and evaluates entries", beyond=1)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: [*c[:2], *c[3:]], "does not follow"),  # removed
        (lambda c: [c[1], c[0], *c[2:]], "does not follow"),  # reordered
        (lambda c: [*c[:2], altered(c[2], sha256="0" * 64), *c[3:]], "was altered"),
        (lambda c: [*c[:2], altered(c[2], team="other"), *c[3:]], "was altered"),
        (lambda c: [*c[:2], altered(c[2], received="2020"), *c[3:]], "was altered"),
        (lambda c: [*c[:3], c[2], *c[3:]], "comes after"),  # added
        (lambda c: c[1:], "does not follow"),
        (lambda c: [*c, "{}"], "no receipt"),
        (lambda c: [*c, "x"], "no receipt"),
        (lambda c: [*c, "[" * 100_000], "no receipt"),
    ],
)
def test_a_changed_chain_does_not_fit(chain, change, words, verify_text):
    _, problems, _ = verify_text("\n".join(change(chain)))
    assert any(words in problem for problem in problems), problems


@pytest.fixture
def revealed(life):
    """A folder that score reveal made, of a board with three entries."""
    with life.open() as board:
        commitment = board.seal(now=NOW)
        assert commitment in (life.folder / SEAL).read_text()
        salt = life.folder / ".scorer" / SALT
        assert salt.stat().st_mode & 0o777 == 0o600
        for n in range(3):
            board.add([life.sent(f"s{n}", 1.0)], "red", now=NOW)
        board.reveal(life.folder.parent / "open", early=True)
    return life.folder.parent / "open"


def test_what_is_revealed_fits_its_seal(revealed):
    assert verify([revealed])[:2] == (13, [])
    assert (revealed / "truth.csv").exists()


@pytest.mark.slow("keeps and evaluates entries", beyond=1)
@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("truth.csv", lambda t: t.replace(",2\n", ",1\n", 1), "not the file that was sealed"),
        ("challenge.yaml", lambda t: t + "\n", "not the file that was sealed"),
        (SEAL, lambda t: t.replace(json.loads(t)["commitment"], "0" * 64), "another commitment"),
        (
            REVEALED,
            lambda t: t.replace(json.loads(t)["salt"], "0" * 64),
            "do not make the commitment",
        ),
        (RECEIPTS, lambda t: "".join(t.splitlines(keepends=True)[1:]), "does not follow"),
    ],
)
def test_a_changed_part_is_found(revealed, name, change, words):
    path = revealed / name
    path.write_text(change(path.read_text()))
    _, problems, _ = verify([revealed])
    assert any(words in problem for problem in problems), problems


def test_a_missing_part_is_found(revealed):
    (revealed / "truth.csv").unlink()
    assert any("truth.csv: missing" in problem for problem in verify([revealed])[1])
    (revealed / SEAL).unlink()
    assert any(SEAL in problem for problem in verify([revealed])[1])


def test_a_changed_truth_cannot_be_revealed_as_the_sealed_one(life):
    with life.open() as board:
        board.seal(now=NOW)
    life.grade[next(iter(life.grade))] = 7
    life.write_truth()
    with life.open() as board:
        board.add([life.sent("a", 1.0)], "red", now=NOW)
        with pytest.raises(UsageError, match="nothing is revealed"):
            board.reveal(life.folder.parent / "open", early=True)
        with pytest.raises(UsageError, match="sealed once"):
            board.seal()
    assert not (life.folder.parent / "open").exists()


def test_the_sealed_version_can_be_revealed_after_a_rescoring(life):
    with life.open() as board:
        board.seal(now=NOW)
        board.add([life.sent("a", 1.0)], "red", now=NOW)
    before = (life.folder / "truth.csv").read_text()
    life.grade[next(iter(life.grade))] = 7
    life.write_truth()
    with life.open() as board:
        board.rescore(now=NOW)
        board.reveal(life.folder.parent / "open", early=True)
        final = board.board().report.leaderboard
    public = life.folder.parent / "open"
    assert (public / "truth.csv").read_text() == before
    corrected = (life.folder / "truth.csv").read_text()
    assert (public / "version-2" / "truth.csv").read_text() == corrected
    assert verify([public])[1] == []
    again = scorer.score(public / "version-2" / "challenge.yaml", [life.folder.parent / "a.csv"])
    assert [row.values for row in again.leaderboard] == [row.values for row in final]
    fields = json.loads((public / REVEALED).read_text())
    for change, words in (
        ({"version": 1}, "version 1 is revealed, and the chain ends with version 2"),
        ({"salt": "0" * 32}, "the files of version 2 are not what its receipt says"),
    ):
        text = json.dumps(fields | {"in_force": fields["in_force"] | change})
        (public / REVEALED).write_text(text)
        assert any(words in problem for problem in verify([public])[1])
    (public / REVEALED).write_text(json.dumps(fields))
    (public / "version-2" / "truth.csv").write_text(before)
    (problem,) = verify([public])[1]
    assert problem.endswith("version-2/truth.csv: not the file of the version in force")


def link(n, received, recorded, given=False):
    """A receipt of entry `n`, of so many minutes."""
    times = [(NOW + timedelta(minutes=time)).isoformat() for time in (received, recorded)]
    return {"kind": "entry", "entry": n, "received": times[0], "recorded": times[1], "given": given}


def linked(*links):
    lines, previous = list[str](), None
    for fields in links:
        whole = fields | {"previous": previous}
        previous = sha256_of(whole)
        lines.append(json.dumps(whole | {"digest": previous}))
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("links", "words"),
    [
        ([link(1, 0, 0), link(2, 5, 6)], []),
        (
            [link(1, 60, 60), link(2, 0, 61)],
            ["line 2: entry 2 has the time 2026-01-05T12:00:00+00:00, before that of entry 1 "],
        ),
        ([link(1, 60, 60), link(2, 61, 0)], ["line 2: entry 2 was recorded 2026-01-05T12:00:00"]),
        ([link(1, 0, 9, given=True)], ["with a time that the organizer gave (--at), 1: entry 1"]),
        ([link(1, 9, 9)] + [link(n, 0, 9) for n in range(2, 40)], [*["line"] * 20, "and 18 more"]),
        ([{"kind": "entry", "entry": 1, "received": "x"}, link(2, 0, 0)], []),
    ],
)
def test_times_that_go_back_or_were_given_are_told(links, words, verify_text):
    checked, problems, notes = verify_text(linked(*links))
    assert (checked, problems) == (len(links), [])
    assert len(notes) == len(words)
    sentences = [note.partition("chain.jsonl: ")[2] for note in notes]
    assert all(note.startswith(start) for note, start in zip(sentences, words, strict=True)), notes


@pytest.mark.slow("keeps and evaluates entries")
def test_a_given_time_is_in_receipt_and_log_and_no_clocks_time(life, store):
    with life.open(store) as board:
        for n, times in enumerate(({"now": NOW}, {"begun": NOW}, {})):
            board.add([life.sent(f"s{n}", 1.0)], "red", **times)
        board.decide("select", 1, "our pick", now=NOW)
        board.decide("unselect", 1, "our pick", begun=NOW)
        told = [json.loads(line) for line in board.receipts().splitlines()]
        given = [line["given"] for line in told if line["kind"] in ("entry", "decision")]
        assert given == [True, False, False, True, False]
        logged = [event for event in board.log() if event.given]
        assert [(event.kind, event.entry) for event in logged] == [("decision", 1), ("entry", 1)]
        assert find_alterations(board.evaluations) == []


@pytest.mark.skipif(not shutil.which("jq"), reason="no jq here")
def test_digests_are_made_again_with_jq_and_sha256sum(revealed):
    """By the lines of docs/run.md."""
    page = (Path(__file__).parents[2] / "docs" / "run.md").read_text(encoding="utf-8")
    receipt, seal, version = re.findall(r"^jq .*sha256sum.*$", page, re.M)

    def made(command):
        run = subprocess.run(
            ["sh", "-c", command.replace("open/", "")], cwd=revealed, capture_output=True, text=True
        )
        return [line.split()[0] for line in run.stdout.splitlines()]

    lines = (revealed / RECEIPTS).read_text().splitlines()
    (revealed / "receipt-3.jsonl").write_text(lines[-1])
    assert made(receipt) == [json.loads(lines[-1])["digest"]]
    fields = json.loads((revealed / REVEALED).read_text())
    assert made(seal) == [fields["commitment"]]
    assert made(version) == [json.loads(lines[0])["files"]]


def test_what_is_neither_is_refused(tmp_path):
    (tmp_path / "empty").write_text("")
    assert verify([tmp_path / "empty"])[1]
    with pytest.raises(UsageError, match="cannot be read"):
        verify([tmp_path / "none"])
    with pytest.raises(UsageError, match="not what score reveal made"):
        verify([tmp_path])


def test_a_revealed_folder_names_nothing_outside_itself(revealed, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    shutil.copy(revealed / "truth.csv", outside / "x")
    fields = json.loads((revealed / REVEALED).read_text())
    fields["files"]["../outside/x"] = "0" * 64
    (revealed / REVEALED).write_text(json.dumps(fields))
    assert any("leads out of the folder" in problem for problem in verify([revealed])[1])
