"""Work shared out between threads: the same order, results and errors with any number of them."""

import threading
from concurrent.futures import Future
from contextlib import ExitStack, closing
from itertools import islice
from types import SimpleNamespace

import pytest

from scorer.core.errors import UsageError
from scorer.core.threads import VARIABLE, ahead, beside, threads

COUNTS = pytest.mark.parametrize("count", ["1", "2", "5"])


def items(upto, error=None):
    yield from range(upto)
    if error is not None:
        raise error


@COUNTS
@pytest.mark.parametrize("waiting", [0, 1, 3])
@pytest.mark.parametrize("upto", [0, 1, 2, 7])
def test_results_come_in_the_order_of_the_items(count, waiting, upto, monkeypatch):
    monkeypatch.setenv(VARIABLE, count)
    with ExitStack() as stack:
        found = [
            (n, square()) for n, square in ahead(stack, lambda n: n * n, items(upto), 3, waiting)
        ]
    assert found == [(n, n * n) for n in range(upto)]
    assert threading.active_count() == 1


@COUNTS
def test_an_error_of_the_items_comes_after_those_before_it(count, monkeypatch):
    monkeypatch.setenv(VARIABLE, count)
    found = []
    with ExitStack() as stack:
        results = ahead(stack, str, items(3, ValueError("no more")), 3, 9)
        with pytest.raises(ValueError, match="no more"):
            found.extend((n, result()) for n, result in results)
    assert found == [(0, "0"), (1, "1"), (2, "2")]


@COUNTS
def test_an_error_of_the_work_is_raised_where_its_result_is_asked_for(count, monkeypatch):
    monkeypatch.setenv(VARIABLE, count)
    found = []
    with ExitStack() as stack:
        results = ahead(stack, lambda n: 6 // (2 - n), items(9), 3, 4)
        with pytest.raises(ZeroDivisionError):
            found.extend((n, result()) for n, result in results)
    assert found == [(0, 3), (1, 6)]
    assert threading.active_count() == 1


@COUNTS
@pytest.mark.parametrize("taken", [0, 1, 3, 9])
def test_what_is_made_beside_is_the_same_and_ends_with_its_reader(count, taken, monkeypatch):
    monkeypatch.setenv(VARIABLE, count)
    with ExitStack() as stack, closing(beside(stack, items(5))) as made:
        assert list(islice(made, taken)) == list(range(5))[:taken]
    assert threading.active_count() == 1


def test_a_generator_that_is_closed_after_its_threads_does_not_wait(monkeypatch):
    """What they had not begun was cancelled, and never ends."""
    futures = [Future(), Future()]
    futures[0].set_result("first")
    left = iter(futures)
    pool = SimpleNamespace(submit=lambda *words: next(left))
    monkeypatch.setenv(VARIABLE, "2")
    monkeypatch.setattr("scorer.core.threads._pool", lambda stack, count: pool)
    made = beside(ExitStack(), items(2))
    assert next(made) == "first"
    futures[1].cancel()
    made.close()
    assert futures[1].cancelled()


@COUNTS
def test_what_ends_the_making_is_raised_in_its_place(count, monkeypatch):
    monkeypatch.setenv(VARIABLE, count)
    with ExitStack() as stack:
        made = beside(stack, items(2, OSError("gone")))
        assert [next(made), next(made)] == [0, 1]
        with pytest.raises(OSError, match="gone"):
            next(made)


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", "1025", "9" * 30, "²"])
def test_a_number_of_threads_that_is_none_is_told(given, monkeypatch):
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(UsageError, match=r"not a whole number from 1 to 1,024"):
        threads()


def test_without_a_word_there_are_as_many_as_cores(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 3, 5}, raising=False)
    assert threads() == 3
