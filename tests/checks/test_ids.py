"""What an unknown id is: found quickly, whatever the id is made of."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.checks.ids import Known, folded


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("a" + "\u0301\u0323" * 500_000, 1),  # a megabyte of marks, which normalising sorts
        ("a" + "\u0301\u0323" * 60, 1000),
        ("\ufdfa" * 100_000, 1),  # one character that stands for eighteen
        ("\ufdfa" * 60, 1000),
        ("a-" * 500_000, 1),
    ],
)
@pytest.mark.parametrize("public", [["q1", "q-2"], ["Việt", "Huế"]])
def test_any_id_is_looked_at_in_linear_time(name, times, public):
    known = Known(dict.fromkeys(public))
    start = time.process_time()
    for n in range(times):
        known.fault(f"{name}{n}")
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("name", "public", "difference"),
    [
        ("a\ufe0f", "a", "an invisible character (U+FE0F)"),
        ("a\u3164", "a", "an invisible character (U+3164)"),
        ("a\u2800", "a", "an invisible character (U+2800)"),
        ("\u115fa", "a", "an invisible character (U+115F)"),
        ("e\u0301", "\u00e9", "Unicode normalisation"),
        ("\u00c9", "\u00e9", "case"),
        ("STRASSE", "straße", "case"),
        ("http://x/" + "A" * 500, "http://x/" + "a" * 500, "case"),
    ],
)
def test_look_alikes(name, public, difference):
    fault = Known({public: None}).fault(name)
    assert fault is not None
    assert (fault.code, fault.meant) == ("S312", public)
    assert fault.message.endswith(f"only by {difference}")


@given(st.text(max_size=6), st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]), st.booleans())
def test_the_quick_look_misses_no_look_alike(public, form, upper):
    name = unicodedata.normalize(form, public.upper() if upper else public)
    if public and folded(public) and folded(name) == folded(public) and name != public:
        fault = Known({public: None}).fault(name)
        assert fault is not None
        assert fault.code == "S312"
