"""The generated parts of these pages.

Between `made: NAME` and `end` a page keeps its part: `python docs/generate.py` writes it, and
`python tests/readme.py` what commands print (demo, bad, speed). At `built: NAME` the part is only
in the site, since a metric or a check of its own adds to it.
"""

from __future__ import annotations

import html
import inspect
import re
from functools import partial
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import drawings
import elsewhere
import yaml

import scorer
from scorer.api.example import metric_example
from scorer.challenge.keys import list_keys
from scorer.cli.verbs import DEFAULT, MAIN, OTHERS, PROGRAM, command
from scorer.core.codes import codes
from scorer.metrics.api import Metric
from scorer.metrics.catalogue import (
    aggregate_of_lists,
    all_kinds,
    bibtex_of,
    first_sentence,
    format_notation,
    format_range,
    formula_lines,
    mathml,
    metrics,
    page_prose,
    tool_names,
)
from scorer.metrics.notation import describe_parameters, format_value, parse_measure
from scorer.results.json import RESULTS

DOCS = Path(__file__).parent
SOURCE = Path(scorer.__file__).parent
TASKS = {  # the modules of metrics
    "Ranked lists": ("ranking", "gains", "cwl", "orders", "sets"),
    "Subtopics and diversity of results": ("diversity",),
    "Recommendations beyond accuracy": ("novelty",),
    "Classes": ("classes", "agreement", "curves", "concordance", "probabilities"),
    "Numbers": ("numbers", "forecasts"),
    "Texts": ("text",),
    "Spans and events": ("spans",),
    "Masks and boxes": ("images",),
}
OF_PACKAGES = "Of installed packages"
NEEDED = {  # values of parameters that must be given, for the lines of challenge.yaml
    "k": 10, "p": 0.8, "beta": 2, "recall": 0.5, "cutoffs": (5, 10), "o": 5,
    "expected": 100, "tolerance": 0.2, "tolerances": (12, 36),
    "quantiles": {"low": 0.1, "prediction": 0.5},
}  # fmt: skip
COMMON_KEYS: dict[str, str] = yaml.safe_load((DOCS / "keys.yaml").read_text("utf-8"))
FILES = ("truth", "lists", "items", "history", "exclude", "likelihood", "folds")  # sections
SHIM = re.compile(r'<script src="https://unpkg\.com/iframe-worker/shim"></script>')
PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
BUILT = re.compile(r"<!-- built: (\w+) -->")
PRINTED = ("demo", "bad", "speed")  # by tests/readme.py
FAMILIES = {
    "S": "A submission, or an entry of a living board",
    "T": "The truth, and the organizer's other files",
    "C": "challenge.yaml",
    "V": "Votes on pairs of systems",
}


def metric_index() -> str:
    """The metrics by their tasks, each with a link to its page; pictures of families."""
    by_task: dict[str, list[str]] = {task: [] for task in TASKS}
    for path, metric in pages_of_metrics().items():
        module = metric.function.__module__.rpartition(".")[2]
        task = next((task for task, modules in TASKS.items() if module in modules), OF_PACKAGES)
        by_task.setdefault(task, []).append(
            f"| [`{format_notation(metric)}`]({path}) | {metric.title} "
            f"| {_cell(first_sentence(metric))} |"
        )
    parts = []
    for task, rows in by_task.items():
        head = (
            f"\n## {task}\n{drawings.family(task)}\n| metric | name | what it says |\n|---|---|---|"
        )
        parts += [head, *rows]
    return "\n".join([*parts, ""])


def pages_of_metrics() -> dict[str, Metric]:
    """The metrics by the paths of their pages; one function for two kinds of challenge has one."""
    pages: dict[str, Metric] = {}
    for metric in metrics():
        pages.setdefault(page_of(metric), metric)
    return pages


def page_of(metric: Metric) -> str:
    """The path of a metric's page, beside docs/metrics.md."""
    return f"metrics/{metric.function.__name__}.md"


def metric_page(metric: Metric) -> str:
    """A metric: what it says, its formula, an example, its parameters, its names, sources."""
    formula = "\n".join(map(mathml, formula_lines(metric)))
    entries = "\n\n".join(bibtex_of(metric).values())
    return "\n\n".join(
        [
            f"# {metric.name}: {metric.title}",
            page_prose(metric),
            f'<div class="formula">\n{formula}\n</div>',
            "[The letters](../metrics.md#letters-of-formulas)",
            *([f"## An example\n\n{_fenced(made)}"] if (made := metric_example(metric)) else []),
            _parameters(metric),
            f"## In challenge.yaml\n\n~~~yaml\n{snippet(metric)}~~~",
            _facts(metric),
            _in_other_tools(metric),
            f"## Source\n\n{_cell(metric.source)}.\n\n~~~bibtex\n{entries}\n~~~",
        ]
    )


