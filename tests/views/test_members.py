"""The items of each list as arrays are the sets that they stand for."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rounds import rounds

from scorer.reading.table import make_table
from scorer.views.members import MemberPairs, Members, items_by_list, members_of

sets = st.dictionaries(
    st.sampled_from(["q2", "q1", "é", "", "q10"]), st.frozensets(st.sampled_from("badcé"))
)


@rounds(100)
@given(sets, st.lists(st.sampled_from(["q1", "q2", "q3", "é"]), unique=True))
def test_they_are_the_sets(known, lists):
    members = Members.of(known)
    assert dict(members) == known
    assert list(members) == list(known)
    assert members.of_lists(lists) == {name: known.get(name, frozenset()) for name in lists}
    assert ("q1" in members) is ("q1" in known)
    pairs = {(name, item): None for name in lists for item in sorted(known.get(name, ()))}
    asked = MemberPairs(members.of_lists(lists))
    assert list(asked) == list(pairs)
    assert len(asked) == len(pairs)
    assert asked == pairs
    assert (("q1", "a") in asked) is (("q1", "a") in pairs)
    assert "q1" not in asked
    assert list(members_of(asked).first_named()) == list(dict.fromkeys(x for _, x in pairs))
    assert members_of(pairs) == {name: known[name] for name, _ in pairs}
    assert pickle.loads(pickle.dumps(asked)) == pairs


@rounds(100)
@given(st.lists(st.tuples(*[st.sampled_from(["b", "a", "é", "", "a b"])] * 3), max_size=30))
def test_columns_name_them(rows):
    roles = ("list", "better", "worse")
    table = make_table({role: [row[n] for row in rows] for n, role in enumerate(roles)}).frame
    expected = {}
    for name, better, worse in rows:
        expected.setdefault(name, set()).update((better, worse))
    assert items_by_list(table, "better", "worse") == expected
    found = items_by_list(table, "worse")
    assert found == {name: {row[2] for row in rows if row[0] == name} for name in expected}
    assert list(found) == list(expected)
    for n, name in enumerate(found.lists):
        assert found.at(n) == sorted(found[name])


def test_what_is_not_asked_for_is_no_key():
    asked = MemberPairs(Members.of({"q": frozenset("a")}))
    assert asked["q", "a"] is None
    with pytest.raises(KeyError):
        asked["q", "b"]
