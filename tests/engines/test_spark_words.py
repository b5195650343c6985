"""What is said of the engine on Spark where it cannot work; none of this starts it."""

import builtins
import os
from types import SimpleNamespace

import pytest

from scorer.bytes.limits import Unreadable
from scorer.core.errors import UsageError
from scorer.engines.spark import executors
from scorer.engines.spark.frames import refuse_failing
from scorer.engines.spark.session import INSTALL, session_of

TRUTH = "list,item,grade\nq1,a,1\n"


@pytest.fixture
def without_pyspark(monkeypatch):
    """There is no pyspark."""
    real = builtins.__import__

    def importing(name, *words, **more):
        if name.partition(".")[0] == "pyspark":
            raise ImportError(name)
        return real(name, *words, **more)

    monkeypatch.setattr(builtins, "__import__", importing)


@pytest.fixture
def words(challenge):
    folder = challenge(**{"sub.csv": "list,item\nq1,a\nq1,b\nq2,a\nq2,c\n"})
    return [folder, folder / "sub.csv", "--engine", "spark"]


def test_without_pyspark_it_says_what_to_install(score, words, without_pyspark):
    ran = score(*words)
    assert (ran.code, ran.out) == (2, "")
    assert f"the engine spark needs pyspark, which is not here: {INSTALL}" in ran.err


@pytest.mark.parametrize(("said", "told"), [(None, "there is none"), ("1.8.0_392", "this is 8")])
def test_without_a_java_that_is_new_enough_it_says_so(
    score, words, tmp_path, monkeypatch, said, told
):
    pytest.importorskip("pyspark", reason="pyspark is missing: pip install challenge-scorer[spark]")
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    if said is not None:
        (tmp_path / "bin").mkdir()
        java = tmp_path / "bin/java"
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{said}\"' >&2\n")
        java.chmod(0o755)
    ran = score(*words)
    assert (ran.code, ran.out) == (2, "")
    assert "the engine spark needs Java 17 or newer" in ran.err
    assert told in ran.err


@pytest.mark.parametrize(
    ("option", "told"),
    [("spark.master", "write NAME=VALUE"), ("cores=2", "takes Spark's own options")],
)
def test_options_are_those_of_spark(score, words, option, told):
    ran = score(*words, "--engine-option", option)
    assert (ran.code, ran.out) == (2, "")
    assert told in ran.err


def test_the_engine_of_one_machine_takes_no_options(score, words):
    ran = score(*words[:2], "--engine-option", "spark.master=local[2]")
    assert (ran.code, ran.out) == (2, "")
    assert "the engine local has no options (spark.master)" in ran.err


@pytest.mark.parametrize("url", ["s3a://bucket/run.csv", "hdfs:///runs/a.csv"])
def test_the_engine_of_one_machine_names_this_one_for_a_url(score, words, url):
    ran = score(words[0], url, f"named={url}", words[1])
    assert ran.code == 1
    assert f"{url}: error[S101] this is a URL" in ran.err
    assert "--engine spark" in ran.err
    assert "named" in ran.out


def test_the_engine_of_one_machine_names_this_one_for_a_truth(score, words):
    ran = score(*words[:2], "--truth", "s3a://bucket//truth.csv")
    assert (ran.code, ran.out) == (2, "")
    assert "s3a://bucket//truth.csv: error[T101] this is a URL" in ran.err
    assert "--engine spark" in ran.err


def test_an_option_that_is_none_is_refused_before_anything_starts():
    with pytest.raises(Exception, match="takes Spark's own options"):
        session_of({"master": "local"})


def test_the_engine_is_found_without_pyspark(without_pyspark):
    from scorer.engines.base import engines

    assert engines().get("spark").options
    assert "pyspark" not in os.environ.get("PYTHONPATH", "")


class Frame:
    """A data frame that cannot be computed, of a session that can compute others, or not."""

    def __init__(self, *lost):
        self.write = self.sparkSession = self
        self.lost = ("save", *lost)

    def __getattr__(self, name):
        def called(*words):
            if name in self.lost:
                raise RuntimeError(
                    "x\nTraceback (most recent call last):\n  at\nKeyError: 'mine'\n"
                )
            return self

        return called


def test_a_frame_is_not_refused_where_spark_is_lost():
    with pytest.raises(Unreadable, match="RuntimeError: KeyError: 'mine'"):
        refuse_failing(Frame())
    refuse_failing(Frame("collect"))


SAID = executors._teller(executors.NEEDED)(0).split("\t")
HERE = (*SAID[:3], SAID[3] or "25.0.0")  # of this machine, were pyarrow installed


@pytest.mark.parametrize(
    ("found", "files", "told"),
    [
        ([HERE, ("other, 3.11.1", "", *HERE[2:])], "", r"Python \(other, 3.11.1\) has no scorer; "),
        ([(*HERE[:2], "0.1", HERE[3])], "", f"has polars 0.1, and this machine {HERE[2]}; send"),
        ([(*HERE[:3], "")], "", "has no pyarrow; send them an environment"),
        (RuntimeError(f"{'x' * 9999} No module named 'scorer'"), "", "Python has no scorer; send"),
        (
            RuntimeError("No module named 'scorer'"),
            "a.whl",
            r"scorer \(a wheel in --py-files cannot",
        ),
        (RuntimeError("[PYTHON_VERSION_MISMATCH]"), "", "have another version of Python than this"),
        (RuntimeError("lost"), "", "Python does not start: RuntimeError: lost$"),
    ],
)
def test_executors_that_lack_something_are_refused(monkeypatch, found, files, told):
    def answer(session):
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(executors, "_found", answer)
    session = SimpleNamespace(session_id=told, conf={"spark.submit.pyFiles": files})
    with pytest.raises(UsageError, match=told) as refused:
        executors.refuse_executors(session)
    if "lost" not in told:
        assert str(refused.value).endswith(executors.MEND)
        assert executors.MEND.count("\n  ") == 2


def test_executors_are_asked_once_a_session(monkeypatch):
    asked = []
    monkeypatch.setattr(executors, "_found", lambda session: asked.append(session) or {HERE})
    for name in ("one", "one", "two"):
        executors.refuse_executors(SimpleNamespace(session_id=name))
    assert len(asked) == 2
