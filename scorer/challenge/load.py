"""challenge.yaml from a file to a `Challenge`; every problem at its line."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypeAlias, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from scorer.challenge.model import FILE, FOLDER, KEY, Challenge, prose_files
from scorer.challenge.roles import COLUMNS, FIELD_ROLES, ROLES
from scorer.challenge.submission import FileLayout, written_keys
from scorer.challenge.types import as_written, bare
from scorer.challenge.yaml import MOST_BYTES, YamlValue, document, from_data
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import display_path, nearest, printable, quoted
from scorer.reading.limits import UnreadableError
from scorer.reading.open import open_file

Steps: TypeAlias = tuple[str | int, ...]

VERSION = 1
ZIP = b"PK\x03\x04"
SWITCHES = ("intervals", "tiers")  # where nothing means "off", elsewhere "not written"
ENOUGH = "two keys are enough: 'truth: truth.csv' and 'metrics: [nDCG@10]'"
UNWRITTEN = YamlValue(None, 0, 0)
NUMBERS: dict[Steps, str] = {  # what may stand in place of words
    ("leaderboard", "ladder"): ", or a number",
}
MEASURED = "write nDCG@10, or {metric: nDCG, k: 10}"
# (section, key or word) -> what is written in its place, since there is none of that name any more
INSTEAD = {
    ("remote_pictures", "remote_pictures"): "leave it out; a picture of another server is a link, "
    "one of the text's own (data:image/png;base64,..) is shown",
    ("leaderboard", "ties"): "leave it out; equal values share a rank, 1, 2, 2, 4, and tie_break "
    "parts them",
    ("questions", "max"): "leave it out; an answer has at most 1,000 characters",
    ("questions", "unit"): "leave it out; the question's name can say it, such as cost_usd",
    ("questions", "flag"): "write choices: ['yes', 'no']",
    ("questions", "url"): "leave it out; an address is a text",
    ("submission", "rank_gaps"): "leave it out; the ranks of a list are 1, 2, 3, and so on",
    ("submission", "complete"): "leave it out; measures of orders (Tau, TauAP, Rho) need all "
    "candidates of a list, others as many as length says",
    ("submission", "sums"): "leave it out; probabilities are divided by their sum, with a warning",
    ("submission", "repeats"): "leave it out; a list names each item once",
    ("leaderboard", "test"): "leave it out; a board is tested by permutations, and "
    "score compare --test t or --test wilcoxon tests pairs otherwise",
    ("leaderboard", "adjust"): "leave it out; each pair is held against the greatest of all",
    ("leaderboard", "rule"): "leave it out; a tier ends where all above are significantly better "
    "than all below, and score compare tests each pair",
    ("leaderboard", "joint"): "write a level; the intervals of k submissions hold together in "
    "95 % of boards where each has the level 0.95 ** (1 / k)",
}

# what a measure says of how its lists make one number, beside its metric's parameters
COMBINING = (
    "score",
    "average",
    "aggregate",
    "weights",
    "group",
    "where",
    "unit",
)
COMPOSED = "score"  # what a composite is called that has no id

# pydantic's kinds of error, in our words.
FAULT_WORDS = {
    "literal_error": "{value} is not {expected}",
    "greater_than": "{value} is not above {gt:g}",
    "greater_than_equal": "{value} is below {ge:g}",
    "less_than": "{value} is not below {lt:g}",
    "less_than_equal": "{value} is above {le}",
    "too_short": "at least one is needed",
    "string_too_short": "an empty text",
    "tuple_type": "{value} is not a list; write one in [ ]",
    "dict_type": "{value} is not a mapping (key: value)",
    "model_type": "{value} is not a mapping (key: value)",
}


def load(source: Path | str | Mapping[str, Any], folder: Path | str | None = None) -> Challenge:
    """A challenge from its file, or from data.

    >>> load({"truth": "truth.csv", "metrics": ["nDCG@10"]}, folder=".").metrics[0].notation
    'nDCG@10'

    Args:
        source: the path of a challenge.yaml or of the folder that holds it; where a folder is
            given beside it, what such a file says: its text, or a mapping.
        folder: where the challenge's files lie, which its paths are relative to.

    Raises:
        ChallengeError: all that is wrong with it, each problem at its line.
        TypeError: a mapping is given without a folder.
    """
    if folder is not None:
        where = Path(folder) / FILE
        findings = Findings(FILE)
    elif isinstance(source, Mapping):
        raise TypeError("a challenge from a mapping needs folder=, where its files lie")
    else:
        where = Path(source) / FILE if os.path.isdir(source) else Path(source)
        findings = Findings(display_path(where))
    if isinstance(source, Mapping):
        root: YamlValue | None = from_data(source, findings)
    else:
        root = document(_bytes(where) if folder is None else str(source).encode(), findings)
    return _challenge(root, where, findings)


def _challenge(root: YamlValue | None, where: Path, findings: Findings) -> Challenge:
    """The challenge that a tree of values describes.

    `root` is None where the tree could not be read to its end.
    """
    if (
        root is None
        or not isinstance(root.data, dict)
        or not _known_version(root.data.get("scorer"))
    ):
        if root is not None:
            findings.add(_headless(root))
        raise ChallengeError(problems=findings)
    # YAML read a line otherwise than it was meant: problems that follow from that help nobody.
    misread = {problem.line for problem in findings if problem.code == "C103"}
    try:
        folder = Path(os.path.realpath(where.parent))
    except OSError:  # the folder in which we stand is gone, and a path is relative to it
        message = "not found; the current folder does not exist any more"
        raise ChallengeError(problems=[Problem("C101", message, path=str(where))]) from None
    faults = list(_faults(root))
    try:
        challenge = Challenge.model_validate(_model_data(root, folder), context={"folder": folder})
    except ValidationError as error:
        faults += [_fault(root, fault) for fault in error.errors(include_url=False)]
    findings.extend(fault for fault in faults if fault.line not in misread or fault.line is None)
    if findings.fatal:
        raise ChallengeError(problems=findings)
    challenge._path, challenge._folder = where, folder
    challenge._root, challenge._prose = root, tuple(prose_files(root, folder))
    return challenge


def _bytes(where: Path) -> bytes:
    try:
        if not where.is_file() and where.exists():
            message = "a folder" if where.is_dir() else "not a regular file"
        else:
            with where.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            if data.startswith(ZIP):
                message = "this is a ZIP archive, and no kit that is whole; fetch the kit again"
                raise ChallengeError(problems=[Problem("T108", message, path=str(where))])
            return data
    except FileNotFoundError:
        message = "not found"
        with suppress(OSError):
            if similar := nearest(where.name, os.listdir(where.parent)):
                message += f"; did you mean {quoted(similar)} in the same folder?"
    except (OSError, ValueError) as error:
        message = getattr(error, "strerror", None) or "not a file's name"
    raise ChallengeError(problems=[Problem("C101", message, path=str(where))])


def _known_version(version: YamlValue | None) -> bool:
    return version is None or version.data is None or version.text == str(VERSION)


def _headless(root: YamlValue) -> Problem:
    """Why nothing else of the file can be judged."""
    if isinstance(root.data, dict):
        version = root.data["scorer"]
        message = (
            f"scorer: this scorer reads version {VERSION} of the format, not {as_written(version)}"
        )
        return Problem("C119", message, line=root.lines["scorer"])
    if root.data is None:
        return Problem("C107", "the file is empty", line=1, help=ENOUGH)
    kind = "a list" if isinstance(root.data, list) else "one text"
    return Problem("C106", f"{kind} where keys are expected", line=root.line, help=ENOUGH)


def _tree(value: YamlValue) -> Any:
    """Dicts and lists with `YamlValue` leaves. A key without a value counts as not written."""
    if isinstance(value.data, dict):
        return {
            key: _tree(entry)
            for key, entry in value.data.items()
            if entry.data is not None or key in SWITCHES
        }
    return [_tree(entry) for entry in value.data] if isinstance(value.data, list) else value


def _model_data(root: YamlValue, folder: Path) -> dict[str, Any]:
    """The data that the models validate: the file, with defaults that depend on its place."""
    tree: dict[str, Any] = {"id": folder.name or "challenge", **_tree(root)}
    if isinstance(tree["id"], YamlValue | str):
        tree.setdefault("title", tree["id"])
    if isinstance(tree.get("metrics"), list):
        tree["metrics"] = [_measure(n, entry) for n, entry in enumerate(_list(root, "metrics"))]
        # a measure's file is code of the challenge, as any plugin
        named = [entry["kaggle"] for entry in tree["metrics"] if "kaggle" in entry]
        files = {file.text: file for file in named if isinstance(file, YamlValue)}
        if files and isinstance(plugins := tree.setdefault("plugins", []), list):
            names = {entry.text for entry in plugins if isinstance(entry, YamlValue)}
            plugins += [file for name, file in files.items() if name not in names]
    for section, roles in FIELD_ROLES.items():
        match tree.get(section):
            case {"columns": dict(columns), **rest}:
                tree[section] = {**rest, "columns": columns} | {
                    role: columns.pop(role) for role in roles if role in columns
                }
    return tree


def _measure(n: int, value: YamlValue) -> dict[str, Any]:
    entries = dict(_mapping(value)) or {"metric": value}
    directed = "kaggle" in entries or "score" in entries
    own = (*(["better"] * directed), *(["resample"] * ("kaggle" in entries)))
    keys = ("metric", "id", "primary", "kaggle", *COMBINING, *own)
    stated = {key: entries.pop(key, None) for key in keys}
    spec = {key: _tree(entry) for key, entry in stated.items() if entry and entry.data is not None}
    if "kaggle" in spec:
        file = spec["kaggle"]
        spec.setdefault("metric", kaggle_name(getattr(file, "text", None) or "kaggle"))
    if "score" in spec:
        spec.setdefault("id", COMPOSED)
        spec.setdefault("metric", COMPOSED)
    if "metric" in spec:
        spec["notation"] = spec.pop("metric")
    params = {key: entry.plain() for key, entry in entries.items()}
    return {**spec, "params": params, "key": f"metrics[{n}]"}


def kaggle_name(file: str) -> str:
    """The name of a Kaggle file's measure: the file's stem, as a notation can have it."""
    return re.sub(r"\W|^(?=\d)", "_", PurePosixPath(file).stem)


def _mapping(value: YamlValue | None, *keys: str) -> dict[str, YamlValue]:
    """The entries of a mapping somewhere below, none where there is no mapping."""
    for key in keys:
        value = _mapping(value).get(key)
    return value.data if value and isinstance(value.data, dict) else {}


def _list(root: YamlValue, key: str) -> list[YamlValue]:
    value = _mapping(root).get(key)
    return value.data if value and isinstance(value.data, list) else []


def _faults(root: YamlValue) -> Iterator[Problem]:
    """The problems of several keys together, and of names that no model checks."""
    for section, roles in ROLES.items():
        for role in _mapping(root, section, "columns"):
            if role not in roles:
                yield _unknown(root, (section, "columns", role), roles)
    for section, role in (
        (section, role) for section, roles in FIELD_ROLES.items() for role in roles
    ):
        if role in _mapping(root, section):
            message = f"{quoted(role)} is a column; write it under 'columns'"
            yield _located(root, "C105", (section, role), message, (section,))
    ids: dict[str | None, int] = {}
    primary: list[int] = []
    for n, spec in enumerate(_list(root, "metrics")):
        name, flag = (_mapping(spec).get(key, UNWRITTEN) for key in ("id", "primary"))
        if name.data is not None and (first := ids.setdefault(name.text, n)) != n:
            message = f"{quoted(name.text)} is the id of metrics[{first}] already"
            yield _located(root, "C120", ("metrics", n, "id"), message)
        if flag.data is True:
            primary.append(n)
    for n in primary[1:]:
        message = f"metrics[{primary[0]}] is primary already"
        yield _located(root, "C106", ("metrics", n, "primary"), message)
    keys = _mapping(root)
    for key in ("truth", "metrics") if keys.get("kind", UNWRITTEN).data is None else ():
        if keys.get(key, UNWRITTEN).data is None:  # which some kinds do without
            yield _located(root, "C107", (key,), f"{quoted(key)} is missing", (), ENOUGH)


def _fault(root: YamlValue, fault: ErrorDetails) -> Problem:
    """One of pydantic's findings in our words, with the path that the file has."""
    steps: Steps = fault["loc"]
    if steps[:2] in (("leaderboard", "rank_by"), ("leaderboard", "ladder")):
        steps = steps[:2] + steps[3:]  # less the tag of the union
    if steps[1:2] in (("lines",), ("classes",)):
        steps = steps[:2] + steps[3:]  # as well
    if steps[:2] == ("splits", "shares"):
        steps = ("splits", *steps[2:])
    if steps[1:] and steps[1] in FIELD_ROLES.get(str(steps[0]), ()):
        steps = (steps[0], "columns", *steps[1:])
    if steps[:1] == ("metrics",) and steps[-1] == "notation":
        steps = (*steps[:-1], "metric")
    kind, context = fault["type"], fault.get("ctx", {})
    steps += context.get("at", ())
    if kind == "missing":
        help = ENOUGH if len(steps) == 1 else MEASURED if steps[-1] == "metric" else None
        message = f"{quoted(steps[-1])} is missing"
        return _located(root, "C107", steps, message, steps[:-1], help)
    if kind == "extra_forbidden":
        return _unknown(root, steps, _keys(steps[:-1]))
    written = root.reach(steps)[2]
    help = INSTEAD.get((str(steps[0]), str(bare(written))))
    if kind.startswith("C"):
        return _located(root, kind, steps, fault["msg"], help=help)
    words = FAULT_WORDS.get(kind, "{msg}")
    message = words.format(value=as_written(written), msg=fault["msg"], **context)
    if kind == "literal_error":
        message += NUMBERS.get(steps[:2], "")
        similar = nearest(str(bare(written)), re.findall("'([^']+)'", context["expected"]))
        message += f"; did you mean {quoted(similar)}?" if similar else ""
    return _located(root, "C106", steps, message, help=help)


