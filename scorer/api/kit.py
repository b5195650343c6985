"""The participants' kit: a challenge without its answers, as one zip file.

A kit holds what a check may know and nothing else, so that it finds in a
submission what the organizer's own check finds.
"""

from __future__ import annotations

import csv
import io
import json
import random
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import yaml

from scorer.challenge.archive import NAME, refused
from scorer.challenge.model import FILE, Challenge, MeasureSpec, Source
from scorer.challenge.public import Public
from scorer.io.formats.base import COMPRESSED, format_of, header
from scorer.metrics.base import measure, metrics
from scorer.metrics.notation import NotationError
from scorer.prepare.bind import BoundChallenge

ABSENT = "truth-is-not-in-this-kit.csv"


OLDEST = (1980, 1, 1, 0, 0, 0)  # the one time that every kit was made


DEPTH = 10  # items of a sample's list where any number is allowed


Rows = list[dict[str, Any]]


class _Dumper(yaml.SafeDumper):
    """YAML as people write it: a text of several lines as a block."""


def _block(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, "|" if "\n" in text else None)


_Dumper.add_representer(str, _block)


def kit(prepared: BoundChallenge, public: Public) -> tuple[bytes, tuple[str, ...]]:
    """The bytes of the kit, the same for the same challenge, and the measures that it leaves out.

    Args:
        prepared: the challenge.
        public: its public part; nothing else of a truth is ever asked for.
    """
    challenge = prepared.challenge
    kept, dropped = _measures(prepared)
    files: dict[str, bytes] = {}
    lists = _lists(challenge, public, files)
    items = _items(prepared, public, files)
    sample = _sample(prepared, public)
    files |= dict([sample])
    message = _public(prepared, kept, dropped, lists, items)
    text = yaml.dump(message, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88)
    files[FILE] = text.encode()
    files["codes.md"] = _pages().encode()
    files["README.md"] = _readme(challenge, sample[0]).encode()
    return _zipped(files), tuple(dropped)


def _measures(prepared: BoundChallenge) -> tuple[list[MeasureSpec], list[str]]:
    """What the kit's challenge.yaml asks for, and the measures that it has no means for.

    Metrics of plugins and those that need further files are left out; where
    none remains another of the same kind stands in, since some must.
    """
    built_in, kept, dropped = metrics(), list[MeasureSpec](), list[str]()
    for spec, bound in zip(prepared.challenge.metrics, prepared.measures, strict=True):
        name = bound.metric.name
        own = built_in.things.get(name) is bound.metric
        if own and built_in.origins[name].startswith("scorer.") and not bound.needs:
            kept.append(spec)
        else:
            dropped.append(bound.id)
    return kept or [MeasureSpec(notation=_stand_in(prepared))], dropped


def _stand_in(prepared: BoundChallenge) -> str:
    """The plainest metric that any challenge with these rules may have."""
    rules, fit = prepared.challenge.submission, []
    for metric in metrics():
        with suppress(NotationError):  # a parameter that must be given
            if (
                prepared.kind.name in metric.kinds
                and not measure(metric, metric.name, {}).needs
                and (metric.expected or rules.ties != "expected")
                and (metric.better == "higher" or rules.missing_list != "zero")
            ):
                fit.append(metric)
    return min(fit, key=lambda metric: (len(metric.kinds), metric.name)).name


