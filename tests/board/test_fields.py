"""Results of a living board as data."""

from scorer.board.audit import Audit, Pair, Probing, describe_audit
from scorer.results.json import ChallengeIdentity, to_plain

COURSE = ChallengeIdentity("course", "", None)
FOUND = Audit(
    challenge=COURSE,
    altered=["entry 7: \x1b[31m"],
    teams={1: "red", 2: "blue", 5: "red", 3: "red", 4: "gr\x1b"},
    duplicates=[[1, 2, 5]],
    near_duplicates=[Pair((3, 4), 0.98765)],
    probing=[Probing("red", (6, 7, 8))],
)


def test_an_audit_as_data_holds_all_that_was_found():
    said = to_plain(FOUND)
    assert said["schema"] == "audit/1"
    assert said["near_duplicates"] == [{"entries": [3, 4], "agreement": 0.98765}]
    assert said["probing"] == [{"team": "red", "entries": [6, 7, 8]}]


def test_an_audit_in_describe_audit():
    assert describe_audit(to_plain(FOUND)) == [
        r"altered: entry 7: \x1b[31m",
        "entries 1 (red), 2 (blue), 5 (red) have the same value in every list",
        r"entries 3 (red) and 4 (gr\x1b) have equal values in 98.8 % of the lists",
        "red changes few lists at a time: entries 6, 7, 8",
    ]
    assert describe_audit(to_plain(Audit(challenge=COURSE))) == ["nothing suspicious"]
