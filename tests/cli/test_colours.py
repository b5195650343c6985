"""A terminal with colours: bars, marks, links, findings; and all that stays plain."""

import re
import sys
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from scorer.cli import main as cli
from scorer.reports import terminal as look
from scorer.reports.charts.charts import IntervalSpan

ROOT = Path(__file__).parents[2]
COURSE, VLNET = ROOT / "challenges/course-2026", ROOT / "challenges/vlnet-2011"
SENT = ROOT / "submissions_example"
GOOD, BAD = SENT / "course-2026/good", SENT / "vlnet-2011/bad"
FILES = [GOOD / f"{name}.csv" for name in ("aurora-1", "boreas-2", "delta-1", "eclipse-2")]
BOARD = [COURSE, *FILES, "--split", "all"]
CONSOLE = Console(color_system="standard", force_terminal=True)
RED, YELLOW, CYAN = 1, 3, 6
LINK = re.compile(r"\x1b\]8;[^;]*;([^\x1b]+)\x1b\\")


def lines(out):
    """The lines of a terminal: each a text with its styles."""
    return Text.from_ansi(out).split("\n")


def style(text, part):
    """The style in which a part of a line is written."""
    at = text.plain.index(part)
    return text.get_style_at_offset(CONSOLE, at)


def line_of(out, part):
    """The first line that holds a part."""
    return next(line for line in lines(out) if part in line.plain)


def test_a_board_has_bars_on_one_scale(score, terminal):
    terminal(120, colours=True)
    out = score(*BOARD).out
    head = line_of(out, "rank").plain
    low, high = (float(end) for end in re.findall(r"0\.[0-9]{3}", head))
    begin = head.index(f"{low:.3f}")
    for line in lines(out):
        found = re.search(r"\[(0\.\d+), (0\.\d+)\]", line.plain)
        if found is None:
            continue
        bar = line.plain[begin : begin + look.INTERVAL_WIDTHS[0]]
        drawn = [n for n, sign in enumerate(bar) if sign in "━╺╸●"]
        expected = [
            (float(end) - low) / (high - low) * (look.INTERVAL_WIDTHS[0] - 1)
            for end in found.groups()
        ]
        assert drawn[0] == pytest.approx(expected[0], abs=1), line.plain
        assert drawn[-1] == pytest.approx(expected[1], abs=1), line.plain
        assert drawn == list(range(drawn[0], drawn[-1] + 1))
        assert bar.count("●") == 1


def test_a_board_marks_what_matters(score, terminal):
    terminal(120, colours=True)
    out = score(*BOARD).out
    first = line_of(out, "eclipse-2")
    assert style(first, "1").bold  # its rank
    assert style(first, "eclipse-2").link == FILES[3].as_uri()
    assert style(line_of(out, "popular"), "popular").dim
    assert style(line_of(out, "of all splits"), "of all splits").dim
    assert "nDCG@10 ↑" in line_of(out, "rank").plain
    assert style(line_of(out, "significantly better than all below"), "better").dim
    assert style(line_of(out, "leads with"), "leads with").bold


@pytest.mark.slow("draws every command", beyond=1)
@pytest.mark.parametrize(
    ("width", "shown", "gone"),
    [
        (60, ["●", "nDCG@10", "Success@3"], ["95 % interval", "RR"]),
        (80, ["●", "nDCG@10", "Success@3", "RR"], ["95 % interval"]),
        (120, ["●", "95 % interval", "Success@3", "RR"], []),
    ],
)
def test_columns_leave_by_priority(score, terminal, width, shown, gone):
    terminal(width, colours=True)
    plain = Text.from_ansi(score(*BOARD).out).plain
    assert all(each in plain for each in shown)
    assert not any(f" {each}" in plain for each in gone)
    assert max(map(len, plain.splitlines())) <= width


def test_there_are_no_bars_where_the_encoding_has_none(score, terminal, monkeypatch):
    terminal(120, colours=True)
    monkeypatch.setattr(cli, "_has_bars", lambda stream: False)
    out = score(*BOARD).out
    assert "\x1b" not in out
    assert not set(out) & set("━╺╸●▌▐█│")
    assert "0.781" in out


