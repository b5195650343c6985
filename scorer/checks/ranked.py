"""Checks of ranked lists, and of the lists and items of every submission."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import polars as pl

from scorer.challenge.submission import Submission
from scorer.checks.base import (
    ITEM_ROLES,
    CountedProblem,
    FoundProblem,
    Row,
    SubmissionRows,
    check,
    distinct_ids,
    is_or_are,
    problem_per_row,
    repeated_rows,
    report_ids,
    report_rows,
)
from scorer.checks.ids import (
    DECIMAL_ID,
    MOST_EXPLAINED,
    READ_AS_TEXT,
    IdIndex,
    has_name,
    misformed_id,
    suspect_id,
    unusual_regex,
)
from scorer.core.arrays import Floats, Mask, sort_by_list
from scorer.core.ids import TextPattern
from scorer.core.problems import Problem
from scorer.core.text import join_first, printable, quoted
from scorer.reading.layout import row_of, separator_of
from scorer.reading.schema import EXTRA, NUMBER
from scorer.reading.table import find_indices

RANKED = ("grades", "preferences")  # the kinds whose submissions may be ranked lists
SHOWN = 3  # items that a message names
ALWAYS_ERRORS = ("S309", "S310")  # codes of ids that are empty or missing values
SHOWN_BEFORE, SHOWN_AFTER = 5, 2  # ranks around a gap that its message shows
# Whether a row is of the same list as the row before; null in the first row.
SAME_LIST = pl.col("list_number") == pl.col("list_number").shift()
MANY_TIES = 0.25  # the share of tied scores from which on there is a warning
FEW_LISTS = 10  # lists of one item may be the same by chance if there are fewer


@check("S103")
def no_rows(rows: SubmissionRows) -> Iterator[Problem]:
    """A file has rows, even where the challenge allows lists to be missing."""
    # On Spark, other buckets may have rows.
    if rows.is_bucket or len(rows.table) or rows.table.empty_lists or rows.partial:
        return
    if rows.table.names_empty_lists:  # `unknown_list` finds that all lists are missing
        return
    public = rows.public
    what = "only a header" if rows.table.header else "no rows"
    noun = public.lists_called if len(public.lists) != 1 else public.list_called
    yield Problem("S103", f"{what}; expected rows for {len(public.lists):,} {noun}")


@check("S301", "S302", "S306", "S307", "S308", "S309", "S310", "S311", "S312", "S313")
def unknown_list(rows: SubmissionRows) -> Iterator[FoundProblem]:
    """Every list of the challenge is answered, and no other."""
    if rows.is_bucket:  # on Spark, when all buckets are checked
        return
    index, public, strict = rows.ids.lists, rows.public, rows.rules.unknown_list == "error"
    lists, places = rows.lists, rows.public_indices
    if empty := rows.table.empty_lists:
        # An empty list has no row, but its line. It counts as 1 row in messages about its id.
        without_rows = {"list": list(empty), "line": list(empty.values()), "rows": 1}
        lists = pl.concat([lists, pl.DataFrame(without_rows, schema=lists.schema)])
        lists = lists.sort("line", maintain_order=True)
        places = find_indices(lists["list"], index.series)
    unknown, answered = lists.filter(places < 0), places[places >= 0]
    what = "is not in this challenge"
    faults = index.explain_all(unknown["list"], "S302", rows.word, what)
    if lists.is_empty() and not rows.table.names_empty_lists:
        return  # `no_rows` reports it
    explained = [name for name, fault in faults.items() if fault.code != "S302"]
    is_explained = pl.col("list").is_in(explained)
    if faults and not answered.size and not (explained and strict):
        message = f"no {rows.word} of this file is in this challenge"
        message += ":" if explained else "; is the file for another one?"
        message += f" it has {join_first(unknown['list'].to_list())}, "
        yield Problem("S311", f"{message}expected {join_first(list(public.lists))}")
        unknown = unknown.filter(is_explained)
        yield from report_ids(unknown, "list", faults, rows.word, ALWAYS_ERRORS)
        return
    if strict:  # A list whose id is only misspelt is not reported as missing, too
        meant = [fault.public_id for fault in faults.values() if fault.public_id is not None]
        meant_places = find_indices(pl.Series(meant, dtype=pl.String), index.series)
        answered = np.append(answered, meant_places)
    is_missing = np.ones(len(index.series), dtype=bool)
    is_missing[answered] = False
    missing = index.series.filter(is_missing)
    if count := len(missing):
        message = f"{count:,} of {len(public.lists):,} {public.lists_called} {is_or_are(count)} "
        message += f"missing: {join_first(missing.to_list())}{rows.unread_note}"
        yield Problem("S301", message, rows.missing_severity, list=missing[0])
    if not strict:
        ignored = unknown.filter(~is_explained)
        if ignored.height > 1:  # one warning for all of them
            message = f"{ignored.height:,} {rows.word}s are not in this challenge, and are "
            message += f"ignored: {join_first(ignored['list'].to_list())}"
            name, line = ignored["list"][0], ignored["line"][0]
            yield Problem("S302", message, "warning", line=line, list=name, role="list")
            unknown = unknown.filter(is_explained)
    # If strict, all faults are errors.
    yield from report_ids(unknown, "list", faults, rows.word, None if strict else ALWAYS_ERRORS)


@check("S305", "S306", "S307", "S308", "S309", "S310", "S312", "S313")
def unknown_item(rows: SubmissionRows) -> Iterator[FoundProblem]:
    """Every item is in the catalogue; without one, every item at least looks like an id."""
    if rows.rules.has_texts:
        return
    form = rows.rules.item_pattern
    for role in [role for role in ITEM_ROLES if role in rows.frame.columns]:
        if rows.ids.items is not None:
            yield from _unknown_items(rows, role, rows.ids.items)
        elif form is not None:
            yield from _misformed_items(rows, role, TextPattern(form))
        else:
            yield from _suspect_items(rows, role)


def _unknown_items(rows: SubmissionRows, role: str, index: IdIndex) -> Iterator[FoundProblem]:
    """Yield a problem for each item that is not public."""
    cells = rows.frame.select("line", "list", role)
    ids = distinct_ids(cells.filter(~index.contains(cells[role])), role)
    faults = index.explain_all(ids[role], "S305", "item", "is not in the catalogue")
    if rows.public.kind == "ratings":  # `prediction_not_asked` reports the other ids
        faults = {name: fault for name, fault in faults.items() if fault.code != "S305"}
        ids = ids.filter(pl.col(role).is_in(list(faults)))
    yield from report_ids(ids, role, faults, "item")


def _misformed_items(rows: SubmissionRows, role: str, form: TextPattern) -> Iterator[FoundProblem]:
    """Yield a problem for each item that does not match the challenge's pattern of ids."""
    wrong = ~rows.frame[role].str.contains(form.expression)
    ids = distinct_ids(rows.frame.filter(wrong), role)
    if ids.height > 1 and wrong.all():
        names = join_first(ids[role].head(SHOWN).to_list())
        message = f"no item of this file looks as this challenge's do ({form.text}): {names}"
        yield Problem("S313", message, role=role)
    faults = {name: misformed_id(name, form) for name in ids[role].head(MOST_EXPLAINED)}
    yield from report_ids(ids, role, faults, "item")


