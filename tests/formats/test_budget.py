"""What a file may cost: each limit is named where it ends the reading."""

import gzip

import pytest

from scorer.bytes.limits import ReadLimits
from scorer.challenge.limits import Limits as Settable
from scorer.core.problems import Findings
from scorer.formats import cut
from scorer.formats.read import format_of, read
from scorer.tables.table import Schema

SHAPE = Schema(("list", "item", "score"))
HEAD = b"list,item,score\n"
WRONG = b"".join(b"q%d,i,x\n" % n for n in range(5000))


@pytest.mark.slow("reads large files", beyond=2)
@pytest.mark.parametrize(
    ("limits", "data", "name"),
    [
        ({"size": 100}, HEAD + WRONG, "limits.size"),
        ({"rows": 100}, HEAD + b"q,i,1\n" * 5000, "limits.rows"),
        ({"ids": 100}, HEAD + WRONG.replace(b"x", b"1"), "limits.ids"),
        ({"errors": 100}, HEAD + WRONG, "limits.errors"),
        ({"errors": 100}, HEAD + b"q\n" * 5000, "limits.errors"),
        ({"careful": 100}, HEAD + b'"q\n",i,1\n' * 5000, "limits.careful"),
        ({"careful": 100}, b"\n" * 5000, "limits.careful"),
        ({"ratio": 2}, gzip.compress(HEAD + b"q,i,1\n" * 5_000_000), "limits.ratio"),
        ({"unpacked": 100}, gzip.compress(HEAD + WRONG), "limits.unpacked"),
    ],
)
def test_the_limit_is_named(limits, data, name, tmp_path, monkeypatch):
    piece = 1000 if "ratio" not in limits else 1 << 18  # which holds from 16 MiB on
    monkeypatch.setattr(cut, "SMALLEST", piece)
    monkeypatch.setattr(cut, "PIECE", piece)
    path = tmp_path / ("file.csv.gz" if data[:1] == b"\x1f" else "file.csv")
    path.write_bytes(data)
    findings = Findings()
    assert read(path, format_of(path, None), [SHAPE], findings, ReadLimits(**limits)) is None
    (told,) = [each for each in findings if each.code == "S104"]
    assert told.help is not None
    assert name in told.help
    assert findings.counts.total() < 1000  # reading ended there


def test_what_a_submission_may_cost_by_default():
    limits = Settable()
    assert (limits.ratio, limits.rows, limits.ids) == (100, 50_000_000, 20_000_000)
    assert set(Settable.model_fields) | {"own"} == set(ReadLimits._fields)


def test_lines_before_the_first_row_are_bounded_as_well(tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"[1]\n" * 60_000)  # the columns are looked for in 20,000 lines at a time
    findings = Findings()
    limits = ReadLimits(errors=100)
    assert read(path, format_of(path, None), [SHAPE], findings, limits) is None
    assert [each.code for each in findings if each.code == "S104"] == ["S104"]
    assert findings.counts.total() < 40_000
