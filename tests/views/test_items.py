"""The items of each list as arrays are the sets that they stand for."""

import pickle

from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.reading.table import make_table
from scorer.views.items import ItemsByList

sets = st.dictionaries(
    st.sampled_from(["q2", "q1", "é", "", "q10"]), st.frozensets(st.sampled_from("badcé"))
)


@rounds(100)
@given(sets, st.lists(st.sampled_from(["q1", "q2", "q3", "é"]), unique=True))
def test_they_are_the_sets(known, lists):
    items = ItemsByList.of(known)
    assert dict(items) == known
    assert list(items) == list(known)
    assert ("q1" in items) is ("q1" in known)
    part = items.subset(lists)
    assert part == {name: known.get(name, frozenset()) for name in lists}
    pairs = [(name, item) for name in lists for item in sorted(known.get(name, ()))]
    named = part.names.gather(part.item)
    assert [(part.lists[n], item) for n, item in zip(part.in_list, named, strict=True)] == pairs
    assert list(part.items_of_lists()) == list(dict.fromkeys(item for _, item in pairs))
    assert pickle.loads(pickle.dumps(part)) == part


@rounds(100)
@given(st.lists(st.tuples(*[st.sampled_from(["b", "a", "é", "", "a b"])] * 3), max_size=30))
def test_columns_name_them(rows):
    roles = ("list", "better", "worse")
    table = make_table({role: [row[n] for row in rows] for n, role in enumerate(roles)}).frame
    expected = {}
    for name, better, worse in rows:
        expected.setdefault(name, set()).update((better, worse))
    assert ItemsByList.of_columns(table, "better", "worse") == expected
    found = ItemsByList.of_columns(table, "worse")
    assert found == {name: {row[2] for row in rows if row[0] == name} for name in expected}
    assert list(found) == list(expected)
