"""What `make test` takes: wall time, CPU time of all its processes, and the tests that take most.

    python benchmarks/tests.py --output benchmarks/tests.md

Wall time means something on an idle machine alone; CPU time also on one that is in use.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
NOT_RUN = ("peers", "platforms", "containers", "browser")  # folders that `make test` leaves out
WORDS = "-q -n auto --dist worksteal --durations=15"
LINE = re.compile(r"^([0-9.]+)s (call|setup) +(\S+)", re.M)


def main() -> int:
    """Run the fast tests once, print what they took, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--everything", action="store_true", help="as make test-all, slow ones too")
    parser.add_argument("--output", type=Path, help="what they took, as Markdown")
    options = parser.parse_args()
    words = [*WORDS.split(), *(f"--ignore=tests/{name}" for name in NOT_RUN)]
    words += [] if options.everything else ["-m", "not slow"]
    environment = os.environ | ({"EVERYTHING": "1"} if options.everything else {})
    start = time.monotonic()
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    wall = time.monotonic() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    target = "test-all" if options.everything else "test"
    lines = [
        f"# What `make {target}` takes",
        "",
        f"`python benchmarks/tests.py{' --everything' if options.everything else ''}` on Python "
        f"{platform.python_version()}, {os.cpu_count()} cores: {ran.stdout.splitlines()[-1]}.",
        f"Wall time {wall:.0f} s; CPU time of all processes {used.ru_utime + used.ru_stime:.0f} s.",
        "",
        "| seconds | test |",
        "|---:|---|",
        *(f"| {seconds} | `{name}` |" for seconds, _, name in LINE.findall(ran.stdout)),
    ]
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
