"""Nothing in a file can hurt: every command on every hostile file, name and place there is."""

import gzip
import json
import os
import re
import time

import corpus
import pytest

import scorer
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.core.text import LEFT_TO_RIGHT, RTL, unseen

YAML = "truth: truth.csv\nmetrics: [P@2]\nleaderboard: {intervals: false, tiers: false}\n"
GOOD = "list,item\nq1,a\nq1,b\nq2,a\n"
MIB = 1 << 20
SET_APART = re.compile(f"{LEFT_TO_RIGHT}({RTL.pattern}){LEFT_TO_RIGHT}")
HARMLESS = ("plain.csv.gz", "zip.csv")  # a table under a wrong name, or packed under one

FIRST = {  # of each kind
    "random.csv", "named.csv", "deep.jsonl", "commas.lists", "qrels.run", "flags.csv.gz",
    "list.parquet", "tags.yaml", "deep.yaml", "slip.zip", "early.zip",
}  # fmt: skip


def one_of_each(names):
    """Names of hostile files, all but a few of them for the slow tests."""
    assert corpus.ALL.keys() >= FIRST
    slow = pytest.mark.slow("each of a hundred files, by a dozen commands")
    return [name if name in FIRST else pytest.param(name, marks=slow) for name in names]


@pytest.fixture
def run(score, tmp_path):
    """Run the command on a file, quickly enough, without a traceback, an internal error or ESC."""

    def ran(*words, size=0, stdin=b"", codes=(0, 1, 2)):
        start, begun = time.process_time(), time.perf_counter()
        ended = score(*words, stdin=stdin)
        taken = time.process_time() - start  # of CPU, whatever else the machine does
        assert time.perf_counter() - begun < 60, words
        assert ended.code in codes, (words, ended)
        assert "Traceback" not in ended.err
        assert taken < 2 + 2 * size / MIB, (words, taken)
        for text in (ended.out, ended.err):
            line = SET_APART.sub(r"\1", text.replace("\n", ""))
            assert unseen(line) is None, (words, unseen(line))
        assert not (tmp_path / "pwned").exists()
        return ended

    return ran