def _suspect_items(rows: SubmissionRows, role: str) -> Iterator[FoundProblem]:
    """Yield errors for items without an id, and warnings for suspicious ids; none are public."""
    ids, separator = rows.frame[role], cell_separator(rows.rules)
    decimals = _are_decimals(ids)
    # Counted as 1 or 0 of 1, also if the ids are no decimals: Spark adds up these counts of all
    # buckets, and there is only a problem if they are 1 in each.
    named = rows.frame.filter(ids != "") if decimals else rows.frame
    for row in named.head(1).iter_rows(named=True):
        message = "every item ends in '.0', as {item} does; were ids turned into decimals?"
        place = {"line": row["line"], "list": row["list"], "item": row[role], "role": role}
        first = Problem("S306", message, "warning", help=READ_AS_TEXT, **place)
        words = {"item": quoted(row[role])}
        yield CountedProblem(first, int(decimals), words, shares=(1, math.inf))
    # A streaming query uses all cores.
    is_unusual = pl.col(role).str.contains(unusual_regex(separator))
    cells = rows.frame.lazy().filter(is_unusual).collect(engine="streaming")
    unusual = distinct_ids(cells, role)
    explained = {name: suspect_id(name, separator) for name in unusual[role]}
    faults = {name: fault for name, fault in explained.items() if fault is not None}
    several = [name for name, fault in faults.items() if fault.code == "S313"]
    count = unusual.filter(pl.col(role).is_in(several))["rows"].sum()
    # Cells with several ids are errors if they are half of the cells: the file has another form.
    errors = (*ALWAYS_ERRORS, "S313") if 2 * count >= len(rows.table) else ALWAYS_ERRORS
    suspects = unusual.filter(pl.col(role).is_in(list(faults)))
    yield from report_ids(suspects, role, faults, "item", errors)