def _facts(metric: Metric) -> str:
    """Range, direction, when there is no value, and ties, as a table."""
    ties = "read from ranks"
    if "expected" in metric.ties:
        ties = "read from ranks; `ties: expected` is exact"
    if metric.truth_order == "strict":
        ties = "a truth without equal grades"
    rows = {
        "kinds of challenge": ", ".join(sorted(all_kinds(metric))),
        "range": format_range(metric),
        "better": metric.better,
        "over lists or rows": aggregate_of_lists(metric),
        "no value": f"where {metric.undefined}" if metric.undefined else "it always has one",
        "ties of scores": ties if "grades" in metric.kinds else "",
        "needs": ", ".join(metric.columns),
        "also called": ", ".join(metric.aliases),
    }
    told = [f"| {term} | {_cell(text)} |" for term, text in rows.items() if text]
    return "\n".join(["## Facts\n\n| | |\n|---|---|", *told])


def _parameters(metric: Metric) -> str:
    rows = []
    for name, parameter in describe_parameters(metric).items():
        default = "must be given" if parameter.required else f"`{format_value(parameter.default)}`"
        rows.append(f"| `{name}` | {default} | {_cell(parameter.description)} |")
    head = "## Parameters\n\n| parameter | default | meaning |\n|---|---|---|"
    return "\n".join([head, *rows]) if rows else "It has no parameters."


def snippet(metric: Metric) -> str:
    """The line of challenge.yaml that asks for a metric."""
    fields = metric.parameters.model_fields.items()
    needed = {name: NEEDED[name] for name, field in fields if field.is_required()}
    made = parse_measure(metric, metric.name, needed)
    if any(isinstance(value, tuple | dict) for value in needed.values()):
        return yaml.safe_dump(
            {"metrics": [{"metric": metric.name} | {k: _plain(v) for k, v in needed.items()}]},
            default_flow_style=None,
            sort_keys=False,
        )
    return yaml.safe_dump({"metrics": [made.name]}, default_flow_style=None)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _in_other_tools(metric: Metric) -> str:
    rows = [
        f"| {tool} | {', '.join(f'`{name}`' for name in names)} | {remark} |"
        for tool, names, remark in tool_names(metric)
    ]
    head = "## In other tools\n\n| tool | name | how it differs |\n|---|---|---|"
    return "\n".join([head, *rows]) if rows else ""


def code_pages() -> str:
    """Every problem code, what `score rule` prints of it as prose, with an anchor such as #s304."""
    parts, family = [], ""
    for code in sorted(
        codes().values(), key=lambda code: ("STCV".find(code.code[0]) % 5, code.code)
    ):
        if code.code[0] != family:
            family = code.code[0]
            parts.append(f"## {family}: {FAMILIES.get(family, 'Of a plugin')}\n")
        parts.append(
            f"### {code.code}: {_prose(code.title)} {{ #{code.code.lower()} }}\n\n"
            f"*{code.severity}* · {_prose(code.meaning)}\n\n{_fenced(code.example)}\n"
            f"**What to do:** {_prose(code.fix)}\n"
        )
    return "\n".join(parts)


def common_keys() -> str:
    """The keys of challenge.yaml that most challenges need, each with an example."""
    rows = {row.path: row for row in list_keys()}
    parts = [
        f"| `{key}` | {_cell(rows[key].about)} | `{_cell(example)}` |"
        for key, example in COMMON_KEYS.items()
    ]
    return "\n".join(["\n| key | what it says | example |\n|---|---|---|", *parts, ""])


def other_keys() -> str:
    """All other keys of challenge.yaml, those that several sections have once."""
    places: dict[tuple[str, ...], dict[str, str]] = {}  # a row's texts: path -> section
    for row in list_keys():
        texts = tuple(map(_cell, (row.name, row.about, row.value, row.default)))
        places.setdefault(texts, {})[row.path] = row.section
    parts = []
    for (key, about, value, default), sections in places.items():
        if {*sections} <= {*COMMON_KEYS}:
            continue
        names, shown = [*sections.values()], []
        if {*FILES} <= {*names}:
            shown = ["each file"]
            names = [name for name in names if name.partition(".")[0] not in FILES]
        shown += [f"`{name}`" if name else "the file" for name in names]
        parts.append(f"| `{key}` | {', '.join(shown)} | {about} | {value} | {default} |")
    head = "\n| key | in | what it says | value | default |\n|---|---|---|---|---|"
    return "\n".join([head, *parts, ""])


def commands() -> str:
    """Every command with its options, as `score COMMAND --help` prints it."""
    parts = []
    for name in (DEFAULT, *(verb for group in (MAIN | OTHERS).values() for verb in group)):
        words = [PROGRAM] if name == DEFAULT else [PROGRAM, name]
        with command(name).make_context(" ".join(words), [], resilient_parsing=True) as context:
            context.terminal_width = 100
            help = command(name).get_help(context).partition("\n  Prepare and compare:")[0]
        parts.append(f"### {' '.join(words)}\n\n{_fenced(help.replace(chr(8), ''))}")
    return "\n".join(parts)


