"""What is known of a block's bytes, however they are cut into pieces that fit the cache."""

import random

import pytest

from scorer.bytes.limits import ReadLimits
from scorer.formats import blocks
from scorer.formats.blocks import Block

LETTERS = "az09-._/,~", "az \n", "a \n#+\"'", "a\t\x01\x7f \n", "aé \n"


def block(data):
    return Block(data, 1, True, ReadLimits())


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("cached", [1, 3, 8, 1000])
def test_a_look_counts_the_bytes(letters, cached, monkeypatch):
    monkeypatch.setattr(blocks, "CACHED", cached)
    draw = random.Random(cached)
    for _ in range(100):
        data = "".join(draw.choices(letters, k=draw.randrange(20))).encode() + b"\n"
        look = block(data).look
        assert look.lines == data.count(b"\n")
        assert look.blanks == data.count(b" ")
        assert look.highest == max(data)
        assert look.printable == all(byte == 10 or 32 <= byte <= 126 for byte in data)
        assert look.marks == any(byte <= ord("+") and byte not in b" \n" for byte in data)
        pairs = zip(b"\n" + data, data, strict=False)
        assert look.joined == any(one <= 32 and two <= 32 for one, two in pairs)


def test_a_block_without_bytes_has_no_lines():
    assert block(b"").look[:4] == (0, 0, True, False)


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a b\r\nc d\r\n", b"a b\nc d\n"),
        (b"a b\r\nc d\r", b"a b\nc d\n"),
        (b"a b", b"a b\n"),
        (b"a\rb\n", b"a\rb\n"),
        (b"a\r\r", b"a\r\n"),
    ],
)
def test_lines_end_in_lf_however_they_were_ended(data, lines):
    a_block = block(data)
    assert a_block.data == lines
    assert a_block.octets.tobytes() == lines
    assert a_block.count == lines.count(b"\n")


def test_ids_with_rare_signs_are_not_usual():
    assert block(b"a b\n").usual(ord(" "))
    assert not block(b"a b\n").usual(ord(","))
    assert block(b"a#,b]\n").usual(ord(","))
    for sign in b"+'\"`[(":
        assert not block(b"a%c b\n" % sign).usual(ord(" "))
