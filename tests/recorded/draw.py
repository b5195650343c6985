"""Random challenges and submissions of all kinds and forms, good and bad, written into folders.

A folder has `challenge.yaml`, its files, `sent/` and `commands.json`: the words after `score`, each
command to be run in the folder. The measures and the good rows are those that are recorded.
"""

import csv
import gzip
import io
import json
import zipfile
from pathlib import Path
from random import Random

import inputs
import yaml

MEASURES = Path(__file__).with_name("measures.yaml")
RANKED = ("ranked", "scored", "skilled")
ROWS = ("classes", "probabilities", "probability", "early", "numbers", "distributions")


class Table:
    """A header and rows of texts, which are changed before they are written."""

    def __init__(self, text):
        self.header, *self.rows = csv.reader(io.StringIO(text))

    def columns(self):
        """The column of each name; a damaged row may be shorter than the header."""
        return {name: n for n, name in enumerate(self.header)}

    def by_list(self):
        """Rows of each list, in order of the file."""
        found = {}
        for row in self.rows:
            found.setdefault(row[0] if row else "", []).append(row)
        return found


# Damages of rows: something that a participant does wrong

IDS = [
    *("{}x", " {}", "{} ", "{}.0", "0{}", "\u00a0{}", "{}\u200b", "\ufeff{}", '"{}', "'{}'"),
    *("zebra", "", "nan", "null", "NA", "007", "1e3", "\u0438{}", "q\u0301", "#{}", "=1+1", "a,b"),
]
NUMBERS = [
    *("x", "", "nan", "NaN", "inf", "-inf", "1e400", "-1e-400", "1,5", "1.5.2", "0x1F", "\uff11"),
    *("1_000", "1e3", "+3", "-7", " 2", "1e", "12%", "$5", "true", "1/2", "99999999999999999999"),
    *("0", "-0.0", "1", "0.1", "null"),
]


def damage_id(rng, table, column):
    row = rng.choice(table.rows)
    form = rng.choice([*IDS, "upper", "lower"])
    at = min(column, len(row) - 1)
    old = row[at]
    row[at] = old.upper() if form == "upper" else form.format(old)


def damage_list_id(rng, table):
    damage_id(rng, table, 0)


def damage_item_id(rng, table):
    damage_id(rng, table, 1)


def damage_whole_list_id(rng, table):
    name, rows = rng.choice([*table.by_list().items()])
    form = rng.choice(IDS)
    for row in rows:
        row[0] = form.format(name)


def damage_number(rng, table):
    row = rng.choice(table.rows)
    row[-1] = rng.choice(NUMBERS)


def damage_many_numbers(rng, table):
    value = rng.choice(NUMBERS)
    for row in table.rows[:: rng.randint(1, 5)]:
        row[-1] = value


def drop_list(rng, table):
    name = rng.choice([*table.by_list()])
    table.rows = [row for row in table.rows if row[0] != name]


def drop_row(rng, table):
    table.rows.pop(rng.randrange(len(table.rows)))


def drop_most(rng, table):
    table.rows = table.rows[: rng.randint(0, 2)]


def repeat_row(rng, table):
    table.rows.insert(rng.randrange(len(table.rows)), [*rng.choice(table.rows)])


def repeat_all(rng, table):
    table.rows += [[*row] for row in table.rows]


def shorten_row(rng, table):
    table.rows[rng.randrange(len(table.rows))].pop()


def lengthen_row(rng, table):
    rng.choice(table.rows).append("more")


def rename_column(rng, table):
    at = rng.randrange(len(table.header))
    name = table.header[at]
    table.header[at] = rng.choice([name.upper(), f" {name} ", f"{name}s", "x", "", "id", name[:-1]])


def swap_columns(rng, table):
    if len(table.header) > 1:
        a, b = rng.sample(range(len(table.header)), 2)
        for row in [table.header, *table.rows]:
            if max(a, b) < len(row):
                row[a], row[b] = row[b], row[a]


def drop_column(rng, table):
    at = rng.randrange(len(table.header))
    for row in [table.header, *table.rows]:
        del row[at : at + 1]


def add_column(rng, table):
    at, name = rng.randrange(len(table.header) + 1), rng.choice(["note", "", table.header[0]])
    table.header.insert(at, name)
    for n, row in enumerate(table.rows):
        row.insert(at, str(n))


def shuffle_rows(rng, table):
    rng.shuffle(table.rows)


def repeat_header(rng, table):
    table.rows.insert(rng.randrange(len(table.rows) + 1), [*table.header])


