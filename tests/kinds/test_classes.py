"""Classes of boxes, tags and spans that the challenge does not have are told, never only scored."""

import json
import zipfile

import pytest

BOXES = {
    "truth.csv": "id,boxes\n0,cat 50 50 150 150 cat 200 200 300 300\n1,\n2,dog 10 10 20 20\n",
    "yaml": "truth: {{file: truth.csv, columns: {{list: id, boxes: boxes}}, "
    "each: [class, x1, y1, x2, y2]}}\n"
    "submission: {{columns: {{list: id, boxes: boxes}}, "
    "each: [class, score, x1, y1, x2, y2]{more}}}\n"
    "metrics: [BoxAP]\nleaderboard: {{tiers: false, intervals: false}}\n",
}
NUMBERS = "id,boxes\n0,0 1.0 50 50 150 150 0 1.0 200 200 300 300\n1,\n2,1 .5 10 10 20 20\n"
PERFECT = NUMBERS.replace("0 1.0", "cat 1.0").replace("2,1 .5", "2,dog .5")

TAGS = ["B-PER", "I-PER", "O", "B-LOC"], ["O", "O", "B-ORG", "I-ORG"]
TAG_YAML = (
    "truth: {{file: truth.csv, columns: {{list: list, item: item, extra: [tag]}}}}\n"
    "submission: {{columns: {{list: list, item: item, extra: [tag]}}{more}}}\n"
    "metrics: [ChunkF1]\nleaderboard: {{tiers: false, intervals: false}}\n"
)


def boxes_of(challenge, more="", truth=BOXES["truth.csv"], yaml=BOXES["yaml"]):
    return challenge(yaml.format(more=more), **{"truth.csv": truth})


def tags_file(*lists):
    rows = [
        f"s{n},{place},{tag}\n"
        for n, tags in enumerate(lists, start=1)
        for place, tag in enumerate(tags)
    ]
    return "list,item,tag\n" + "".join(rows)


def tags_of(challenge, more=""):
    return challenge(TAG_YAML.format(more=more), **{"truth.csv": tags_file(*TAGS)})