def _are_decimals(ids: pl.Series) -> bool:
    """Return whether all ids that are not empty are whole numbers followed by `.0`."""
    if ids.is_empty() or (ids[0] and not DECIMAL_ID.fullmatch(ids[0])):
        return False  # As in most files
    named = ids.filter(ids != "")
    return not named.is_empty() and named.str.contains(r"^[0-9]+\.0+$").all()


def cell_separator(rules: Submission) -> str | None:
    """Return what separates the items of a cell; None where a cell has one."""
    word = rules.cells.get("item")
    return None if word is None else separator_of(word)


@check("S305", kinds=("grades",))
def item_no_candidate(rows: SubmissionRows) -> Iterator[Problem]:
    """Every item is a candidate of its list, where the challenge names them."""
    candidates, items = rows.ids.candidates, rows.ids.items
    if candidates is None or items is None:
        return
    others = rows.find_other_items()
    known = candidates.lists.contains(others["list"]) & items.contains(others["item"])
    others = others.filter(known).unique(["list", "item"], keep="first", maintain_order=True)
    message = "{item} is not a candidate of {word} {list}"
    yield from report_rows(others, "S305", message, word=rows.word)


@check("S304", kinds=RANKED)
def repeated_item(rows: SubmissionRows) -> Iterator[Problem]:
    """A list names an item once."""
    public, rules = rows.public, rows.rules
    if "item" not in rows.frame.columns:
        return
    # An empty or missing id has a problem of its own, and may well be in several rows. Only an id
    # of the catalogue may read as a missing value; the items of a preference challenge differ from
    # list to list, so it has no catalogue.
    index = rows.ids.items if public.kind == "grades" else None
    noun = printable(rules.columns.get("text", "text"), 60) if rules.has_texts else "item"
    message = "{noun} {item} is given twice in {word} {list} (first on line {first_line:,})"
    repeats, word = rows.repeated_items.filter(has_name("item", index)), rows.word
    yield from report_rows(repeats, "S304", message, role="item", word=word, noun=noun)


@check("S526", kinds=("labels", "masks", "boxes"))
def repeated_row(rows: SubmissionRows) -> Iterator[Problem]:
    """A row is answered once."""
    repeats = repeated_rows(rows.named, [rows.named["list"]])
    name = pl.col("list")
    # If columns are the parts of lists, a line has a list in each of them, such as `like/u1`. A
    # repeated line repeats them all, and is reported once, by the name without the part.
    if "list" in rows.rules.wide:
        repeats = repeats.unique("line", keep="first", maintain_order=True)
        name = name.map_elements(row_of, return_dtype=pl.String)
    message = "{word} {name} is given twice (first on line {first_line:,})"
    repeats = repeats.with_columns(name=name)
    yield from report_rows(repeats, "S526", message, role="list", word=rows.word)