def _public(
    prepared: BoundChallenge,
    kept: Sequence[MeasureSpec],
    dropped: Sequence[str],
    lists: dict[str, Any],
    items: dict[str, Any] | None,
) -> dict[str, Any]:
    """challenge.yaml without what is secret: truth, examples, baselines, plugins."""
    challenge = prepared.challenge
    roles = ("better", "worse") if prepared.kind.name == "preferences" else ("item",)
    columns = {role: challenge.truth.columns.get(role, role) for role in ("list", *roles)}
    fields: dict[str, Any] = {"scorer": challenge.scorer, "id": challenge.id}
    fields |= {"title": challenge.title, "description": challenge.description}
    fields |= {"truth": {"file": ABSENT, "columns": columns}, "lists": lists}
    if items is not None:
        fields["items"] = items
    fields["submission"] = challenge.submission.model_dump(mode="json", exclude_defaults=True)
    fields["metrics"] = [
        {"metric": spec.notation}
        | spec.params
        | ({} if spec.id is None else {"id": spec.id})
        | ({"primary": True} if spec.primary else {})
        for spec in kept
    ]
    fields["undefined"] = challenge.undefined
    board = challenge.leaderboard.model_dump(mode="json", exclude_defaults=True)
    board.pop("baselines", None)
    gone = {name.casefold() for name in dropped}
    if ties := [name for name in board.pop("tie_break", ()) if name.casefold() not in gone]:
        board["tie_break"] = ties
    fields["leaderboard"] = board
    empty: tuple[object, ...] = (None, {}, "")
    return {key: value for key, value in fields.items() if value not in empty}


def _lists(challenge: Challenge, public: Public, files: dict[str, bytes]) -> dict[str, Any]:
    """The public file of lists as it is, else one made of their ids."""
    if challenge.lists is not None:
        return _copied("lists", challenge.lists, files)
    files["lists.csv"] = _csv([{"list": name} for name in public.lists], ("list",))
    return {"file": "lists.csv"}


def _items(
    prepared: BoundChallenge, public: Public, files: dict[str, bytes]
) -> dict[str, Any] | None:
    """The public file of items as it is; else the pairs of list and item that are public."""
    source, kind = prepared.challenge.items, prepared.kind.name
    if source is not None and (kind == "grades" or _names_lists(source)):
        message = _copied("items", source, files)
        extra = {"users": source.users, "features": list(source.features) or None}
        columns = message.get("columns", {}) | {key: name for key, name in extra.items() if name}
        return message | ({"columns": columns} if columns else {})
    if kind == "grades":
        return None
    # sorted: the order in which a truth names them is nobody's business
    pairs = sorted(
        public.asked
        or ((name, item) for name, items in (public.candidates or {}).items() for item in items)
    )
    rows = [{"list": name, "item": item} for name, item in pairs]
    files["items.csv"] = _csv(rows, ("list", "item"))
    return {"file": "items.csv"}


def _names_lists(source: Source) -> bool:
    from scorer.io.limits import Limits

    found = header(source.file, format_of(source.file, source.format), Limits())
    return source.columns.get("list", "list") in found


def _copied(name: str, source: Source, files: dict[str, bytes]) -> dict[str, Any]:
    suffixes = source.file.suffixes
    kept = suffixes[-2:] if suffixes[-1:] and suffixes[-1].lower() in COMPRESSED else suffixes[-1:]
    file = "".join([name, *kept])
    if not NAME.fullmatch(file):
        file = name
    try:
        files[file] = source.file.read_bytes()
    except OSError as error:
        raise refused(source.file, "T101", f"it cannot be read: {error.strerror}") from None
    fields: dict[str, Any] = {"file": file}
    if source.format is not None:
        fields["format"] = source.format
    if source.columns:
        fields["columns"] = dict(source.columns)
    return fields


def _sample(prepared: BoundChallenge, public: Public) -> tuple[str, bytes]:
    """A submission that is valid and knows nothing: chosen by lot among what is public."""
    rules, kind = prepared.challenge.submission, prepared.kind.name
    form = rules.format or "csv"
    chance = random.Random(prepared.challenge.leaderboard.seed)
    if kind == "ratings":
        low, high = rules.range or (0.0, 1.0)
        rows: Rows = []
        for name, item in sorted(public.asked or ()):
            guess = min(max(round(chance.uniform(low, high), 3), low), high)
            rows.append({"list": name, "item": item, "prediction": guess})
    elif kind == "preferences" and form not in ("lists", "trec") and not _ranks(rules.columns):
        rows = [
            {"list": name, "better": better, "worse": worse}
            for name, items in _choice(prepared, public, chance)
            for better, worse in pairwise(items)
        ]
    else:
        key = "score" if {"score"} == {"score", "rank"} & set(rules.columns) else "rank"
        rows = [
            {"list": name, "item": item, key: n if key == "rank" else len(items) - n + 1}
            for name, items in _choice(prepared, public, chance)
            for n, item in enumerate(items, start=1)
        ]
    return _written(form, rows, rules.columns)


