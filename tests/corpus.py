"""A corpus of hostile files: `python tests/corpus.py FOLDER` writes it out, to be looked at.

Each is small. What makes it dangerous is what it claims, unpacks to, or makes a reader do.
"""

import gzip
import io
import json
import os
import pickle
import struct
import sys
import tarfile
import zipfile
from pathlib import Path

ROWS = b"list,item\nq1,a\nq1,b\nq2,a\n"
HEAD = b"list,item,score\n"
MANY = 1_000

# text that means something to whatever it is shown in
TEXTS = {
    "html": "<script>alert(1)</script>",
    "attribute": "\"><img src=x onerror=alert(1)> & '",
    "ansi": "\x1b[31mred\x1b]8;;http://evil\x07",
    "c1": "\x9b31mred\x9d0;title\x9c",
    "backspace": "good\x08\x08\x08\x08evil\x7f",
    "rich": "[bold]x[/bold] [link=http://evil]y[/link]",
    "formula": "=cmd|' /C calc'!A0",
    "wide formula": "＝1+1",
    "latex": r"\input{/etc/passwd} $x$ % & _ ^ ~ # {}",
    "markdown": "|x|`y`[l](http://evil)![i](http://evil)<b>**b**",
    "workflow": "::error::x",
    "bidi": "\u202egnp.exe\u2066\u200f",
    "invisible": "a\u200b\ufeff\u2060b",
    "lines": "two\u2028lines\u2029\x85end",
    "newline": "two\n::add-mask::lines\r\n",
    "format": "{0.__class__} %s %(x)s ${HOME} `id`",
    "option": "--format",
    "long": "x" * 5000,
    "fillers": "perfect\u3164\u115f\u2800\ufe0f\u034f\u17b4",
    "marks": "Z" + "\u0301" * 100,
    "leftwards": "שלום עולם 1",
}