@check("S401", "S402", "S403", kinds=RANKED)
def length(rows: SubmissionRows) -> Iterator[Problem]:
    """A list is as long as `submission.length` requires, and has an item at least.

    A file may say that it has no answer to a list, as SQuAD's `""` does. That counts as an answer
    if no length is required.
    """
    limits, word = rows.rules.allowed_length, rows.word
    # `answers` is the fact that lists have one item each, where "" is none (reading/json.py).
    may_be_empty = rows.table.facts.get("answers") if limits is None else limits.min == 0
    if not may_be_empty:
        for name, line in rows.table.empty_lists.items():
            message = f"{word} {quoted(name)} is empty"
            yield Problem("S403", message, line=line, list=name, role="list")
    if limits is None or "item" not in rows.frame.columns:
        return
    least, most = limits.min or 0, math.inf if limits.max is None else limits.max
    noun, place = "item", ""
    if rows.rules.has_texts:
        noun, place = "text", f" in column {quoted(rows.rules.columns.get('text', 'text'))}"
    size = pl.col("rows")
    # A row that could not be read may be the one that seems to be missing.
    is_short, is_long = (size < least) & (not rows.partial), size > most
    bounds = [
        ("S401", is_short, f"at least {least:,} {is_or_are(least)} required"),
        ("S402", is_long, f"at most {most:,} {is_or_are(most)} allowed"),
    ]
    if least == most:
        rule = f"exactly {least:,} {is_or_are(least)} required"
        bounds = [("S401", is_short | is_long, rule)]
    nouns = pl.when(size == 1).then(pl.lit(noun)).otherwise(pl.lit(f"{noun}s"))
    message = "{word} {list} has {rows:,} {noun:bare}{place}, {rule}"
    for code, is_wrong, rule in bounds:
        wrong = rows.named_lists.filter(is_wrong).with_columns(noun=nouns)
        yield from report_rows(wrong, code, message, word=rows.word, place=place, rule=rule)


@check("S401", kinds=("grades",))
def without_candidates(rows: SubmissionRows) -> Iterator[Problem]:
    """A list has all of its candidates, where a measure compares orders."""
    index, public = rows.ids.candidates, rows.public
    if index is None or not public.complete or rows.partial:
        return
    sizes = index.frame.group_by("list").len("candidates")
    # `missing` is a column of lists of items, of which the message shows the first.
    missing = index.without(rows.frame).group_by("list").agg(missing="item")
    short = rows.named_lists.join(sizes, on="list", maintain_order="left")
    short = short.filter(pl.col("rows") < pl.col("candidates"))
    short = short.join(missing, on="list", maintain_order="left")
    message = "{word} {list} has {rows:,} of its {candidates:,} candidates, and all are required; "
    message += "without {noun} {missing}"
    noun = public.word("item")
    yield from report_rows(short, "S401", message, word=rows.word, noun=noun)


@check("S404", "S405", "S406", "S407", kinds=RANKED)
def ranks(rows: SubmissionRows) -> Iterator[FoundProblem]:
    """Where ranks order a list, they are 1, 2, 3, and so on."""
    if "rank" not in rows.frame.columns or "score" in rows.frame.columns:
        return
    rank, word = pl.col("rank"), rows.word
    if rows.is_regular and _count_up(rows.numbers("rank"), rows.continues_list):
        return  # As in most files
    is_whole = rank == rank.floor()
    frame = rows.frame.select("line", "list", "rank")
    fractions = frame.filter(rank.is_finite() & ~is_whole)
    yield from report_rows(fractions, "S407", "rank '{rank}' is not a whole number")

    # Most lists are regular, and only the others are sorted. Fractions have their problem already.
    is_regular = (rank.n_unique() == pl.len()) & (rank.min() == 1) & (rank.max() == pl.len())
    is_irregular = (is_whole & ~rank.is_nan()).all() & ~is_regular
    irregular = rows.named.group_by("list_number").agg(irregular=is_irregular).filter("irregular")
    by_rank = rows.named.join(irregular, on="list_number", how="semi")
    by_rank = by_rank.select("line", "list", "rank").sort("list", "rank", "line")
    key = pl.struct("list", "rank")
    repeats = by_rank.with_columns(other_line=pl.col("line").shift()).filter(key == key.shift())
    message = "rank {rank:.12g} is used twice in {word} {list} (lines {other_line:,} and {line:,})"
    yield from report_rows(repeats.sort("line", maintain_order=True), "S405", message, word=word)

    starts = by_rank.unique("list", keep="first", maintain_order=True).filter(rank < 1)
    for line, name, lowest in starts.sort("line", maintain_order=True).head(1).iter_rows():
        message = "ranks start at {rank} in {count:,} lists, first {list}; they start at 1"
        alone = "ranks start at {rank} in {word} {list}; they start at 1"
        words = {"rank": f"{lowest:.12g}", "word": word, "list": quoted(name)}
        first = Problem("S406", message, line=line, list=name)
        yield CountedProblem(first, starts.height, words, alone=alone)

    if not rows.partial:  # a rank that seems missing may stand in a line that could not be read
        yield from _missing_ranks(by_rank, word)