def test_a_submission_that_was_not_scored_is_in_its_own_colour(score, terminal):
    terminal(100, colours=True)
    sent = [BAD / "no_header.csv", *(SENT / "vlnet-2011/good").iterdir()]
    line = line_of(score(VLNET, *sent).out, "was rejected")
    assert style(line, "no_header").color.number == RED


def test_findings_look_as_those_of_a_compiler(score, terminal):
    terminal(300, colours=True)  # a line of a finding begins with the file's whole path
    out = score("check", VLNET, BAD / "three_faults.csv", SENT / "vlnet-2011/good").out
    state, line = line_of(out, "would be rejected"), line_of(out, "error[S304]")
    assert style(state, "submissions_example").bold
    assert style(state, "submissions_example").link == (BAD / "three_faults.csv").as_uri()
    assert style(line, "error[S304]").color.number == RED
    assert style(line, "S304").link.endswith("docs/codes.md#s304")
    assert not style(line, "item").bold
    assert style(line_of(out, "^"), "^").color.number == RED
    assert style(line_of(out, "help:"), "help:").color.number == CYAN
    *_, last = (line.plain for line in lines(out.rstrip("\n")))
    assert re.match(r"3 errors: 1 of \d files would be rejected; score rule S", last)


@pytest.mark.slow("draws every command")
def test_every_command_draws(score, terminal):
    terminal(100, colours=True)
    compared = score("compare", COURSE, *FILES[:2]).out
    up, down = (
        next(
            line.plain for line in lines(compared) if "█" in line.plain and line.plain.endswith(end)
        )
        for end in ("+0.668", "-0.854")
    )
    assert up.count("█") / down.count("█") == pytest.approx(0.668 / 0.854, abs=0.06)
    assert up.index("█") > up.index("│")
    assert down.index("█") < down.index("│")
    assert style(line_of(compared, "< 0.0001"), "< 0.0001").bold
    explained = score("explain", COURSE, FILES[0], "--list", "u001").out
    assert line_of(explained, "b25").plain.count("█") == look.BAR_WIDTH
    page = score("metrics", "nDCG").out
    assert "https://doi.org/10.1145/582415.582418" in LINK.findall(page)
    assert style(lines(page)[0], "nDCG").bold
    assert style(line_of(score("lint", COURSE).out, "warning:"), "warning").color.number == YELLOW