@pytest.fixture
def folder(challenge, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return challenge(YAML, **{"good.csv": GOOD})


@pytest.mark.slow("tries every command or format", beyond=2)
@pytest.mark.parametrize("name", one_of_each(corpus.TABLES))
def test_every_command_on_every_hostile_table(name, folder, run, tmp_path):
    data = corpus.TABLES[name]()
    size, file = len(data), tmp_path / name
    file.write_bytes(data)
    good = folder / "good.csv"
    assert run(folder, file, size=size).code == (name not in HARMLESS)
    run(folder, file, good, "--format", "json", "--all", size=size)
    run("check", folder, file, "--format", "text", "--all", size=size)
    run("check", folder, file, "--fix", "-o", tmp_path / "fixed", size=size)
    run("check", folder, "-", stdin=data, size=size)
    run("compare", folder, file, "--format", "jsonl", size=size)
    run("explain", folder, file, "--list", "q1", size=size)
    run(folder, good, "--truth", file, size=size)
    run("folds", file, "-o", tmp_path / "folds", size=size)
    run(file, good, size=size)  # as a challenge
    (folder / name).write_bytes(data)
    for key in ("lists", "items"):
        text = f"{YAML}{key}: '{name}'\n"
        (folder / "challenge.yaml").write_text(text)
        run("check", folder, good, size=size)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


@pytest.mark.parametrize("name", one_of_each([*corpus.CHALLENGES, *corpus.KITS]))
def test_every_command_on_every_hostile_challenge(name, folder, run, tmp_path):
    data = corpus.ALL[name]()
    size, file, good = len(data), tmp_path / name, folder / "good.csv"
    file.write_bytes(data)
    (tmp_path / "truth.csv").write_bytes((folder / "truth.csv").read_bytes())
    for words in (
        [file, good],
        ["check", file, good, "--format", "json"],
        ["compare", file, good, good],
        ["explain", file, good, "--list", "q1"],
        ["lint", file],
        ["kit", file, "-o", tmp_path / "made.zip"],
        [folder, file],
        ["check", folder, file],
        ["folds", file, "-o", tmp_path / "folds"],
    ):
        run(*words, size=size)


@pytest.mark.parametrize(
    "text",
    [
        'metrics: [{metric: nDCG, "x\\n::error::pwned": 1}]',
        'metrics: [{metric: "nDCG\\n::error::pwned"}]',
        'metrics: [{metric: nDCG, id: "x\\n::error::pwned", relation: 0}]',
        'metrics: [P@1]\n"x\\n::error::pwned": 1',
        'metrics: [P@1]\nleaderboard: {tie_break: ["x\\n::error::pwned"]}',
        'metrics: [P@1]\nsubmission: {columns: {"x\\n::error::pwned": a}}',
        'metrics: [P@1]\nsubmission: {format: "x\\n::error::pwned"}',
        'metrics: [P@1]\nlists: "x\\n::error::pwned"',
    ],
)
def test_no_text_of_a_challenge_breaks_a_line_in_two(text, folder, run):
    (folder / "challenge.yaml").write_text(f"truth: truth.csv\n{text}\n")
    ran = run(folder, folder / "good.csv", codes=(2,))
    assert ran.err
    for words in (["lint", folder], ["check", folder, folder / "good.csv"]):
        ran.err += (again := run(*words)).err + again.out
    assert not [line for line in ran.err.splitlines() if line.startswith("::")], ran


FORMS = {
    "": ["table", "json", "csv", "markdown", "latex", "html", "github"],
    "check": ["text", "json", "github", "lines"],
    "compare": ["table", "json", "jsonl", "markdown", "csv", "html"],
    "explain": ["text", "json", "markdown"],
}


@pytest.mark.slow("tries every command or format", beyond=1)
@pytest.mark.parametrize("verb", FORMS)
@pytest.mark.parametrize("name", corpus.TEXTS)
def test_hostile_names_and_ids_in_every_format(name, verb, folder, run, tmp_path):
    """As a file's name, a list, an item, a column, a measure, a group and a title at once."""
    text = corpus.TEXTS[name]
    safe = text.replace("/", "_")[:200]
    file, again = tmp_path / f"{safe}.jsonl", tmp_path / f"2{safe}.jsonl"
    yaml = {
        "title": text,
        "truth": {"file": "truth.jsonl", "columns": {"list": text}},
        "lists": {"file": "lists.jsonl", "columns": {"list": text, "group": text + "g"}},
        "submission": {"columns": {"list": text}, "item_pattern": ".+"},
        "metrics": [{"metric": "P", "k": 2, "id": text}],
        "leaderboard": {"intervals": False, "tiers": False},
    }
    files = {
        "truth.jsonl": [{text: text, "item": text, "grade": 1}, {text: "q", "item": text}],
        "lists.jsonl": [{text: text, text + "g": text}, {text: "q", text + "g": "y"}],
    }
    files["truth.jsonl"][1]["grade"] = 0
    for each, rows in files.items():
        (folder / each).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "challenge.yaml").write_text(json.dumps(yaml))  # JSON is YAML
    good, bad = [[{text: text, "item": text}, {text: "q", "item": "x"}], [{text: "u" + text}]]
    for path in (file, again):
        path.write_text("".join(json.dumps(row) + "\n" for row in good))
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps(row | {"item": text}) + "\n" for row in [*good, *bad]))
    words = {
        "": [folder, file, other, "--per-list"],
        "check": ["check", folder, file, other],
        "compare": ["compare", folder, file, again],
        "explain": ["explain", folder, file, f"--list={text}"],
    }[verb]
    for form in FORMS[verb]:
        ran = run(*words, f"--format={form}")
        assert ran.out, (form, ran)
        if form == "json":
            json.loads(ran.out)
        if form == "github":
            assert all(line.startswith("::") for line in ran.out.splitlines())
    run(*words, "-o", tmp_path / f"made {safe}")
    if not verb:
        run("lint", folder)
        json.loads(run("lint", folder, "--format", "json").out)
        run("kit", folder, "-o", tmp_path / "kit.zip")