def number_from_zero(rng, table):
    for rows in table.by_list().values():
        for n, row in enumerate(rows):
            row[-1] = str(n)


def tie_all(rng, table):
    for row in table.rows:
        row[-1] = "1"


def strange_items(rng, table):
    for n, row in enumerate(table.rows):
        if len(row) > 1 and rng.random() < 0.2:
            row[1] = f"new{n}"


DAMAGES = [
    *(damage_list_id, damage_item_id, damage_whole_list_id, damage_number, damage_many_numbers),
    *(drop_list, drop_row, drop_most, repeat_row, repeat_all, shorten_row, lengthen_row),
    *(rename_column, swap_columns, drop_column, add_column, shuffle_rows, repeat_header),
    *(number_from_zero, tie_all, strange_items, drop_list, damage_number, damage_item_id),
]


def damage(rng, table):
    """One to three things wrong with the rows of a table."""
    for _ in range(rng.randint(1, 3)):
        if len(table.rows) > 2 and table.header and all(table.rows):
            rng.choice(DAMAGES)(rng, table)


# Damages of bytes

ODD_BYTES = [
    b"\0",
    b"\xff",
    b'"',
    b"\r",
    b"\n",
    b"\n\n",
    b"\xc2\xa0",
    b"#",
    b",",
    b"\t",
    b";",
    b"\x1a",
]


def spoil(rng, data):
    """Bytes with one thing wrong, or only unusual."""
    sort = rng.randrange(14)
    if sort == 0:
        return data.replace(b"\n", b"\r\n")
    if sort == 1:
        return data.replace(b"\n", b"\r")
    if sort == 2:
        return data.replace(b"\n", b"\r\n", rng.randint(1, 5))
    if sort == 3:
        return b"\xef\xbb\xbf" + data
    if sort == 4:
        return data.decode(errors="replace").encode(rng.choice(["utf-16", "utf-16-le", "utf-32"]))
    if sort == 5:
        return data.rstrip(b"\n")
    if sort == 6:
        return data + rng.choice([b"\n\n\n", b"\n  \n", b"\x1a", b"\0", b'"'])
    if sort == 7:
        return data[: rng.randrange(len(data) + 1)]
    if sort == 8:
        return rng.choice([b"", b"\n", b" ", b"\xef\xbb\xbf", b"\0\0", b"<html>", b"PK\3\4", b"{}"])
    if sort == 9:
        lines = data.split(b"\n")
        lines.insert(rng.randrange(len(lines)), rng.choice([b"", b"  ", b"# note", b"x", b",,,,"]))
        return b"\n".join(lines)
    if sort == 10:
        return data.replace(b",", rng.choice([b";", b"\t", b", ", b" ,", b"|"]))
    if sort == 11:
        return data.replace(b"i", "\u00ef".encode(rng.choice(["latin-1", "utf-8"])), 2)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(ODD_BYTES) + data[at:]
    return data


# Forms: what the file is like when nothing is wrong


def as_csv(rng, table, separator=",", header=True, quoted=False):
    out = io.StringIO()
    quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=separator, lineterminator="\n", quoting=quoting)
    writer.writerows([table.header, *table.rows] if header else table.rows)
    return out.getvalue().encode()