def _count_up(ranks: Floats, continues_list: Mask) -> bool:
    """Return whether the ranks of each list are 1, 2, 3, and so on; its rows are consecutive."""
    is_next, is_first = ranks[1:] == ranks[:-1] + 1, ranks == 1
    return bool(is_first[:1].all() and np.where(continues_list, is_next, is_first[1:]).all())


def _missing_ranks(by_rank: pl.DataFrame, word: str) -> Iterator[Problem]:
    """Yield a problem for each list that leaves a rank out, on the line after the first gap.

    A list of n rows leaves a rank out if it ends after rank n. Repeated ranks are another problem.
    """
    rank, line = pl.col("rank").list, pl.col("line").list
    lists = by_rank.group_by("list", maintain_order=True).agg("rank", "line")
    gaps = lists.filter(rank.first() >= 1, rank.last() > rank.len()).sort(line.first())

    def describe(row: Row) -> Problem:
        ranks, before = row["rank"], [0, *row["rank"]]
        gap = next(n for n, (low, high) in enumerate(pairwise(before)) if high > low + 1)
        begin, end = max(gap - SHOWN_BEFORE, 0), gap + SHOWN_AFTER + 1
        shown = [f"{rank:.12g}" for rank in ranks[begin:end]]
        shown = ["..."] * (begin > 0) + shown + ["..."] * (end < len(ranks))
        message = f"rank {before[gap] + 1:.12g} is missing in {word} {quoted(row['list'])} "
        message += f"({', '.join(shown)})"
        return Problem("S404", message, line=row["line"][gap], list=row["list"])

    yield from problem_per_row(gaps, describe)


@check("S408", kinds=RANKED)
def ranks_and_scores(rows: SubmissionRows) -> Iterator[CountedProblem]:
    """Scores go down as ranks go up; where they do not, the score ranks."""
    if not {"rank", "score"} <= {*rows.frame.columns}:
        return
    if rows.is_regular:
        ranks, scores = rows.numbers("rank"), rows.numbers("score")
        is_wrong = (ranks[1:] <= ranks[:-1]) | (scores[1:] > scores[:-1])
        if not (is_wrong & rows.continues_list).any():
            return  # As in most files
    rank, score = pl.col("rank"), pl.col("score")
    numbers = rows.named.select("line", "list", "list_number", "rank", "score")
    if rows.has_unread_number:
        numbers = numbers.filter(~rank.is_nan() & ~score.is_nan())
    is_ordered = (~SAME_LIST | (rank > rank.shift())).all()
    if not rows.has_contiguous_lists or not numbers.select(is_ordered).item():
        numbers = _sort_by_rank(numbers)
    wrong = numbers.filter(SAME_LIST & (score > score.shift()))
    for line, name in wrong.select("line", "list").bottom_k(1, by="line").iter_rows():
        where, what = "rank and score order disagree in ", "; this challenge ranks by score"
        first = Problem("S408", where + "{count:,} lists" + what, "warning", line=line, list=name)
        words, alone = {"list": quoted(name)}, where + "list {list}" + what
        yield CountedProblem(first, wrong["list"].n_unique(), words, alone=alone)


