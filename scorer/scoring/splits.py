"""Splits: named parts of the lists, drawn once from a seed, and scorecards cut to them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

import numpy as np

from scorer.challenge.leaderboard import EVERYTHING, REST, SHOWN_WORDS, Splits
from scorer.challenge.model import Challenge
from scorer.core.arrays import Ints, Mask
from scorer.core.errors import ChallengeError
from scorer.core.problems import Findings, Problem, as_truth_problems
from scorer.core.text import display_path, join_first, quoted
from scorer.reading.read import read_file
from scorer.reading.schema import Schema
from scorer.results.report import Scope
from scorer.results.scorecard import Scorecard
from scorer.scoring.faults import Fault, refuse


def draw_splits(
    splits: Splits, lists: Sequence[str], groups: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The split of each list.

    Units (lists, or whole groups of lists with `by: group`) are put in the order of
    a hash of seed and name and dealt to the splits by their shares: equal shares,
    seed and names give the same splits everywhere, whatever the order of the lists.

    Args:
        groups: list -> group, for `by: group`; a list without a group is its own.
    """
    members: dict[str, list[str]] = {}
    for name in sorted(lists):
        unit = (groups or {}).get(name, name) if splits.by == "group" else name
        members.setdefault(unit, []).append(name)
    units = sorted(
        members, key=lambda unit: hashlib.sha256(f"{splits.seed}:{unit}".encode()).digest()
    )
    shares = {name: share for name, share in splits.shares.items() if share != REST}
    rest = next((name for name, share in splits.shares.items() if share == REST), None)
    names = [*shares, *([rest] if rest is not None else [])]
    ends = np.cumsum([float(share) for share in shares.values()]) * len(lists)
    if rest is None:
        ends[-1] = len(lists)
    split_of: dict[str, str] = {}
    done = 0
    for unit in units:
        middle = done + len(members[unit]) / 2
        index = int(np.searchsorted(ends, middle))
        split_of |= dict.fromkeys(members[unit], names[min(index, len(names) - 1)])
        done += len(members[unit])
    return split_of


def read_splits(path: Path, lists: Sequence[str], called: str = "list") -> dict[str, str]:
    """The split of each list, from a file of list,split; or of Kaggle's columns, such as id,Usage.

    The lists' column may have the name `called` instead.

    `ChallengeError` if it cannot be read, names a list twice or one that is not there, or leaves
    one out.
    """
    findings = Findings(display_path(path))
    shape = Schema(("list", "fold"), (), {"fold": "split"})
    kaggle = Schema(("list", "fold"), (), {"list": called, "fold": "Usage"}, uses_all=True)
    table = read_file(path, None, [shape, kaggle], findings).table
    split_of: dict[str, str] = {}
    known_lists = set(lists)
    if table is None:
        raise ChallengeError(problems=as_truth_problems(findings))
    for line, name, split in table.frame.select("line", "list", "fold").iter_rows():
        if split_of.setdefault(name, split) != split:
            findings.add(Problem("T304", f"list {quoted(name)} is in two splits", line=line))
        elif name not in known_lists:
            findings.add(Problem("T302", f"list {quoted(name)} is not in the truth", line=line))
        elif split in SHOWN_WORDS or not split:
            message = f"a split cannot be called {quoted(split)}"
            findings.add(Problem("T304", message, line=line))
    if not findings.fatal and (missing := [name for name in lists if name not in split_of]):
        findings.add(
            Problem("T301", f"{len(missing):,} lists are in no split: {join_first(missing)}")
        )
    if findings.fatal:
        raise ChallengeError(problems=as_truth_problems(findings))
    return split_of


def assign_splits(
    challenge: Challenge, lists: Sequence[str], groups: Mapping[str, str]
) -> dict[str, str]:
    """The split of each list, drawn or read; of none without splits.

    `ChallengeError` if it cannot be read, or a phase shows a split that no list is in: a board of
    it would be of all lists.
    """
    splits = challenge.splits
    if splits is None:
        return {}
    if splits.file is not None:
        called = challenge.truth.columns.get("list", "list")
        split_of = read_splits(splits.file, lists, called)
        refuse(challenge, _lost_splits(challenge, {*SHOWN_WORDS, *split_of.values()}))
        return split_of
    return draw_splits(splits, lists, groups)


def _lost_splits(challenge: Challenge, names: Set[str]) -> Iterator[Fault]:
    for n, phase in enumerate(challenge.phases):
        if phase.show not in names:
            message = f"phase {quoted(phase.id)} shows {quoted(phase.show)}, which is no split"
            yield Fault(f"phases[{n}].show", "C106", message)


def masks_of(lists: Sequence[str], split_of: Mapping[str, str]) -> dict[str, Mask]:
    """Split -> which lists it has; `all` is the first."""
    names = sorted(set(split_of.values()), key=lambda name: (name != "public", name))
    masks = {EVERYTHING: np.ones(len(lists), dtype=bool)}
    for name in names:
        masks[name] = np.array([split_of.get(list_name) == name for list_name in lists], dtype=bool)
    return masks


def scope_of(challenge: Challenge, splits: Mapping[str, Mask], split: str | None) -> Scope:
    """The scope of a board of one split, or of all lists.

    `splits` is split -> which lists it has; `all` may be one of them.
    """
    sizes = {name: int(mask.sum()) for name, mask in splits.items() if name != EVERYTHING}
    total = next((mask.size for mask in splits.values()), 0)
    if split is None or split == EVERYTHING:
        return Scope(None, total, total, sizes)
    shown = challenge.phases[-1].show if challenge.phases else None
    others = {name: size for name, size in sizes.items() if name != split}
    final = shown if shown in others else None
    return Scope(split, sizes[split], total, others, final)


def cut(card: Scorecard, keep: Mask) -> Scorecard:
    """A scorecard of some of its lists, as if the truth had only these."""
    if keep.all():
        return card
    place: Ints = np.cumsum(keep) - 1
    positions = card.positions
    if positions is not None:
        hit_rows, truth_rows = keep[positions.in_list], keep[positions.truth_list]
        positions = replace(
            positions,
            in_list=place[positions.in_list[hit_rows]],
            position=positions.position[hit_rows],
            grade=positions.grade[hit_rows],
            truth_list=place[positions.truth_list[truth_rows]],
            truth_grade=positions.truth_grade[truth_rows],
            lists=int(keep.sum()),
        )
    return card._replace(
        lists=tuple(name for name, kept in zip(card.lists, keep, strict=True) if kept),
        answered=card.answered[keep],
        values={name: values[keep] for name, values in card.values.items()},
        figures={name: figure.subset(keep) for name, figure in card.figures.items()},
        positions=positions,
        columns=card.columns.at(keep),
    )
