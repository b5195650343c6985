"""Made results of evaluation tools and bundles for platforms, and the pictures of both.

The results are of made systems, in the forms that the tools write; the tests play the commands of
the pages with them.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import scorer
from scorer.api.figures import drawings
from scorer.api.text import content_of
from scorer.api.value_tables import ValueOptions
from scorer.api.values import read_values
from scorer.challenge.load import load
from scorer.export.base import Bundle
from scorer.export.bundle import EXPORTERS, make_context
from scorer.reports.charts import svg
from scorer.reports.charts.svg import LINE, Canvas
from scorer.reports.document import Picture
from scorer.scoring.bind import bind

COURSE = Path(__file__).parent.parent / "challenges" / "course-2026"
PLATFORMS = {
    "codabench": "Codabench",
    "evalai": "EvalAI",
    "grand-challenge": "Grand Challenge",
    "tira": "TIRA",
    "gradescope": "Gradescope",
    "github-classroom": "GitHub Classroom",
}
MILLIMETRES = 160.0
SYSTEMS = {"small": 0.4, "medium": 0.6, "large": 0.75}
TASKS = ("law", "physics", "history", "logic")
CASES = range(10)  # of each task
STARTED = "2026-01-02T03-04-05.678901"
HEAD, EDGE, GAP = 24.0, 7.0, 20.0  # of a box, and between two
# platform -> what runs the bundle there, and what becomes of a submission
RUNS = {
    "codabench": (("a container of the worker's", "python3 bridge.py", "score"),
                  ("scores.json: a column a measure", "a page", "at most 50 problems")),
    "evalai": (("remote worker, or theirs", "evaluate()", "score"),
               ("a result a split", "at most 50 problems")),
    "grand-challenge": (("the phase's container", "app.py or bridge.py", "score"),
                        ("metrics.json", "the last line alone")),
    "tira": (("the evaluator's image", "bridge.py", "score"),
             ("evaluation.prototext", "at most 50 problems")),
    "gradescope": (("autograder on Ubuntu", "run_autograder", "score"),
                   ("points", "leaderboard", "at most 50 problems")),
    "github-classroom": (("a workflow, on push", "bridge.py", "score"),
                         ("points", "at most 50 problems")),
}  # fmt: skip

Written = Iterator[tuple[str, str]]


@cache
def right() -> dict[tuple[str, str, int], float]:
    """Whether each system is right in each case, by chance."""
    chance = random.Random(7)
    hard = {(task, n): chance.gauss(0, 0.2) for task in TASKS for n in CASES}
    return {(system, *case): float(chance.random() < able + ease)
            for system, able in SYSTEMS.items() for case, ease in hard.items()}  # fmt: skip


def _lm_eval() -> Written:
    for system in SYSTEMS:
        for task in TASKS:
            rows = [
                {"doc_id": n, "doc": {}, "target": "A", "arguments": {}, "resps": [["A"]],
                 "filtered_resps": ["A"], "filter": "none", "metrics": ["acc"],
                 "acc": right()[system, task, n]} for n in CASES
            ]  # fmt: skip
            text = "".join(f"{json.dumps(row)}\n" for row in rows)
            yield f"{system}/samples_mmlu_{task}_{STARTED}.jsonl", text


def _helm() -> Written:
    for system in SYSTEMS:
        for task in TASKS:
            name = {"name": "exact_match", "split": "test"}
            stats = [
                {"instance_id": f"id{n}", "train_trial_index": 0,
                 "stats": [{"name": name, "count": 1, "mean": right()[system, task, n]}]}
                for n in CASES
            ]  # fmt: skip
            folder = f"mmlu:subject={task},model=org_{system}"
            yield f"{folder}/per_instance_stats.json", json.dumps(stats)


def _swe_bench() -> Written:
    for system in SYSTEMS:
        ids = {True: [], False: []}  # type: dict[bool, list[str]]
        for task in TASKS:
            for n in CASES:
                ids[bool(right()[system, task, n])].append(f"{task}__{task}-{n}")
        report = {"total_instances": len(ids[True] + ids[False]), "schema_version": 2,
                  "resolved_instances": len(ids[True]), "resolved_ids": ids[True],
                  "unresolved_ids": ids[False],
                  "completed_ids": [*ids[True], *ids[False]]}  # fmt: skip
        yield f"{system}.run1.json", json.dumps(report)


def _inspect() -> Written:
    for system in SYSTEMS:
        for task in TASKS:
            samples = [
                {"id": n, "epoch": 1,
                 "scores": {"match": {"value": "C" if right()[system, task, n] else "I"}}}
                for n in CASES
            ]  # fmt: skip
            of = {"run_id": "r", "task": f"made/{task}", "model": f"org/{system}"}
            log = {"version": 2, "status": "success", "eval": of, "samples": samples}
            yield f"{system}_{task}.json", json.dumps(log)


def _mteb() -> Written:
    chance = random.Random(8)
    for system, able in SYSTEMS.items():
        yield f"{system}/model_meta.json", json.dumps({"name": f"org/{system}"})
        for n in range(12, 22):
            scores = [{"hf_subset": "default", "main_score": able + chance.gauss(0, 0.1)}]
            task = {"task_name": f"STS{n}", "mteb_version": "1.38.0", "dataset_revision": "1",
                    "scores": {"test": scores}}  # fmt: skip
            yield f"{system}/STS{n}.json", json.dumps(task)


TOOLS: dict[str, tuple[str, Callable[[], Written]]] = {  # folder of its results -> its name
    "lm-eval": ("lm-evaluation-harness", _lm_eval),
    "helm": ("HELM", _helm),
    "swe-bench": ("SWE-bench", _swe_bench),
    "inspect": ("Inspect", _inspect),
    "mteb": ("MTEB", _mteb),
}


def write_results(tool: str, folder: Path) -> Path:
    """Write the made results of a tool into a folder of theirs."""
    for name, text in TOOLS[tool][1]():
        path = folder / tool / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / tool


@cache
def forest_of(tool: str) -> str:
    """The forest plot of a tool's made results, as SVG."""
    with tempfile.TemporaryDirectory() as place:
        results = write_results(tool, Path(place))
        challenge, systems, _ = read_values([scorer.SubmissionFile(tool, results)], ValueOptions())
        report = content_of(scorer.score(challenge, systems))
        (drawing, *_) = drawings(report, "forest", f"{MILLIMETRES:g}mm")
        return drawing.svg()


