"""Text from outside, made safe to print."""

import re
import unicodedata

import pytest

from scorer.core.text import LEFT_TO_RIGHT, isolate_rtl, printable, unseen

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


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1  a  0.5", "1  a  0.5"),
        ("1  שלום   0.5", "1  <שלום>   0.5"),
        ("שלום עולם   אב   2", "<שלום עולם>   <אב>   2"),
        ("x مرحبا, y", "x <مرحبا>, y"),
        ("שָׁלוֹם", "<שָׁלוֹם>"),
        ("'אב', 'גד'", "'<אב>', '<גד>'"),
        ("\U0001e922\U0001e923 1", "<\U0001e922\U0001e923> 1"),
    ],
)
def test_what_is_written_from_right_to_left_is_set_apart(line, expected):
    assert isolate_rtl(line).replace(LEFT_TO_RIGHT, "|") == re.sub("[<>]", "|", expected)


def test_every_letter_that_is_written_from_right_to_left_is_known():
    letters = [
        c
        for c in map(chr, range(0x110000))
        if unicodedata.bidirectional(c) in ("R", "AL") and unseen(c) is None
    ]
    assert [c for c in letters if isolate_rtl(c) == c] == []
