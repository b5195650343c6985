"""However a run ends: a plain message, the right exit code, and nothing half-written or left."""

import json
import os
import resource
import select
import signal
import stat
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import COMMAND

GOOD = "list,item\nq1,a\nq1,b\nq2,a\n"
SLOW = """
import os, time
from scorer import Ranked, metric

@metric("Slow", title="Slow", source="this test")
def slow(ranked: Ranked) -> float:
    \"\"\"Nothing, and that slowly.\"\"\"
    open("scoring", "w").close()
    time.sleep(60)
    return 0.0
"""
LARGE = "list,item\n" + "".join(f"q{n},a\n" for n in range(20_000))


@pytest.fixture
def folder(challenge):
    return challenge(**{"good.csv": GOOD, "slow.py": SLOW})


@pytest.fixture
def start(tmp_path, folder):
    """Start the command in `tmp_path`, with its temporary files in a folder of their own."""
    (tmp_path / "temporary").mkdir()
    running = []

    def started(*words, **more):
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(
            [COMMAND, *map(str, words)],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path / "temporary")},
            **{**streams, **more},
        )
        running.append(process)
        return process

    yield started
    for process in running:
        process.kill()
        process.communicate()


def limited(which, size):
    """What a process does first that may have so much of a resource."""
    return lambda: resource.setrlimit(which, (size, size))


def until(happened):
    end = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def spools(process, tmp_path):
    """Whether the process has a file without a name among its temporary ones."""
    for handle in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            name = os.readlink(handle)  # Python tries the folder with a file that has a name
            if name.startswith(str(tmp_path / "temporary")) and name.endswith("(deleted)"):
                return True
    return False


def reading(start, tmp_path, folder):
    process = start(folder, "-", "-o", "out")
    process.stdin.write(GOOD.encode())
    process.stdin.flush()
    until(lambda: spools(process, tmp_path))
    return process


def scoring(start, tmp_path, folder):
    text = (folder / "challenge.yaml").read_text().replace("P@2", "Slow")
    (folder / "challenge.yaml").write_text(text + "plugins: [slow.py]\n")
    process = start(folder, folder / "good.csv", "-o", "out", "--allow-plugins")
    until((tmp_path / "scoring").exists)
    return process


def reading_a_large_file(start, tmp_path, folder):
    rows = "".join(f"Q,i{n},{9999 - n}\n" for n in range(5000))
    lists = "".join(rows.replace("Q", f"q{n}") for n in range(300))
    (folder / "large.csv").write_text(f"list,item,score\n{lists}")
    process = start(folder, folder / "large.csv", "-o", "out")
    threads = Path(f"/proc/{process.pid}/task")
    until(lambda: len(list(threads.iterdir())) >= 3)  # those of polars
    return process


def unpacking(start, tmp_path, folder):
    """While a kit's check waits for standard input: the kit is unpacked by then."""
    start("kit", folder, "-o", "kit.zip").communicate()
    process = start("check", "kit.zip", "-", "-o", "out")
    until(lambda: spools(process, tmp_path))
    return process


def writing(start, tmp_path, folder):
    """The pipe is full, and nobody reads on."""
    (folder / "truth.csv").write_text(LARGE)
    (folder / "large.csv").write_text(LARGE)
    process = start(folder, folder / "large.csv", "--format", "json", "--per-list", "-q")
    select.select([process.stdout], [], [], 30)
    return process


def writing_a_file(start, tmp_path, folder):
    os.mkfifo(tmp_path / "fifo")
    process = start(folder, folder / "good.csv", "-o", "fifo")
    time.sleep(1)  # there is nothing to be seen of one who waits for a reader
    return process


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "stage", [reading, scoring, reading_a_large_file, unpacking, writing, writing_a_file]
)
def test_an_interruption_is_one_line_and_leaves_nothing(stage, number, start, tmp_path, folder):
    process = stage(start, tmp_path, folder)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    told = number == signal.SIGINT
    assert process.returncode == (130 if told else -number), err
    assert err == (b"interrupted\n" if told else b"ended by a signal\n")
    assert stage is writing or out == b""
    assert list((tmp_path / "temporary").iterdir()) == []
    assert not (tmp_path / "out").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@pytest.mark.slow("starts processes")