@pytest.mark.slow("runs six commands at three widths", beyond=1)
@pytest.mark.parametrize(
    "words",
    [
        ("lint", "challenges/course-2026"),
        ("metrics", "nDCG"),
        ("metrics",),
        ("check", "challenges/vlnet-2011", "submissions_example/vlnet-2011/bad/three_faults.csv"),
        ("explain", "challenges/course-2026", FILES[0], "--list", "u001"),
        ("explain", "challenges/course-2026", FILES[0]),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_no_word_and_no_number_is_broken(score, terminal, monkeypatch, words):
    """What a terminal cuts is folded between words before, or leaves with a word of it."""
    monkeypatch.chdir(ROOT)
    words = [word.relative_to(ROOT) if isinstance(word, Path) else word for word in words]
    terminal(1000, colours=True)
    whole = {"Not", "shown", "width:", "at", "this", "(--format", "json", "has", "all)."}
    whole |= set(Text.from_ansi(score(*words).out).plain.split())
    for width in (60, 80):
        terminal(width, colours=True)
        told = Text.from_ansi(score(*words).out).plain
        assert max(map(len, told.split("\n"))) <= width
        drawn = {part for part in told.split() if set(part) <= {*look.EIGHTHS, "─"}}
        assert {part.rstrip(",") for part in {*told.split()} - drawn} <= {
            part.rstrip(",") for part in whole
        }


def test_problems_and_the_board_below_stand_apart(score, terminal, monkeypatch):
    terminal(80, colours=True)
    monkeypatch.setattr(cli, "is_terminal", lambda stream: True)
    bad = SENT / "course-2026/bad/twice.csv"
    ran = score(COURSE, FILES[0], bad, "--split", "all")
    assert ran.err.endswith("\n\n")
    assert not ran.out.startswith("\n")


@pytest.mark.slow("draws every command", beyond=1)
@pytest.mark.parametrize(
    ("words", "environment", "on_terminal", "coloured"),
    [
        ([], {}, True, True),
        ([], {}, False, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"NO_COLOR": ""}, True, False),
        ([], {"TERM": "dumb"}, True, False),
        ([], {"FORCE_COLOR": "1"}, False, True),
        ([], {"FORCE_COLOR": ""}, False, False),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        (["--color", "always"], {"NO_COLOR": "1", "TERM": "dumb"}, False, True),
        (["--color=never"], {"FORCE_COLOR": "1"}, True, False),
        (["--color=auto"], {}, True, True),
    ],
)
def test_when_there_are_colours(score, terminal, monkeypatch, words, environment, on_terminal,
                                coloured):  # fmt: skip
    terminal(80, colours=True)
    monkeypatch.setattr(cli, "is_terminal", lambda stream: on_terminal and stream is sys.stdout)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ran = score(*BOARD, *words).assert_exit(0)
    assert ("\x1b[" in ran.out) is coloured
    assert bool(LINK.search(ran.out)) is (coloured and on_terminal)  # no folder leaves the machine
    assert ("●" in ran.out) is coloured


def test_messages_on_stderr_have_colours_where_it_is_a_terminal(score, terminal, monkeypatch):
    terminal(80, colours=True)
    monkeypatch.setattr(cli, "is_terminal", lambda stream: stream is sys.stderr)
    ran = score(VLNET, BAD / "three_faults.csv")
    assert "\x1b" not in ran.out
    assert style(line_of(ran.err, "S304"), "error[S304]").color.number == RED
    wrong = score(*BOARD, "--format", "none").err
    assert style(line_of(wrong, "error:"), "error").color.number == RED


def test_what_stays_plain_is_the_same_to_the_byte(score, terminal, monkeypatch):
    terminal(100)
    plain = score(*BOARD).out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert score(*BOARD).out == plain
    assert score(*BOARD, "--color", "never").out == plain
    assert not re.search(r"[\x1b●█│↑]", plain)


def test_a_file_stays_plain(score, terminal, tmp_path):
    terminal(80, colours=True)
    assert score(*BOARD, "--color", "always", "-o", tmp_path / "board.txt").code == 0
    assert not re.search(r"[\x1b●]", (tmp_path / "board.txt").read_text())


def test_names_from_files_are_no_sequences(score, terminal, tmp_path):
    terminal(100, colours=True)
    folder = tmp_path / "\x1b]8;;http:evil\x1b\\[red]x"
    folder.mkdir()
    copy = folder / "[bold]a.csv"
    copy.write_bytes(FILES[0].read_bytes())
    out = score(COURSE, copy, "--split", "all").out
    assert line_of(out, "[bold]a")
    assert LINK.findall(out) == [copy.as_uri()]
    assert "%1B" in copy.as_uri()


def test_a_bar_says_what_lies_beyond_its_scale():
    assert look.draw_interval(IntervalSpan((-3, -1), -2, (0.0, 1.0), 2), 20).startswith("<")
    assert look.draw_interval(IntervalSpan((2, 3), 2.5, (0.0, 1.0), 2), 20).endswith(">")
    assert look.draw_interval(IntervalSpan((-1, 1), 0.5, (-1.0, 1.0), 2), 10).count("━") == 9
    assert look.draw_interval(IntervalSpan((0.2, 0.4), 0.3, (-1.0, 1.0), 2), 20).index("┊") < 11
    assert look.draw_interval(IntervalSpan((0.5, 0.5), 0.5, (0.5, 0.5), 2), 20).strip() == "●"
