"""The pictures of these pages, drawn when the site is built: the gallery, and families of measures.

No line of a family is drawn from a formula: each value is what `scorer.evaluate` gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import elsewhere

import scorer
from scorer.api.figures import drawings
from scorer.api.text import content_of
from scorer.reports.charts import svg
from scorer.reports.charts.svg import BOTTOM, LINE, TOP, Axis, Canvas
from scorer.reports.document import Picture
from scorer.reports.leaderboard.figures import KINDS

ROOT = Path(__file__).parent.parent
FOLDER = "pictures"  # of the site
EXAMPLES = ("course-2026", "diabetes", "iris")  # a picture is of the first challenge that has it
BOARDS = {  # challenge -> what it is an example of
    "course-2026": "A course recommends books: rankings with grades",
    "trec": "A TREC task: runs against qrels",
    "diabetes": "Numbers for the rows of a table",
    "iris": "Classes for the rows of a table, with probabilities",
    "gallery/organ-values": "Values of segmentations that another program measured",
    "gallery/tweet-extraction": "Parts of texts",
}
WIDE, TALL, MILLIMETRES = 605.0, 190.0, elsewhere.MILLIMETRES  # of a picture
SAMPLE = 18.0  # of a line beside its name
LOOKS = ("line", "line other", "line ink", "line soft")
RANKS = range(1, 21)
RELEVANT = (2, 3, 6, 10, 17)  # the ranks of the relevant items of the list that is cut off
NEAR = 1e-9  # lines that differ by less are one
PENALTIES = 41  # values of a line that is no step a rank

Lines = Mapping[str, Sequence[float]]


class Shown(NamedTuple):
    """A picture of the gallery."""

    kind: str
    key: str
    title: str
    caption: str
    challenge: str
    svg: str

    @property
    def name(self) -> str:
        """The name of its section and its file here."""
        return self.kind if self.key == self.kind else f"{self.kind}-{self.key}"

    @property
    def command(self) -> str:
        """What draws it."""
        files = f"challenges/{self.challenge} submissions_example/{self.challenge}/good"
        return f"score paper --figures {self.kind} -o paper {files}"


@cache
def shown() -> tuple[Shown, ...]:
    """Each sort of picture of each kind, in the order of the kinds."""
    found: dict[tuple[str, str], Shown] = {}
    for name in EXAMPLES:
        files = sorted((ROOT / "submissions_example" / name / "good").iterdir())
        report = content_of(scorer.score(ROOT / "challenges" / name, files)).published()
        for kind in KINDS:
            for drawing in drawings(report, kind, f"{MILLIMETRES:g}mm"):
                key = re.sub(r"-\d+$", "", drawing.key)
                said = drawing.title, drawing.figure.caption
                each = Shown(kind, key, *said, name, drawing.svg())
                found.setdefault((kind, key), each)
    order = [*KINDS]
    return tuple(sorted(found.values(), key=lambda one: order.index(one.kind)))


class Board(NamedTuple):
    """A board of the gallery, with the picture of its intervals."""

    title: str
    challenge: str
    figure: Picture
    svg: str

    @property
    def key(self) -> str:
        """The name of its file."""
        return f"board-{self.challenge.rpartition('/')[2]}"

    @property
    def command(self) -> str:
        """What prints the board."""
        return f"score challenges/{self.challenge} submissions_example/{self.challenge}/good"


@cache
def boards() -> tuple[Board, ...]:
    """Boards of six kinds of challenges, in the order of BOARDS."""
    made = []
    for challenge, title in BOARDS.items():
        files = sorted((ROOT / "submissions_example" / challenge / "good").iterdir())
        report = content_of(scorer.score(ROOT / "challenges" / challenge, files)).published()
        (drawing,) = drawings(report, "forest", f"{MILLIMETRES:g}mm")
        made.append(Board(title, challenge, drawing.figure, drawing.svg()))
    return tuple(made)


def board_gallery() -> str:
    """Six boards, each with what it is an example of, its picture and its command."""
    return "\n".join(
        f"### {board.title}\n\n![{board.figure.title}]({FOLDER}/{board.key}.svg)\n\n"
        f"{escaped(board.figure.caption)}\n\n~~~sh\n{board.command}\n~~~\n"
        for board in boards()
    )


def gallery() -> str:
    """Each picture with its command and its caption."""
    parts = []
    for one in shown():
        parts.append(
            f"### {one.name}\n\n![{one.title}]({FOLDER}/{one.name}.svg)\n\n"
            f"{escaped(one.caption)}\n\n~~~sh\n{one.command}\n~~~\n"
        )
    return "\n".join(parts)


def family(task: str) -> str:
    """The pictures of a task's measures, each with its caption."""
    return "".join(
        f"\n![{figure.title}]({FOLDER}/{figure.key}.svg)\n\n*{escaped(figure.caption)}*\n"
        for figure in (make() for make in FAMILIES.get(task, ()))
    )


