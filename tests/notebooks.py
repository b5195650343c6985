"""The notebooks of examples/ with what their cells print and show: `python tests/notebooks.py`."""

import ast
import json
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def run(path):
    """A notebook, run from the first cell to the last, with its outputs."""
    notebook, space = read(path), {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        printed = StringIO()
        with redirect_stdout(printed):
            value = evaluate("".join(cell["source"]), path.name, space)
        cell["execution_count"] = count
        cell["outputs"] = []
        if printed.getvalue():
            text = printed.getvalue().splitlines(keepends=True)
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": text})
        if value is not None:
            cell["outputs"].append(shown(value, count))
    return notebook


def evaluate(source, name, space):
    """Run a cell; the value of its last expression, or None."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), space)
    if last is None:
        return None
    return eval(compile(ast.Expression(last.value), name, "eval"), space)


def shown(value, count):
    """What a notebook keeps of a value."""
    data = {"text/plain": repr(value).splitlines(keepends=True)}
    for method, kind in (("_repr_html_", "text/html"), ("_repr_svg_", "image/svg+xml")):
        if hasattr(value, method):
            data[kind] = getattr(value, method)().splitlines(keepends=True)
    return {
        "data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result",
    }  # fmt: skip


if __name__ == "__main__":
    for path in NOTEBOOKS:
        made = json.dumps(run(path), indent=1, ensure_ascii=False) + "\n"
        sys.stderr.write(f"{path.name}: {len(made):,} characters\n")
        path.write_text(made, encoding="utf-8")
