"""Receipts, seals and what verification finds."""

import json
import shutil
from datetime import UTC, datetime

import pytest

from scorer.board.receipts import RECEIPTS, REVEALED, SALT, SEAL, verify, verify_lines
from scorer.core.errors import UsageError
from scorer.store.chain import sha256_of

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
def test_a_whole_chain_fits(chain):
    assert verify_lines("\n".join(chain) + "\n") == (13, [])
    version, team, entry, evaluation = (json.loads(line) for line in chain[:4])
    assert [version["kind"], team["kind"], evaluation["kind"]] == ["version", "team", "evaluation"]
    assert version["previous"] is None
    assert team["previous"] == version["digest"]
    assert set(entry) == {
        *("kind", "entry", "team", "received", "sha256", "size", "version"),
        *("row", "previous", "digest"),
    }


def test_a_receipt_is_looked_up_in_the_chain(chain, tmp_path):
    """A receipt alone in its file is whole by itself, and is in the chain or is not."""
    mine, published = tmp_path / "receipt-1.jsonl", tmp_path / "receipts.jsonl"
    mine.write_text(chain[2])
    assert verify([mine]) == (1, [])
    published.write_text("\n".join(chain))
    assert verify([published, mine]) == (14, [])
    forged = [*chain[:2]]
    for line in chain[3:]:
        fields = json.loads(line) | {"previous": json.loads(forged[-1])["digest"]}
        del fields["digest"]
        forged.append(json.dumps(fields | {"digest": sha256_of(fields)}))
    published.write_text("\n".join(forged))
    assert verify([published]) == (12, [])
    (problem,) = verify([published, mine])[1]
    assert "the receipt of entry 1 is not in the chain" in problem
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
def test_a_changed_chain_does_not_fit(chain, change, words):
    _, problems = verify_lines("\n".join(change(chain)))
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
        board.reveal(life.folder.parent / "open")
    return life.folder.parent / "open"


def test_what_is_revealed_fits_its_seal(revealed):
    assert verify([revealed]) == (12, [])
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
    _, problems = verify([revealed])
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
            board.reveal(life.folder.parent / "open")
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
        board.reveal(life.folder.parent / "open")
    assert (life.folder.parent / "open" / "truth.csv").read_text() == before
    assert verify([life.folder.parent / "open"])[1] == []


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
