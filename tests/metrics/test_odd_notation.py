"""What Python's parser would warn of is refused before it is asked; no filter of the process is."""

import warnings

import pytest

from scorer.metrics.notation import NotationError, parse


@pytest.mark.parametrize(
    "notation", ["P@5or 6", "P@1if", "P(a=0x1for)", "P@5in x", "P(a='\\q')", "P(a='\\8')",
                 "P(a='\\400')", "P@1_0else", "P@.5and 1"],
)  # fmt: skip
def test_odd_notations_are_refused_in_silence(notation, monkeypatch):
    monkeypatch.setattr(warnings, "catch_warnings", lambda *_: pytest.fail("the process's filters"))
    with warnings_as_errors(), pytest.raises(NotationError, match="is no measure"):
        parse(notation)


@pytest.mark.parametrize(
    ("notation", "params"),
    [("P(a=0x1f)", {"a": 31}), ("Inform(a=1e3)", {"a": 1000.0}), ("P(a='\\\\n')", {"a": "\\n"}),
     ("P(a=1_000, b=nor)", {"a": 1000, "b": "nor"}), ("P(a='x')", {"a": "x"})],
)  # fmt: skip
def test_what_was_understood_still_is(notation, params):
    assert parse(notation)[1] == params


class warnings_as_errors:
    def __enter__(self):
        self.filters = warnings.filters[:]

    def __exit__(self, *_):
        assert warnings.filters == self.filters
