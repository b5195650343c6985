"""What the pages are made from is read anew after the store has changed."""

from types import SimpleNamespace

from scorer.web.site import STAMP_SECONDS, Site


def test_a_change_by_another_process_is_seen_under_steady_requests(served, monkeypatch):
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr("scorer.web.site.monotonic", lambda: clock.now)
    site = Site(served.folder)
    assert "red" not in site.teams
    served.token("red")  # as `score team` does while a server runs
    seen = []
    for _ in range(8):
        clock.now += STAMP_SECONDS / 4
        seen.append("red" in site.teams)
    site.close()
    assert seen == [False] * 3 + [True] * 5