def test_nothing_of_standard_input_is_left_when_killed(start, tmp_path, folder):
    process = reading(start, tmp_path, folder)
    process.kill()
    process.communicate()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.slow("starts processes")
def test_a_run_that_ends_well_leaves_nothing_either(start, tmp_path, folder):
    process = start(folder, "-")
    out, err = process.communicate(GOOD.encode())
    assert (process.returncode, err) == (0, b"")
    assert b"stdin" in out
    assert list((tmp_path / "temporary").iterdir()) == []


ENDING = """
import atexit, threading, time
from pathlib import Path
from scorer import Ranked, metric

def late():
    time.sleep(0.3)
    Path("{folder}/thread").touch()

@metric("Ending", title="Ending", source="this test")
def ending(ranked: Ranked) -> float:
    \"\"\"One, with more to be done at the end.\"\"\"
    atexit.register(lambda: Path("{folder}/at exit").touch())
    atexit.register(print, "printed at exit")
    threading.Thread(target=late).start()
    return 1.0
"""


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize(("limit", "code"), [(1, 0), (2, 5)])
def test_what_is_to_be_done_at_the_end_is_done(limit, code, challenge, start, tmp_path):
    text = "truth: truth.csv\nmetrics: [Ending]\nplugins: [ending.py]\n"
    files = {"ending.py": ENDING.replace("{folder}", str(tmp_path)), "good.csv": GOOD}
    folder = challenge(text, **files)
    words = ["--allow-plugins", "--fail-under", f"Ending={limit}"]
    run = start(folder, folder / "good.csv", *words)
    out, _ = run.communicate(timeout=60)
    assert run.returncode == code
    assert out.endswith(b"printed at exit\n")
    assert {each.name for each in tmp_path.iterdir()} >= {"thread", "at exit"}


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["metrics"], None])
def test_a_closed_pipe_ends_in_silence(words, start, folder):
    process = start(*(words or [folder, folder / "good.csv", "--format", "html"]))
    process.stdout.close()
    process.stdout = None
    assert process.communicate() == (None, b"")
    assert process.returncode == 0


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["schema"], None])
def test_a_full_disk(words, start, folder):
    with open("/dev/full", "wb") as full:
        process = start(*(words or [folder, folder / "good.csv"]), stdout=full)
    assert process.communicate()[1] == (
        b"error: the output cannot be written: No space left on device\n"
    )
    assert process.returncode == 2


@pytest.mark.slow("starts processes")
def test_a_file_for_which_there_is_no_room(start, tmp_path, folder):
    target = tmp_path / "out.html"
    target.write_text("before")
    little_room = limited(resource.RLIMIT_FSIZE, 4096)
    process = start(
        folder, folder / "good.csv", "--format", "html", "-o", target, preexec_fn=little_room
    )
    assert (
        process.communicate()[1] == f"error: {target} cannot be written: File too large\n".encode()
    )
    assert process.returncode == 2
    assert target.read_text() == "before"
    process = start(folder, "-", preexec_fn=little_room)
    _, err = process.communicate(GOOD.encode() * 1000)
    assert process.returncode == 2
    assert err.startswith(b"error: a temporary file cannot be filled (File too large)")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["challenge", "out.html", "temporary"]
    assert list((tmp_path / "temporary").iterdir()) == []


def shell(tmp_path, line):
    ended = subprocess.run(
        ["sh", "-c", line], cwd=tmp_path, capture_output=True, timeout=60, text=True,
        env={"PATH": f"{COMMAND.parent}:/usr/bin:/bin"},
    )  # fmt: skip
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.slow("starts processes", beyond=1)
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("score challenge - <&-", 2, "error: standard input is closed; '-' cannot be read\n"),
        ("score challenge good.csv >&-", 2,
         "error: the output cannot be written: standard output is closed\n"),
        ("score --help >&-", 2, "error: the output cannot be written: standard output is closed\n"),
        ("score challenge good.csv -o out <&- >&- 2>&-; test -s out", 0, ""),
        ("score challenge bad.csv -o out 2>&-; grep -q S101 out", 0, ""),
        ("score challenge good.csv 2>/dev/full >/dev/null", 0, ""),
        ("score challenge nothing.csv >/dev/null 2>/dev/full", 1, ""),
        ("score challenge good.csv -o challenge", 2, "cannot be written: this is a folder"),
        ("score challenge good.csv -o no/out", 2, "No such file or directory"),
        ("score challenge good.csv -o good.csv/out", 2, "Not a directory"),
        ("cd challenge && rmdir ../gone && score . ../good.csv -o /proc/x", 2, "cannot be written"),
        ("cd gone && rmdir ../gone && score ../challenge x.csv", 2, "challenge"),
        ("score kit challenge -o /dev/full", 2, "No space left on device"),
        ("score init ranking challenge", 2, "is not an empty folder"),
        ("TMPDIR=/dev/null score challenge - <good.csv >/dev/null", 0, ""),
    ],
)  # fmt: skip
def test_streams_and_places(line, code, said, folder, tmp_path):
    (tmp_path / "gone").mkdir()
    (tmp_path / "good.csv").write_text(GOOD)
    ended, out, err = shell(tmp_path, line)
    assert ended == code, (out, err)
    assert said in err
    assert bool(said) == bool(err)
    assert "Traceback" not in err
    assert "internal" not in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere: run it as another user")
