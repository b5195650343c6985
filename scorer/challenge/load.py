"""challenge.yaml from a file to a `Challenge`; every problem at its line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from scorer.challenge import yaml
from scorer.challenge.measures import MeasureSpec
from scorer.challenge.model import (
    CHALLENGE_FILE,
    FOLDER,
    KEY,
    MARKDOWN_PATH,
    Challenge,
    Source,
)
from scorer.challenge.roles import COLUMNS, FIELD_ROLES, ROLES, SPECIAL_ROLES
from scorer.challenge.submission import FileLayout, written_keys
from scorer.challenge.types import quote_value
from scorer.challenge.yaml import MOST_BYTES, YamlDocument, read_data, read_yaml
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem
from scorer.core.text import display_path, nearest, printable, quoted, suggest
from scorer.reading.limits import UnreadableError
from scorer.reading.open import open_file

VERSION = "1"
ZIP = b"PK\x03\x04"
SWITCHES = ("intervals", "tiers")  # where nothing means "off", elsewhere "not written"
ENOUGH = "two keys are enough: 'truth: truth.csv' and 'metrics: [nDCG@10]'"
MEASURED = "write nDCG@10, or {metric: nDCG, k: 10}"
# (section, key or word that no longer exists) -> what to write in its place
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


COMPOSED = "score"  # what a composite is called that has no id
# The keys of a measure; all others are parameters of its metric.
MEASURE_KEYS = {"metric", *MeasureSpec.model_fields} - {"notation", "params", "key"}
OF_SCORES = {"better": ("kaggle", "score"), "resample": ("kaggle",)}  # else they are parameters

# pydantic's kinds of error, in our words; {value} is the value in the file.
WORDS = {
    "bool_type": "{value} is neither true nor false",
    "byte_size": "{value} is not a size, such as 20MB, 1GiB or a number of bytes",
    "byte_size_unit": "{value} is not a size, such as 20MB, 1GiB or a number of bytes",
    "datetime_type": "{value} is no time; write it as 2011-04-18T10:00:00+02:00",
    "dict_type": "{value} is not a mapping (key: value)",
    "float_type": "{value} is not a number",
    "greater_than": "{value} is not above {gt:g}",
    "greater_than_equal": "{value} is below {ge:g}",
    "int_type": "{value} is not a whole number",
    "less_than": "{value} is not below {lt:g}",
    "less_than_equal": "{value} is above {le}",
    "literal_error": "{value} is not {expected}",
    "model_type": "{value} is not a mapping (key: value)",
    "path_type": "{value} is not a text",
    "size_range": "{value} is not a size between 1 byte and 8 EiB",
    "string_too_short": "an empty text",
    "string_type": "{value} is not a text",
    "too_short": "at least one is needed",
    "tuple_type": "{value} is not a list; write one in [ ]",
}
OTHERWISE = {  # key -> what may stand there in place of words
    "ladder": ", or a number",
    "lines": ", or a file",
}


def load(source: Path | str | Mapping[str, Any], folder: Path | str | None = None) -> Challenge:
    """Return a challenge from its file, or from data.

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
        where = Path(folder) / CHALLENGE_FILE
        findings = Findings(CHALLENGE_FILE)
    elif isinstance(source, Mapping):
        raise TypeError("a challenge from a mapping needs folder=, where its files lie")
    else:
        where = Path(source) / CHALLENGE_FILE if os.path.isdir(source) else Path(source)
        findings = Findings(display_path(where))
    if isinstance(source, Mapping):
        document: YamlDocument | None = read_data(source, findings)
    else:
        data = _read_bytes(where) if folder is None else str(source).encode()
        document = read_yaml(data, findings)
    if document is None:
        raise ChallengeError(problems=findings)
    if (problem := _find_wrong_head(document)) is not None:
        findings.add(problem)
        raise ChallengeError(problems=findings)
    try:
        real_folder = Path(os.path.realpath(where.parent))
    except OSError:  # the folder in which we stand is gone, and a path is relative to it
        message = "not found; the current folder does not exist any more"
        raise ChallengeError(problems=[Problem("C101", message, path=str(where))]) from None
    return _validate(document, where, real_folder, findings)


