"""What this version computes and says is what was recorded; `make record` records it anew.

The last digits of values depend on the processor and on numpy. Where they are not those of
machine.txt, the numbers of values/ may differ by a few units of their last place.
"""

import math
import re
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path

import pytest
import yaml
from recorded import record
from variants import EVERY, described

HERE = Path(__file__).parent
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
SHOWN = 6  # differing lines of a file
MACHINE = (HERE / "machine.txt").read_text(encoding="utf-8")
# A measure fits lines by LAPACK, whose last digits also differ between processors with the same
# instructions.
BY_LAPACK = {"gallery/stable-credit"}
SLOW = {section for section in record.sections() if section not in ("measures", "tables")}


def recorded(section):
    """The recording of a section as it is kept: name to text."""
    paths = sorted(HERE.glob(f"*/{record.place(section)}/**/*"))
    return {
        path.relative_to(HERE).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
        if path.is_file()
    }


def alike(before, now):
    """Whether two lines are equal but for the last digits of their numbers."""
    if NUMBER.sub("#", before) != NUMBER.sub("#", now):
        return False
    pairs = zip(NUMBER.findall(before), NUMBER.findall(now), strict=True)
    return all(
        math.isclose(float(a), float(b), rel_tol=1e-12 if len(a) > 10 else 1e-5, abs_tol=1e-12)
        for a, b in pairs
    )


def differences(name, before, now, exact):
    """A text that shows the first lines of a file that differ."""
    if before is None or now is None:
        return f"{name}: {'is not recorded' if before is None else 'is recorded, but not made'}"
    pairs = zip_longest(before.splitlines(), now.splitlines(), fillvalue="(no line)")
    wrong = [
        (n, a, b)
        for n, (a, b) in enumerate(pairs, start=1)
        if a != b and (exact or not alike(a, b))
    ]
    if not wrong:
        return ""
    lines = [f"{name}: {len(wrong)} lines differ"]
    for n, a, b in wrong[:SHOWN]:
        lines += [f"  line {n}", f"    - {a}", f"    + {b}"]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "section",
    [
        pytest.param(each, marks=pytest.mark.slow("runs many commands") if each in SLOW else ())
        for each in record.sections()
    ],
)
def test_nothing_differs_from_the_recording(section):
    before, now = recorded(section), dict(record.record(section))
    if find_spec("sacrebleu") is None:
        before, now = ({n: t for n, t in side.items() if "bleu" not in n} for side in (before, now))
    exact = record.machine() == MACHINE and section not in BY_LAPACK
    found = [
        differences(name, before.get(name), now.get(name), exact)
        for name in sorted({*before, *now})
    ]
    found = [text for text in found if text]
    assert not found, "\n".join(["`make record` and `git diff` show all of it", *found])


def test_every_recorded_file_is_of_a_section():
    names = {path.relative_to(HERE).as_posix() for path in HERE.glob("*/**/*") if path.is_file()}
    names = {name for name in names if name.startswith(("values/", "words/"))}
    assert names == {name for section in record.sections() for name in recorded(section)}


def test_the_recordings_are_small():
    assert sum(path.stat().st_size for path in HERE.glob("*/**/*") if path.is_file()) < 3_000_000


def test_every_variant_of_every_measure_is_recorded():
    settings = yaml.safe_load((HERE / "measures.yaml").read_text(encoding="utf-8"))
    asked = {
        spec if isinstance(spec, str) else spec["metric"]
        for setting in settings.values()
        for spec in setting["measures"]
    }
    assert {variant for metric in EVERY for variant in described(metric).variants} <= asked
