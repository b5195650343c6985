"""Checks of ranked lists, and of the lists and items of every submission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import polars as pl

from scorer.challenge.submission import Submission
from scorer.checks.base import (
    ITEM_ROLES,
    MOST_EXPLAINED,
    Row,
    SubmissionRows,
    Sum,
    check,
    distinct_ids,
    is_repeated,
    problem_per_row,
    report_ids,
    report_rows,
)
from scorer.checks.ids import (
    DECIMAL_ID,
    READ_AS_TEXT,
    IdFault,
    IdIndex,
    combine_hashes,
    has_name,
    misformed_id,
    suspect_id,
    unusual_regex,
)
from scorer.core.arrays import Floats, Ints
from scorer.core.ids import TextPattern
from scorer.core.problems import Problem, Severity
from scorer.core.text import join_first, printable, quoted
from scorer.reading.layout import separator_of
from scorer.reading.schema import EXTRA, NUMBER

RANKED = ("grades", "preferences")  # the kinds whose submissions may be ranked lists
SHOWN = 3  # of many lists or ids
IGNORED = "an organizer who means to allow this writes  submission: {unknown_list: ignore}"
ALWAYS_ERRORS = ("S309", "S310")  # no id at all, even where unknown lists are ignored
LAST_SLOT = 4_000_000  # the last rank in a list whose length the challenge does not bound
SHOWN_BEFORE, SHOWN_AFTER = 5, 2  # ranks around a gap that its message shows
MANY_TIES = 0.25  # the share of tied scores from which on there is a warning
FEW_LISTS = 10  # lists of one item may be the same by chance if there are fewer


@check("S103")
def no_rows(rows: SubmissionRows) -> Iterator[Problem]:
    """A header alone answers nothing, whatever the rule for missing lists."""
    if len(rows.table) or rows.table.empty_lists or rows.partial:
        return
    public = rows.public
    what = "only a header" if rows.table.header else "no rows"
    noun = public.lists_called if len(public.lists) != 1 else public.lists_called.removesuffix("s")
    yield Problem("S103", f"{what}; expected rows for {len(public.lists):,} {noun}")


@check("S301", "S302", "S306", "S307", "S308", "S309", "S310", "S311", "S312", "S313")
def unknown_list(rows: SubmissionRows) -> Iterator[Problem]:
    """Every list of the challenge is answered, and no other."""
    index, rules = rows.ids.lists, rows.rules
    is_known = index.contains(rows.lists["list"])
    answered, unknown = rows.lists.filter(is_known)["list"], rows.lists.filter(~is_known)
    if empty := rows.table.empty_lists:
        names = pl.Series("list", list(empty), dtype=pl.String)
        answered = pl.concat([answered, names.filter(index.contains(names))])
        without_rows = {"list": list(empty), "line": list(empty.values()), "rows": 1}
        others = pl.DataFrame(without_rows, schema=unknown.schema)
        others = others.filter(~index.contains(others["list"]))
        unknown = pl.concat([unknown, others]).sort("line", maintain_order=True)
    suggest, strict = index.suggestions(), rules.unknown_list == "error"

    def unknown_fault(name: str) -> IdFault:
        message = f"{rows.word} {quoted(name)} is not in this challenge"
        return IdFault("S302", message, None, IGNORED if strict else None, suggest(name))

    faults = index.explain_all(unknown["list"].head(MOST_EXPLAINED), unknown_fault)
    if answered.is_empty() and all(fault.code == "S302" for fault in faults.values()):
        if faults:  # Else there are no rows at all
            yield _another_challenge(rows, unknown["list"])
        return

    def severity_of(fault: IdFault) -> Severity:
        return "error" if strict or fault.code in ALWAYS_ERRORS else "warning"

    if strict:  # An id that stands for a list has a problem of its own
        meant = [fault.meant for fault in faults.values() if fault.meant is not None]
        answered = pl.concat([answered, pl.Series("list", meant, dtype=pl.String)])
    missing = index.without(answered)
    if len(missing):
        yield _missing_lists(rows, missing)
    problems = report_ids(unknown, "list", faults, rows.word, severity_of)
    yield from problems if strict else _join_ignored(problems, rows.word)


def _another_challenge(rows: SubmissionRows, unknown: pl.Series) -> Problem:
    message = (
        f"no {rows.word} of this file is in this challenge; is the file for another one? "
        f"it has {_join_many(unknown.head(SHOWN), len(unknown))}, "
        f"expected {join_first(list(rows.public.lists))}"
    )
    return Problem("S311", message)


def _join_many(first: Iterable[str], count: int) -> str:
    """Return the first few of so many names, in a sentence."""
    more = f" and {count - SHOWN:,} more" if count > SHOWN else ""
    return join_first(list(first)) + more


def _missing_lists(rows: SubmissionRows, missing: pl.Series) -> Problem:
    public, count = rows.public, len(missing)
    message = f"{count:,} of {len(public.lists):,} {public.lists_called} "
    message += f"{'is' if count == 1 else 'are'} missing: "
    message += _join_many(missing.head(SHOWN), count)
    if rows.partial:
        message += " (or are in lines that could not be read)"
    severity: Severity = "error" if rows.rules.missing_list in (None, "error") else "warning"
    return Problem("S301", message, severity, list=missing[0])


def _join_ignored(problems: Iterable[Problem], word: str) -> Iterator[Problem]:
    """Yield the problems of unknown lists with one warning for all that are ignored."""
    ignored = list[Problem]()
    for problem in problems:
        if problem.code == "S302":
            ignored.append(problem)
        else:
            yield problem
    if len(ignored) > 1:
        count = sum(problem.times for problem in ignored)
        names = _join_many([str(problem.list) for problem in ignored[:SHOWN]], count)
        message = f"{count:,} {word}s are not in this challenge, and are ignored: {names}"
        ignored = [replace(ignored[0], message=message, times=1)]
    yield from ignored


@check("S305", "S306", "S307", "S308", "S309", "S310", "S312", "S313")
def unknown_item(rows: SubmissionRows) -> Iterator[Problem | Sum]:
    """Every item is in the catalogue; without one, every item at least looks like an id."""
    if rows.rules.texts:
        return
    form = rows.rules.item_pattern
    for role in [role for role in ITEM_ROLES if role in rows.frame.columns]:
        if rows.ids.items is not None:
            yield from _unknown_items(rows, role, rows.ids.items)
        elif form is not None:
            yield from _misformed_items(rows, role, TextPattern(form))
        else:
            yield from _suspect_items(rows, role)


def _unknown_items(rows: SubmissionRows, role: str, index: IdIndex) -> Iterator[Problem | Sum]:
    """Yield a problem, or a sum of rows, for each item that is not public."""
    ids = distinct_ids(rows.frame.filter(~index.contains(rows.frame[role])), role)
    suggest = index.suggestions()

    def unknown_fault(name: str) -> IdFault:
        message = f"item {quoted(name)} is not in the catalogue"
        return IdFault("S305", message, hint=suggest(name))

    faults = index.explain_all(ids[role].head(MOST_EXPLAINED), unknown_fault)
    rows_of = dict(ids.select(role, "rows").head(MOST_EXPLAINED).iter_rows())
    for problem in report_ids(ids, role, faults, "item"):
        name = problem.item or ""
        if problem.code == "S305" and rows.public.kind == "ratings":
            continue  # What is not asked for has a check of its own
        # Of a long id the problem has the beginning alone; one with `times` is of several ids.
        if problem.code != "S305" or name not in rows_of or problem.times > 1:
            yield problem
            continue
        describe = partial(_describe_unknown_item, problem, faults[name])
        yield Sum(("S305", role, name), {"rows": rows_of[name]}, describe)


def _describe_unknown_item(problem: Problem, fault: IdFault, rows: int) -> Problem:
    return replace(problem, message=fault.describe("item", rows))


def _misformed_items(rows: SubmissionRows, role: str, form: TextPattern) -> Iterator[Problem]:
    """Yield a problem for each item that has not the form which the challenge asks for."""
    wrong = ~rows.frame[role].str.contains(form.expression)
    ids = distinct_ids(rows.frame.filter(wrong), role)
    if ids.height > 1 and wrong.all():
        names = join_first(ids[role].head(SHOWN).to_list())
        message = f"no item of this file looks as this challenge's do ({form.text}): {names}"
        yield Problem("S313", message, role=role)
    faults = {name: misformed_id(name, form) for name in ids[role].head(MOST_EXPLAINED)}
    yield from report_ids(ids, role, faults, "item")


def _suspect_items(rows: SubmissionRows, role: str) -> Iterator[Problem | Sum]:
    """Yield errors for missing items, and warnings for suspicious ones.

    The challenge declares no items, so that they are judged by the file alone.
    """
    if rows.frame.height:
        first = _first_decimal(rows.frame, role)
        describe = partial(_describe_decimals, role, first)
        yield Sum(("S306", role), {"others": int(first is None)}, describe)
    separator = cell_separator(rows.rules)
    unusual = rows.frame.filter(pl.col(role).str.contains(unusual_regex(separator)))
    ids = distinct_ids(unusual, role)
    found = {name: suspect_id(name, separator) for name in ids[role]}
    faults = {name: fault for name, fault in found.items() if fault is not None}
    ids = ids.filter(pl.col(role).is_in(list(faults)))
    several = [name for name, fault in faults.items() if fault.code == "S313"]
    most_are_several = 2 * ids.filter(pl.col(role).is_in(several))["rows"].sum() >= len(rows.table)
    errors = ("S309", "S310", "S313") if most_are_several else ("S309", "S310")

    def severity_of(fault: IdFault) -> Severity:
        return "error" if fault.code in errors else "warning"

    yield from report_ids(ids, role, faults, "item", severity_of)


def _describe_decimals(
    role: str, first: tuple[int, str, str] | None, others: int
) -> Problem | None:
    if first is None or others:
        return None
    line, name, item = first
    message = f"every item ends in '.0', as {quoted(item)} does; were ids turned into decimals?"
    problem = Problem("S306", message, "warning", line=line, list=name, item=item, role=role)
    return replace(problem, help=READ_AS_TEXT)


def _first_decimal(frame: pl.DataFrame, role: str) -> tuple[int, str, str] | None:
    """Return the line, list and id of the first row that has an id, if all ids are decimals."""
    if frame.is_empty() or (frame[role][0] and not DECIMAL_ID.fullmatch(frame[role][0])):
        return None
    some = frame.filter(pl.col(role) != "").select("line", "list", role)
    if some.is_empty() or not some[role].str.contains(r"^[0-9]+\.0+$").all():
        return None
    return some.row(0)


def cell_separator(rules: Submission) -> str | None:
    """Return what separates the items of a cell; None where a cell has one."""
    word = rules.cells.get("item")
    return None if word is None else separator_of(word)


@check("S313", kinds=("grades",))
def misformed_text(rows: SubmissionRows) -> Iterator[Problem]:
    """Every text looks as the challenge says."""
    rules, form = rows.rules, rows.rules.text_pattern
    if form is None or "item" not in rows.frame.columns:
        return
    word = printable(rules.columns.get("text", "text"), 60)
    odd = rows.frame.filter(~pl.col("item").str.contains(TextPattern(form).expression))
    for problem in report_rows(
        odd, "S313", "{word} {item} does not look as {form}", role="item", word=word, form=form
    ):
        yield replace(problem, item=None)


@check("S305", kinds=("grades",))
def item_no_candidate(rows: SubmissionRows) -> Iterator[Problem]:
    """Every item is a candidate of its list, where the challenge names them."""
    candidates, items = rows.ids.candidates, rows.ids.items
    if candidates is None or items is None:
        return
    frame = rows.frame.select("line", "list", "item").filter(~candidates.contains(rows.frame))
    frame = frame.filter(candidates.lists.contains(frame["list"]) & items.contains(frame["item"]))
    frame = frame.unique(["list", "item"], keep="first", maintain_order=True)
    message, word = "{item} is not a candidate of {word} {list}", rows.word
    yield from report_rows(frame, "S305", message, role="item", word=word)


@check("S304", kinds=RANKED)
def repeated_item(rows: SubmissionRows) -> Iterator[Problem]:
    """A list names an item once, unless `submission.repeats` says that the first counts."""
    public, rules = rows.public, rows.rules
    if "item" not in rows.frame.columns or rows.keeps_first_repeat:
        return
    # The items of a preference challenge differ from list to list: there is no catalogue.
    index = rows.ids.items if public.kind == "grades" else None
    noun = printable(rules.columns.get("text", "text"), 60) if rules.texts else "item"
    message = "{noun} {item} is given twice in {word} {list} (first on line {first_line:,})"
    repeats, word = rows.repeated_items.filter(has_name("item", index)), rows.word
    yield from report_rows(repeats, "S304", message, role="item", word=word, noun=noun)


@check("S401", "S402", "S403", kinds=RANKED)
def length(rows: SubmissionRows) -> Iterator[Problem]:
    """A list is as long as `submission.length` asks, and has an item at least.

    An answer that is said to be none, as by SQuAD's `""`, is one where no length is asked.
    """
    limits, word = rows.rules.lengths, rows.word
    answers = limits is None and rows.table.facts.get("answers")
    if not (answers or (limits and limits.min == 0)):
        for name, line in rows.table.empty_lists.items():
            message = f"{word} {quoted(name)} is empty"
            yield Problem("S403", message, line=line, list=name, role="list")
    if limits is None or "item" not in rows.frame.columns:
        return
    least, most = limits.min or 0, limits.max
    size = pl.col("rows")
    is_wrong = pl.lit(False) if most is None else size > most
    if not rows.partial:  # A row that could not be read may be the one that seems to be missing
        is_wrong = is_wrong | (size < least)
    rules, noun, of = rows.rules, "item", ""
    if rules.texts:
        noun, of = "text", f" in column {quoted(rules.columns.get('text', 'text'))}"
    exactly = least == most

    def describe(row: Row) -> Problem:
        name, count = row["list"], row["rows"]
        message = f"{word} {quoted(name)} has {count:,} {noun}{'s' if count != 1 else ''}{of}, "
        if exactly:
            message += f"exactly {least:,} {'is' if least == 1 else 'are'} required"
        elif most is not None and count > most:
            message += f"at most {most:,} {'is' if most == 1 else 'are'} allowed"
        else:
            message += f"at least {least:,} {'is' if least == 1 else 'are'} required"
        code = "S401" if exactly or count < least else "S402"
        return Problem(code, message, line=row["line"], list=name)

    # One code after the other, as one problem may stand for many of its code.
    wrong = rows.named_lists.filter(is_wrong)
    for some in (wrong.filter(size < least), wrong.filter(size >= least)):
        yield from problem_per_row(some, describe)


@check("S401", kinds=("grades",))
def without_candidates(rows: SubmissionRows) -> Iterator[Problem]:
    """A list has all of its candidates, where `submission.complete` asks for them."""
    index, public = rows.ids.candidates, rows.public
    if index is None or not public.complete or rows.partial:
        return
    word, item = rows.word, public.word("item")
    wanted = index.frame.group_by("list").agg(candidates="item")
    short = rows.named_lists.join(wanted, on="list", maintain_order="left")
    short = short.filter(pl.col("rows") < pl.col("candidates").list.len())
    items = rows.frame.join(short, on="list", how="semi").group_by("list").agg("item")
    short = short.join(items, on="list", maintain_order="left")

    def describe(row: Row) -> Problem:
        name, candidates = row["list"], row["candidates"]
        missing = sorted(set(candidates).difference(row["item"]))
        message = (
            f"{word} {quoted(name)} has {row['rows']:,} of its {len(candidates):,} "
            f"candidates, and all are required; without {item} {join_first(missing)}"
        )
        return Problem("S401", message, line=row["line"], list=name)

    yield from problem_per_row(short, describe)


@check("S402", "S404", "S405", "S406", "S407", kinds=RANKED)
def ranks(rows: SubmissionRows) -> Iterator[Problem | Sum]:
    """Where ranks order a list, they are 1, 2, 3, and so on."""
    if "rank" not in rows.frame.columns or "score" in rows.frame.columns:
        return
    rank, word = pl.col("rank"), rows.word
    if rows.has_contiguous_lists and not rows.named.is_empty():
        columns = rows.named["rank"].to_numpy(), rows.named["list_number"].to_numpy()
        if _count_up(*columns):
            return  # As in most files
    is_whole = rank == rank.floor()
    frame = rows.frame.select("line", "list", "rank")
    fractions = frame.filter(rank.is_finite() & ~is_whole)
    yield from report_rows(fractions, "S407", "rank '{rank:.12g}' is not a whole number")

    # Most lists are regular, and only the others are sorted. Fractions have their problem already.
    is_regular = (rank.n_unique() == pl.len()) & (rank.min() == 1) & (rank.max() == pl.len())
    is_irregular = (is_whole & ~rank.is_nan()).all() & ~is_regular
    irregular = rows.named.group_by("list_number").agg(irregular=is_irregular).filter("irregular")
    by_rank = rows.named.join(irregular, on="list_number", how="semi").select(
        "line", "list", "rank"
    )
    by_rank = by_rank.sort("list", "rank", "line")
    yield from _repeated_ranks(by_rank, word)
    yield from _ranks_below_one(by_rank, word)
    if rows.partial:
        return  # A rank that seems missing may stand in a line that could not be read
    if rows.rules.rank_gaps == "keep":
        yield from _ranks_beyond_last(by_rank, rows)
    else:
        yield from _missing_ranks(by_rank, word)


def _count_up(ranks: Floats, list_numbers: Ints) -> bool:
    """Return whether the ranks of each run of one list are 1, 2, 3, and so on."""
    begins = np.append(True, list_numbers[1:] != list_numbers[:-1])
    follows = ranks[1:] == ranks[:-1] + 1
    return bool((follows | begins[1:]).all() and (ranks[begins] == 1).all())


def _repeated_ranks(by_rank: pl.DataFrame, word: str) -> Iterator[Problem]:
    """Yield a problem for each row with the rank of another row of its list.

    Args:
        by_rank: `line`, `list` and `rank`, sorted by list, rank and line; here and below.
        word: What the challenge calls a list.
    """
    key = pl.struct("list", "rank")
    repeats = by_rank.with_columns(other_line=pl.col("line").shift()).filter(key == key.shift())
    message = "rank {rank:.12g} is used twice in {word} {list} (lines {other_line:,} and {line:,})"
    yield from report_rows(repeats.sort("line", maintain_order=True), "S405", message, word=word)


def _ranks_below_one(by_rank: pl.DataFrame, word: str) -> Iterator[Sum]:
    """Yield the number of lists that start below rank 1."""
    starts = by_rank.unique("list", keep="first", maintain_order=True).filter(pl.col("rank") < 1)
    if starts.height:
        first = starts.sort("line", maintain_order=True).row(0, named=True)
        describe = partial(_describe_ranks_below_one, word, first)
        yield Sum(("S406",), {"lists": starts.height}, describe)


def _describe_ranks_below_one(word: str, first: Row, lists: int) -> Problem:
    name = quoted(first["list"])
    where = f"{word} {name}" if lists == 1 else f"{lists:,} lists, first {name}"
    message = f"ranks start at {first['rank']:.12g} in {where}; they start at 1"
    return Problem("S406", message, line=first["line"], list=first["list"])


def _ranks_beyond_last(by_rank: pl.DataFrame, rows: SubmissionRows) -> Iterator[Problem]:
    """Yield a problem for each rank after the last place, where ranks left out are empty places."""
    limits, word = rows.rules.length, rows.word
    last = LAST_SLOT if limits is None or limits.max is None else limits.max
    beyond = by_rank.filter(pl.col("rank") > last).sort("line", maintain_order=True)
    message = "rank {rank:.12g} in {word} {list}; the last is {last}"
    yield from report_rows(beyond, "S402", message, word=word, last=f"{last:,}")


def _missing_ranks(by_rank: pl.DataFrame, word: str) -> Iterator[Problem]:
    """Yield a problem for each list that leaves a rank out, on the line after the first gap.

    A list of n rows that leaves no rank out ends at rank n or before, whatever it has twice.
    """
    rank, line = pl.col("rank").list, pl.col("line").list
    lists = by_rank.group_by("list", maintain_order=True).agg("rank", "line")
    gaps = lists.filter(rank.first() >= 1, rank.last() > rank.len()).sort(line.first())

    def describe(row: Row) -> Problem:
        values = row["rank"]
        before = [0, *values[:-1]]
        at = next(n for n, value in enumerate(values) if value > before[n] + 1)
        begin, end = max(at - SHOWN_BEFORE, 0), at + SHOWN_AFTER + 1
        shown = ", ".join(
            ["..."] * (begin > 0)
            + [f"{value:.12g}" for value in values[begin:end]]
            + ["..."] * (end < len(values))
        )
        name = quoted(row["list"])
        message = f"rank {before[at] + 1:.12g} is missing in {word} {name} ({shown})"
        return Problem("S404", message, line=row["line"][at], list=row["list"])

    yield from problem_per_row(gaps, describe)


@check("S408", kinds=RANKED)
def ranks_and_scores(rows: SubmissionRows) -> Iterator[Sum]:
    """Scores go down as ranks go up; where they do not, the score ranks."""
    if not {"rank", "score"} <= {*rows.frame.columns}:
        return
    rank, score = pl.col("rank"), pl.col("score")
    numbers = rows.named.select("line", "list", "list_number", "rank", "score")
    if rows.has_unread_number:
        numbers = numbers.filter(~rank.is_nan() & ~score.is_nan())
    follows = pl.col("list_number") == pl.col("list_number").shift()
    is_ordered = rows.has_contiguous_lists & (~follows | (rank > rank.shift())).all()
    if not numbers.select(is_ordered).item():
        numbers = _sort_by_rank(numbers)
    wrong = numbers.filter(follows & (score > score.shift()))
    if wrong.height:
        describe = partial(_describe_disagreement, wrong.sort("line").row(0, named=True))
        yield Sum(("S408",), {"lists": wrong["list"].n_unique()}, describe)


def _describe_disagreement(first: Row, lists: int) -> Problem:
    where = f"{lists:,} lists" if lists > 1 else f"list {quoted(first['list'])}"
    message = f"rank and score order disagree in {where}; this challenge ranks by score"
    return Problem("S408", message, "warning", line=first["line"], list=first["list"])


def _sort_by_rank(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows by `list_number` and `rank`; within a rank best `score` first."""
    rank, best_first = pl.col("rank"), -pl.col("score")
    if not rows.select((rank.is_between(0, 2**32 - 1) & (rank == rank.floor())).all()).item():
        return rows.sort("list_number", rank, best_first)
    # Whole numbers fit into one with the list's, which is sorted in a third of the time.
    key = pl.col("list_number").cast(pl.UInt64) * 2**32 + rank.cast(pl.UInt64)
    rows = rows.with_columns(key=key)
    is_unique = rows["key"].n_unique() == rows.height
    return rows.sort("key") if is_unique else rows.sort("key", best_first)