def written(tmp_path, text, name="sent.csv"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def value_of(ran):
    """The one value and the problems of the one submission of a run in JSON."""
    (submission,) = json.loads(ran.out)["submissions"]
    told = [
        f"{each['severity']} {each['code']} {each['line']}: {each['message']}"
        for each in submission["problems"]
    ]
    if not submission["valid"]:
        return None, told
    (value,) = submission["values"].values()
    return value["mean"], told


def test_a_class_of_boxes_that_is_not_declared_is_an_error(challenge, score, tmp_path):
    folder = boxes_of(challenge, ", classes: [cat, dog]")
    ran = score(folder, written(tmp_path, NUMBERS), "--format", "json")
    assert ran.code == 1
    assert value_of(ran) == (
        None,
        [
            "error S521 2: boxes: '0' is no class of this challenge; it has 'cat', 'dog'",
            "error S521 4: boxes: '1' is no class of this challenge; it has 'cat', 'dog'",
        ],
    )
    checked = score("check", folder, tmp_path / "sent.csv")
    assert checked.code == 1
    assert "sent.csv:2: error[S521] boxes: '0' is no class of this challenge" in checked.out
    assert "help: write the names of the classes, not their numbers" in checked.out
    ran = score(folder, written(tmp_path, PERFECT), "--format", "json")
    assert value_of(ran) == (1, [])


def test_the_nearest_class_is_named(challenge, score, tmp_path):
    folder = boxes_of(challenge, ", classes: [cat, dog, ferret]")
    text = PERFECT.replace("cat", "Cat").replace("dog", "fertet")
    assert value_of(score(folder, written(tmp_path, text), "--format", "json"))[1] == [
        "error S521 2: boxes: 'Cat' is no class of this challenge; it differs from 'cat' only by "
        "case",
        "error S521 4: boxes: 'fertet' is no class of this challenge; nearest: 'ferret'",
    ]


def test_without_declared_classes_those_of_the_truth_are_meant(challenge, score, tmp_path):
    folder = boxes_of(challenge)
    assert value_of(score(folder, written(tmp_path, NUMBERS), "--format", "json")) == (
        0,
        [
            "warning S521 2: boxes: no class in this file is a class of this challenge, such as "
            "'0' ('0 1.0 50 50 150 150 0 1.0 200 200 300 300'); it has 'cat', 'dog'"
        ],
    )
    # a detector may know more classes than the truth has
    more = PERFECT.replace("1,\n", "1,zebra .5 1 1 2 2\n")
    assert value_of(score(folder, written(tmp_path, more), "--format", "json"))[1] == []
    ran = score("check", folder, written(tmp_path, NUMBERS))
    assert ran.code == 0
    assert "warning[S521]" in ran.out


def test_a_kit_says_no_more_than_the_challenge(challenge, score, tmp_path):
    kit = tmp_path / "kit.zip"
    assert score("kit", boxes_of(challenge), "-o", kit).code == 0
    more = PERFECT.replace("1,\n", "1,zebra .5 1 1 2 2\n")
    assert score("check", kit, written(tmp_path, more)).code == 0
    other = tmp_path / "declared.zip"
    assert score("kit", boxes_of(challenge, ", classes: [cat, dog]"), "-o", other).code == 0
    assert "'zebra' is no class" in score("check", other, written(tmp_path, more)).out


def test_a_class_of_the_truth_that_is_not_declared_is_an_error(challenge, score, tmp_path):
    folder = boxes_of(challenge, ", classes: [cat, bird]")
    ran = score(folder, written(tmp_path, PERFECT))
    assert ran.code == 2
    assert "truth.csv:4: error[T801] boxes: 'dog' is not among the declared classes" in ran.err
    rows = BOXES["yaml"].replace(
        "list: id, boxes: boxes}}, each: [class, x1, y1, x2, y2]",
        "list: id}}, each: {{class: name, x1: a, y1: b, x2: c, y2: d}}",
    )
    truth = "id,name,a,b,c,d\n0,cat,50,50,150,150\n2,dog,10,10,20,20\n"
    folder = boxes_of(challenge, ", classes: [cat, bird]", truth, rows)
    ran = score(folder, written(tmp_path, PERFECT))
    assert "truth.csv:3: error[T801] name: 'dog' is not among the declared classes" in ran.err


@pytest.mark.parametrize(
    "yaml",
    [
        "truth: truth.csv\nsubmission: {classes: [a, b]}\nmetrics: [P@2]\n",
        "truth: {file: truth.csv, columns: {list: list, runs: item}}\n"
        "submission: {columns: {list: list, runs: item}, classes: [a, b]}\nmetrics: [Dice]\n",
    ],
)
def test_classes_that_no_cell_can_name_are_refused(challenge, score, tmp_path, yaml):
    ran = score(challenge(yaml), written(tmp_path, "list,item,rank\nq1,a,1\n"))
    assert ran.code == 2
    assert "error[C122] submission.classes: no cell of a submission names a class" in ran.err


@pytest.mark.parametrize(
    ("lists", "value", "told"),
    [
        (TAGS, 1, None),
        ((["B-PER", "E-PER", "O", "S-LOC"], ["O", "O", "B-ORG", "E-ORG"]), 1, None),
        ((["I-PER", "I-PER", "O", "I-LOC"], ["O", "O", "I-ORG", "I-ORG"]), 1, None),
        ((["B-PERSON", "I-PERSON", "O", "B-PLACE"], ["O", "O", "B-ORG", "I-ORG"]), 1 / 3, None),
        (
            (["b-per", "i-per", "o", "b-loc"], ["o", "o", "b-org", "i-org"]),
            0,
            "such as 'per' ('b-per'); it differs from 'PER' only by case",
        ),
        (
            (["B", "I", "O", "B"], ["O", "O", "B", "I"]),
            0,
            "and 'B' names none; it has 'LOC', 'ORG', 'PER'",
        ),
        (
            (["PER", "PER", "O", "LOC"], ["O", "O", "ORG", "ORG"]),
            0,
            "and 'PER' names none; it has 'LOC', 'ORG', 'PER'",
        ),
        (
            (["PER-B", "PER-I", "O", "LOC-B"], ["O", "O", "ORG-B", "ORG-I"]),
            0,
            "such as 'B' ('PER-B'); it has 'LOC', 'ORG', 'PER'",
        ),
    ],
)
def test_what_is_wrong_with_tags_is_told(challenge, score, tmp_path, lists, value, told):
    folder, sent = tags_of(challenge), written(tmp_path, tags_file(*lists))
    mean, problems = value_of(score(folder, sent, "--format", "json"))
    assert mean == pytest.approx(value)
    message = f"warning S521 2: tag: no class in this file is a class of this challenge, {told}"
    assert problems == ([] if told is None else [message])
    out = score(folder, sent).out
    assert "ids of the items" not in out
    assert ("Are the classes this challenge's?" in " ".join(out.split())) == (mean == 0)


def test_declared_types_of_tags_are_all_there_are(challenge, score, tmp_path):
    folder = tags_of(challenge, ", classes: [PER, LOC, ORG]")
    text = tags_file(["B-PERS", "I-PERS", "O", "B-LOC"], TAGS[1])
    assert value_of(score(folder, written(tmp_path, text), "--format", "json")) == (
        None,
        ["error S521 2: tag: 'PERS' is no class of this challenge (2 rows); nearest: 'PER'"],
    )


def test_the_same_tags_in_all_lists_are_a_constant_answer(challenge, score, tmp_path):
    folder = tags_of(challenge)
    text = tags_file(["B-PER"] * 4, ["B-PER"] * 4)
    assert value_of(score(folder, written(tmp_path, text), "--format", "json"))[1] == [
        "warning S410 None: all lists hold the same items in the same order; a constant model?"
    ]


@pytest.mark.parametrize(
    ("columns", "truth", "sent", "told"),
    [
        (
            "text: span",
            "id,span\n1,PER 1 2\n2,ORG 3 4\n",
            "id,span\n1,per 1 2\n2,org 3 4\n",
            "span: no class in this file is a class of this challenge, such as 'per' "
            "('per 1 2'); it differs from 'PER' only by case",
        ),
        (
            "text: span",
            "id,span\n1,PER 1 2\n2,ORG 3 4\n",
            "id,span\n1,1 2\n2,3 4\n",
            "span: no class in this file is a class of this challenge, and '1 2' names none; it "
            "has 'ORG', 'PER'",
        ),
        (
            "text: span, extra: [type]",
            "id,span,type\n1,1 2,PER\n2,3 4,ORG\n",
            "id,span,type\n1,1 2,per\n2,3 4,org\n",
            "type: no class in this file is a class of this challenge, such as 'per'; it differs "
            "from 'PER' only by case",
        ),
    ],
)
def test_types_of_spans(challenge, score, tmp_path, columns, truth, sent, told):
    kind = "(kind=type)" if "type" in columns else ""
    yaml = (
        f"truth: {{file: truth.csv, columns: {{list: id, {columns}}}}}\n"
        f"submission: {{columns: {{list: id, {columns}}}}}\nmetrics: [SpanF1{kind}]\n"
    )
    folder = challenge(yaml, **{"truth.csv": truth})
    ran = score(folder, written(tmp_path, sent), "--format", "json")
    assert value_of(ran) == (0, [f"warning S521 2: {told}"])
    assert value_of(score(folder, written(tmp_path, truth + "\n"), "--format", "json")) == (1, [])


def test_texts_are_not_asked_for_the_ids_of_items(challenge, score, tmp_path):
    yaml = (
        "truth: {file: truth.csv, columns: {list: id, text: answer}}\n"
        "submission: {columns: {list: id, text: answer}}\nmetrics: [ExactMatch]\n"
    )
    folder = challenge(yaml, **{"truth.csv": "id,answer\n1,Paris\n2,Rome\n"})
    out = " ".join(score(folder, written(tmp_path, "id,answer\n1,x\n2,y\n")).out.split())
    assert "'sent' found nothing that counts, in any of the lists." in out
    assert "Are its texts written as the challenge asks?" in out


def test_a_sample_names_a_class_of_the_truth(challenge, score, tmp_path):
    assert score("kit", boxes_of(challenge), "-o", tmp_path / "kit.zip").code == 0
    with zipfile.ZipFile(tmp_path / "kit.zip") as kit:
        assert b"cat 0.5 1 1 9 9" in kit.read("sample_submission.csv")


def test_measures_of_one_column_say_once_that_its_classes_are_unknown(challenge, score, tmp_path):
    yaml = "truth: truth.csv\nmetrics: [SpanF1, SpanF1(match=type), 'SpanF1(only=A)']\n"
    folder = challenge(yaml, **{"truth.csv": "list,item\nq1,A 1 2\nq1,B 4 6\n"})
    sent = written(tmp_path, "list,item\nq1,C 1 2\nq1,C 4 6\n")
    out = score("check", folder, sent, "--all").out
    assert out.count("no class in this file is a class of this challenge, such as 'C'") == 1


def test_what_is_wrong_with_a_truth_that_names_the_classes_is_said_once(challenge, score, tmp_path):
    truth = "list,item\nq1,A 1 2\nq1,B 4 6,7\n"
    folder = challenge("truth: truth.csv\nmetrics: [SpanF1]\n", **{"truth.csv": truth})
    ran = score("check", folder, written(tmp_path, "list,item\nq1,A 1 2\n"))
    assert ran.code == 2
    assert ran.err.count("error[T207]") == 1