def files() -> dict[str, str]:
    """The path of each picture in the site, and its SVG."""
    made = {one.name: one.svg for one in shown()}
    made |= {board.key: board.svg for board in boards()}
    for figure in (make() for makes in FAMILIES.values() for make in makes):
        made[figure.key] = svg.svg_file(figure.drawn(WIDE), WIDE, MILLIMETRES)
    for platform in elsewhere.PLATFORMS:
        figure = elsewhere.way(platform)
        made[figure.key] = svg.svg_file(figure.drawn(WIDE), WIDE, MILLIMETRES)
    made |= {tool: elsewhere.forest_of(tool) for tool in elsewhere.TOOLS}
    return {f"{FOLDER}/{key}.svg": svg for key, svg in made.items()}


def discount() -> Picture:
    """How much an item counts at each rank."""
    caption = (
        "The value of a list with one relevant item, as a share of its value where that item is "
        "first. With a slow fall, as of DCG, later ranks still count; with a steep one the first "
        "decides; P counts all ranks above its cut-off alike and none below."
    )
    axes = "rank of the relevant item", "share of the value at rank 1"
    return _figure("discount", "How an item counts by its rank", caption, axes, RANKS, counted())


def counted() -> Lines:
    """The value of a list with one relevant item, by its rank, as a share of the value at 1."""
    truth = {f"{rank}": {"one": 1} for rank in RANKS}
    others = [f"other {n}" for n in RANKS][1:]
    run = {f"{rank}": [*others[: rank - 1], "one", *others[rank - 1 :]] for rank in RANKS}
    names = ["DCG", "nDCG", "RR", "AP", "ERR", "RBP(p=0.8)", "P@10"]
    report = scorer.evaluate(truth, {"run": run}, names)
    lines = {}
    for name in names:
        values = report.per_list("run", name)
        lines[name] = [values[f"{rank}"] / values["1"] for rank in RANKS]
    return _merged(lines)


def cutoff() -> Picture:
    """What a cut-off does to one list."""
    items = [f"{rank}" for rank in RANKS]
    names = {name: [f"{name}@{k}" for k in RANKS] for name in ("P", "R", "AP", "nDCG")}
    asked = [notation for each in names.values() for notation in each]
    truth = {"list": {f"{rank}": 1 for rank in RELEVANT}}
    report = scorer.evaluate(truth, {"run": {"list": items}}, asked)
    lines = {f"{name}@k": [report.mean("run", n) for n in each] for name, each in names.items()}
    ranks = f"{', '.join(map(str, RELEVANT[:-1]))} and {RELEVANT[-1]}"
    caption = (
        f"One list, whose {len(RELEVANT)} relevant items stand at ranks {ranks}. P is a share of "
        "the k ranks and falls where nothing relevant follows; R never falls; nDCG falls only "
        "while the best k could still have been better."
    )
    axes = "cut-off k", "value"
    return _figure("cutoff", "What a cut-off does", caption, axes, RANKS, lines)


def sureness() -> Picture:
    """What the probability of the true class costs."""
    sure = [n / (PENALTIES + 1) for n in range(1, PENALTIES + 1)]
    lines = {
        name: [_alone([1, 0], [p, 1 - p], name) for p in sure] for name in ("LogLoss", "Brier")
    }
    caption = (
        "The loss of a prediction by the probability that it gives the true one of two classes. "
        "LogLoss has no bound for who is sure and wrong; the Brier score has."
    )
    axes = "probability of the true class", "loss"
    return _figure("sureness", "What a probability costs", caption, axes, sure, lines)


