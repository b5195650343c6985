"""The notebooks run from the first cell to the last, and are kept with their outputs."""

import notebooks
import pytest


@pytest.mark.slow("runs a notebook")
@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_runs(path, tmp_path, monkeypatch):
    if path.name == "classifiers.ipynb":
        pytest.importorskip("sklearn", reason="a peer: pip install challenge-scorer[peers]")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    made = notebooks.run(path)
    assert [cell for cell in made["cells"] if cell.get("outputs")]
    if path.name != "classifiers.ipynb":  # whose values depend on the version of scikit-learn
        assert made == notebooks.read(path), "run: python tests/notebooks.py"


@pytest.mark.parametrize("path", notebooks.NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_with_its_outputs(path):
    assert [cell for cell in notebooks.read(path)["cells"] if cell.get("outputs")]


def test_there_is_a_notebook():
    assert notebooks.NOTEBOOKS
