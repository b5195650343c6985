"""Files shared out to processes: the same report, whatever happens to one of them."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import scorer
from scorer.api.evaluate import bind_data
from scorer.metrics.catalogue import metrics
from scorer.metrics.notation import parse_measure
from scorer.scoring.run import SHARED_SIZE, THREAD_SIZE, THREAD_TOTAL, can_use_threads, default_jobs

METRIC = """
import os, signal
import numpy as np
from scorer import Floats, Texts, metric

@metric("Length", title="Length", source="own")
def length(texts: Texts) -> Floats:
    \"\"\"How long.\"\"\"
    print("from the metric")
    answers = [text or "" for text in texts.first()]
    if "kill" in answers:
        os.kill(os.getpid(), signal.SIGKILL)
    if "raise" in answers:
        raise ValueError("no such answer")
    return np.array([min(len(text), 1) for text in answers], dtype=float)
"""
YAML = "truth: truth.csv\nmetrics: [Length]\nplugins: [plugin.py]\n"
TRUTH = "list,item\nq1,3\nq2,4\n"


def texts_challenge(challenge, answers):
    """The folder of a challenge with a metric of its own, and the files with these answers."""
    files = {f"s{n:02}.csv": f"list,item\nq1,{each}\nq2,4\n" for n, each in enumerate(answers)}
    folder = challenge(YAML, **{"truth.csv": TRUTH, "plugin.py": METRIC}, **files)
    return folder, [folder / name for name in files]


def test_forty_files_after_polars_was_used_here(challenge):
    files = {
        f"run{n:02}.csv": "list,item\n" + "".join(f"q{q},d{(n * q) % 7}\n" for q in range(1, 30))
        for n in range(40)
    }
    truth = "list,item\n" + "".join(f"q{q},d{q % 7}\n" for q in range(1, 30))
    folder = challenge("truth: truth.csv\nmetrics: [P@1, AP]\n", **{"truth.csv": truth}, **files)
    paths = [folder / name for name in files]
    assert pl.DataFrame({"a": [2, 1] * 1000}).lazy().sort("a").collect()["a"][0] == 1
    done = []
    shared = scorer.score(folder, paths, jobs=2, progress=lambda n, of, name: done.append(n))
    assert shared.to_dict() == scorer.score(folder, paths).to_dict()
    assert done == list(range(41))


def test_a_killed_process_costs_no_other_file_its_values(challenge, score):
    answers = ["a", "b", "kill", "c", "d", "e"]
    folder, paths = texts_challenge(challenge, answers)
    ended = score(folder, *paths, "--allow-plugins", "--format", "json", "--jobs", "2")
    scored = {each["name"]: each for each in json.loads(ended.out)["submissions"]}
    codes = {name: [p["code"] for p in each["problems"]] for name, each in scored.items()}
    assert codes == {f"s{n:02}": ["S104"] if n == 2 else [] for n in range(6)}
    assert "the process that read this file was killed" in ended.err
    assert ended.code == 1
    assert scored["s05"]["values"]["Length"]["mean"] == 1


def test_a_metric_that_raises_is_told_as_in_one_process(challenge, score):
    folder, paths = texts_challenge(challenge, ["a", "raise", "b"])
    words = [folder, *paths, "--allow-plugins", "--format", "json"]
    one, two = (score(*words, "--jobs", jobs) for jobs in ("1", "2"))
    assert (two.code, two.out) == (one.code, one.out)
    assert two.code == 4
    assert "no such answer" in two.err


def test_a_metric_that_cannot_be_sent_is_refused(tmp_path):
    @scorer.metric("Constant", title="Constant", source="own")
    def constant(judged: scorer.Judged) -> scorer.Floats:
        """One."""
        raise AssertionError

    files = [tmp_path / "x.csv", tmp_path / "y.csv"]
    for file in files:
        file.write_text("list,item\nq1,a\n")
    bound, _ = bind_data({"q1": {"a": 1}}, files, [constant])
    with pytest.raises(scorer.UsageError, match="cannot be sent to another process"):
        scorer.score(bound, files, jobs=2)


def write_zeros(path, size):
    with path.open("wb") as file:
        file.truncate(size)
    return path


def test_processes_start_for_large_files_alone(tmp_path):
    small, large = (write_zeros(tmp_path / str(size), size) for size in (1, SHARED_SIZE))
    assert default_jobs([small, small], []) == 1
    assert default_jobs([large], []) == 1
    assert default_jobs([tmp_path / "absent", small], []) == 1
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert default_jobs([large, small], []) == min(2, cores)


def test_threads_share_small_plain_files_of_built_in_metrics(tmp_path):
    @scorer.metric("Constant", title="Constant", source="own")
    def constant(judged: scorer.Judged) -> scorer.Floats:
        """One."""
        raise AssertionError

    small, largest, large = (
        write_zeros(tmp_path / str(size), size) for size in (9, THREAD_SIZE, THREAD_SIZE + 1)
    )
    packed = tmp_path / "packed.csv"
    packed.write_bytes(gzip.compress(b"list,item\n"))
    built_in = parse_measure(metrics().get("nDCG"), "nDCG@10")
    assert can_use_threads([small, largest], [built_in])
    assert not can_use_threads([small], [built_in])
    assert not can_use_threads([small, large], [built_in])
    assert not can_use_threads([small, packed], [built_in])
    assert not can_use_threads([small, tmp_path / "absent"], [built_in])
    assert not can_use_threads([small, tmp_path], [built_in])
    plugin = replace(built_in, metric=constant.metric)
    assert not can_use_threads([small, largest], [built_in, plugin])
    many = [largest] * (THREAD_TOTAL // THREAD_SIZE)
    assert default_jobs(many, [built_in]) == 1
    assert default_jobs([*many, small], [built_in]) == min(2, len(os.sched_getaffinity(0)))


def test_threads_give_what_one_thread_gives(challenge, monkeypatch):
    files = {f"run{n:02}.csv": f"list,item\nq1,d{n % 5}\nq1,d9\n" for n in range(20)}
    files["run07.csv"] = "list,item\nq1,d1\nq1,d1\nq2,x\n"
    truth = "list,item\nq1,d1\nq1,d3\n"
    folder = challenge("truth: truth.csv\nmetrics: [P@1, AP]\n", **{"truth.csv": truth}, **files)
    paths = [folder / name for name in files]
    by_threads = scorer.score(folder, paths)
    monkeypatch.setattr("scorer.scoring.run.can_use_threads", lambda paths, measures: False)
    assert by_threads.to_dict() == scorer.score(folder, paths).to_dict()


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which processes there are")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_processes_end_with_the_command(challenge, tmp_path, sent):
    slow = METRIC.replace('print("from the metric")', "import time; time.sleep(60)")
    begun = tmp_path / "begun"
    slow = slow.replace(
        "import time;", f"import time; open({str(begun)!r} + str(os.getpid()), 'w');"
    )
    files = {f"s{n}.csv": "list,item\nq1,a\nq2,b\n" for n in range(2)}
    folder = challenge(YAML, **{"truth.csv": TRUTH, "plugin.py": slow}, **files)
    words = [folder, *(folder / name for name in files), "--allow-plugins", "--jobs", "2"]
    command = subprocess.Popen(
        [sys.executable, "-m", "scorer", *map(str, words)], stderr=subprocess.PIPE, text=True
    )
    workers = []
    for _ in range(600):
        workers = [int(path.name.removeprefix("begun")) for path in tmp_path.glob("begun*")]
        if len(workers) == 2:
            break
        time.sleep(0.1)
    assert len(workers) == 2
    command.send_signal(sent)
    _, err = command.communicate(timeout=20)
    assert "Traceback" not in err
    for _ in range(100):
        if not any(map(is_scorer, workers)):
            break
        time.sleep(0.1)
    assert not any(map(is_scorer, workers))


def is_scorer(process):
    """Whether a process is there still, and one of scorer's."""
    try:
        return b"multiprocessing" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
