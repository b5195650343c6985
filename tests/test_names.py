"""A public class name means one thing, and no module is long."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

SCORER = Path(__file__).parent.parent / "scorer"
APART = {"board.fields"}  # records, as JSON has them
SAME = {  # sides of one thing, which never meet in a module
    "Checked": ["api.report", "web.routes.json.challenges"],  # the API's is a name in its schema
    "Explanation": ["api.text", "results.explanation"],  # the first, of these three, have text
    "Lint": ["api.text", "results.soundness"],
    "Power": ["api.text", "results.soundness"],
    "Question": ["challenge.phases", "web.routes.json.challenges"],  # this one, too
    "Report": ["api.report", "results.report"],  # the one with its texts is scorer.Report
    "Study": ["api.text", "results.study"],
    "Scored": ["results.report", "views.scored"],  # a submission's values; a view with scores
    "Table": ["reports.document", "reports.write.html", "tables.table"],  # blocks are drawn by name
    "VoteBoard": ["api.votes", "results.votes"],
    "Verb": ["cli.commands.team", "cli.verbs"],
}


@cache
def definitions(path):
    """The functions and classes of a module."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return [thing for thing in body if isinstance(thing, kinds)]


def named_twice(root, apart):
    places = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root).with_suffix("").parts
        if ".".join(module[:2]) in apart or module[::2] == ("reports", "fields"):
            continue
        for thing in definitions(path):
            if isinstance(thing, ast.ClassDef) and not thing.name.startswith("_"):
                places[thing.name].append(".".join(module))
    return {name: modules for name, modules in places.items() if len(modules) > 1}


@pytest.mark.slow("reads every module")
def test_a_public_class_name_is_defined_once():
    assert named_twice(SCORER, APART) == SAME


def in_three_modules(root):
    """Names of functions and classes, private ones too, that three modules or more define.

    Metrics are not counted, which are files of one form.
    """
    places = defaultdict(set)
    for path in root.rglob("*.py"):
        module = path.relative_to(root).parts
        if module[0] == "metrics" or "migrations" in module:
            continue
        for thing in definitions(path):
            places[thing.name].add(module)
    return sorted(name for name, modules in places.items() if len(modules) > 2)


@pytest.mark.slow("reads every module")
def test_few_names_are_defined_in_three_modules():
    names = in_three_modules(SCORER)
    assert len(names) <= 40, f"rename some of {names}"


@pytest.mark.parametrize(("count", "found"), [(2, []), (3, ["_part"])])
def test_names_in_three_modules_are_found(count, found, tmp_path):
    for n in range(count):
        (tmp_path / f"module{n}.py").write_text("def _part(): ...")
    assert in_three_modules(tmp_path) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("class Part: ...", {"Part": ["one", "two"]}),
        ("class _Part: ...", {}),
        ("class Other: ...", {}),
    ],
)
def test_namesakes_are_found(text, found, tmp_path):
    (tmp_path / "one.py").write_text("class Part: ...")
    (tmp_path / "two.py").write_text(text)
    assert named_twice(tmp_path, set()) == found


def test_no_module_is_long():
    lengths = {
        path.relative_to(SCORER).as_posix(): path.read_text(encoding="utf-8").count("\n")
        for path in SCORER.rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > 450} == {}