def test_a_folder_that_may_only_be_read(folder, tmp_path):
    folder.chmod(0o500)
    try:
        ended, _, err = shell(tmp_path, "score challenge challenge/good.csv -o challenge/out")
    finally:
        folder.chmod(0o700)
    assert (ended, err) == (2, "error: challenge/out cannot be written: Permission denied\n")


def test_no_link_to_what_is_read_is_written_over(folder, score):
    (folder / "link.csv").symlink_to(folder / "truth.csv")
    (folder / "hard.csv").hardlink_to(folder / "good.csv")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in ("link.csv", "hard.csv"):
        ran = score(folder, folder / "good.csv", "-o", folder / name)
        ran.assert_exit(2, err="is read here; -o needs a file of its own")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_link_stays_and_what_it_leads_to_is_written(folder, score, tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("before")
    real.chmod(0o640)
    link.symlink_to(real)
    assert score(folder, folder / "good.csv", "--format", "json", "-o", link).code == 0
    assert link.is_symlink()
    assert json.loads(real.read_text())["scorer"]
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_what_the_system_names_is_never_replaced(folder, tmp_path, monkeypatch):
    """As root, renaming onto /dev/stdout would take it from everyone; this one stands in for it."""
    from scorer.reading import open as opening
    from scorer.reading import write

    system, out = tmp_path / "dev", tmp_path / "out"
    system.mkdir()
    out.write_text("before\n")
    (system / "stdout").symlink_to(out)
    monkeypatch.setattr(opening, "SYSTEM_FOLDERS", (system,))
    monkeypatch.setattr(opening, "MEMORY_FOLDER", tmp_path / "shm")
    write.write_file(system / "stdout", b"after\n")
    assert (system / "stdout").is_symlink()
    assert out.read_text() == "before\nafter\n"


NOISY = """
import os, subprocess, sys, warnings
from scorer import Ranked, metric

def noise():
    print("printed")
    sys.__stdout__.write("written")
    os.write(1, b"raw")
    subprocess.run(["echo", "child"])
    warnings.warn("careful")
    os.chdir("/")

noise()

@metric("Noisy", title="Noisy", source="this test")
def noisy(ranked: Ranked) -> float:
    \"\"\"Half.\"\"\"
    noise()
    return 0.5
"""


@pytest.mark.slow("starts processes")
def test_a_noisy_plugin_spoils_no_result_and_moves_nobody(challenge, tmp_path):
    text = "truth: truth.csv\nmetrics: [Noisy]\nplugins: [noisy.py]\n"
    challenge(text, **{"noisy.py": NOISY, "a.csv": GOOD, "b.csv": GOOD})
    line = "score challenge challenge/a.csv challenge/b.csv --allow-plugins --format json"
    code, out, err = shell(tmp_path, line)
    assert code == 0
    assert [s["values"]["Noisy"]["mean"] for s in json.loads(out)["submissions"]] == [0.5, 0.5]
    assert {"printed", "written", "raw", "child"} <= {
        word for word in ("printed", "written", "raw", "child", "careful") if word in err
    }
    code, out, _ = shell(tmp_path, f"{line} -o out.json && cat out.json")
    assert (code, bool(json.loads(out))) == (0, True)


@pytest.mark.slow("starts processes", beyond=8)
@pytest.mark.parametrize(
    ("raising", "code", "said"),
    [
        ("sys.exit(0)", 4, "SystemExit: 0"),
        ("sys.exit()", 4, "SystemExit"),
        ("raise KeyboardInterrupt", 130, "interrupted"),
        ("raise GeneratorExit", 4, "GeneratorExit"),
        ("raise BaseException('x')", 4, "BaseException: x"),
        ("raise Mute", 4, "Mute"),
        ("raise MemoryError", 4, "MemoryError"),
        ("raise StopIteration", 4, "StopIteration"),
        ("f()", 4, "RecursionError"),
        ("raise ValueError('\\x1b[31m\\n::error::')", 4, r"ValueError: \x1b[31m\n::error::"),
        ("raise BrokenPipeError", 4, "BrokenPipeError"),
    ],
)
@pytest.mark.parametrize("when", ["loading", "scoring", "scoring all"])
def test_whatever_a_plugin_raises_is_its_fault(raising, code, said, when, challenge, score):
    head = (
        "import sys\nfrom scorer import Judged, Ranked, metric\n"
        "class Mute(Exception):\n    def __str__(self): raise ValueError\n"
        "def f(): f()\n"
    )
    view = "Judged" if when == "scoring all" else "Ranked"
    body = (
        f"@metric('Own', title='t', source='s')\ndef own(ranked: {view}) -> float:\n"
        f'    """Own."""\n    {raising if when != "loading" else "return 0.0"}\n'
    )
    text = "truth: truth.csv\nmetrics: [Own]\nplugins: [own.py]\n"
    plugin = head + body + (raising if when == "loading" else "")
    folder = challenge(text, **{"own.py": plugin, "good.csv": GOOD})
    ran = score(folder, folder / "good.csv", "--allow-plugins")
    assert (ran.code, ran.out) == (code, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    if code == 4:
        assert "own.py" in ran.err or "metric Own failed" in ran.err


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "error: there is not enough memory"),
        (RecursionError("deep"), "internal error: RecursionError: deep"),
        (ZeroDivisionError("\x1b[31m"), r"internal error: ZeroDivisionError: \x1b[31m"),
        (RuntimeError("a\nb"), r"internal error: RuntimeError: a\nb"),
    ],
)
def test_our_own_mistakes_end_with_4(error, said, folder, score, monkeypatch):
    def failing(*words, **more):
        raise error

    monkeypatch.setattr("scorer.api.score.score", failing)
    ran = score(folder, folder / "good.csv")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith(said)
    assert len(ran.err.splitlines()) == 1
    assert "Traceback" in score(folder, folder / "good.csv", "--debug").err


