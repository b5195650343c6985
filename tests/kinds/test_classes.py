"""Classes of boxes, tags and spans that the challenge does not have are told, never only scored."""

import zipfile

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


def written(tmp_path, text, name="sent.csv"):
    (tmp_path / name).write_text(text)
    return tmp_path / name


def test_help_says_to_write_the_names_of_classes(challenge, score, tmp_path):
    folder = boxes_of(challenge, ", classes: [cat, dog]")
    ran = score("check", folder, written(tmp_path, NUMBERS))
    assert ran.code == 1
    assert "sent.csv:2: error[S521] boxes: '0' is no class of this challenge" in ran.told
    assert "help: write the names of the classes, not their numbers" in ran.out


def test_where_no_tag_counts_its_classes_are_asked_for(challenge, score, tmp_path):
    folder = challenge(TAG_YAML.format(more=""), **{"truth.csv": tags_file(*TAGS)})
    for tags, asked in ((TAGS, False), ((["PER", "PER"], ["O", "ORG"]), True)):
        out = " ".join(score(folder, written(tmp_path, tags_file(*tags))).out.split())
        assert "ids of the items" not in out
        assert ("Are the classes this challenge's?" in out) is asked


def test_a_kit_says_no_more_than_the_challenge(challenge, score, tmp_path):
    kit = tmp_path / "kit.zip"
    assert score("kit", boxes_of(challenge), "-o", kit).code == 0
    more = PERFECT.replace("1,\n", "1,zebra .5 1 1 2 2\n")
    assert score("check", kit, written(tmp_path, more)).code == 0
    other = tmp_path / "declared.zip"
    assert score("kit", boxes_of(challenge, ", classes: [cat, dog]"), "-o", other).code == 0
    assert "'zebra' is no class" in score("check", other, written(tmp_path, more)).out


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
    ran = score("check", folder, written(tmp_path, "list,item\nq1,A 1 2\n")).assert_exit(2)
    assert ran.err.count("error[T207]") == 1