@check("S409", kinds=RANKED)
def many_ties(rows: SubmissionRows) -> Iterator[Sum]:
    """Few scores are equal inside a list, or the challenge's tie rule decides much."""
    if "score" not in rows.frame.columns or rows.rules.ties == "error":
        return
    scored = _scored_rows(rows)
    tied = _tied_rows(scored)
    line = None if tied.is_empty() else tied["line"][0]
    describe = partial(_describe_ties, rows.rules.ties, line)
    yield Sum(("S409",), {"tied": tied.height, "scores": scored.height}, describe)


def _describe_ties(rule: str, line: int | None, tied: int, scores: int) -> Problem | None:
    if not tied or tied / scores < MANY_TIES:
        return None
    share = f"{tied / scores:.0%}".replace("%", " %")
    message = f"{share} of the scores tie inside their list; the tie rule decides (ties: {rule})"
    return Problem("S409", message, "warning", line=line)


@check("S411", kinds=RANKED)
def tied_scores(rows: SubmissionRows) -> Iterator[Problem]:
    """Scores differ inside a list, where the challenge allows no ties."""
    if "score" not in rows.frame.columns or rows.rules.ties != "error":
        return
    tied = _tied_rows(_scored_rows(rows))
    best = tied.filter(pl.col("score") == pl.col("score").max().over("list"))
    pairs = best.group_by("list", maintain_order=True).agg(
        pl.col("line", "item").get(1), first=pl.col("item").first()
    )
    message = (
        "the scores of {first} and {item} tie in {word} {list} and this challenge allows no ties"
    )
    yield from report_rows(pairs.sort("line"), "S411", message, word=rows.word)