def _validate(document: YamlDocument, where: Path, folder: Path, findings: Findings) -> Challenge:
    """Return the challenge that a document describes; raise its problems, each at its line."""
    # YAML read a line otherwise than it was meant: problems that follow from that help nobody.
    misread = {problem.line for problem in findings if problem.code == "C103"}
    problems = list(_find_faults(document))
    try:
        data = _model_data(document, folder)
        challenge = Challenge.model_validate(data, context={"folder": folder})
    except ValidationError as error:
        problems += locate(error, document)
    findings.extend(
        problem for problem in problems if problem.line not in misread or problem.line is None
    )
    if findings.fatal:
        raise ChallengeError(problems=findings)
    challenge._path = where
    challenge._folder = folder
    challenge._document = document
    challenge._prose = tuple(_find_prose_files(document.data, folder))
    return challenge


def _read_bytes(where: Path) -> bytes:
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


def _find_wrong_head(document: YamlDocument) -> Problem | None:
    """Return why nothing else of the file can be judged."""
    data = document.data
    if data is None:
        return Problem("C107", "the file is empty", line=document.line(()), help=ENOUGH)
    if not isinstance(data, dict):
        kind = "a list" if isinstance(data, list) else "one text"
        message = f"{kind} where keys are expected"
        return Problem("C106", message, line=document.line(()), help=ENOUGH)
    version = data.get("scorer")
    if version in (None, VERSION):
        return None
    message = f"this scorer reads version {VERSION} of the format, not {quote_value(version)}"
    return Problem("C119", f"scorer: {message}", line=document.line(("scorer",)))


def _find_prose_files(data: Mapping[str, Any], folder: Path) -> Iterator[Path]:
    """Yield the files that the description and the pages come from."""
    pages = data.get("pages")
    for text in (data.get("description"), *(pages.values() if isinstance(pages, dict) else ())):
        if isinstance(text, str) and MARKDOWN_PATH.fullmatch(text):
            yield folder / text.strip()


def _without_nothing(value: Any) -> Any:
    """Return a copy without the keys that have no value, which count as not written."""
    if isinstance(value, dict):
        return {
            key: _without_nothing(part)
            for key, part in value.items()
            if part is not None or key in SWITCHES
        }
    return [_without_nothing(part) for part in value] if isinstance(value, list) else value


def _model_data(document: YamlDocument, folder: Path) -> dict[str, Any]:
    """Return the data of the models: the file, with defaults that depend on its place."""
    data: dict[str, Any] = {"id": folder.name or "challenge", **_without_nothing(document.data)}
    if isinstance(data["id"], str):
        data.setdefault("title", data["id"])
    if isinstance(metrics := data.get("metrics"), list):
        data["metrics"] = [_measure_data(document, n) for n in range(len(metrics))]
        # a measure's file is code of the challenge, as any plugin
        files = [spec["kaggle"] for spec in data["metrics"] if isinstance(spec.get("kaggle"), str)]
        plugins = data.get("plugins", [])
        if files and isinstance(plugins, list):
            data["plugins"] = [
                *plugins,
                *(file for file in dict.fromkeys(files) if file not in plugins),
            ]
    for section, roles in FIELD_ROLES.items():
        match data.get(section):
            case {"columns": dict(columns), **rest}:
                lifted = {role: columns.pop(role) for role in roles if role in columns}
                data[section] = {**rest, "columns": columns, **lifted}
    return data


def _measure_data(document: YamlDocument, n: int) -> dict[str, Any]:
    """Return the data of a measure, the parameters of its metric apart from its other keys."""
    written = document.data["metrics"][n]
    entries = written if isinstance(written, dict) and written else {"metric": written}
    own = {
        key
        for key in MEASURE_KEYS & entries.keys()
        if any(other in entries for other in OF_SCORES.get(key, entries))
    }
    spec = {key: _without_nothing(entries[key]) for key in own if entries[key] is not None}
    if "kaggle" in spec:
        spec.setdefault("metric", kaggle_name(str(spec["kaggle"])))
    if "score" in spec:
        spec = {"id": COMPOSED, "metric": COMPOSED, **spec}
    if "metric" in spec:
        spec["notation"] = spec.pop("metric")
    params = {key: document.resolve(("metrics", n, key)) for key in entries if key not in own}
    return {**spec, "params": params, "key": f"metrics[{n}]"}


