"""No property test looks at the clock or draws anew by itself: all go through `rounds`."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = [path for path in HERE.rglob("*.py") if re.search(r"^\s*@given", path.read_text(), re.M)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_property_has_rounds(path):
    text = path.read_text()
    laws = re.findall(r"^\w+ = rounds\(", text, re.M) + re.findall(
        r"^\w+ = settings\(\w+,", text, re.M
    )
    known = {law.split(" ")[0] for law in laws} | {"rounds"}
    found = re.findall(r"((?:^ *@.*\n|^ *[)\]}].*\n|^  .*\n)*)^ *@given", text, re.M)
    assert found
    for above in found:
        used = re.findall(r"^ *@(\w+)", above, re.M) + re.findall(r"@settings\((\w+),", above)
        assert known & set(used), above