def _unknown(root: YamlValue, steps: Steps, keys: Sequence[str]) -> Problem:
    instead = INSTEAD.get((str(steps[0]), str(steps[-1])))
    elsewhere = steps[-2:-1] == ("columns",) and steps[-1] in COLUMNS
    similar = None if instead or elsewhere else nearest(str(steps[-1]), keys)
    hint = f"; did you mean {quoted(similar)}?" if similar else ""
    message = f"no key {quoted(steps[-1])} here{hint}"
    help = instead or (None if similar else f"known here: {', '.join(keys)}")
    return _located(root, "C105", steps, message, steps[:-1], help)


def _keys(steps: Steps) -> list[str]:
    """The keys that the file may have at a place."""
    model: type[BaseModel] = Challenge
    is_name = False  # whether the step is a name of the challenge's own, as of a question
    for step in steps:
        if isinstance(step, str) and not is_name:
            field = written_keys(model)[step]
            model = next(_models(Annotated[field.annotation, field]))
            is_name = get_origin(field.annotation) is dict
        else:
            is_name = False
    under_columns = FIELD_ROLES.get(
        str(next((step for step in steps if isinstance(step, str)), "")), ()
    )
    forms = written_keys(FileLayout)
    keys = sorted(written_keys(model), key=lambda key: key in forms)  # forms last
    return [key for key in keys if key not in under_columns]


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    parts = annotation.metadata if isinstance(annotation, FieldInfo) else get_args(annotation)
    for part in parts:
        yield from _models(part)