def _scored_rows(rows: SubmissionRows) -> pl.DataFrame:
    """Return the rows whose list has a name and whose score could be read."""
    return rows.named.filter(~pl.col("score").is_nan()) if rows.has_unread_number else rows.named


def _tied_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the score of another row of their list."""
    number, score = rows["list_number"], rows["score"]
    in_list = (number == number.shift()).fill_null(value=False)
    if number.is_sorted() and (~in_list | (score <= score.shift())).all():  # as in most runs
        follows = in_list & (score == score.shift())
        return rows.filter(follows | follows.shift(-1, fill_value=False))
    # Adding 0 makes -0 and 0 one number.
    pairs = rows.select(pl.col("list_number"), score=pl.col("score") + 0.0)
    key = pairs.select(combine_hashes("list_number", "score")).to_series()
    mask = is_repeated(key)
    return rows.clear() if mask is None else rows.filter(mask)


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
    first, last = (set(frame["item"].filter(numbers == n)) for n in (numbers.min(), numbers.max()))
    if first != last:
        return  # As in most files
    sums = frame.group_by("list_number").agg(pl.len(), items=pl.col("item").hash().sum())
    if sums.height < 2 or sums.select(pl.col("len", "items").n_unique()).row(0) != (1, 1):
        return  # The sums tell most lists from each other, without a sort
    if sums["len"][0] == 1 and sums.height < FEW_LISTS:
        return
    place = pl.int_range(pl.len()) if key is None else pl.col(key)
    place = place.rank("min", descending=key == "score").over("list")
    placed = frame.select("list", "item", place=place)
    # In all lists the same items at the same places: each such pair occurs equally often in each.
    places = placed.group_by("list", "item", "place").len()
    pairs = places.group_by("item", "place", "len").len("lists")
    further = [role for role in frame.columns if role.startswith((EXTRA, NUMBER))]
    varies = any(rows.frame[role].n_unique() > 1 for role in further)
    if not varies and (pairs["lists"] == sums.height).all():
        message = "all lists hold the same items in the same order; a constant model?"
        yield Problem("S410", message, "warning")