def as_number(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def as_jsonl(rng, table):
    lines = []
    for row in table.rows:
        pairs = zip(table.header, row, strict=False)
        said = {k: v if k in ("list", "item") else as_number(v) for k, v in pairs}
        lines.append(json.dumps(said, ensure_ascii=rng.random() < 0.5))
    return ("\n".join(lines) + "\n").encode()


def as_parquet(rng, table):
    import polars as pl

    columns = {}
    for n, name in enumerate(table.header):
        cells = [row[n] if n < len(row) else None for row in table.rows]
        numbers = [as_number(cell) if cell else None for cell in cells]
        is_number = all(isinstance(x, int | float) and not isinstance(x, bool) for x in numbers)
        if name not in ("list", "item") and is_number:
            columns[name or f"c{n}"] = [float(x) for x in numbers]
        else:
            columns[name or f"c{n}"] = cells
    out = io.BytesIO()
    pl.DataFrame(columns).write_parquet(out)
    return out.getvalue()


def as_trec(rng, table):
    lines = [
        f"{row[0]} Q0 {row[1]} {n} {row[2]} run"
        for rows in table.by_list().values()
        for n, row in enumerate(rows, start=1)
        if len(row) > 2
    ]
    return ("\n".join(lines) + "\n").encode()


def best_first(table):
    """List to items, best first, where the last column is a rank or a score."""
    sign = 1 if table.header[-1] == "rank" else -1

    def key(row):
        number = as_number(row[-1])
        return sign * number if isinstance(number, int | float) and number == number else 0

    return {
        name: [row[1] for row in sorted(rows, key=key) if len(row) > 1]
        for name, rows in table.by_list().items()
    }


def as_lists(rng, table):
    lines = [f"{name}: {', '.join(items)}" for name, items in best_first(table).items()]
    return ("\n".join(lines) + "\n").encode()


def as_cells(rng, table, separator=" "):
    lines = [[name, separator.join(items)] for name, items in best_first(table).items()]
    made = Table("list,item\n")
    made.rows = lines
    return as_csv(rng, made)


def as_wide(rng, table):
    lists = best_first(table)
    width = max((len(items) for items in lists.values()), default=0)
    made = Table("list\n")
    made.header += [f"F{n}" for n in range(1, width + 1)]
    made.rows = [[name, *items, *[""] * (width - len(items))] for name, items in lists.items()]
    return as_csv(rng, made)


def as_document(rng, table):
    said = [
        {"id": name, "documents": [{"name": item} for item in items]}
        for name, items in best_first(table).items()
    ]
    return json.dumps({"team": "t", "questions": said}, indent=rng.choice([None, 1])).encode()


def as_wide_ratings(rng, table):
    items = sorted({row[1] for row in table.rows if len(row) > 1})
    made = Table("list\n")
    made.header += [f"r_{item}" for item in items]
    for name, rows in table.by_list().items():
        known = {row[1]: row[2] for row in rows if len(row) > 2}
        made.rows.append([name, *(known.get(item, "") for item in items)])
    return as_csv(rng, made)


def forms_of(form):
    """Name of each form that such submissions can have: suffix, keys of `submission`, writer."""
    forms = {
        "plain": (".csv", {}, as_csv),
        "quoted": (".csv", {}, lambda r, t: as_csv(r, t, quoted=True)),
        "semicolon": (".csv", {}, lambda r, t: as_csv(r, t, ";")),
        "declared": (".txt", {"separator": ";", "format": "csv"}, lambda r, t: as_csv(r, t, ";")),
        "tab": (".tsv", {}, lambda r, t: as_csv(r, t, "\t")),
        "bar": (".csv", {"separator": "|"}, lambda r, t: as_csv(r, t, "|")),
        "skip": (".csv", {"skip": 2}, lambda r, t: b"made by\nhand\n" + as_csv(r, t)),
        "comment": (".csv", {"comment": "#"}, lambda r, t: b"# made\n" + as_csv(r, t) + b"# end\n"),
        "jsonl": (".jsonl", {}, as_jsonl),
        "parquet": (".parquet", {}, as_parquet),
    }
    if form in RANKED:
        forms |= {
            "trec": (".run", {}, as_trec),
            "lists": (".lists", {}, as_lists),
            "cells": (".csv", {"cells": {"item": " "}}, as_cells),
            "bars": (".csv", {"cells": {"item": "|"}}, lambda r, t: as_cells(r, t, "|")),
            "wide": (".csv", {"wide": {"item": "F*"}}, as_wide),
            "document": (
                ".json",
                {"json": {"list": "questions[].id", "item": "questions[].documents[].name"}},
                as_document,
            ),
        }
    if form == "ratings":
        forms["wide"] = (".csv", {"wide": {"item": "r_*"}}, as_wide_ratings)
    return forms


def split_parts(table):
    """A table as two: rows of the lists at even and at odd places."""
    parts = []
    lists = [*table.by_list().items()]
    for n in (0, 1):
        part = Table("list\n")
        part.header = table.header
        part.rows = [row for _, rows in lists[n::2] for row in rows]
        parts.append(part)
    return parts


PARTS = {"one": "one.csv", "two": "two.csv"}


def zipped(rng, tables):
    """An archive of a CSV file for each part; of the submission now and then one is missing."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, table in zip(PARTS.values(), tables, strict=False):
            archive.writestr(zipfile.ZipInfo(name), as_csv(rng, table))
    return out.getvalue()


def as_parts(rng, table):
    return zipped(rng, split_parts(table)[: 1 if rng.random() < 0.1 else 2])


def as_lines(rng, table):
    """The last column alone, without a header: a line is about a row of the lists' file."""
    made = Table("value\n")
    made.rows = [row[-1:] for row in table.rows]
    return as_csv(rng, made, header=False)


def packed(rng, name, data):
    """A file's name and bytes, sometimes compressed."""
    sort = rng.random()
    if sort < 0.1:
        return f"{name}.gz", gzip.compress(data, mtime=0)
    if sort < 0.15:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(zipfile.ZipInfo(name), data)
        return f"{name}.zip", out.getvalue()
    return name, data


# Challenges


def choose_rules(rng, form, challenge):
    """Rules of the submission and of the board, on top of those that the setting has."""
    rules = dict(challenge.get("submission", {}))
    if form in (*RANKED, "ratings", "texts", "spans") and rng.random() < 0.5:
        rules["missing_list"] = rng.choice(["error", "zero", "skip"])
    if rng.random() < 0.25:
        rules["unknown_list"] = "ignore"
    if form in RANKED:
        if rng.random() < 0.3 and "ties" not in rules:
            rules["ties"] = rng.choice(["item-asc", "file", "error", "mean-rank"])
        if rng.random() < 0.2:
            rules["length"] = rng.choice([10, {"max": 8}, {"min": 2}])
        if rng.random() < 0.15:
            rules["rank_gaps"] = "keep"
        if rng.random() < 0.15:
            rules["repeats"] = "first"
        if rng.random() < 0.1:
            rules["item_pattern"] = "i[0-9]{2}"
    if rng.random() < 0.1:
        rules["limits"] = rng.choice([{"rows": 20}, {"size": 300}, {"line": 30}])
    board = {}
    if rng.random() < 0.5:
        board["intervals"] = rng.choice([False, 0.8, "joint"])
    if rng.random() < 0.4:
        board["tiers"] = rng.choice(
            [False, {"test": "t"}, {"test": "wilcoxon", "adjust": "holm"}, {"rule": "first"}]
        )
    board["draws"] = rng.choice([200, 1000])
    made = {**challenge, "leaderboard": board}
    if rules:
        made["submission"] = rules
    if rng.random() < 0.5:
        made["undefined"] = rng.choice(["skip", "zero", "worst", "error"])
    return made


def draw_groups(rng, truth, challenge):
    """Lists with groups, and a measure that is averaged over them."""
    names = dict.fromkeys(line.split(",")[0] for line in truth.splitlines()[1:])
    lines = [f"{name},{rng.choice(['north', 'south'])},u{rng.randint(1, 6)}" for name in names]
    columns = rng.choice([{"group": "group"}, {"cluster": "user"}])
    challenge["lists"] = {"file": "groups.csv", "columns": columns}
    if "group" in columns:
        (first, *rest) = challenge["metrics"]
        if isinstance(first, str) and "average" not in first:
            challenge["metrics"] = [{"metric": first, "average": "group"}, *rest]
    return inputs.rows("list,group,user", lines)


def draw(rng, folder, settings):
    """One challenge in a new folder."""
    (folder / "sent").mkdir(parents=True)
    sort = rng.random()
    if sort < 0.05:
        return draw_values(rng, folder)
    if sort < 0.09:
        return draw_votes(rng, folder)
    said = settings[rng.choice([*settings])]
    seed, form = rng.randrange(10**9), said.get("submissions", "ranked")
    files = inputs.truth_files(seed)
    measures = rng.sample(said["measures"], min(len(said["measures"]), rng.randint(1, 5)))
    challenge = choose_rules(rng, form, {**said["challenge"], "metrics": measures})
    source = challenge["truth"]
    truth = source if isinstance(source, str) else source["file"]
    if rng.random() < 0.2 and "lists" not in challenge:
        files["groups.csv"] = draw_groups(rng, files[truth], challenge)
    forms = forms_of(form)
    alone = {"truth", "submission", "undefined", "metrics", "leaderboard"} >= challenge.keys()
    if alone and isinstance(source, str):
        forms["parts"] = (".zip", {"parts": PARTS}, as_parts)
        if form in ("classes", "numbers"):
            column = "label" if form == "classes" else "y"
            keys = {"header": [column], "lines": "lists", "format": "csv"}
            forms["lines"] = (".txt", keys, as_lines)
    name = rng.choice([*forms]) if rng.random() < 0.7 else "plain"
    suffix, keys, write = forms[name]
    if name == "lines":
        challenge["lists"] = "asked.csv"
        files["asked.csv"] = inputs.rows("list", Table(files[truth]).by_list())
    if keys:
        challenge["submission"] = {**challenge.get("submission", {}), **keys}
    sent = inputs.submissions(form, files, seed=str(seed))
    for n, (who, text) in enumerate(sent.items()):
        table = Table(text)
        if n and rng.random() < 0.6:
            damage(rng, table)
        data = write(rng, table)
        if n and rng.random() < 0.25:
            data = spoil(rng, data)
        path, data = packed(rng, f"{who}{suffix}", data)
        if n and rng.random() < 0.02:
            data = data[: len(data) // 2]
        (folder / "sent" / path).write_bytes(data)
    table = Table(files[truth])
    if rng.random() < 0.12:
        damage(rng, table)
        files[truth] = as_csv(rng, table).decode()
    if name == "parts":
        challenge["truth"] = {"file": "truth.zip", "parts": PARTS}
        (folder / "truth.zip").write_bytes(zipped(rng, split_parts(table)))
    write_files(folder, files, challenge)
    paths = [f"sent/{path.name}" for path in sorted((folder / "sent").iterdir())]
    write_commands(folder, *commands_for(rng, paths))
    return name


def commands_for(rng, paths):
    """`check` and `score`, and now and then another command."""
    yield ["check", ".", *paths, "--all", "--format", "json"]
    yield [".", *paths, "--per-list", "--all", "--format", "json"]
    if rng.random() < 0.3:
        verb = rng.choice(["compare", "explain", "lint", "study"])
        sent = {"compare": paths[:2], "explain": paths[:1], "lint": [], "study": paths}[verb]
        yield [verb, ".", *sent, "--format", "json"]


def named_in(value):
    """Every text in a nested value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from named_in(each)


def write_files(folder, files, challenge):
    named = {*named_in(challenge)}
    for path, text in files.items():
        if path in named:
            (folder / path).write_text(text, encoding="utf-8")
    text = yaml.safe_dump({"id": "drawn", **challenge}, sort_keys=False, allow_unicode=True)
    (folder / "challenge.yaml").write_text(text, encoding="utf-8")


def write_commands(folder, *commands):
    (folder / "commands.json").write_text(json.dumps(commands))


def draw_values(rng, folder):
    """Values of other tools: a challenge of them, or a table for `score values`."""
    cases = [f"c{n}" for n in range(rng.randint(3, 20))]
    files = {}
    for who in inputs.TEAMS:
        lines = [f"{case},{rng.randint(0, 8) / 8},{rng.randint(1, 90)}" for case in cases]
        table = Table(inputs.rows("case,dice,seconds", lines))
        if rng.random() < 0.4:
            damage(rng, table)
        files[f"sent/{who}.csv"] = as_csv(rng, table).decode()
    files["cases.csv"] = inputs.rows("case", cases)
    for path, text in files.items():
        (folder / path).write_text(text, encoding="utf-8")
    values = {"dice": {"range": [0, 1]}, "seconds": {"better": "lower"}}
    rules = {"columns": {"list": "case"}, "values": values}
    rules["missing_list"] = rng.choice(["error", "skip", "zero"])
    challenge = {
        "kind": "values",
        "lists": {"file": "cases.csv", "columns": {"list": "case"}},
        "submission": rules,
        "metrics": ["dice", {"metric": "seconds", "aggregate": rng.choice(["mean", "median"])}],
        "leaderboard": {"draws": 200},
    }
    write_files(folder, {}, challenge)
    paths = [f"sent/{who}.csv" for who in inputs.TEAMS]
    write_commands(
        folder,
        ["check", ".", *paths, "--all", "--format", "json"],
        [".", *paths, "--per-list", "--all", "--format", "json"],
        ["values", *paths, "--lower", "seconds", "--format", "json"],
    )
    return "values"


def draw_votes(rng, folder):
    systems, lines = ["s1", "s2", "s3", "s4"], []
    for n in range(rng.randint(10, 60)):
        a, b = rng.sample(systems, 2)
        lines.append(
            f"p{n // 2},{a},{b},{rng.choice([a, b, 'tie', 'a', 'b'])},j{rng.randint(1, 3)}"
        )
    table = Table(inputs.rows("list,a,b,winner,judge", lines))
    if rng.random() < 0.4:
        damage(rng, table)
    (folder / "votes.csv").write_bytes(as_csv(rng, table))
    write_commands(folder, ["votes", "votes.csv", "--draws", "200", "--format", "json"])
    return "votes"


def draw_all(folder, number, seed, only=None):
    """Folders 0001, 0002, ..., each drawn from a seed of its own; or only one of them."""
    settings = yaml.safe_load(MEASURES.read_text(encoding="utf-8"))
    for n in range(1, number + 1) if only is None else [only]:
        draw(Random(f"{seed} {n}"), folder / f"{n:04}", settings)