def results() -> str:
    """A row for each result that is written as JSON."""
    rows = [
        f"| `{name}` | {_cell((resolve_name(record).__doc__ or '').split(chr(10))[0])} |"
        for name, record in RESULTS.items()
    ]
    return "\n".join(["\n| schema | what it is |\n|---|---|", *rows, ""])


def functions() -> str:
    """The docstring of each public function and class, and of what Report and Board have."""
    named = [
        "evaluate",
        "score",
        "check",
        "fix",
        "compare",
        "explain",
        "lint",
        "study",
        "values",
        "votes",
        "init",
        "kit",
        "paper",
        "feedback",
        "export_bundle",
        "describe_metric",
        "list_metrics",
        "load",
    ]
    parts = [_described(f"scorer.{name}", getattr(scorer, name)) for name in named]
    classes = (scorer.Report, scorer.Board, scorer.Challenge, scorer.NewChallenge)
    for kind in (*classes, scorer.SubmissionFile):
        parts.append(f"## scorer.{kind.__name__}\n\n{_fenced(inspect.getdoc(kind) or '')}")
        has_members = kind in (scorer.Report, scorer.Board)
        for name, member in inspect.getmembers(kind) if has_members else ():
            if name.startswith("_") or not member.__doc__:
                continue
            if callable(member):
                parts.append(_described(f"{kind.__name__}.{name}", member, level=3))
            elif isinstance(member, property):
                parts.append(f"### {kind.__name__}.{name}\n\n{_fenced(member.__doc__)}")
    return "\n".join(parts)


def _described(name: str, function: Any, level: int = 2) -> str:
    signature = inspect.signature(function)
    plain = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature))  # annotations are kept as text
    head = f"{name.rpartition('.')[2]}{plain}"
    return f"{'#' * level} {name}\n\n" + _fenced(f"{head}\n\n{inspect.getdoc(function) or ''}")


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "&lt;")


def _prose(text: str) -> str:
    """A text in which no sign but those round code means something in Markdown."""
    parts = re.split(r"(`[^`]*`)", text.strip())
    parts[::2] = [re.sub(r"([\\*_{}\[\]])", r"\\\1", html.escape(part)) for part in parts[::2]]
    return "".join(parts)


def _fenced(text: str) -> str:
    return f"~~~text\n{text.rstrip()}\n~~~\n"


def pictures() -> str:
    """The gallery: each picture of a board, with its command and its caption."""
    return drawings.gallery()


def result_of(tool: str) -> str:
    """The picture of a tool's made results."""
    return f"![{elsewhere.TOOLS[tool][0]}: three made systems]({drawings.FOLDER}/{tool}.svg)"


def way(platform: str) -> str:
    """The picture of a submission's way through a platform."""
    figure = elsewhere.way(platform)
    return f"![{figure.title}: {figure.caption}]({drawings.FOLDER}/{figure.key}.svg)"


def as_word(name: str) -> str:
    """The name of a platform or a tool in the names of its parts."""
    return name.replace("-", "_")


PARTS = {
    "boards": drawings.board_gallery,
    "pictures": pictures,
    "commands": commands,
    "results": results,
    "metrics": metric_index,
    "codes": code_pages,
    "common_keys": common_keys,
    "other_keys": other_keys,
    "functions": functions,
    **{f"results_{as_word(tool)}": partial(result_of, tool) for tool in elsewhere.TOOLS},
    **{f"way_{as_word(name)}": partial(way, name) for name in elsewhere.PLATFORMS},
    **{
        f"unsupported_{as_word(name)}": partial(elsewhere.unsupported, name)
        for name in elsewhere.PLATFORMS
    },
}


def filled_in(text: str) -> str:
    """A page with its generated parts as they should be."""
    return PART.sub(_filled_part, text)


def _filled_part(part: re.Match[str]) -> str:
    if part[2] in PRINTED:
        return part[0]
    return part[1] + "\n" + PARTS[part[2]]() + "\n" + part[3]


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A page of the site with all its parts; MkDocs calls it."""
    return BUILT.sub(lambda part: PARTS[part[1]](), markdown)


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """The site's files with a page for each metric and with the pictures; MkDocs calls it."""
    from mkdocs.structure.files import File

    for path, metric in pages_of_metrics().items():
        files.append(File.generated(config, path, content=metric_page(metric)))
    for path, svg in drawings.files().items():
        files.append(File.generated(config, path, content=svg))
    return files


def on_post_page(output: str, **_: Any) -> str:
    """A page whose search asks no other server for what runs it; MkDocs calls it."""
    return SHIM.sub(lambda _: f"<script>\n{(DOCS / 'worker.js').read_text()}</script>", output)


if __name__ == "__main__":
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if (new := filled_in(text)) != text:
            path.write_text(new, encoding="utf-8")