@cache
def bundles() -> dict[str, Bundle]:
    """The bundle of the course's challenge for each platform."""
    context = make_context(bind(load(COURSE)), "IMAGE")
    return {name: EXPORTERS[name](context) for name in PLATFORMS}


def way(platform: str) -> Picture:
    """The way of a submission through a platform."""
    tops = {name.partition("/")[0] + "/" * ("/" in name) for name in bundles()[platform].files}
    runs, seen = RUNS[platform]
    steps = [("challenge", ["challenge.yaml", "the truth", "other files"]),
             ("bundle", sorted(tops)), ("there", runs), ("participants", seen)]  # fmt: skip
    title = f"A challenge on {PLATFORMS[platform]}"
    caption = "What is exported, what of it runs there, and what participants are shown."
    return Picture(f"platform-{platform}", title, caption, partial(_boxes, steps))


def _boxes(steps: Sequence[tuple[str, Sequence[str]]], wide: float) -> Canvas:
    each = (wide - GAP * (len(steps) - 1)) / len(steps)
    texts = [[row for line in lines for row in svg.wrap_text(line, each - 2 * EDGE)]
             for _, lines in steps]  # fmt: skip
    tall = HEAD + LINE * max(map(len, texts)) + EDGE
    parts = []
    for n, ((title, _), rows) in enumerate(zip(steps, texts, strict=True)):
        x = n * (each + GAP)
        parts += [
            svg.draw_rect(x, 0, each, tall, "band"),
            svg.draw_text(x + EDGE, 16, title, "head"),
        ]
        parts += [
            svg.draw_text(
                x + EDGE, HEAD + LINE * at + 10, svg.fit_text(row, each - 2 * EDGE), "soft"
            )
            for at, row in enumerate(rows)
        ]
        if n:
            left, right_, middle = x - GAP + 3, x - 3, tall / 2
            parts += [svg.draw_line(left, middle, right_, middle, "axis"),
                      svg.draw_path(f"M{right_ - 5} {middle - 4}L{right_} {middle}"
                                f"L{right_ - 5} {middle + 4}", "axis")]  # fmt: skip
    return Canvas(tall + 2, "".join(parts))


def unsupported(platform: str) -> str:
    """What a platform does not have of the course's challenge, and what is to be done there."""
    bundle = bundles()[platform]
    steps = [f"  `{each.strip()}`" if each[0] == " " else f"- {each}" for each in bundle.next_steps]
    return "\n".join(
        [*(f"- {each}" for each in bundle.unsupported), "", "What is left to do:", "", *steps]
    )