def kaggle_name(file: str) -> str:
    """Return the name of a Kaggle file's measure: the file's stem, as a notation can have it."""
    return re.sub(r"\W|^(?=\d)", "_", PurePosixPath(file).stem)


def _find_faults(document: YamlDocument) -> Iterator[Problem]:
    """Yield the problems of several keys together, and of columns that no model checks."""
    data = document.data
    for section, roles in ROLES.items():
        written = data.get(section)
        keys = written if isinstance(written, dict) else {}
        columns = keys.get("columns")
        for role in columns if isinstance(columns, dict) else ():
            if role not in roles:
                yield _explain_unknown(document, (section, "columns", role), roles)
        for role in sorted(SPECIAL_ROLES & keys.keys()):
            if role in FIELD_ROLES.get(section, ()):
                message = f"{quoted(role)} is a column; write it under 'columns'"
                yield _problem(document, "C105", (section, role), message, (section,))
            elif role in Source.model_fields:
                yield _explain_unknown(document, (section, role), _known_keys((section,)))
    metrics = data.get("metrics")
    yield from _find_repeated_measures(document, metrics if isinstance(metrics, list) else [])
    for key in ("truth", "metrics") if data.get("kind") is None else ():
        if data.get(key) is None:  # which some kinds do without
            yield _problem(document, "C107", (key,), f"{quoted(key)} is missing", (), ENOUGH)


def _find_repeated_measures(document: YamlDocument, metrics: Sequence[Any]) -> Iterator[Problem]:
    """Yield measures with the id of an earlier one, and primary ones beside the first."""
    ids: dict[str, int] = {}
    primary: list[int] = []
    for n, spec in enumerate(metrics):
        keys = spec if isinstance(spec, dict) else {}
        name = keys.get("id")
        if isinstance(name, str) and (first := ids.setdefault(name, n)) != n:
            message = f"{quoted(name)} is the id of metrics[{first}] already"
            yield _problem(document, "C120", ("metrics", n, "id"), message)
        if isinstance(keys.get("primary"), str) and keys["primary"].lower() == "true":
            primary.append(n)
    for n in primary[1:]:
        message = f"metrics[{primary[0]}] is primary already"
        yield _problem(document, "C106", ("metrics", n, "primary"), message)


class Located(NamedTuple):
    """One of pydantic's errors, and where the file has its cause."""

    fault: ErrorDetails
    path: yaml.Path
    union: yaml.Path | None  # the value with several possible types; the error is about one of them
    branch: str | int  # that type

    @property
    def fits(self) -> bool:
        """Whether the value is of that type as a whole, and only something of it is wrong."""
        kind = self.fault["type"]
        is_other_type = kind == "literal_error" or kind.endswith("_type")
        return not is_other_type or len(self.path) > len(self.union or ())


def locate(error: ValidationError, document: YamlDocument) -> Iterator[Problem]:
    """Yield pydantic's errors as problems in our words, each at its line."""
    located = [_locate(fault, document) for fault in error.errors(include_url=False)]
    chosen: dict[yaml.Path, Located] = {}  # of each union, the branch that fits best
    for one in located:
        if one.union is not None and (one.union not in chosen or one.fits > chosen[one.union].fits):
            chosen[one.union] = one
    for fault, path, union, branch in located:
        if union is None or chosen[union].branch == branch:
            yield _explain(fault, path, document)


def _explain(fault: ErrorDetails, path: yaml.Path, document: YamlDocument) -> Problem:
    kind = fault["type"]
    context = fault.get("ctx", {})
    if kind == "missing":
        help = ENOUGH if len(path) == 1 else MEASURED if path[-1] == "metric" else None
        message = f"{quoted(path[-1])} is missing"
        return _problem(document, "C107", path, message, path[:-1], help)
    if kind == "extra_forbidden":
        return _explain_unknown(document, path, _known_keys(path[:-1]))
    if kind == "string_pattern_mismatch":  # of a role
        return _explain_unknown(document, path, re.findall(r"\w+", context["pattern"]))
    _, written = document.reach(path)
    help = INSTEAD.get((str(path[0]), str(written)))
    if kind.startswith("C"):
        return _problem(document, kind, path, fault["msg"], help=help)
    words = "nothing is given" if written is None else WORDS.get(kind, "{msg}")
    message = words.format(value=quote_value(written), msg=fault["msg"], **context)
    if kind == "literal_error":
        known = re.findall("'([^']+)'", context["expected"])
        message += OTHERWISE.get(str(path[-1]), "") + suggest(str(written), known)
    return _problem(document, "C106", path, message, help=help)