def _ranks(columns: Mapping[str, str]) -> bool:
    return "item" in columns and "better" not in columns


def _choice(
    prepared: BoundChallenge, public: Public, chance: random.Random
) -> Iterator[tuple[str, list[str]]]:
    """For each list as many items as it may have, in an order by lot."""
    wanted = prepared.challenge.submission.length
    depth = (wanted.max or max(wanted.min or 0, DEPTH)) if wanted else DEPTH
    everything = list(public.items or (f"item-{n + 1}" for n in range(depth)))
    for name in public.lists:
        items = everything
        if public.candidates is not None:
            items = sorted(public.candidates.get(name, ()))
        if items:
            # of preferences all items, since each must be placed
            most = len(items) if public.kind == "preferences" and not wanted else depth
            yield name, chance.sample(items, min(most, len(items)))


def _written(form: str, rows: Rows, columns: Mapping[str, str]) -> tuple[str, bytes]:
    """Rows in a submission's format."""
    roles = list(rows[0]) if rows else ["list", "item"]
    named = [{columns.get(role, role): value for role, value in row.items()} for row in rows]
    heads = [columns.get(role, role) for role in roles]
    if form == "lists":
        by_list: dict[str, list[str]] = {}
        for row in rows:
            by_list.setdefault(row["list"], []).append(row["item"])
        text = "".join(f"{name}: {', '.join(items)}\n" for name, items in by_list.items())
        return "sample_submission.lists", text.encode()
    if form == "trec":
        lines = (
            f"{row['list']} Q0 {row['item']} {row.get('rank', n)} {len(rows) - n} sample\n"
            for n, row in enumerate(rows)
        )
        return "sample_submission.run", "".join(lines).encode()
    if form == "jsonl":
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in named)
        return "sample_submission.jsonl", "".join(lines).encode()
    if form == "parquet":
        import polars

        out = io.BytesIO()
        polars.DataFrame(named, schema=None if named else heads).write_parquet(out)
        return "sample_submission.parquet", out.getvalue()
    return "sample_submission.csv", _csv(named, heads)


def _csv(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _pages() -> str:
    """What a checked file can be told, as Markdown."""
    from scorer.core.codes import codes  # here, since every command looks into this module

    lines = ["# What `score check` can say of a submission\n"]
    for page in codes().values():
        if page.code.startswith("S"):
            example = "\n".join(f"    {line}" for line in page.example.rstrip().splitlines())
            lines.append(
                f"## {page.code} ({page.severity}): {page.title}\n\n{page.meaning.strip()}\n\n"
                f"{example}\n\n{page.fix.strip()}\n"
            )
    return "\n".join(lines)


def _readme(challenge: Challenge, sample: str) -> str:
    return (
        f"# {challenge.title}\n\n{challenge.description.strip()}\n\n"
        "Check a submission before you send it, with the same findings as the organizer's:\n\n"
        "    score check KIT.zip SUBMISSION\n\n"
        f"- {FILE}: the rules\n- {sample}: a submission that is valid and knows nothing\n"
        "- codes.md: what a submission can be told, and what to do\n"
    )


def _zipped(files: Mapping[str, bytes]) -> bytes:
    """The same bytes for the same files, whenever and wherever they are packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            member = zipfile.ZipInfo(name, OLDEST)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system, member.external_attr = 3, 0o644 << 16
            archive.writestr(member, files[name], compresslevel=9)
    return out.getvalue()