def zipped(**members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inside in members.items():
            archive.writestr(name, inside)
    return data.getvalue()


def tarred():
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for kind, name in ((tarfile.SYMTYPE, "link"), (tarfile.REGTYPE, "../../evil")):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
    return data.getvalue()


class _Evil:
    def __reduce__(self):
        return os.system, ("touch pwned",)


def squeezed(times):
    """Zeros, compressed again and again: few bytes that are very many."""
    data = bytes(64 << 20)
    for _ in range(times):
        data = gzip.compress(data, 9)
    return data


def rows(row, head=HEAD):
    return head + b"".join(row(n).encode() for n in range(MANY))


def footer(data):
    """A Parquet file of nothing but what its footer claims."""
    return b"PAR1" + data + struct.pack("<I", len(data)) + b"PAR1"


def categories():
    """A few rows of a few long texts, each stored once."""
    import polars

    texts = [f"{n}" * 100_000 for n in range(10)]
    out = io.BytesIO()
    frame = polars.DataFrame({"list": texts * 200, "item": ["a"] * 2000})
    frame.cast({"list": polars.Categorical}).write_parquet(out, compression="zstd")
    return out.getvalue()


TABLES = {
    "empty.csv": lambda: b"",
    "header.csv": lambda: HEAD,
    "blank.csv": lambda: b"\n" * 200_000,
    "nul.csv": lambda: HEAD + b"q1,\0,\0\n" * 1000,
    "random.csv": lambda: bytes(range(256)) * 100,
    "latin.csv": lambda: HEAD + b"q\xe9,\xff,\xfe\n" * MANY,
    "surrogates.csv": lambda: HEAD + b"q\xed\xa0\x80,\xed\xb2\x80,1\n" * 100,
    "overlong.csv": lambda: HEAD + b"q\xc0\xaf,\xf8\x88\x80\x80\x80,1\n" * 100,
    "utf16.csv": lambda: ROWS.decode().encode("utf-16"),
    "utf32.csv": lambda: ROWS.decode().encode("utf-32"),
    "cr.csv": lambda: ROWS.replace(b"\n", b"\r") * 100,
    "crcrlf.csv": lambda: ROWS.replace(b"\n", b"\r\r\n"),
    "line.csv": lambda: HEAD + b"x" * (1 << 21),
    "columns.csv": lambda: b"," * 40_000 + b"\n" + b"," * 30_000,
    "names.csv": lambda: b",".join(b"c%d" % n for n in range(20_000)) + b"\n1,2\n",
    "quote.csv": lambda: HEAD + b'q1,"a\n' * MANY,
    "quotes.csv": lambda: HEAD + b'"' * 500_000,
    "pairs of quotes.csv": lambda: HEAD + b'"' + b'""' * 200_000,
    "wrong.csv": lambda: rows(lambda n: "q1,a,x\n"),
    "short.csv": lambda: rows(lambda n: "q1\n"),
    "unknown.csv": lambda: rows(lambda n: f"u{n},{n},{n}\n"),
    "near.csv": lambda: rows(lambda n: f"q{n % 10}1,a{n},1\n"),
    "marks.csv": lambda: HEAD + ("q1,a" + "\u0301\u0323" * 100_000 + ",1\n").encode(),
    "ligatures.csv": lambda: rows(lambda n: f"{chr(0xFDFA) * 20}{n},a,1\n"),
    "fillers.csv": lambda: HEAD + "q1\u3164,a\ufe0f,1\nq1,\u2800b,2\n".encode(),
    "twice.csv": lambda: rows(lambda n: "q1,a,1\n"),
    "digits.csv": lambda: HEAD + b"q1,a," + b"1" * 500_000 + b"x\n",
    "exponents.csv": lambda: HEAD + b"q1,a,1e999999999\nq1,b,-1e400\nq2,a,1e-999999\n",
    "huge.csv": lambda: b"list,item,rank\nq1,a,1e308\nq1,b,-1e308\nq2,a,9007199254740993\n",
    "deep.jsonl": lambda: b'{"list":' * 100_000,
    "deep list.jsonl": lambda: b'{"list": "q1", "item": ' + b"[" * 900 + b"]" * 900 + b"}\n",
    "keys.jsonl": lambda: b"".join(b'{"k%d": 1}\n' % n for n in range(MANY)),
    "one object.jsonl": lambda: json.dumps({f"k{n}": n for n in range(40_000)}).encode(),
    "digits.jsonl": lambda: b'{"list": 1' + b"0" * 10_000 + b', "item": 1e' + b"9" * 9999 + b"}\n",
    "lone.jsonl": lambda: b'{"list": "\\ud800", "item": "\\udfff\\u0000"}\n' * 10,
    "constants.jsonl": lambda: b'{"list": "q1", "item": "a", "score": NaN}\n{"list": Infinity}\n',
    "pairs.jsonl": lambda: b"".join(
        b'{"list": "q%d", "a": "x%d", "b": "y%d", "preferences": {"RPP": 1e308}}\n' % (n, n, n)
        for n in range(3000)
    ),
    "pair.jsonl": lambda: (
        b'{"list": "q", "a": "x", "b": "y", "preferences": {"RPP": 0.5, "\\u001b[31m": null}}\n'
    ),
    "many pairs.jsonl": lambda: b"".join(
        b'{"list": "q", "a": "x%d", "b": "y%d", "preferences": {"RPP": 0}}\n' % (n, n)
        for n in range(3000)
    ),
    "no name.lists": lambda: b":\n::\n: ,,,\n" * 1000,
    "commas.lists": lambda: b"q1:" + b"," * 20_000,
    "comments.lists": lambda: b"#" * 400_000 + b"\n#\n",
    "qrels.run": lambda: b"q1 0 a 1\nq1 0 b 2\n",
    "tags.run": lambda: rows(lambda n: f"q1 Q0 d{n} 1 {n} tag{n}\n", b""),
    "spaces.run": lambda: b" \t" * 400_000 + b"q1 Q0 a 1 1 t\n",
    "bomb.csv.gz": lambda: squeezed(1),
    "bomb of bombs.csv.gz": lambda: squeezed(2),
    "members.csv.gz": lambda: gzip.compress(b"", 9, mtime=0) * 5000,
    "early.csv.gz": lambda: gzip.compress(ROWS)[:-9],
    "flags.csv.gz": lambda: b"\x1f\x8b\x08\x1e" + b"\xff" * 100_000,
    "plain.csv.gz": lambda: ROWS,
    "zip.csv": lambda: zipped(**{"../../evil.csv": ROWS}),
    "tar.csv": tarred,
    "pickle.csv": lambda: pickle.dumps(_Evil()),
    "pickle 0.csv": lambda: pickle.dumps(_Evil(), protocol=0),
    "page.csv": lambda: b"<!doctype html><script>alert(1)</script>",
    "texts.csv": lambda: (
        HEAD + "".join(f'{text!r},"{text}",{text}\n' for text in TEXTS.values()).encode()
    ),
    "named.csv": lambda: ('"' + '","'.join(TEXTS.values()) + '"\n').encode(),
    "list.parquet": lambda: footer(b"\x19\xf7" + b"\x80" * 8 + b"\x10"),  # of 2 ** 60 numbers
    "structs.parquet": lambda: footer(b"\x19\xfc\x80\x80\x80\x04" + bytes(1 << 20)),
    "categories.parquet": categories,
    "pair of blanks.run": lambda: b"q1  a 1 1 t\nq1 Q0 b  2 t\n",
    "commas.tsv": lambda: ROWS,
    "exponent.run": lambda: b"q1 Q0 1.2E+05 1 2 t\n",
    "footer.parquet": lambda: b"PAR1" + b"\x1c" * 5000 + struct.pack("<I", 5000) + b"PAR1",
}

_TAGS = b"".join(b"%%TAG !a%d! x\n" % n for n in range(40_000))
_LAUGHS = b"".join(
    b"a%d: &a%d [%s]\n" % (n + 1, n + 1, b", ".join([b"*a%d" % n] * 9)) for n in range(9)
)
CHALLENGES = {
    "object.yaml": lambda: b"!!python/object/apply:os.system ['touch pwned']\n",
    "tags.yaml": lambda: b"truth: !!python/name:os.system t.csv\nmetrics: !x [P@2]\n",
    "laughs.yaml": lambda: b"a0: &a0 [lol]\n" + _LAUGHS + b"metrics: *a9\n",
    "itself.yaml": lambda: b"truth: &a {file: *a}\nmetrics: &b [*b]\n",
    "merge.yaml": lambda: b"a: &a {truth: t.csv}\n<<: [*a, *a]\nmetrics: [P@2]\n",
    "deep.yaml": lambda: b"[" * 100_000,
    "deep keys.yaml": lambda: b"{a: " * 100_000,
    "deep blocks.yaml": lambda: b"- " * 100_000 + b"\n",
    "directives.yaml": lambda: _TAGS + b"---\ntruth: t.csv\n",
    "keys.yaml": lambda: b"truth: t.csv\n" + b"".join(b"k%d: 1\n" % n for n in range(9000)),
    "same key.yaml": lambda: b"truth: t.csv\n" * 3000,
    "metrics.yaml": lambda: b"truth: t.csv\nmetrics: [" + b"nDGC@10, " * 500 + b"]\n",
    "documents.yaml": lambda: b"---\na: 1\n" * 10_000,
    "escapes.yaml": lambda: (
        b'truth: "\\e[31m\\u202e\\0"\nmetrics: ["\\e]0;x\\a@5", P@1]\nid: "\\x9b"\n'
    ),
    "digits.yaml": lambda: b"truth: t.csv\nmetrics: [P@" + b"9" * 250 + b"]\nscorer: 1\n",
    "cutoff.yaml": lambda: b"truth: truth.csv\nmetrics: [P@999999999999, nDCG@99999999999999]\n",
    "sizes.yaml": lambda: (
        b"truth: t.csv\nmetrics: [P@1]\nleaderboard: {draws: 9000000000000000000}\n"
        b"submission: {length: 1e400, limits: {size: 999999999 TB, rows: 0, line: -1}}\n"
    ),
    "out.yaml": lambda: (
        b"truth: ../../etc/passwd\nlists: /etc/passwd\nitems: {file: 'C:\\\\x'}\n"
        b"history: link.csv\nfolds: {file: a/../../b}\nmetrics: [P@1]\nplugins: [/tmp/x.py]\n"
        b"leaderboard: {baselines: [../x.csv]}\nexamples: [{submission: ../y, expect: {a: 1}}]\n"
    ),
    "nul.yaml": lambda: b'truth: "a\\0b"\nmetrics: [P@1]\n',
    "utf16.yaml": lambda: "truth: t.csv".encode("utf-16"),
    "binary.yaml": lambda: bytes(range(256)) * 50,
    "large.yaml": lambda: b"#" * (1 << 20) + b"\n#\n",
    "notation.yaml": lambda: b"truth: t.csv\nmetrics: ['" + b"P(" * 2000 + b"']\n",
    "code.yaml": lambda: b"truth: t.csv\nmetrics: ['P(rel=__import__(\"os\").abort())@5']\n",
}
KITS = {
    "slip.zip": lambda: zipped(**{"challenge.yaml": "truth: t", "../evil": "x"}),
    "bomb.zip": lambda: zipped(**{"challenge.yaml": "truth: t", "items.csv": bytes(32 << 20)}),
    "members.zip": lambda: zipped(**{f"{n}": "" for n in range(2000)}),
    "early.zip": lambda: zipped(**{"challenge.yaml": "truth: t"})[:-30],
    "itself.zip": lambda: zipped(**{"challenge.yaml": "truth: challenge.yaml\nmetrics: [P@1]"}),
    "empty.zip": lambda: b"PK\x05\x06" + bytes(18),
    "directory.zip": lambda: b"PK\x05\x06" + b"\xff" * 18,
}
ALL = {**TABLES, **CHALLENGES, **KITS}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in ALL.items():
        (folder / name).write_bytes(make())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
