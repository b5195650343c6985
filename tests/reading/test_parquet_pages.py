"""Parquet files that cost more than they show: pages are measured before polars unpacks them."""

import base64
import io
import random
import time
import zlib

import polars as pl
import pytest

from scorer.core.problems import Findings
from scorer.reading import parquet, parquet_pages
from scorer.reading.parquet_pages import read_pages
from scorer.reading.read import read_file
from scorer.reading.schema import Schema

RANKED = Schema(("list", "item"), ("rank", "score"))
MIB = 1 << 20
NUMBERS = pl.DataFrame({"list": ["q"] * 5000, "score": [n * 0.5 for n in range(5000)], "n": 1})
# Files of pyarrow: three texts in DELTA_BYTE_ARRAY; and one text, which is stored once, in 200,000
# rows of a column of categories: of 900 kB (180 GB as ids), and of 30 MiB.
PREFIXES = (
    "c-jka3^EjD5H%1r&=F+=GT21fWEdD2n1Gm#5kwXmB9lNBe;9!Xq?iv?aRVa@Gmr+djTo>4kcyN<kO~JL>?#sT21$vcERr"
    "^+3=(X`$r-7+KpulAk1CS{OHO8Si7JB+$bArj%#zexsDK!oq>QAF8iR}|kEALagCs<?C{SE1Oe{=|!&3(6PX<vY1{*ORN"
    "j6C}u&-ds`6MA`ft4>~0wT3Ium(P`h7C+`9b$i&#Msn0fE0s<LP26tVQFfKZgN3^ZemeUez`(fYEf}!ex8DnnVx~3p`;G"
    "bWgy300O9~(tN;L)|3d@"
)  # fmt: skip
LONG = (
    "c-jka3^EjD5#<q;^ATkdWe{Ru(AcW~SAortfq{vEfuYb)ltENVR7Xejzz!x+0Z}$lHW>z}8s1C>1{NR(D8tAIBp61O4!"
    "lwp(G%}-MU#*tbHS3`ybL)&_5vVX!N~CAzvTrcCI*2DbgX=rw_-F1hgNh;+L$s(uoWj~q~<1yvM`A9s4_{g<YX3?s51C"
    "~^g#qNOHy;80%8qYB_w4eb<`MSM0q4l8Q26QAsR$^KvH5CSjDEXt2wE0XzBnH6N4z&Jp!U43^rm7uM8yFB-I#z%76x;7"
    "yz;WYQTgqxnlR&)fRB5&11)6#)1vKd%2K|5qt167o<;(L+lG5gQScEk7H1ff4CLIOA-f|^g%#7-4O@^9U;Km(XrgoDc#"
    "Y{(J|f887$@K<mBk+3SvYC0M(a+l{$lnBuAK5=VFjiV6{OYz7trzrz5h_Kv59ko?{RdZr}(tBot(i6I3Z!6O@Dl?<}Cn"
    "7GUjQMcytTejvz^K>hBHj>(QLAWNJA5jq1yLqSv!+@;8dg56h~7~uzTgkw5XNg$LihdR9+#P<Nn!<-NE4=g+wBoqn~iw"
    "a9qOLUV93Um{Tit@`9%2JDpGxPHljLh^5^b93+fGGo%I0ArWegLpW001ydO^*"
)  # fmt: skip
LONGER = (
    "c-rk&L2DC16n<IOZ4WC3@eMl?Lp*d*+_s6(qSDLTRI8+Db|qB3#Sqd++NRm)=C~I@@a{$M<X<RAPyGow_yat9@a#d+H?"
    "x}>!Mhap!JC;k@B6-avpWpaq_Bo2+F0I31K}dTwWHOa6{`kd0Kj1l0WYKH;mIchi)f)$f(&!M4`6b@nL>dZ$f5rqYT}z"
    "DDdX{l`QMrBn((DC-~hOv6yW=>+f&1U;w1Onb3c226=1@aUwCKha+Vuw;8;;-x4YLy6VP5V9COf*#!IlRc<Drc+}+D2L"
    "~`WFlJs0Cp)J?ID$10Awn~ZVIq`16_1(qm9$)={x}G9lf(?;;tx8L}z%Um2OF%7<34DH?l*O@de+c)(!aqdV-hVUZgv7"
    "_U%;2%RD5h6HmK>YH@X^klbXU%av8wDwkJtiAtw9u%-=lj(J*w*z`99HIHF(-&e5|2$)jX#ewH_%cjSW@oYy1P6m*!d3"
    "Yz?Z<cB+(#wA4C&2GyjjJ+;OQR=%a_8r0ZSaiEH1{uWV(Hq|12@P`?+TB-|AE1ehB^+oL`57Q#3mqCK8kF(Na72j9+S^"
    "2a5%)SRWm0^2y__8}*?hJ>^?a}BUuDt4wqW-~t<>vZIb)_afJ{;<NJmyDQlb>+E0p-5SiU"
)  # fmt: skip