def error() -> Picture:
    """What an error of a number costs."""
    errors = [n / 10 - 2 for n in range(PENALTIES)]
    names = {"MSE": "MSE", "MAE": "MAE", "Pinball(quantile=0.9)": "Pinball(0.9)", "RMSLE": "RMSLE"}
    lines = {
        shown: [_alone([3.0], [3.0 + e], name) for e in errors] for name, shown in names.items()
    }
    caption = (
        "The loss of one row, whose true number is 3. MSE takes large errors for much worse than "
        "small ones; a quantile loss takes too little for worse than too much; a logarithm counts "
        "ratios, so that as much below costs more than above."
    )
    axes = "predicted minus true", "loss"
    return _figure("error", "What an error costs", caption, axes, errors, lines)


def _alone(truth: Sequence[float], answers: Sequence[float], name: str) -> float:
    value: float = scorer.evaluate(truth, {"run": answers}, [name]).mean("run", name)
    return value


def _figure(
    key: str, title: str, caption: str, axes: tuple[str, str], x: Sequence[float], lines: Lines
) -> Picture:
    merged = _merged(lines)
    return Picture(key, title, caption, lambda wide: _plot(axes, x, merged, wide))


def _merged(lines: Lines) -> dict[str, Sequence[float]]:
    """The lines, those that are equal as one with all their names."""
    found: dict[str, Sequence[float]] = {}
    for name, values in lines.items():
        same = next((n for n, of in found.items() if _near(of, values)), None)
        if same is None:
            found[name] = values
        else:
            found = {f"{n}, {name}" if n == same else n: of for n, of in found.items()}
    return found


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) < NEAR for a, b in zip(one, other, strict=True))


def _plot(axes: tuple[str, str], x: Sequence[float], lines: Lines, width: float) -> Canvas:
    bottom = TOP + TALL
    right = width - SAMPLE - 14 - svg.names_width(lines, width / 3)
    highest = max(max(values) for values in lines.values())
    x_axis, y_axis = Axis(x[0], x[-1], 34, right), Axis(0.0, 1.02 * highest, bottom, TOP)
    marks = svg.y_marks(0.0, 1.02 * highest, TALL)
    parts = [
        svg.draw_y_axis(y_axis, 34, right, axes[1], marks, width),
        svg.draw_x_axis(x_axis, TOP, bottom, axes[0]),
    ]
    ends = [y_axis.at(values[-1]) for values in lines.values()]
    places = spread(ends, LINE, TOP + 4, bottom)
    for look, y, (name, values) in zip(LOOKS, places, lines.items(), strict=False):
        text = svg.fit_text(name, width - right - 10 - SAMPLE)
        placed = [(x_axis.at(a), y_axis.at(b)) for a, b in zip(x, values, strict=True)]
        parts += [
            svg.draw_polyline(placed, look),
            svg.draw_line(right + 6, y, right + 6 + SAMPLE, y, look),
            svg.draw_text(right + 10 + SAMPLE, y + 4, text),
        ]
    return Canvas(bottom + BOTTOM, "".join(parts))


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places at least `gap` apart, near the wanted ones and in their order."""
    order = sorted(range(len(wanted)), key=lambda n: wanted[n])
    placed = [0.0] * len(wanted)
    free = low
    for n in order:
        placed[n] = free = max(wanted[n], free)
        free += gap
    free = high
    for n in reversed(order):
        placed[n] = min(placed[n], free)
        free = placed[n] - gap
    return placed


def escaped(text: str) -> str:
    """Text in which Markdown sees no marks."""
    return re.sub(r"([*_<|\[\]])", r"\\\1", text)


FAMILIES: dict[str, tuple[Callable[[], Picture], ...]] = {
    "Ranked lists": (discount, cutoff),
    "Classes": (sureness,),
    "Numbers": (error,),
}