def _sort_by_rank(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows by `list_number` and `rank`; within a rank best `score` first."""
    rank, best_first = pl.col("rank"), -pl.col("score")
    if not rows.select((rank.is_between(0, 2**32 - 1) & (rank == rank.floor())).all()).item():
        return rows.sort("list_number", rank, best_first)
    # A list's number and a whole rank fit into one number, which sorts in a third of the time.
    key = pl.col("list_number").cast(pl.UInt64) * 2**32 + rank.cast(pl.UInt64)
    rows = rows.with_columns(key=key)
    is_unique = rows["key"].n_unique() == rows.height
    return rows.sort("key") if is_unique else rows.sort("key", best_first)


@check("S409", "S411", kinds=RANKED)
def ties(rows: SubmissionRows) -> Iterator[FoundProblem]:
    """Scores differ inside a list: few tie, or none if the challenge allows no ties."""
    if "score" not in rows.frame.columns:
        return
    scored = rows.named
    if rows.has_unread_number:
        scored = scored.filter(~pl.col("score").is_nan())
    is_tied = _find_ties(rows, scored)
    if rows.rules.ties == "error":
        tied = scored.filter(is_tied)
        best = tied.filter(pl.col("score") == pl.col("score").max().over("list"))
        # The first two of each list are named.
        pairs = best.group_by("list", maintain_order=True).agg(
            pl.col("line", "item").get(1), first=pl.col("item").first()
        )
        message = "the scores of {first} and {item} tie in {word} {list} and this challenge "
        message += "allows no ties"
        yield from report_rows(pairs.sort("line"), "S411", message, word=rows.word)
        return
    message = "{percent:.0f} % of the scores tie inside their list; the tie rule decides "
    message += f"(ties: {rows.rules.ties})"
    count = int(np.count_nonzero(is_tied))
    line = scored["line"][int(np.argmax(is_tied))] if count else None
    first = Problem("S409", message, "warning", line=line)
    shares = (MANY_TIES, math.inf)  # a problem from this share on
    yield CountedProblem(first, count, total=scored.height, shares=shares)


def _find_ties(rows: SubmissionRows, scored: pl.DataFrame) -> Mask:
    """Return whether each row of `scored` has the score of another row of its list."""
    is_tied = np.zeros(scored.height, dtype=bool)
    if rows.is_regular:  # then all rows are scored
        scores, continues = rows.numbers("score"), rows.continues_list
        if not ((scores[1:] > scores[:-1]) & continues).any():  # best first, as in most runs
            is_like_previous = (scores[1:] == scores[:-1]) & continues
            is_tied[1:] = is_like_previous
            is_tied[:-1] |= is_like_previous
            return is_tied
    in_list, scores = scored["list_number"].to_numpy(), scored["score"].to_numpy()
    order = sort_by_list(in_list, scores)
    in_list, scores = in_list[order], scores[order]
    is_like_previous = (in_list[1:] == in_list[:-1]) & (scores[1:] == scores[:-1])
    is_tied[order[1:]] = is_like_previous
    is_tied[order[:-1]] |= is_like_previous
    return is_tied


@check("S410", kinds=RANKED)
def same_lists(rows: SubmissionRows) -> Iterator[Problem]:
    """Lists differ from each other, in their items or in their further columns, such as tags."""
    frame = rows.named
    if "item" not in frame.columns or rows.table.empty_lists:
        return
    key = next((role for role in ("score", "rank") if role in frame.columns), None)
    if key is not None and rows.has_unread_number:
        frame = frame.filter(~pl.col(key).is_nan())
    if frame.is_empty():
        return
    numbers = frame["list_number"]
    lists = numbers.n_unique()
    if lists < (FEW_LISTS if frame.height == lists else 2):
        return
    items = frame.filter(numbers == numbers.min())["item"]
    last_items = frame.filter(numbers == numbers.max())["item"]
    if not items.unique().sort().equals(last_items.unique().sort()):
        return  # As in most files
    further = [role for role in frame.columns if role.startswith((EXTRA, NUMBER))]
    varies = any(rows.frame[role].n_unique() > 1 for role in further)
    if not varies and _have_same_order(frame, items, key):
        message = "all lists hold the same items in the same order; a constant model?"
        yield Problem("S410", message, "warning")


def _have_same_order(rows: pl.DataFrame, items: pl.Series, key: str | None) -> bool:
    """Return whether all lists rank the same items alike, and tie the same ones.

    `items` are one list's items. `key` ranks them: score or rank; None for the order of
    the rows.
    """
    number = rows["item"].cast(pl.Enum(items.unique()), strict=False).to_physical()
    shape = rows["list_number"].n_unique(), len(items)
    if rows.height != shape[0] * shape[1] or number.null_count():
        return False
    by = pl.int_range(pl.len()) if key is None else pl.col(key)
    by = -by if key == "score" else by
    ordered = rows.select("list_number", place=by, item=number)
    ordered = ordered.sort("list_number", "place", "item")
    in_list, place, item = (column.to_numpy().reshape(shape) for column in ordered)
    if (in_list[:, 0] != in_list[:, -1]).any():  # a list has more rows than another
        return False
    tied = place[:, 1:] == place[:, :-1]
    return bool((item == item[0]).all() and (tied == tied[0]).all())