def decoded(text):
    return zlib.decompress(base64.b85decode(text))


def packed(frame, **options):
    out = io.BytesIO()
    frame.write_parquet(out, **options)
    return out.getvalue()


def read(folder, data):
    """The table of a file, and the codes of its problems, in little time."""
    path, findings = folder / "a.parquet", Findings()
    path.write_bytes(data)
    start = time.process_time()
    table = read_file(path, None, [RANKED], findings).table
    assert time.process_time() - start < 3
    return table, [problem.code for problem in findings]


def test_pages_have_the_sizes_of_their_values():
    for rows in (5000, 700):
        data = packed(NUMBERS, compression="uncompressed", row_group_size=rows, statistics="full")
        pages = list(read_pages(data, ["score"]))
        assert len(pages) >= 5000 // rows
        assert 5000 * 8 <= sum(page.size for page in pages) <= 5000 * 8 + 100 * len(pages)
        for compression in ("zstd", "gzip", "snappy", "lz4", "brotli"):
            data = packed(NUMBERS, compression=compression, row_group_size=rows)
            assert list(read_pages(data, ["score"])) == pages
    assert list(read_pages(data, [])) == []


def test_the_headers_of_pages_may_be_only_so_many(monkeypatch):
    data = packed(NUMBERS, row_group_size=10)
    assert len(list(read_pages(data, ["list", "score"]))) >= 1000
    monkeypatch.setattr(parquet_pages, "MOST_HEADERS", 10_000)
    with pytest.raises(ValueError, match="too many"):
        list(read_pages(data, ["list", "score"]))


def test_whatever_is_damaged_only_errors_that_are_expected_are_raised():
    chance, whole = random.Random(1), packed(NUMBERS, row_group_size=1000)
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 4)):  # most of them in the footer
            data[-chance.randint(1, chance.choice([8, 500, len(data)]))] = chance.randrange(256)
        try:
            pages = list(read_pages(bytes(data), ["score"]))
        except (ValueError, LookupError, TypeError, AttributeError):
            continue
        assert all(isinstance(page.size, int) for page in pages)


@pytest.mark.parametrize("text", [LONG, LONGER])
def test_one_long_text_in_very_many_rows(text, tmp_path):
    data = decoded(text)
    assert len(data) < 3000
    assert read(tmp_path, data) == (None, ["S104"])


def test_a_page_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MOST_PAGE", MIB)
    chance = random.Random(1)
    frame = pl.DataFrame({"list": "q", "item": [chance.randbytes(10_000).hex() for _ in range(80)]})
    assert read(tmp_path, packed(frame)) == (None, ["S104"])
    table, codes = read(tmp_path, packed(frame, row_group_size=20))
    assert table.frame["item"].equals(frame["item"])
    assert codes == []


def test_texts_that_share_beginnings(tmp_path):
    """A few bytes of such a page may unpack to any number."""
    data = decoded(PREFIXES)
    assert any(page.shares_prefixes for page in read_pages(data, ["item"]))
    assert not any(page.shares_prefixes for page in read_pages(data, ["list"]))
    assert read(tmp_path, data) == (None, ["S108"])


@pytest.mark.parametrize("type", [pl.Categorical, pl.Enum(["b", "NaN", "é"])])
def test_categories_are_read_as_the_texts_that_they_are(type, tmp_path):
    texts = ["b", "NaN", "é", "b"]
    when = pl.Series(["2026-11-29T10:00:00"] * 4).str.to_datetime(time_zone="Europe/Berlin")
    frame = pl.DataFrame({"list": when, "item": pl.Series(texts).cast(type), "score": 1.0})
    table, codes = read(tmp_path, packed(frame))
    assert codes == []
    assert table.frame["item"].to_list() == texts
    plain, _ = read(tmp_path, packed(frame.with_columns(pl.col("item").cast(pl.String))))
    assert table.frame.equals(plain.frame)
