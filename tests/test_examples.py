"""The notebooks run from the first cell to the last."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


@pytest.mark.slow("runs a notebook")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path, tmp_path, monkeypatch):
    if path.name == "classifiers.ipynb":
        pytest.importorskip("sklearn", reason="a peer: pip install challenge-scorer[peers]")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    space, shown = {"__name__": "__main__"}, []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"], "cells are kept without what they gave"
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), space)
        if last is not None:
            shown.append(eval(compile(ast.Expression(last.value), path.name, "eval"), space))
    assert shown
    for value in shown:  # as a notebook shows it
        assert getattr(value, "_repr_html_", value.__repr__)()


def test_there_is_a_notebook():
    assert NOTEBOOKS