def _located(
    root: YamlValue,
    code: str,
    steps: Steps,
    message: str,
    named: Steps | None = None,
    help: str | None = None,
) -> Problem:
    """A problem at the line of `steps`, its message opened by the path as far as it exists."""
    reached, line, _ = root.reach(steps)
    path = steps[:reached] if named is None else named
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    message = f"{printable(key.removeprefix('.'))}: {message}" if key else message
    return Problem(code, message, line=line, help=help)


def own_files(challenge: Challenge) -> tuple[Path, ...]:
    """The files of the challenge that are no submission, whether there or not.

    Its baselines and the submissions of its examples are fine.
    """
    fine = {
        *challenge.leaderboard.baselines,
        *(example.submission for example in challenge.examples),
    }
    truth = challenge.truth
    return (
        *(path for path in challenge.files if path not in fine),
        *(truth.file / name for name in truth.parts.values()),
        challenge.folder / KEY,
        *(challenge.folder / FOLDER).glob("*"),  # the store, and its secrets
    )


def own_file_problem(
    challenge: Challenge, path: Path, own: Sequence[Path] | None = None
) -> Problem | None:
    """S101 where a submission must not be opened; None where it is fine, or not there.

    What is in a folder is looked at where it is read. `own` is the challenge's
    own files, where they are known already.
    """
    own = own_files(challenge) if own is None else own
    try:
        if path.is_file():
            open_file(path, own).close()
    except UnreadableError as error:
        return error.problem
    except OSError:
        pass  # the reader says what is wrong with it
    return None
