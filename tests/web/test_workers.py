"""Workers of the server: none ends by what an evaluation raises."""

import logging
from threading import Event
from types import SimpleNamespace

from scorer.board.isolation import ChildLimits
from scorer.web import workers


def test_a_mistake_of_ours_is_logged_and_the_worker_goes_on(monkeypatch, caplog):
    again, outcomes = Event(), iter([ValueError("of ours")])

    def evaluated(*_):
        for error in outcomes:
            raise error
        again.set()
        return False

    monkeypatch.setattr(workers, "evaluate_next", evaluated)
    monkeypatch.setattr(workers, "PAUSE", 0.01)
    site = SimpleNamespace(board=None, place=None)
    made = workers.Workers([site], 1, ChildLimits())
    with caplog.at_level(logging.ERROR):
        made.start()
        assert again.wait(30)
    assert made.alive == 1
    made.end()
    assert "ValueError: of ours" in caplog.text
