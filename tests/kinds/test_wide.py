"""What is wrong with wide columns is told by the column."""

import pytest
from tables import rows

NUMBERS = (
    'truth: {file: truth.csv, columns: {list: id, target: number}, wide: {list: "*"}}\n'
    'submission: {columns: {list: id}, wide: {list: "*"}}\n'
    "metrics: [{metric: Spearman, average: group}]\n"
)
TRUTH = "id,fun,type,clear\n1,1,5,2\n2,2,4,9\n3,3,9,1\n"
PATTERNS = NUMBERS.replace('"*"', '"q_*"')
ITEMS = (
    'truth: {file: truth.csv, columns: {list: id, grade: has}, wide: {item: "*"}}\n'
    'submission: {columns: {list: id, score: p}, wide: {item: "*"}}\n'
    "metrics: [AP]\n"
)
TAGS = "id,Dog,Cat,Cow\nx,1,0,0\ny,0,1,1\n"


@pytest.fixture
def told(challenge, score, tmp_path):
    """What check says of a file, for the organizer and by the kit, and what score does."""

    def run(yaml, truth, sent, **others):
        folder, file = challenge(yaml, **{"truth.csv": truth}, **others), tmp_path / "sub.csv"
        file.write_text(sent)
        assert score("kit", folder, "-o", tmp_path / "kit.zip").code == 0
        places = [("check", folder), (folder,), ("check", tmp_path / "kit.zip")]
        found = set()
        for words in places:
            ran = score(*words, file)
            lines = ran.told.splitlines()
            found.add(tuple(line.split("sub.csv:")[1] for line in lines if "error[" in line))
        (said,) = found
        return said

    return run


@pytest.mark.slow("scores a challenge a row", beyond=4)
@pytest.mark.parametrize(("sent", "said"), rows(__file__, "columns_are_told_by_their_names"))
def test_columns_are_told_by_their_names(told, sent, said):
    assert list(told(NUMBERS, TRUTH, sent)) == said


def test_a_pattern_says_what_columns_are_called(told):
    truth = TRUTH.replace("fun", "q_fun").replace("type", "q_type").replace("clear", "q_clear")
    assert told(PATTERNS, truth, truth) == ()
    (said,) = told(PATTERNS, truth, truth.replace("q_fun", "q_fan"))
    assert said == "1: error[S201] column 'q_fun' is missing; rename 'q_fan' to 'q_fun'?"


@pytest.mark.parametrize(("sent", "said"), rows(__file__, "the_truths_header_is_the_catalogue"))
def test_the_truths_header_is_the_catalogue(told, sent, said):
    assert list(told(ITEMS, TAGS, sent)) == said
    listed = ITEMS + "items: items.csv\n"
    assert list(told(listed, TAGS, sent, **{"items.csv": "item\nDog\nCat\nCow\n"})) == said


@pytest.mark.parametrize("rule", ["missing_list: skip", "unknown_list: ignore"])
def test_rules_for_lists_hold_for_columns(told, rule):
    yaml = NUMBERS.replace("submission: {", f"submission: {{{rule}, ")
    missing = rule.startswith("missing")
    sent = "id,fun,type\n1,1,5\n2,2,4\n3,3,9\n"
    if not missing:
        sent = "id,fun,type,clear,more\n1,1,5,2,0\n2,2,4,9,0\n3,3,9,1,0\n"
    assert told(yaml, TRUTH, sent) == ()
