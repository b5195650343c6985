"""What a page shows of submissions to tables: numbers that anybody can redo."""

import re

import pytest

HEAD = "truth: {file: truth.csv, columns: {list: id, label: species}}\n"
TRUTH = "id,species\n1,no\n2,no\n3,yes\n4,yes\n5,yes\n"
PROBABILITY = HEAD + "submission: {columns: {list: id, probability: p}}\n"
SENT = "id,p\n1,0.5\n2,0.1\n3,0.9\n4,0.9\n5,0.1\n"


@pytest.fixture
def page(challenge, score):
    def run(yaml, truth, sent, *words):
        folder = challenge(yaml, **{"truth.csv": truth, "sub.csv": sent})
        ran = score(folder, folder / "sub.csv", "--format", "html", *words).assert_exit(0)
        return ran.out

    return run


def rows(page, label):
    """The rows of the table whose caption begins so, as texts."""
    (table,) = re.findall(rf"<caption><span>{label}.*?</table>", page, re.DOTALL)
    body = table.split("<tbody>")[1]
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr.*", body)]


@pytest.mark.parametrize("measure", ["F1", "MCC", "F1(positive=no)", "Precision(average=macro)"])
def test_confusion_matrix(page, measure):
    found = page(f"{PROBABILITY}metrics: [{measure}]\n", TRUTH, SENT)
    # a tie goes to the positive class
    first = ["no", "2", "0"] if "=no" in measure else ["no", "1", "1"]
    assert rows(found, "Confusion matrix") == [first, ["yes", "1", "2"]]


def test_confusion_of_a_class_that_nobody_was_given(page):
    yaml = HEAD + "submission: {columns: {list: id, label: species}}\nmetrics: [Recall]\n"
    yaml = yaml.replace("Recall", "Recall(average=macro)")
    truth = TRUTH + "6,maybe\n"
    sent = "id,species\n1,no\n2,yes\n3,yes\n4,yes\n5,no\n6,no\n"
    found = rows(page(yaml, truth, sent), "Confusion matrix")
    assert found == [["maybe", "0", "1", "0"], ["no", "0", "1", "1"], ["yes", "0", "1", "2"]]


def test_calibration(page):
    found = page(f"{PROBABILITY}metrics: [ECE(bins=5)]\n", TRUTH, SENT)
    assert rows(found, "Calibration") == [
        ["0.4 to 0.6", "1", "0.500", "1.000"],
        ["0.8 to 1", "4", "0.900", "0.750"],
    ]
    assert "ROC curve: true" not in found


def test_roc_is_for_organizers(page):
    yaml = f"{PROBABILITY}metrics: [AUROC]\n"
    assert "share of false positives" not in page(yaml, TRUTH, SENT)
    found = page(yaml, TRUTH, SENT, "--private")
    assert rows(found, "ROC curve") == [
        ["0.9", "0.667", "0.000"],
        ["0.5", "0.667", "0.500"],
        ["0.1", "1.000", "1.000"],
    ]
    # the false across and the true up, as far as the places of the axes' ends say
    way = re.search(r'class="line" d="M([^"]*)"', found)[1].split("L")
    points = [tuple(map(float, point.split())) for point in way]
    (left, bottom), *_, (right, top) = points
    shares = [((x - left) / (right - left), (bottom - y) / (bottom - top)) for x, y in points]
    assert shares == [
        pytest.approx(p, abs=2e-3) for p in [(0, 0), (0, 2 / 3), (0.5, 2 / 3), (1, 1)]
    ]


def test_precision_by_recall_goes_in_steps(page):
    yaml = f"{PROBABILITY}metrics: [AveragePrecision]\n"
    assert "Precision by recall" not in page(yaml, TRUTH, SENT)
    found = page(yaml, TRUTH, SENT, "--private")
    assert rows(found, "Precision by recall") == [
        ["0.9", "0.667", "1.000"],
        ["0.5", "0.667", "0.667"],
        ["0.1", "1.000", "0.600"],
    ]
    assert "ROC curve" in found
    way = re.findall(r'class="line" d="M([^"]*)"', found)[1]
    assert re.sub(r"[\d. ]", "", way) == "VHVHVH"


def test_predicted_against_true_is_for_organizers(page):
    yaml = "truth: {file: truth.csv, columns: {list: id, target: price}}\n"
    yaml += "submission: {columns: {list: id, prediction: price}}\nmetrics: [RMSE, R2]\n"
    truth, sent = "id,price\na,1\nb,2\nc,5\n", "id,price\na,1\nb,3\nc,5\n"
    shown = page(yaml, truth, sent)
    assert "Predicted against true" not in shown
    found = page(yaml, truth, sent, "--private")
    assert rows(found, "Predicted against true") == [
        ["1", "1", "0"], ["2", "3", "-1"], ["5", "5", "0"]
    ]  # fmt: skip


def test_names_of_classes_are_text(page):
    yaml = HEAD + "submission: {columns: {list: id, label: species}}\nmetrics: [MCC]\n"
    truth = "id,species\n1,<b>x</b>\n2,y\n"
    found = page(yaml, truth, truth)
    assert "<b>x" not in found
    assert "&lt;b&gt;x" in found