def test_a_file_name_that_is_no_text(folder, run, tmp_path):
    file = os.fsencode(tmp_path) + b"/\xff\xfe\x1b[31m.csv"
    with open(file, "w") as stream:
        stream.write(GOOD + "q3,a\n")
    for verb, forms in FORMS.items():
        extra = ["--list", "q1"] if verb == "explain" else []
        for form in forms:
            run(*filter(None, [verb]), folder, os.fsdecode(file), *extra, "--format", form)


@pytest.mark.parametrize("name", ["-q.csv", "--format", "--debug", "check", "--", "-"])
def test_file_names_that_look_like_words_of_the_command(name, folder, run, tmp_path):
    (tmp_path / name).write_text(GOOD)
    assert run("--", "challenge", f"./{name}").code == 0
    assert run("check", "challenge", "--", f"x=./{name}").code == 0
    if name != "-":
        assert run("--", folder, name).code == 0


@pytest.mark.slow("scores hostile files of every format", beyond=1)
@pytest.mark.parametrize("name", ["x" * 5000, "x/" * 3000, "", ".", "..", "/"])
def test_names_that_no_file_can_have(name, folder, run, tmp_path):
    good = folder / "good.csv"
    for words in (
        [folder, name],
        [folder, f"x={name}"],
        [name, good],
        [folder, good, "--truth", name],
        [folder, good, "-o", name],
        ["check", folder, name, "--fix"],
        ["compare", folder, name],
        ["explain", folder, name, "--list", "q1"],
        ["lint", name],
        ["kit", folder, "-o", name],
        ["folds", name, "-o", tmp_path / "f"],
        ["folds", good, "-o", name],
        ["init", "ranking", name],
        ["rule", name],
        ["metrics", name],
        [folder, good, "-m", name],
        [folder, good, "--fail-under", name],
        [folder, good, "--format", name],
    ):
        assert run(*words).code != 0, words


PLACES = ["truth", "lists", "items", "history", "likelihood", "folds", "baselines", "plugins"]


def named(key, path):
    """A challenge that names that file at that place."""
    text = YAML.replace("P@2", "P@2, Novelty@2" if key == "history" else "P@2")
    if key == "baselines":
        return text.replace("{intervals", f"{{baselines: ['{path}'], intervals")
    if key in ("plugins", "examples"):
        inside = f"{{submission: '{path}', expect: {{P@2: 1}}}}" if key == "examples" else path
        return f"{text}{key}: ['{inside}']\n".replace("'{", "{").replace("}'", "}")
    text = text if key != "truth" else text.replace("truth: truth.csv\n", "")
    return f"{text}{key}: '{path}'\n"


@pytest.mark.slow("scores hostile files of every format", beyond=2)
@pytest.mark.parametrize("key", [*PLACES, "examples"])
def test_no_path_of_a_challenge_leaves_its_folder(key, folder, run, tmp_path):
    outside = tmp_path / "outside.csv"
    outside.write_text("list,item\nSECRET,SECRET\n")
    (folder / "link.csv").symlink_to(outside)
    (folder / "around").symlink_to(tmp_path, target_is_directory=True)
    (folder / "fd.csv").symlink_to("/proc/self/fd/0")
    for path in (
        "../outside.csv", str(outside), "link.csv", "around/outside.csv", "fd.csv", "x/../../y",
        "//etc/passwd", "\\\\\\\\host\\\\share", "C:/x", "/dev/zero", "/proc/self/environ", ".", "",
    ):  # fmt: skip
        (folder / "challenge.yaml").write_text(named(key, path))
        for words in ([folder, folder / "good.csv"], ["lint", folder], ["kit", folder]):
            ran = run(*words, "--allow-plugins", codes=(2,))
            assert "SECRET" not in ran.out + ran.err
            assert f"{key}" in ran.err, (path, ran)


