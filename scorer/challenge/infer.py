"""What a challenge.yaml would say of a truth and a submission, by what stands in the two files."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scorer.challenge.load import load
from scorer.challenge.model import Challenge
from scorer.core.errors import UsageError
from scorer.core.text import display_path, quoted
from scorer.io.files import open_bytes
from scorer.io.formats.base import format_of
from scorer.io.limits import Limits, Unreadable
from scorer.io.table import DECIMAL

HEAD = 1 << 16  # bytes of a file that are looked at
LOOKED = 100  # lines of them
YAML = (".yaml", ".yml")
QREL = re.compile(r"[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[+-]?[0-9]+[ \t]*")
RUN = re.compile(
    r"[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+[ \t]+[^\s,]+([ \t]+[^\s,]+)?[ \t]*"
)

# what people call the columns, without case and signs: `User ID` is `userid`
NAMES = {
    "list": ("list", "query", "queryid", "qid", "q", "topic", "topicid", "user", "userid", "uid",
             "session", "sessionid", "customer", "customerid", "playlist", "triplet", "listid"),
    "item": ("item", "itemid", "iid", "doc", "docid", "docno", "document", "documentid", "movie",
             "movieid", "film", "filmid", "product", "productid", "article", "articleid", "track",
             "trackid", "book", "bookid", "lecture", "lectureid", "sku", "asin", "passageid"),
    "grade": ("grade", "relevance", "rel", "relevancy", "label", "gain", "judgment", "judgement"),
    "rating": ("rating", "ratings", "stars", "target"),
    "score": ("score", "scores", "similarity", "confidence", "probability"),
    "rank": ("rank", "position", "place"),
    "prediction": ("prediction", "predictions", "pred", "predicted", "predictedrating", "estimate"),
}  # fmt: skip
PAIRS = ("better", "worse")
EITHER = ("score", "prediction")


class Columns(NamedTuple):
    """The columns of a file, and some of its rows."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()

    def numeric(self, name: str) -> bool:
        """Whether a column has numbers, as far as it was looked at."""
        at = self.names.index(name)
        cells = [row[at].strip() for row in self.rows if at < len(row)]
        return bool(cells) and all(DECIMAL.fullmatch(cell) for cell in cells)

    def called(self, role: str, taken: Sequence[str] = ()) -> str | None:
        """What the file calls a column, by what people call such columns."""
        found = {_folded(name): name for name in reversed(self.names) if name not in taken}
        return next((found[word] for word in NAMES[role] if word in found), None)


def is_qrels(path: Path) -> bool:
    """Whether a text file has TREC's qrels: four columns, blanks between them, whole grades."""
    return _all(path, QREL)


def is_run(path: Path) -> bool:
    """Whether a text file has a TREC run: five or six columns with blanks between them."""
    return _all(path, RUN)


def is_truth(path: Path) -> bool:
    """Whether a file is a truth and no challenge.yaml, by its content."""
    if not os.path.isfile(path) or path.suffix.lower() in YAML:
        return False
    if is_qrels(path):
        return True
    found = columns(path)
    if found is None:
        return False
    names = {_folded(name) for name in found.names}
    return {"list", *PAIRS} <= names or all(found.called(role) for role in ("list", "item"))


def columns(path: Path) -> Columns | None:
    """The columns of a file with a header; None where none can be seen."""
    format = format_of(path, None)
    if format.words is not None and format.binary:
        try:
            with open_bytes(path, Limits(), True):
                return Columns(tuple(sorted(format.words(path)))) or None
        except Unreadable:
            return None
    lines = _lines(path)
    if not lines:
        return None
    if format.name == "jsonl":
        try:
            rows = [json.loads(line) for line in lines]
        except ValueError:
            return None
        if not rows or not all(isinstance(row, dict) for row in rows):
            return None
        names = tuple(rows[0])
        return Columns(names, tuple(tuple(str(r.get(n, "")) for n in names) for r in rows))
    if format.name != "csv":
        return None
    delimiter = "\t" if path.name.lower().removesuffix(".gz").endswith(".tsv") else ","
    head, *rows_ = csv.reader(lines, delimiter=delimiter)
    named = tuple(name.strip() for name in head)
    return Columns(named, tuple(map(tuple, rows_))) if len(named) > 1 else None


def infer(truth: Path, sample: Path | None, metrics: Sequence[str] = ()) -> Challenge:
    """The challenge that a truth and a submission make, without a challenge.yaml.

    Args:
        truth: the truth's file.
        sample: a submission, which shows what submissions call their columns.
        metrics: notations; none: those that fit what the truth holds.

    Raises:
        UsageError: the truth's columns cannot be told apart.
    """
    file = Path(os.path.realpath(truth))
    challenge = load(challenge_data(file, sample, metrics), file.parent)
    challenge._path = truth  # which messages name
    return challenge


def challenge_data(truth: Path, sample: Path | None, metrics: Sequence[str] = ()) -> dict[str, Any]:
    """What challenge.yaml would say, for `load`.

    Args:
        truth: the truth's file.
        sample: a submission, which shows what submissions call their columns.
        metrics: notations; none: those that fit what the truth holds.

    Raises:
        UsageError: the truth's columns cannot be told apart.
    """
    head = {"id": truth.name.split(".")[0] or "challenge", "truth": {"file": truth.name}}
    if is_qrels(truth):
        data = _trec(head, sample, bool(metrics))
    else:
        data = _columned(head, truth, sample, bool(metrics))
    kind = data.pop("kind")
    return data | {"metrics": list(metrics) or list(MEASURES[kind])}


