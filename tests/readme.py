"""The parts of README.md that are made from the code: `python tests/readme.py` writes them anew."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PART = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def shown(*words):
    """A command and what it prints, as a block of text."""
    ended = subprocess.run(
        [Path(sys.executable).parent / words[0], *words[1:]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "COLUMNS": "100"},
    )
    return f"```text\n$ {' '.join(words)}\n{ended.stderr}{ended.stdout}```\n"


def metrics():
    from scorer.metrics.base import metrics as known
    from scorer.metrics.pages import table

    return table(known())


def demo():
    good = sorted((ROOT / "submissions_example/vlnet-2011/good").iterdir())
    words = ["score", "challenges/vlnet-2011", *(str(path.relative_to(ROOT)) for path in good)]
    block = shown(*words)
    short = "score challenges/vlnet-2011 submissions_example/vlnet-2011/good/*"
    return block.replace(" ".join(words), short)


def bad():
    return shown(
        "score", "check", "challenges/vlnet-2011",
        "submissions_example/vlnet-2011/bad/three_faults.csv",
    )  # fmt: skip


PARTS = {"metrics": metrics, "demo": demo, "bad": bad}


def made(text):
    """The README with its made parts as they should be."""
    return PART.sub(lambda part: part[1] + PARTS[part[2]]() + part[3], text)


if __name__ == "__main__":
    README.write_text(made(README.read_text(encoding="utf-8")), encoding="utf-8")
