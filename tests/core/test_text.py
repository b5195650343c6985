"""Text from outside, made safe to print."""

import pytest

from scorer.core.text import printable, unseen

INVISIBLE = [
    "\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u180b", "\u200b", "\u202e",
    "\u2060", "\u2800", "\u3164", "\ufe0f", "\ufeff", "\uffa0", "\ufff0", "\U0001d173",
    "\U000e0001", "\U000e0100", "\x1b", "\x85", "\u2028",
]  # fmt: skip


@pytest.mark.parametrize("character", INVISIBLE, ids=ascii)
def test_what_is_not_seen_is_escaped(character):
    assert unseen(f"a{character}b") == character
    assert printable(f"a{character}b") == f"a{character.encode('unicode_escape').decode()}b"


@pytest.mark.parametrize(
    "text", ["naïve", "ξένος", "東京", "שלום", "e\u0301\u0323", "ก็้", "😀", "a b"]
)
def test_what_people_write_stays(text):
    assert (printable(text), unseen(text)) == (text, None)


def test_at_most_four_marks_in_a_row():
    assert printable("Z" + "\u0301" * 6 + "e" + "\u0301") == (
        "Z" + "\u0301" * 4 + r"\u0301" * 2 + "e\u0301"
    )


def test_three_names_that_look_alike_are_told_apart():
    assert len({printable(f"perfect{c}") for c in ("", "\u3164", "\u2800", "\ufe0f")}) == 4