MEASURES = {
    "grades": ("nDCG@10", "P@5"),
    "ratings": ("RMSE", "MAE"),
    "preferences": ("EDRC",),
    "trec": ("AP", "nDCG@10", "P@5"),
}


def _trec(head: dict[str, Any], sample: Path | None, measured: bool) -> dict[str, Any]:
    data = head | {"truth": head["truth"] | {"format": "trec"}, "kind": "trec"}
    if sample is not None and format_of(sample, None).name != "trec" and is_run(sample):
        data["submission"] = {"format": "trec", "missing_list": "zero"}
    else:
        data["submission"] = {"missing_list": "zero"}
    if sample is not None and "format" not in data["submission"] and (found := columns(sample)):
        data["submission"] |= _submitted(
            found, {"list": None, "item": None}, ("score", "rank"), measured
        )
    return data


def _columned(
    head: dict[str, Any], truth: Path, sample: Path | None, measured: bool
) -> dict[str, Any]:
    """Of a truth with a header."""
    found = columns(truth)
    if found is None:
        raise UsageError(f"{display_path(truth)}: no header is seen in which columns have names")
    sent = columns(sample) if sample is not None else None
    folded = {_folded(name): name for name in reversed(found.names)}
    if set(PAIRS) <= folded.keys():
        first = found.called("list") or next(n for n in found.names if _folded(n) not in PAIRS)
        roles = {"list": first} | {role: folded[role] for role in PAIRS}
        head["truth"] |= _renamed(roles)
        given = sent.names if sent else ()
        more = {role: name for role, name in roles.items() if name in given}
        return head | {"submission": _renamed(more), "kind": "preferences"}
    shared = [name for name in found.names if sent is not None and name in sent.names]
    first = found.called("list") or (shared or list(found.names))[0]
    others = [name for name in (*shared, *found.names) if name != first]
    item = found.called("item", (first,)) or next(iter(others), None)
    if item is None:
        raise UsageError(f"{display_path(truth)}: no column of items beside {quoted(first)}")
    taken = (first, item)
    value = found.called("grade", taken) or found.called("rating", taken)
    value = value or next((n for n in found.names if n not in taken and found.numeric(n)), None)
    predicts = sent is not None and (
        sent.called("prediction", taken) is not None
        or (value in sent.names and sent.called("score", taken) is None)
    )
    roles = {"list": first, "item": item}
    # one column is the grade for measures of ranked lists, the rating for those of errors
    values = {} if value is None else {"grade": value, "rating": value}
    kind = "ratings" if predicts and value is not None else "grades"
    head["truth"] |= _renamed(roles | values)
    asked = ("prediction",) if kind == "ratings" else ("score", "rank")
    submission = _submitted(sent, roles, asked, measured, value) if sent else _renamed(roles)
    return head | {"submission": submission, "kind": kind}


def _submitted(
    sent: Columns,
    roles: Mapping[str, str | None],
    asked: Sequence[str],
    measured: bool,
    value: str | None = None,
) -> dict[str, Any]:
    """What a submission calls its columns.

    Args:
        sent: the columns of one.
        roles: what the truth calls list and item; None: nothing.
        asked: the roles of which it has one.
        measured: whether measures are given, which decide what a number is.
        value: what the truth calls its numbers.
    """
    named: dict[str, str] = {}
    for role, name in roles.items():
        mine = name if name in sent.names else sent.called(role, tuple(named.values()))
        left = [each for each in sent.names if each not in named.values()]
        if mine or left:
            named[role] = mine or left[0]
    taken = tuple(named.values())
    number = next(((role, found) for role in asked if (found := sent.called(role, taken))), None)
    if number is None:
        left = [each for each in sent.names if each not in taken and sent.numeric(each)]
        if left:
            number = asked[0], value if value in left else left[0]
    if number is None:
        return _renamed(named)
    # the measures say whether it orders the items or predicts their ratings
    meant = EITHER if measured and number[0] in EITHER else (number[0],)
    return _renamed(named | dict.fromkeys(meant, number[1]))


def _renamed(roles: Mapping[str, str]) -> dict[str, Any]:
    """A section's `columns:`, without what is called as its role."""
    different = {role: name for role, name in roles.items() if name != role}
    return {"columns": different} if different else {}


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _all(path: Path, form: re.Pattern[str]) -> bool:
    lines = [line for line in _lines(path) if not line.lstrip().startswith("#")]
    return bool(lines) and all(form.fullmatch(line) for line in lines)


def _lines(path: Path) -> list[str]:
    """The first lines of a text file that are not blank; none of one that cannot be read."""
    try:
        with open_bytes(path, Limits()) as stream:
            data = stream.read(HEAD)
    except (Unreadable, OSError, ValueError):
        return []
    try:
        text = data.decode("utf-8-sig", "strict" if len(data) < HEAD else "ignore")
    except UnicodeDecodeError:
        return []
    lines = text.splitlines()
    whole = lines if len(data) < HEAD else lines[:-1]
    return [line for line in whole[: 2 * LOOKED] if line.strip()][:LOOKED]