@pytest.mark.slow("scores hostile files of every format", beyond=4)
@pytest.mark.parametrize("key", [*PLACES, "examples"])
@pytest.mark.parametrize("kind", ["fifo", "folder", "missing", "link to itself"])
def test_what_is_no_file_is_not_waited_for(key, kind, folder, run):
    path = folder / "odd.csv"
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link to itself":
            path.symlink_to(path)
    (folder / "challenge.yaml").write_text(named(key, "odd.csv"))
    verb = ["lint", folder] if key == "examples" else [folder, folder / "good.csv"]
    run(*verb, "--allow-plugins", codes=(4,) if key == "plugins" else (0, 1, 2))


@pytest.mark.slow("tries every command or format", beyond=2)
@pytest.mark.parametrize("kind", ["fifo", "zeros", "folder", "link to itself"])
@pytest.mark.parametrize("name", ["challenge.yaml", ".scorer-key", "good.csv", "list.csv"])
def test_nor_is_what_the_command_names(name, kind, folder, run, tmp_path):
    path, mine = folder / name, folder / "good.csv"
    path.unlink(missing_ok=True)
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "zeros":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()
        case "link to itself":
            path.symlink_to(path)
    for words in (
        [folder, mine],
        ["check", folder, mine],
        ["check", folder, mine, "--fix"],
        ["compare", folder, mine],
        ["explain", folder, mine, "--list", "q1"],
        ["lint", folder],
        [folder, mine, "--truth", path],
        ["folds", path, "-o", tmp_path / "folds"],
        [path, mine],
    ):
        run(*words)
    (tmp_path / "mine.csv").write_text(GOOD)
    assert run(folder, tmp_path / "mine.csv").code == (0 if name in ("good.csv", "list.csv") else 2)


def test_a_link_that_takes_a_files_place_is_not_followed(folder, monkeypatch, tmp_path):
    outside = tmp_path / "outside.csv"
    outside.write_text("list,item\nSECRET,SECRET\n")
    settled = load(folder)
    (folder / "truth.csv").unlink()
    (folder / "truth.csv").symlink_to(outside)
    with pytest.raises(ChallengeError) as raised:
        scorer.score(settled, [folder / "good.csv"])
    assert "SECRET" not in str(raised.value)


@pytest.mark.slow("tries every command or format", beyond=1)
@pytest.mark.parametrize("size", [10_000, 3_000_000])  # for the thorough and for the fast reader
@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ("size: 9000", "S104"),
        ("rows: 500", "S104"),
        ("line: 10", "S109"),
        ("unpacked: 9000", "S104"),
    ],
)
def test_every_limit_holds_in_both_readers(limits, code, size, folder, run, tmp_path):
    rows = "".join(f"q{n % 2 + 1},{n:012d}\n" for n in range(size // 16))
    text = f"list,item\n{rows}"
    file = tmp_path / "sent.csv"
    file.write_text(text)
    ran = run(folder, file, size=size)
    assert ran.code == 0
    (folder / "challenge.yaml").write_text(f"{YAML}submission: {{limits: {{{limits}}}}}\n")
    packed = tmp_path / "packed.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    ran = run("check", folder, packed if "unpacked" in limits else file, size=size)
    assert ran.code == 1
    assert f"[{code}]" in ran.out


@pytest.mark.parametrize("name", ["sent.csv", "sent.run", "sent.jsonl", "sent.json"])
def test_a_file_has_no_more_lines_than_memory_allows(name, folder, run, monkeypatch, tmp_path):
    monkeypatch.setattr("scorer.reading.limits.MOST_LINES", 1000)
    (folder / "challenge.yaml").write_text(f"{YAML}submission: {{limits: {{rows: 100}}}}\n")
    file = tmp_path / name
    file.write_text("\n" * 1000)
    assert "[S104]" not in run("check", folder, file).out
    file.write_text("\n" * 1001)
    assert f"{name}:1001: error[S104] more than 1,000 lines" in run("check", folder, file).told
