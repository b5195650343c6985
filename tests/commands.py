"""Cases of commands, from pages of YAML: files, commands on them, and what they write.

A page has `files`, which each of its cases finds in the current folder, and `cases`:

    - name: what it shows
      files: {mine.csv: "list,item\\nq1,a\\n"}  # beside those of the page
      slow: why, if it takes a second or more
      environment: {FORCE_COLOR: "1"}
      run:
        - check challenge mine.csv  # ends with 0
        - {score: check challenge bad.csv, exit: 1, err: some words}

What is checked of a command: `out` and `err` are words that a stream holds, or several; `out_is`
and `err_is` are all of it; `lacks` are words that neither holds; `json` are values in its output
by their paths; `wrote` are the texts of files, where null says that there is no such file;
`begins` is how files begin, and `holds` are words in files, where a member of an archive is
kit.zip!README.md; `hides` are words that no member of an archive holds, nor its name. `stdin` is
what the command reads, and `files` are written before it.

`each` lists variants of the last command: what replaces its parts, `words` that are added to it,
and further `files`. `beyond` says how many of these are fast.

A file whose name ends in .gz is compressed. A file may be given as {text: .., encoding: ..}. null
leaves a file of the page out. A name that ends in a slash is a folder.
"""

import gzip
import shlex
import zipfile
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

PARTS = {"name", "files", "slow", "beyond", "environment", "run", "each"}
KEYS = {
    *("score", "files", "stdin", "exit", "out", "err", "out_is", "err_is", "lacks", "json"),
    *("wrote", "begins", "holds", "hides"),
}


def cases(folder):
    """Every case of the pages of a folder, as parameters of a test."""
    found = []
    for path in sorted(folder.glob("*.yaml")):
        page = yaml.safe_load(path.read_text(encoding="utf-8"))
        for case in page["cases"]:
            for n, variant in enumerate(case.get("each", [{}])):
                others = {key: variant[key] for key in variant.keys() - {"files", "words"}}
                files = page.get("files", {}) | case.get("files", {}) | variant.get("files", {})
                *before, last = map(step_of, as_list(case["run"]))
                words = f"{last['score']} {variant.get('words', '')}".strip()
                last = last | others | {"score": words}
                slow = "slow" in case and n >= case.get("beyond", 0)
                name = f"{path.stem}: {case['name']}" + (f" ({n})" if "each" in case else "")
                marks = pytest.mark.slow(case["slow"]) if slow else ()
                assert {*case} <= PARTS, case["name"]
                assert all({*step} <= KEYS for step in [*before, last]), case["name"]
                given = files, case.get("environment", {}), [*before, last]
                found.append(pytest.param(*given, id=name, marks=marks))
    return found


def step_of(command):
    return command if isinstance(command, dict) else {"score": command}


def as_list(given):
    return given if isinstance(given, list) else [given]


def write_files(files):
    for name, text in files.items():
        path = Path.cwd() / name
        folder = path if name.endswith("/") else path.parent
        folder.mkdir(parents=True, exist_ok=True)
        encoding = "utf-8"
        if isinstance(text, dict):
            text, encoding = text["text"], text["encoding"]
        if text is not None:  # a page's file that this case lacks
            data = text.encode(encoding)
            path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def play(files, steps, score):
    """Write the files, run the commands, and check what is said of each."""
    write_files(files)
    for step in steps:
        write_files(step.get("files", {}))
        words = shlex.split(step["score"].replace("$ROOT", str(ROOT)))
        ran = score(*words, stdin=step.get("stdin", "").encode())
        assert ran.code == step.get("exit", 0), ran
        for stream, text in (("out", ran.out), ("err", ran.err)):
            plain = " ".join(text.split())
            for part in as_list(step.get(stream, [])):
                assert part in text or part in plain, (stream, part, ran)
            for part in as_list(step.get("lacks", [])):
                assert part not in text, (stream, part, ran)
            assert text == step.get(f"{stream}_is", text), ran
        for path, value in step.get("json", {}).items():
            assert value_at(ran.json(ran.code), path) == approximate(value), (path, ran)
        for name, text in step.get("wrote", {}).items():
            assert read_file(name) == text, name
        for name, text in step.get("begins", {}).items():
            assert read_file(name).startswith(text), name
        for name, parts in step.get("holds", {}).items():
            text = read_file(name)
            assert [part for part in as_list(parts) if part not in text] == [], (name, text)
        for name, parts in step.get("hides", {}).items():
            with zipfile.ZipFile(name) as archive:
                texts = [archive.read(member) + member.encode() for member in archive.namelist()]
            found = [part for part in as_list(parts) for each in texts if part.encode() in each]
            assert found == [], name


def read_file(name):
    """The text of a file, or of a member of an archive; None where it is not there."""
    path, _, member = name.partition("!")
    if not Path(path).exists():
        return None
    if not member:
        return Path(path).read_bytes().decode()
    with zipfile.ZipFile(path) as archive:
        return archive.read(member).decode() if member in archive.namelist() else None


def value_at(data, path):
    """The part of JSON data at a path such as `leaderboard.0.name`; `*` gathers a list's."""
    if not path:
        return data
    key, _, rest = path.partition(".")
    if key == "*":
        return [value_at(each, rest) for each in data]
    return value_at(data[int(key) if isinstance(data, list) else key], rest)


def approximate(value):
    is_number = all(isinstance(each, float) for each in as_list(value)) and value != []
    return pytest.approx(value, rel=1e-12) if is_number else value