LIMIT = 1 << 30  # of addresses; what is imported alone takes half
HUGE = {
    "line.csv": lambda: b"list,item\n" + b"x" * (40 << 20),
    "blank.csv": lambda: b"\n" * (2 << 20),
    "wrong.csv": lambda: b"list,item,score\n" + b"q1,a,x\n" * 60_000,
    "lists.csv": lambda: b"list,item\n" + b"".join(b"u%d,a\n" % n for n in range(60_000)),
    "rows.jsonl": lambda: b'{"list": "q1", "item": "a", "score": 1}\n' * 40_000,
    "keys.jsonl": lambda: b"".join(b'{"k%d": 1}\n' % n for n in range(60_000)),
    "one.lists": lambda: b"q1: a" + b",b" * 100_000 + b"\n",
}


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("name", HUGE)
def test_memory_stays_bounded(name, start, tmp_path, folder):
    (tmp_path / name).write_bytes(HUGE[name]())
    process = start("check", folder, name, preexec_fn=limited(resource.RLIMIT_DATA, LIMIT))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert b"would be rejected" in out


@pytest.mark.slow("starts processes")
def test_where_memory_does_not_suffice_that_is_said(start, tmp_path, folder):
    (tmp_path / "a.csv").write_bytes(
        b"list,item\n" + b"".join(b"u%d,%d\n" % (n, n) for n in range(200_000))
    )
    no_memory = limited(resource.RLIMIT_DATA, 100 << 20)
    process = start("check", folder, "a.csv", preexec_fn=no_memory)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 4, err
    assert err.startswith(b"error: there is not enough memory")
    assert b"Traceback" not in err
