"""The board of votes as a document: systems and win rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from scorer.core.text import join_first, printable
from scorer.reports.base import Options
from scorer.reports.charts.charts import IntervalSpan, shared_scale
from scorer.reports.document import (
    Block,
    Cell,
    Column,
    Document,
    Heading,
    Notes,
    Paragraph,
    Row,
    Table,
    cut,
    texts,
)
from scorer.reports.findings.problems import ALL_OPTION, format_findings
from scorer.reports.leaderboard.cells import place
from scorer.reports.leaderboard.figures import MAX_ROWS
from scorer.reports.leaderboard.table import RULE
from scorer.results.report import Standing
from scorer.results.votes import VoteBoard, VoteStanding
from scorer.stats.intervals import MIN_UNITS

SQUARE = 10  # systems whose win rates a text shows
FEW = 20  # prompts below which an interval hardly knows its own width


def document(board: VoteBoard, options: Options) -> Document:
    """The standings and what they rest on; on a page with pictures."""
    return Document(
        board.title,
        list(_vote_blocks(board, options)),
        source=("", ""),
        skip="Skip to the leaderboard",
    )


def _vote_blocks(board: VoteBoard, options: Options) -> Iterator[Block]:
    details = options.every or options.standalone
    if options.page:
        yield Heading("In short", key="short")
    yield Paragraph(verdict(board), "strong")
    if options.page:
        yield Heading("Leaderboard", key="board")
    yield vote_table(board, options)
    yield Notes([*cautions(board), *(explanations(board) if details and not options.page else ())])
    names = [row.name for row in board.leaderboard]
    if options.page or (details and len(names) <= SQUARE):
        yield Heading("Win rates", key="win-rates")
        yield _rate_table(names[:MAX_ROWS], board)
        if len(names) > MAX_ROWS:
            yield Notes([f"The first {MAX_ROWS} of {len(names):,} systems."])
    if options.page:
        yield Heading("How to read this", key="method", open=False)
        yield Notes(list(explanations(board)))
    if len(board.problems):
        yield Heading("Problems")
        option = "" if options.standalone else ALL_OPTION
        lines = format_findings(board.problems, options.every, option=option)
        yield Notes(lines, "problems")


def vote_table(board: VoteBoard, options: Options) -> Table:
    """A row a system, best first."""
    rows = board.leaderboard
    ends = any(row.interval for row in rows)
    level = f"{100 * (board.model.level or 0):g} % interval"
    columns = [
        Column("rank", "rank", first="ascending"),
        Column("name", "name", first="ascending"),
        Column("rating", first="descending", primary=True),
        *([Column(level, "interval", 1, "descending")] if ends else []),
        Column("wins %", "number", 2, "descending"),
        Column("votes", "number", 3, "descending"),
        Column("won", "number", 4, "descending"),
        Column("tied", "number", 5, "descending"),
        Column("lost", "number", 6, "ascending"),
    ]
    spans = [(*(row.interval or (row.rating,) * 2), row.rating) for row in rows]
    scale = shared_scale([(low, rating, high) for low, high, rating in spans], "higher")
    body = [
        Row(
            [
                Cell(place(as_standing(row)), str(n)),
                Cell(row.name),
                Cell(f"{row.rating:.0f}", f"{row.rating:.6f}"),
                *([_interval(row, scale)] if ends else []),
                Cell(f"{100 * row.share:.1f}"),
                *(
                    Cell(f"{count:,}", str(count))
                    for count in (row.votes, row.won, row.tied, row.lost)
                ),
            ],
            row.tier,
        )
        for n, row in enumerate(rows)
    ]
    caption = "Leaderboard, best first; click a heading to sort." if options.page else ""
    return Table(caption, columns, body, "standings" if options.page else "", rule=RULE)


def _interval(row: VoteStanding, scale: tuple[float, float]) -> Cell:
    """Return the interval of a rating, with a bar of it."""
    if row.interval is None:
        return Cell(sort="")
    text = "[{:.0f}, {:.0f}]".format(*row.interval)
    span = IntervalSpan(row.interval, row.rating, scale, 0)
    return Cell(text, f"{row.rating:.6f}", span=span)


def as_standing(row: VoteStanding) -> Standing:
    """The standing of any board."""
    standing = Standing.untested(row.rank, row.name, {"rating": row.rating})
    return replace(standing, interval=row.interval, tier=row.tier, ranks=row.ranks)


def verdict(board: VoteBoard) -> str:
    """Return a sentence on who leads, and how many systems may be as good."""
    first, *others = board.leaderboard
    leaders = [row.name for row in board.leaderboard if row.rank == first.rank]
    if len(leaders) > 1:
        return f"{join_first(leaders, 3)} share the first rank with a rating of {first.rating:.0f}."
    leads = f"{cut(first.name)} leads with a rating of {first.rating:.0f}"
    if not others or first.ranks is None:
        return f"{leads}."
    equal = [row.name for row in others if row.ranks is not None and row.ranks[0] == 1]
    if not equal:
        whom = cut(others[0].name) if len(others) == 1 else f"all {len(others):,} others"
        return f"{leads}, significantly ahead of {whom}."
    if len(equal) == 1:
        return f"{leads}; {cut(equal[0])} cannot be told apart from it."
    return f"{leads}; {len(equal):,} more cannot be told apart from it."


def cautions(board: VoteBoard) -> Iterator[str]:
    """Yield what the numbers rest on, and what they cannot say."""
    model = board.model
    prompts = f"{board.prompts:,} prompt{'s' * (board.prompts != 1)}"
    columns = ", ".join(f"{role}: {printable(name, 60)}" for role, name in board.columns.items())
    votes = f"{board.votes:,} votes ({board.ties:,} ties)"
    yield f"{votes}{f' on {prompts}' if model.over == 'prompts' else ''}; columns {columns}."
    if board.prompts == 1:
        yield "Of a single prompt nothing is known about others: no intervals and no tiers."
    elif model.level is not None and board.prompts < MIN_UNITS:
        yield f"With fewer than {MIN_UNITS} {model.over} there is no interval."
    elif model.level is not None and model.over != "prompts":
        yield (
            "Intervals are by what each vote adds to the ratings, as no column names the prompts; "
            "where a prompt is in several votes they are too narrow."
        )
    if model.level is not None and MIN_UNITS <= board.prompts < FEW:
        yield f"Of {board.prompts:,} {model.over} the width of an interval is itself hardly known."
    unmet = int((board.pairs.votes == 0).sum() - len(board.leaderboard)) // 2
    if unmet:
        yield f"{unmet:,} pairs of systems met in no vote; the model alone compares them."


def explanations(board: VoteBoard) -> Iterator[str]:
    """Yield what the columns mean."""
    model = board.model
    yield (
        "Ratings are strengths of Bradley and Terry's model, with ties as Davidson has them, on "
        "Elo's scale, the mean of all systems 1000: 100 points more are a chance of 64 % in a vote "
        "that is no tie, whoever else stands on the board. wins %: the expected share of wins, "
        "ties half, against another of these systems at random."
    )
    if model.over == "prompts" and model.level is not None and board.prompts >= MIN_UNITS:
        yield "Intervals are by what each prompt adds to the ratings."
    if model.alpha is not None and any(row.tier for row in board.leaderboard):
        most = max(row.tier or 1 for row in board.leaderboard)
        yield (
            f"Tiers: {most:,}, each system significantly better than every one of a later tier "
            f"(alpha {model.alpha:g}, all pairs); in parentheses the ranks that the votes leave "
            "possible."
        )


def _rate_table(names: Sequence[str], board: VoteBoard) -> Table:
    """Return the share of votes that each system won against each other, and their number."""
    rows = [
        [name, *("" if i == j else _rate(board, i, j) for j in range(len(names)))]
        for i, name in enumerate(names)
    ]
    title = "Win rates: of the row against the column, ties half"
    return texts(title, ["won, of votes against", *names], rows)


def _rate(board: VoteBoard, row: int, column: int) -> str:
    votes = board.pairs.votes[row, column]
    return f"{100 * board.pairs.won[row, column]:.0f} % of {votes:,}" if votes else "-"
