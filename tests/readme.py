"""What README.md and some pages show of runs: `python tests/readme.py` makes it anew.

That is the output of commands, and two pictures of the bundled challenge's board: as a terminal
shows it, and the forest plot of its report.
"""

import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

import scorer
from scorer.api.text import content_of
from scorer.reports.charts.svg import svg_file
from scorer.reports.leaderboard.figures import forest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
SHOWING = (README, ROOT / "docs/reading.md", ROOT / "docs/index.md")
DEMO = ["score", "challenges/course-2026", "submissions_example/course-2026/good", "--split", "all"]
SETS = {  # of benchmarks/README.md
    "tiny": "3 lists of 10 items",
    "S": "one run of 50 lists of 1,000",
    "M": "one run of 1,000 lists of 1,000",
    "M-shuffled": "the same, its rows shuffled",
    "MANY": "100 runs of 50 lists of 1,000",
    "L": "one run of 10,000 lists of 1,000",
    "R": "long CSV, 1,000,000 users with 10 items each",
}
ON_TERMINAL = """
import sys
from scorer.cli import main
main.is_terminal = lambda stream: stream is sys.stdout
sys.exit(main.run(sys.argv[1:]))
"""
PART = re.compile(r"(<!-- made: (demo|bad|speed) -->\n).*?(<!-- end -->)", re.DOTALL)


def shown(*words):
    """A command and what it prints, as a block of text."""
    ended = subprocess.run(
        [sys.executable, "-c", ON_TERMINAL, *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", "NO_COLOR": "1"},
    )
    return f"```text\n$ {' '.join(words)}\n{ended.stderr}{ended.stdout}```\n"


def demo():
    good = sorted((ROOT / "submissions_example/course-2026/good").iterdir())
    words = ["score", "challenges/course-2026", *(str(path.relative_to(ROOT)) for path in good)]
    words += ["--split", "all", "--notes"]
    block = shown(*words)
    good = "submissions_example/course-2026/good/*"
    short = f"score challenges/course-2026 {good} --split all --notes"
    return block.replace(" ".join(words), short)


def speed():
    """The ratios to pytrec_eval, as benchmarks/results.md has them."""
    measured = (ROOT / "benchmarks/results.md").read_text(encoding="utf-8")
    rows, name = [], ""
    for line in measured.partition("## Sets")[2].partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        name = cells[0] or name if cells else name
        if len(cells) > 6 and cells[1] == "pytrec_eval":
            rows.append(f"| {SETS[name]} | {cells[3].split()[0]} | {cells[5]} |")
    head = ["| set | wall time | memory |", "|---|---:|---:|"]
    return "\n".join([*head, *rows]) + "\n"


def bad():
    return shown(
        "score", "check", "challenges/vlnet-2011",
        "submissions_example/vlnet-2011/bad/three_faults.csv",
    )  # fmt: skip


PARTS = {"demo": demo, "bad": bad, "speed": speed}


def made(text):
    """The README with its made parts as they should be."""
    return PART.sub(lambda part: part[1] + PARTS[part[2]]() + part[3], text)


def terminal():
    """The demo's board as a terminal shows it, as SVG without fonts of other servers."""
    ended = subprocess.run(
        [sys.executable, "-c", ON_TERMINAL, *DEMO[1:]],
        cwd=ROOT, capture_output=True, text=True, check=True,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100", "TERM": "xterm-256color"},
    )  # fmt: skip
    console = Console(record=True, width=100, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(ended.stdout), soft_wrap=True)
    made = console.export_svg(title=" ".join(DEMO), unique_id="board")
    return re.sub(r"@font-face \{.*?\}\s*", "", made, flags=re.DOTALL)


def drawn():
    """The forest plot of the demo's report."""
    good = sorted((ROOT / "submissions_example/course-2026/good").iterdir())
    (figure,) = forest(
        content_of(scorer.score(ROOT / "challenges/course-2026", good, splits=["all"])), 4
    )
    return svg_file(figure.drawn(720), 720, 190.5)


PICTURES = {"docs/terminal.svg": terminal, "docs/forest.svg": drawn}


if __name__ == "__main__":
    for name, make in PICTURES.items():
        (ROOT / name).write_text(make(), encoding="utf-8")
    for path in SHOWING:
        path.write_text(made(path.read_text(encoding="utf-8")), encoding="utf-8")
