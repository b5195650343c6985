"""Nothing in a file can hurt: every command on every hostile file, name and place there is."""

import time

import corpus
import pytest

YAML = "truth: truth.csv\nmetrics: [P@2]\nleaderboard: {intervals: false, tiers: false}\n"
GOOD = "list,item\nq1,a\nq1,b\nq2,a\n"
MIB = 1 << 20


@pytest.fixture
def run(score, tmp_path):
    """Run the command on a file, quickly enough, without a traceback, an internal error or ESC."""

    def ran(*words, size=0, stdin=b"", codes=(0, 1, 2)):
        start = time.perf_counter()
        ended = score(*words, stdin=stdin)
        taken = time.perf_counter() - start
        assert ended.code in codes, (words, ended)
        assert "Traceback" not in ended.err
        assert taken < 2 + 2 * size / MIB, (words, taken)
        for text in (ended.out, ended.err):
            strange = {c for c in text if c != "\n" and not c.isprintable()}
            assert not strange, (words, strange)
        assert not (tmp_path / "pwned").exists()
        return ended

    return ran


@pytest.fixture
def folder(challenge, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return challenge(YAML, **{"good.csv": GOOD})


@pytest.mark.parametrize("name", corpus.TABLES)
def test_every_command_on_every_hostile_table(name, folder, run, tmp_path):
    data = corpus.TABLES[name]()
    size, file = len(data), tmp_path / name
    file.write_bytes(data)
    good = folder / "good.csv"
    assert run(folder, file, size=size).code == (name != "plain.csv.gz")  # which is no harm
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
    for key in ("lists", "items", "history"):
        text = f"{YAML}{key}: '{name}'\n"
        (folder / "challenge.yaml").write_text(text)
        run("check", folder, good, size=size)
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


@pytest.mark.parametrize("name", [*corpus.CHALLENGES, *corpus.KITS])
def test_every_command_on_every_hostile_challenge(name, folder, run, tmp_path):
    data = corpus.ALL[name]()
    size, file, good = len(data), tmp_path / name, folder / "good.csv"
    file.write_bytes(data)
    (tmp_path / "truth.csv").write_bytes((folder / "truth.csv").read_bytes())
    for words in (
        [file, good],
        ["check", file, good, "--format", "sarif"],
        ["compare", file, good, good],
        ["explain", file, good, "--list", "q1"],
        ["lint", file],
        ["kit", file, "-o", tmp_path / "made.zip"],
        [folder, file],
        ["check", folder, file],
        ["folds", file, "-o", tmp_path / "folds"],
    ):
        run(*words, size=size)
