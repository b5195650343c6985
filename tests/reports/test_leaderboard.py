"""Reports: golden files, hostile text in every format, narrow terminals, groups."""

import csv
import io
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from time import process_time

import boards
import numpy as np
import pytest
from approximate import approximately
from boards import score as scored
from hypothesis import assume, example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rounds import rounds
from tables import rows

from scorer import __version__
from scorer.api.submissions import SubmissionFile
from scorer.core.problems import Findings, Problem
from scorer.core.text import LEFT_TO_RIGHT, printable, unit
from scorer.reports.base import Options, report_format
from scorer.reports.findings.lines import workflow_commands
from scorer.reports.findings.problems import format_findings
from scorer.reports.github import annotation
from scorer.reports.leaderboard.remarks import cautions, remarks
from scorer.reports.write.csv import FORMULA, cell
from scorer.reports.write.fitting import cut_names
from scorer.reports.write.latex import escaped as latex
from scorer.reports.write.markdown import escaped as markdown
from scorer.results.certainty import Certainty, How
from scorer.results.json import to_json
from scorer.results.report import Scored, Standing, Value, group_gap

GOLDEN = Path(__file__).parents[1] / "golden"
FORMATS = ["table", "json", "csv", "markdown", "latex", "github", "html"]


@pytest.mark.slow("writes a report a row", beyond=2)
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex", "github"])
def test_a_report_is_what_it_was(score, monkeypatch, form):
    monkeypatch.chdir(GOLDEN / "board")
    sent = sorted(path for path in Path("submissions").iterdir())
    ran = score(".", *sent, "--format", form).assert_exit(1)
    said, golden = ran.out, (GOLDEN / f"board.{form}").read_text()
    if form == "json":
        assert json.loads(said) == approximately(json.loads(golden.replace("VERSION", __version__)))
    elif form == "csv":
        rows = [list(csv.reader(io.StringIO(text))) for text in (said, golden)]
        mine, was = ([[_number(cell) for cell in row] for row in each] for each in rows)
        assert mine == approximately(was)
    else:
        assert said == golden


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)> & '",
    "\x1b[31mred\x1b]8;;http://evil\x07",
    "[bold]x[/bold] [link=http://evil]y[/link]",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "＝cmd|' /C calc'!A0",
    " =1+1",
    r"\input{/etc/passwd} $x$ %",
    "[x] a & b % c # d _ e ^ f ~ g",
    "|x|`y`[l](http://evil)![i](http://evil)<b>",
    "**bold** http://evil.example",
    "::error::x",
    "##[error]x",
    "two\n::add-mask::lines\r\n",
    "\u202eevil\u2066",
    "\ud800",
    "x" * 5000,
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report in which every text from outside is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    lists = [f"{name[:40]}{n}" for n, name in enumerate(HOSTILE) if name.isprintable()]
    with (folder / "truth.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["list", "item"], *([each, "a"] for each in lists)])
    with (folder / "lists.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["list", "group"], *([each, each] for each in lists)])
    (folder / "challenge.yaml").write_text(
        "title: '<script>=[x](y) & % ::error::'\ntruth: truth.csv\nlists: lists.csv\n"
        "metrics: [{metric: P@1, id: '<img src=x> | & %'}]\ndescription: '</p><script>'\n"
    )
    (folder / "good.csv").write_bytes((folder / "truth.csv").read_bytes())
    (folder / "bad.csv").write_text("list,item\n<script>,::error::\n")
    return scored(
        folder,
        [SubmissionFile(name, folder / ("good.csv" if n % 3 else "bad.csv"))
         for n, name in enumerate(HOSTILE)],
    )  # fmt: skip


@pytest.mark.slow("writes a report a row", beyond=2)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("per_list", [False, True])
def test_no_control_leaves_a_report(hostile, form, per_list):
    said = report_format("leaderboard", form).write(hostile, Options(per_list=per_list))
    said.encode()
    odd = {c for c in said if not c.isprintable()} - {"\n"}
    assert not odd, odd


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.handlers, self.said = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.handlers += [name for name, _ in attrs if name.startswith("on") or name == "src"]

    def handle_data(self, data):
        self.said.append(data)


def test_html_text_stays_text(hostile):
    page = Tags(report_format("leaderboard", "html").write(hostile, Options(per_list=True)))
    assert page.tags.count("script") == 1
    assert {"img", "b"}.isdisjoint(page.tags)
    assert page.handlers == []
    for name in HOSTILE:
        assert printable(name, 100) in page.said


def test_no_cell_is_a_formula(hostile):
    for per_list in (False, True):
        said = report_format("leaderboard", "csv").write(hostile, Options(per_list=per_list))
        rows = list(csv.reader(io.StringIO(said)))
        assert len({len(row) for row in rows}) == 1
        for row in rows:
            for each in row:
                assert not each.lstrip().startswith((*FORMULA, "＝")), each


def test_a_markdown_table_keeps_its_columns(hostile):
    said = report_format("leaderboard", "markdown").write(hostile, Options())
    rows = [line for line in said.splitlines() if line.startswith("|")]
    bars = {len(re.findall(r"(?<!\\)\|", row)) for row in rows[: len(hostile.leaderboard) + 2]}
    assert len(bars) == 1
    assert not re.search(r"(?<!\\)<|https?://", said)


def test_every_line_for_github_is_a_command_of_ours(hostile):
    for line in report_format("leaderboard", "github").write(hostile, Options()).splitlines():
        found = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.*)", line)
        assert found, line
        for part in found[2].split(","):
            assert re.fullmatch(r"(file|line|col|title)=[^:,]*", part), line


def test_a_terminal_shows_markup_as_it_is(hostile):
    said = report_format("leaderboard", "table").write(hostile, Options(width=200))
    assert "[bold]x[/bold] [link=http://evil]y[/link]" in said
    assert "\x1b" in report_format("leaderboard", "table").write(hostile, Options(colour=True))


@pytest.mark.parametrize(("text", "said"), rows(__file__, "latex_text_stays_text"))
def test_latex_text_stays_text(text, said):
    assert latex(text) == said


@pytest.mark.parametrize(("text", "said"), rows(__file__, "markdown_text_stays_text"))
def test_markdown_text_stays_text(text, said):
    assert markdown(text) == said


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def plain_text(tokens):
    """The text of tokens that are nothing but paragraphs, cells and text."""
    kinds = {token.type for token in tokens}
    allowed = ("paragraph", "inline", "table", "thead", "tbody", "tr", "th", "td", "bullet_list",
               "list_item")  # fmt: skip
    assert all(kind.removesuffix("_open").removesuffix("_close") in allowed for kind in kinds)
    (last,) = [token for token in tokens if token.type == "inline"][-1:]
    assert {child.type for child in last.children} <= {"text", "text_special"}
    return "".join(child.content for child in last.children).replace("\u200b", "")


@rounds(300)
@given(st.text(st.sampled_from("ab1 _*`[](){}<>#+-=.!|~&;$:/@w\\\"'é"), min_size=1))
@example("![a](b) [c]: http://d")
@example("1. x")
@example("-- -")
def test_markdown_reads_escaped_text_as_that_text(text):
    assume(text.strip() == text)
    shown = markdown(text)
    assert plain_text(MARKDOWN.parse(shown)) == text
    assert plain_text(MARKDOWN.parse(f"- {shown}")) == text
    rows = f"| a | b |\n| --- | ---: |\n| x | {shown} |"
    assert plain_text(MARKDOWN.parse(rows)) == text


@pytest.mark.parametrize(
    ("text", "said"), rows(__file__, "a_cell_is_no_formula_wherever_a_spreadsheet_cuts")
)
def test_a_cell_is_no_formula_wherever_a_spreadsheet_cuts(text, said):
    assert cell(text) == said


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc80\ud800"])
def test_json_holds_no_half_of_a_character(text):
    said = json.loads(to_json({text: [text]}).encode().decode())
    ((key, (value,)),) = said.items()
    assert key == value == printable(text)
    key.encode()


def test_json_holds_no_command_for_a_runner():
    assert "##[" not in to_json(["##[error]x"])
    assert json.loads(to_json(["##[error]x"])) == ["##[error]x"]


@pytest.mark.slow("writes a report a row", beyond=4)
@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex", "html"])
@pytest.mark.parametrize("per_list", [False, True])
@pytest.mark.parametrize("width", [None, 40])
def test_no_line_of_a_report_is_a_command_for_a_runner(hostile, form, per_list, width):
    said = report_format("leaderboard", form).write(
        hostile, Options(per_list=per_list, width=width)
    )
    for line in said.splitlines():
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line


def test_an_annotation_says_where_and_cannot_be_left():
    assert annotation("error", "a\r\n::b 5%", file="x:y,z", line=None) == (
        "::error file=x%3Ay%2Cz::a%0D%0A::b 5%25"
    )
    findings = Findings("s.csv")
    findings.extend(Problem("S304", "twice", line=n, help="once") for n in range(1, 8))
    said = workflow_commands(findings)
    assert said == ["::error file=s.csv,line=1,title=S304::twice (and 6 more)%0Aonce"]
    assert len(workflow_commands(findings, every=True)) == 7
    assert format_findings(findings)[-1] == "  and 6 more of S304, on lines 2, 3, 4, ..."


@pytest.mark.parametrize("width", [21, 40, 60, 82, 120])
def test_a_terminal_of_any_width_keeps_its_numbers_whole(board, width):
    said = report_format("leaderboard", "table").write(board, Options(width=width))
    assert max(map(len, said.splitlines())) <= max(width, 33)
    for value in ("0.923", "0.870", "0.435"):
        assert value in said
    if width >= 60:
        assert "[0.781, 0.991]" in said
        assert "1 (1-2)" in said


def test_at_most_two_sentences_stand_below_a_board(board):
    said = report_format("leaderboard", "table").write(board, Options())
    assert [line for line in said.splitlines() if line][-2:] == [
        "alpha leads with 0.923 nDCG@5; beta cannot be told apart from it.",
        "Topics without an answer, of 24 (scored as empty): delta 2.",
    ]
    noted = " ".join(
        report_format("leaderboard", "table").write(board, Options(notes=True)).split()
    )
    assert "(1-2): the true rank is between 1 and 2 with 95 % confidence, for all rows" in noted
    assert "Better than the baseline popular (p < 0.05): alpha, beta and gamma." in noted


def ranked(board, *values):
    """The report with so many ranked rows of these values by its primary measure."""
    primary = board.measures[0]
    rows = tuple(
        Standing.untested(n + 1, f"team {n}", {primary.id: value}) for n, value in enumerate(values)
    )
    submissions = tuple(
        replace(
            board.submissions[0], name=row.name, values={primary.id: Value(0.5, 24, 0, 0, None)}
        )
        for row in rows
    )
    return replace(
        board, measures=(primary,), groups={}, certainty=None, leaderboard=rows,
        submissions=submissions,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("values", "options", "shown"),
    [
        ((0.9, 0.8), {}, ["0.900", "0.800"]),
        ((0.90001, 0.90002), {}, ["0.90001", "0.90002"]),
        ((0.9000001, 0.9000002, 0.8), {}, ["0.900", "0.900", "0.800"]),  # six digits do not suffice
        ((0.90004, 0.90001), {"precision": 3, "distinct": False}, ["0.900", "0.900"]),
        ((0.90004, 0.90001), {"precision": 2}, ["0.90", "0.90"]),
        ((0.9, 0.8), {"precision": 7}, ["0.9000000", "0.8000000"]),
        ((1234.56, 17.2572, 0.5), {}, ["1235", "17.26", "0.500"]),
    ],
)
def test_values_have_the_digits_that_tell_neighbours_apart(board, values, options, shown):
    said = report_format("leaderboard", "markdown").write(
        ranked(board, *values), Options(**options)
    )
    rows = [
        line.split(" | ") for line in said.splitlines() if line.startswith("| ") and "team" in line
    ]
    assert [row[2].rstrip(" |") for row in rows] == shown


@pytest.mark.parametrize(
    ("digits", "options", "shown"),
    [
        (2, {}, ["0.90", "0.88"]),
        (5, {}, ["0.90001", "0.88000"]),
        (2, {"precision": 4, "distinct": False}, ["0.9000", "0.8800"]),
        (2, {"distinct": False}, ["0.900", "0.880"]),  # --precision 3
    ],
)
def test_the_digits_of_the_challenge_rule_unless_a_precision_is_given(
    board, digits, options, shown
):
    report = ranked(board, 0.90001, 0.88)
    definition = report.definition
    rules = definition.leaderboard.model_validate({"digits": digits})
    report = replace(report, definition=definition.model_copy(update={"leaderboard": rules}))
    said = report_format("leaderboard", "markdown").write(report, Options(**options))
    rows = [
        line.split(" | ") for line in said.splitlines() if line.startswith("| ") and "team" in line
    ]
    assert [row[2].rstrip(" |") for row in rows] == shown


@pytest.mark.parametrize("form", ["table", "github"])
def test_ranks_have_no_ranges_where_no_difference_can_be_significant(form):
    truth = {f"q{n}": {"a": 1} for n in range(5)}
    runs = {
        name: {q: ["a"] if n < hits else ["x"] for n, q in enumerate(truth)}
        for name, hits in {"one": 4, "two": 2}.items()
    }
    report = boards.evaluate(truth, runs, ["P@1"])
    said = report_format("leaderboard", form).write(report, Options())
    assert "too few to tell any two apart" in said
    assert "(1-2)" not in said


def test_a_terminal_shows_twenty_rows_and_how_many_more_there_are(board):
    report = ranked(board, *(1 - n / 100 for n in range(30)))
    write = report_format("leaderboard", "table").write
    said = write(report, Options(width=80))
    assert ("team 19" in said, "team 20" in said) == (True, False)
    assert "\n10 more: --all-rows\n" in said
    for options in (Options(width=80, all_rows=True), Options()):  # a file has all
        assert "team 29" in write(report, options)
        assert "more: --all-rows" not in write(report, options)


def test_long_names_are_cut_in_the_middle_and_stay_different():
    names = [f"a-team-with-a-very-long-name-{letter}-of-ljubljana" for letter in "ab"]
    cut = cut_names([*names, names[0], "short"], 16)
    assert cut == ["a-team-…a…bljana", "a-team-…b…bljana", "a-team-…a…bljana", "short"]


def test_names_of_several_parts_keep_those_that_differ():
    names = [f"bert-base-lr{rate}-seed{seed}-run" for rate in (1, 2) for seed in (1, 2)]
    cut = cut_names(names, 14)
    assert cut == ["ber…1-seed1…un", "ber…1-seed2…un", "ber…2-seed1…un", "ber…2-seed2…un"]


def test_names_that_differ_in_more_than_fits_get_numbers():
    names = [f"the-same-{letter * 20}-the-same" for letter in "ab"]
    assert cut_names(names, 12) == ["the-sa…ame#1", "the-sa…ame#2"]


def test_remarks_say_how_many_lists_have_no_value(board):
    assert "nDCG@5, AP are undefined for 1 of 24 topics (counted as 0)." in remarks(board, 4)
    said = cautions(board, 4)
    assert said == ["Topics without an answer, of 24 (scored as empty): delta 2."]


@pytest.mark.parametrize(
    ("column", "one", "many"), rows(__file__, "sentences_use_the_challenges_word_for_a_list")
)
def test_sentences_use_the_challenges_word_for_a_list(column, one, many):
    assert (unit({"list": column}, 1), unit({"list": column})) == (one, many)


def test_contradicting_preferences_are_noted(board):
    said = cautions(replace(board, cycles=(("a", "b", "c"),)), 4)
    assert any("contradict each other: each of 'a', 'b', 'c'" in each for each in said)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("per_list", [False, True])
def test_a_report_without_certainty_or_without_anyone_is_a_report(board, form, per_list):
    bare = tuple(replace(row, interval=None, tier=None, ranks=None) for row in board.leaderboard)
    write = report_format("leaderboard", form).write
    assert write(replace(board, certainty=None, leaderboard=bare), Options(per_list=per_list))
    rejected = tuple(each for each in board.submissions if not each.valid)
    none = replace(board, certainty=None, leaderboard=(), submissions=rejected)
    said = write(none, Options(per_list=per_list))
    assert "broken" in said or (form == "csv" and per_list)


def test_a_gap_needs_two_groups(board):
    one = replace(board.submissions[0], groups={"AP": {"a": 0.5, "b": math.nan}})
    ap = next(measure for measure in board.measures if measure.id == "AP")
    assert math.isnan(group_gap(one.groups[ap.id]))


def large(board, teams, lists, count):
    """A report of so many submissions, lists and measures."""
    random = np.random.default_rng(1)
    names = tuple(f"team {n}" for n in range(teams))
    primary = replace(board.measures[0], primary=True)
    others = [replace(primary, id=f"M{n}", primary=False) for n in range(1, count)]
    measures = (primary, *others)
    each = random.random((teams, lists))
    how = How("permutation", "max", 0.05, 0.95, 10_000, 1, "lists", lists, lists)
    pairs, common = random.random((2, teams, teams)), np.full((teams, teams), lists)
    certainty = Certainty(
        measure=primary.id, names=names, difference=pairs[0], p=pairs[1], lists=lists,
        detectable=0.01, how=how, signature=how.signature, common_lists=common, pairs=4950,
        least_p=1e-4, fewest_lists=6, baselines=(), shake_up=None, lead=np.sign(pairs[0]),
    )  # fmt: skip
    return replace(
        board,
        measures=measures,
        groups={},
        lists=tuple(map(str, range(lists))),
        certainty=certainty,
        submissions=tuple(
            Scored(name, name, None, False, Findings(), board.submissions[0].card,
                   {each.id: Value(0.5, lists, 0, 0, values) for each in measures})
            for name, values in zip(names, each, strict=True)
        ),
        leaderboard=tuple(
            replace(
                Standing.untested(n + 1, name, dict.fromkeys((each.id for each in measures), 0.5)),
                interval=(0.4, 0.6), tier=n // 10 + 1, ranks=(1, teams),
            )
            for n, name in enumerate(names)
        ),
    )  # fmt: skip


@pytest.mark.slow("writes a report a row")
def test_a_hundred_submissions_of_ten_thousand_lists_stay_a_page(board):
    big = large(board, 100, 10_000, 1)
    start = process_time()
    for form in FORMATS:
        said = report_format("leaderboard", form).write(big, Options())
        assert len(said) < 2_000_000, form
    assert process_time() - start < 10


@pytest.mark.slow("writes reports of every kind")
def test_three_hundred_submissions_by_many_measures_stay_a_page(board):
    page = report_format("leaderboard", "html").write(large(board, 300, 50, 22), Options())
    assert len(page) < 2_500_000
    pairs = 15 * 14 // 2
    assert page.count("<tr") < 300 + 300 * (22 + 20 + 2) + pairs + 100
    assert "The first 15 of 300 submissions" in page  # of pairs


NAMES = ["שלום עולם", "مرحبا", "b"]


@pytest.mark.parametrize("form", ["table", "github"])
def test_names_written_from_right_to_left_leave_the_columns_in_their_order(form, challenge):
    folder = challenge("truth: truth.csv\nmetrics: [P@1]\n")
    sent = [SubmissionFile(name, folder / "truth.csv") for name in NAMES]
    said = report_format("leaderboard", form).write(scored(folder, sent), Options())
    for name in NAMES[:2]:
        assert said.count(f"{LEFT_TO_RIGHT}{name}{LEFT_TO_RIGHT}") == said.count(name) > 0
    assert said.count(LEFT_TO_RIGHT) == 2 * sum(map(said.count, NAMES[:2]))


def test_a_description_is_markdown_in_html(challenge, score):
    folder = challenge(
        "truth: truth.csv\nmetrics: [P@1]\ndescription: |\n  One.\n  *Two* <b>.\n\n  Three.\n",
        **{"s.csv": "list,item\nq1,a\nq2,a\n"},
    )
    page = score(folder, folder / "s.csv", "--format", "html").out
    assert "<p>One.\n<em>Two</em> &lt;b&gt;.</p>\n<p>Three.</p>" in page
    assert "img-src data:; script-src" in page
