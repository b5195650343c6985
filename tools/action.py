"""The step of action.yml: checks or scores $FILES for $CHALLENGE in a workflow of GitHub.

Marks go to stdout, the board as Markdown to $GITHUB_STEP_SUMMARY, the page to $PAGE. The exit code
is the one of `score`, or of `score compare` where $FAIL_IF_WORSE names the submission before.
"""

import os
import subprocess
import sys
from glob import glob


def main() -> int:
    """Run the commands, and give the exit code of the first that fails."""
    files = [path for line in lines("FILES") for path in sorted(glob(line)) or [line]]
    words = [os.environ["CHALLENGE"], *files]
    plugins = ["--allow-plugins"] if os.environ["ALLOW_PLUGINS"] == "true" else []
    page = ["-q", "--format", "html", "-o", os.environ["PAGE"]]
    if os.environ["CHECK"] == "true":
        score("check", *words, *plugins, *page, quiet=True)
        return score("check", *words, *plugins, "--format", "github")
    plugins += [word for metric in lines("METRICS") for word in ("-m", metric)]
    floors = [word for floor in lines("FAIL_UNDER") for word in ("--fail-under", floor)]
    code = score(*words, *plugins, *floors, "--format", "github")
    score(*words, *plugins, *page, quiet=True)
    score(*words, *plugins, "-q", "--format", "markdown", summary=True, quiet=True)
    before, margin = os.environ["FAIL_IF_WORSE"], os.environ["MARGIN"]
    if code or not before:
        return code
    margins = ["--margin", margin] if margin else []
    compared = ("compare", *words, before, *plugins, *margins, "--fail-if-worse")
    return score(*compared, "--format", "markdown", summary=True)


def lines(name: str) -> list[str]:
    """The lines of an input that say anything."""
    return [line.strip() for line in os.environ[name].splitlines() if line.strip()]


def score(*words: str, summary: bool = False, quiet: bool = False) -> int:
    """Run `score`; what it says on stderr becomes marks, unless it was said before."""
    ran = subprocess.run(["score", *words], capture_output=True, check=False)
    if summary:
        with open(os.environ.get("GITHUB_STEP_SUMMARY") or os.devnull, "ab") as file:
            file.write(ran.stdout)
    elif not quiet:
        sys.stdout.buffer.write(ran.stdout)
    for line in [] if quiet else ran.stderr.decode("utf-8", "replace").splitlines():
        print(f"::error::{line.removeprefix('error: ')}" if line.startswith("error: ") else line)
    sys.stdout.flush()
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