def _locate(fault: ErrorDetails, document: YamlDocument) -> Located:
    """Return an error with the path that the file has for it.

    pydantic's own has steps that the file has not: types that a value may be of, and names of ours.
    """
    steps: yaml.Path = fault["loc"]
    if steps[1:] and steps[1] in FIELD_ROLES.get(str(steps[0]), ()):
        steps = (steps[0], "columns", *steps[1:])
    if steps[:1] == ("metrics",) and steps[-1] == "notation":
        steps = (*steps[:-1], "metric")
    path: yaml.Path = ()
    union = None
    branch = ""
    for n, step in enumerate(steps):
        is_missing = n == len(steps) - 1 and fault["type"] == "missing"
        if is_missing or isinstance(step, int) or document.reach((*path, step))[0] > len(path):
            path = (*path, step)
        elif union is None and step not in ("shares", "[key]"):
            union = path
            branch = step
    return Located(fault, (*path, *fault.get("ctx", {}).get("at", ())), union, branch)


def _explain_unknown(document: YamlDocument, path: yaml.Path, keys: Sequence[str]) -> Problem:
    """Return the problem of an unknown key, given the known ones."""
    key = str(path[-1])
    instead = INSTEAD.get((str(path[0]), key))
    is_column = path[-2:-1] == ("columns",) and key in COLUMNS  # of another section
    hint = "" if instead or is_column else suggest(key, keys)
    help = instead or (None if hint else f"known here: {', '.join(keys)}")
    message = f"no key {quoted(key)} here{hint}"
    return _problem(document, "C105", path, message, path[:-1], help)


def _known_keys(path: yaml.Path) -> list[str]:
    """Return the keys that the file may have at a place; the keys of its layout come last."""
    model: type[BaseModel] = Challenge
    is_name = False  # whether the step is a name that the challenge chose, such as a question's
    for step in path:
        if isinstance(step, str) and not is_name:
            field = written_keys(model)[step]
            model = next(_find_models(Annotated[field.annotation, field]))
            is_name = get_origin(field.annotation) is dict
        else:
            is_name = False
    forms = written_keys(FileLayout)
    keys = sorted(written_keys(model), key=lambda key: key in forms)
    return [key for key in keys if key not in SPECIAL_ROLES]


def _find_models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    parts = annotation.metadata if isinstance(annotation, FieldInfo) else get_args(annotation)
    for part in parts:
        yield from _find_models(part)


def _problem(
    document: YamlDocument,
    code: str,
    path: yaml.Path,
    message: str,
    named: yaml.Path | None = None,
    help: str | None = None,
) -> Problem:
    """Return a problem at the line of `path`, opened by the path as far as it exists.

    `named` is the path that it is opened by in its place.
    """
    done, _ = document.reach(path)
    steps = path[:done] if named is None else named
    key = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    message = f"{printable(key.removeprefix('.'))}: {message}" if key else message
    return Problem(code, message, line=document.line(path), help=help)


def own_files(challenge: Challenge) -> tuple[Path, ...]:
    """Return the files of the challenge that no submission may be, whether there or not.

    Its baselines and the submissions of its examples may be one.
    """
    submissions = {
        *challenge.leaderboard.baselines,
        *(example.submission for example in challenge.examples),
    }
    truth = challenge.truth
    return (
        *(path for path in challenge.files if path not in submissions),
        *(truth.file / name for name in truth.parts.values()),
        challenge.folder / KEY,
        *(challenge.folder / FOLDER).glob("*"),  # the store, and its secrets
    )


def own_file_problem(challenge: Challenge, path: Path) -> Problem | None:
    """Return S101 if a submission must not be opened; None if it is fine, or not there.

    The files in a folder are looked at when they are read.
    """
    try:
        if path.is_file():
            open_file(path, own_files(challenge)).close()
    except UnreadableError as error:
        return error.problem
    except OSError:
        pass  # the reader reports it
    return None
