"""Masks, boxes and points: plain oracles, worked values, and files through score."""

import json
import math
import re

import numpy as np
import pytest
from conftest import ROOT
from measured import value_of
from tables import rows

from scorer.metrics.notation import NotationError
from scorer.testing import boxes_view, masks_view
from scorer.views.images import RegionError, boxes_of, runs_of

SEEDS = range(12)
EACH = ("class", "score", "x1", "y1", "x2", "y2")
TRUE = ("class", "x1", "y1", "x2", "y2")


def same(ours, theirs):
    assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


# Masks


def pixels(cell):
    numbers = [int(word) for word in cell.split()] if cell != "-" else []
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return {pixel for start, length in pairs for pixel in range(start, start + length)}


def encoded(mask):
    """The run lengths of a set of pixels."""
    words = []
    for pixel in sorted(mask):
        if pixel - 1 in mask:
            words[-1] += 1
        else:
            words += [pixel, 1]
    return " ".join(map(str, words))


def drawn(seed, images=6):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 15, (images, 2))
    return [tuple(encoded({*rng.integers(1, 25, n).tolist()}) for n in row) for row in sizes]


@pytest.mark.parametrize("seed", SEEDS)
def test_masks_are_sets_of_pixels(seed):
    cells = drawn(seed)
    view, sets = masks_view(*cells), [(pixels(a), pixels(b)) for a, b in cells]
    dice = [2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0 for a, b in sets]
    iou = [len(a & b) / len(a | b) if a or b else 1.0 for a, b in sets]
    same(value_of("Dice", view), np.mean(dice))
    same(value_of("IoU", view), np.mean(iou))
    both, either = (sum(len(f(a, b)) for a, b in sets) for f in (set.__and__, set.__or__))
    same(value_of("IoU(average=pooled)", view), both / either if either else math.nan)
    same(value_of("Dice(average=pooled)", view), 2 * both / (both + either) if either else math.nan)
    levels = [0.5 + 0.05 * n for n in range(10)]
    above = [np.mean([x > level + 1e-12 for level in levels]) for x in iou]
    same(value_of("IoU", view, thresholds="0.5:0.95:0.05"), np.mean(above))


def test_the_longest_run_of_a_mask_does_not_reach_into_the_next():
    longest = "9" * 12
    view = masks_view((f"{longest} {longest}", "1 5"), ("1 5", "1 5"))
    assert view.counts()[0].tolist() == [0, 5]


def test_empty_masks():
    neither, one = masks_view(("", "-")), masks_view(("3 2", ""))
    assert (value_of("Dice", neither), value_of("IoU", neither)) == (1.0, 1.0)
    assert math.isnan(value_of("Dice(empty=skip)", neither))
    assert (value_of("Dice", one), value_of("Dice(empty=skip)", one)) == (0.0, 0.0)


@pytest.mark.parametrize(("cell", "code", "said"), rows(__file__, "cells_that_are_no_runs"))
def test_cells_that_are_no_runs(cell, code, said):
    with pytest.raises(RegionError, match=said) as told:
        runs_of(cell)
    assert told.value.code == code


# Boxes


def overlap(a, b):
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    sizes = [(x[2] - x[0]) * (x[3] - x[1]) for x in (a, b)]
    return width * height / (sum(sizes) - width * height) if width * height else 0.0


def boxed(seed, images=5):
    """Cells of submitted and true boxes, near each other."""
    rng = np.random.default_rng(seed)
    cells = []
    for _ in range(images):
        true = rng.integers(0, 30, (int(rng.integers(0, 5)), 4)).astype(float)
        true[:, 2:] += true[:, :2] + 1
        sent = np.repeat(true, rng.integers(0, 3, len(true)), axis=0)
        sent = sent + rng.integers(-2, 3, sent.shape)
        sent[:, 2:] = np.maximum(sent[:, 2:], sent[:, :2] + 1)
        names, given = rng.choice(["a", "b"], len(true)), rng.choice(["a", "b", "c"], len(sent))
        score = rng.permutation(len(sent)) / 10 + rng.random()
        cells.append((
            " ".join(f"{n} {s} {' '.join(map(str, x))}" for n, s, x in
                     zip(given, score, sent.tolist(), strict=True)),
            " ".join(f"{n} {' '.join(map(str, x))}" for n, x in
                     zip(names, true.tolist(), strict=True)),
        ))  # fmt: skip
    return cells


def right(sent, true, least):
    """How many boxes are right, the surest first, each true one once."""
    left, count = list(true), 0
    for box in sorted(sent, key=lambda box: -box.score):
        same_class = [(n, other) for n, other in enumerate(left) if other.name == box.name]
        fit = [(overlap(box.corners, other.corners), n) for n, other in same_class]
        if fit and max(fit)[0] >= least:
            left.pop(max(fit)[1])
            count += 1
    return count


@pytest.mark.parametrize("seed", SEEDS)
def test_f1_of_boxes(seed):
    cells = boxed(seed)
    view = boxes_view(*cells, parts=EACH)
    sides = [(boxes_of(a, EACH), boxes_of(b, (EACH[0], *EACH[2:]))) for a, b in cells]
    counts = [(right(a, b, 0.4), len(a), len(b)) for a, b in sides]
    f1 = [2 * c / (a + b) if a + b else 1.0 for c, a, b in counts]
    same(value_of("BoxF1", view, iou=0.4), np.mean(f1))
    jaccard = [c / (a + b - c) if a + b else 1.0 for c, a, b in counts]
    same(value_of("BoxF1(ratio=jaccard)", view, iou=0.4), np.mean(jaccard))
    sums = np.sum(counts, axis=0)
    pooled = value_of("BoxF1(average=pooled)", view, iou=0.4)
    same(pooled, 2 * sums[0] / (sums[1] + sums[2]) if sums[1:].any() else math.nan)
    several = np.mean([value_of("BoxF1", view, iou=x) for x in (0.3, 0.5, 0.7)])
    same(value_of("BoxF1", view, iou="0.3:0.7:0.2"), several)


def test_precision_of_boxes_by_hand():
    """Scores .9 right, .8 wrong, .7 right, of three true ones: precision 1, 1/2, 2/3."""
    sent = "a .9 0 0 9 9 a .8 50 50 60 60 a .7 20 20 30 30"
    true = "a 0 0 9 9 a 20 20 30 30 a 70 70 80 80"
    view = boxes_view((sent, true), parts=EACH)
    same(value_of("BoxAP", view, iou=0.5, rule="voc"), (1 + 2 / 3) / 3)
    same(value_of("BoxAP", view, iou=0.5), (34 * 1 + 33 * 2 / 3) / 101)
    same(value_of("BoxAP", view, iou=0.5, rule="voc2007"), (4 * 1 + 3 * 2 / 3) / 11)


def test_classes_that_no_image_has_do_not_count():
    view = boxes_view(("a .9 0 0 9 9 z .9 0 0 9 9", "a 0 0 9 9"), parts=EACH)
    assert value_of("BoxAP", view) == pytest.approx(1)
    same(value_of("BoxF1", view), 2 / 3)


def test_a_taken_box_is_right_for_coco_and_wrong_for_voc():
    """The second is nearest to the one that is taken, and near enough to the other."""
    cells = ("a .9 0 0 10 10 a .8 0 1 10 11", "a 0 0 10 10 a 0 4 10 14")
    view = boxes_view(cells, parts=EACH)
    assert value_of("BoxAP", view, iou=0.5) == pytest.approx(1)
    assert value_of("BoxAP", view, iou=0.5, rule="voc") == 0.5


@pytest.mark.parametrize(
    ("sent", "true", "wanted"),
    [
        ("a 3 3 a 20 3", "a 0 0 9 9", 2 / 3),
        ("a 3 3 a 4 4", "a 0 0 9 9", 2 / 3),  # a box takes one point
        ("a 0 3", "a 0 0 9 9", 0),  # the edge is outside
        ("b 3 3", "a 0 0 9 9", 0),
        ("-", "", 1),
        ("", "a 0 0 9 9", 0),
    ],
)
def test_points_in_boxes(sent, true, wanted):
    point, box = ("class", "x", "y"), ("class", "x", "y", "w", "h")
    view = boxes_view((sent, true), parts=point, true_parts=box)
    same(value_of("PointF1(average=lists)", view), wanted)


@pytest.mark.parametrize(("cell", "said"), rows(__file__, "cells_that_are_no_boxes"))
def test_cells_that_are_no_boxes(cell, said):
    with pytest.raises(RegionError, match=said):
        boxes_of(cell, EACH)


@pytest.mark.parametrize("given", ["0.5:0.9", "9:1:1", 0, [0.5, 2], "0.5:0.9:-1"])
def test_thresholds_that_are_none(given):
    view = boxes_view(("", ""), parts=EACH)
    with pytest.raises(NotationError, match="iou cannot be"):
        value_of("BoxF1", view, iou=given)


# Through files

MASKS = """
truth: {file: truth.csv, columns: {list: id, runs: rle}}
submission: {columns: {list: id, runs: rle}, range: [1, 30]}
metrics: [Dice, IoU, Dice(average=pooled)]
"""
BOXES = """
truth: {file: truth.csv, columns: {list: image, boxes: found}}
submission:
  columns: {list: image, boxes: found}
  each: [class, score, x1, y1, x2, y2]
  range: [-5, 99]
metrics: [BoxAP, BoxF1(average=pooled), BoxF1]
"""


def written(cells, head, column):
    return f"{head}\n" + "".join(f"i{n},{cell[column]}\n" for n, cell in enumerate(cells))


def folder_of(challenge, yaml, cells, **more):
    head = "id,rle" if "rle" in yaml else "image,found"
    files = {"sub.csv": written(cells, head, 0), "truth.csv": written(cells, head, 1)}
    return challenge(yaml, **{**files, **more})


@pytest.mark.parametrize(
    ("yaml", "cell", "said"),
    [
        (MASKS, "1 3 2 2", "S542"),
        (MASKS, "1 3 7", "S541"),
        (MASKS, "30 2", "S543] runs of 'i2': 31 is outside 1 to 30"),
        (MASKS, "abc", "'abc' is no whole number"),
        (BOXES, "a .5 1 1", "S541"),
        (BOXES, "a .5 1 1 2 100", "S543] boxes of 'i2': 100 is outside -5 to 99"),
    ],
)
def test_bad_cells_are_told_with_their_place(challenge, score, yaml, cell, said):
    cells = drawn(1) if "rle" in yaml else boxed(1)
    broken = [*cells[:2], (cell, ""), *cells[3:]]
    head = "id,rle" if "rle" in yaml else "image,found"
    folder = folder_of(challenge, yaml, cells, **{"sub.csv": written(broken, head, 0)})
    for command in (("check",), ()):
        ran = score(*command, folder, folder / "sub.csv")
        assert ran.code != 0
        told = ran.told
        assert "sub.csv:4: error[" in told, told
        assert said in told
        assert "Traceback" not in told


SHARES = "in shares of the image (0 to 1)"
IN_SHARES = f"the boxes seem to be {SHARES}; those of the challenge are in pixels"
IN_PIXELS = f"the boxes seem to be in pixels; those of the challenge are {SHARES}"
NO_RANGE = BOXES.replace("  range: [-5, 99]\n", "").replace("[class, score, ", "[score, ")


@pytest.mark.parametrize(
    ("true", "sent", "says"), rows(__file__, "boxes_in_another_unit_than_those_of_the_truth")
)
def test_boxes_in_another_unit_than_those_of_the_truth(challenge, score, true, sent, says):
    each = "truth: {each: [x1, y1, x2, y2], "
    folder = folder_of(
        challenge, NO_RANGE.replace("truth: {", each), [*zip(sent, true, strict=True)]
    )
    for command in (("check",), ()):
        ran = score(*command, folder, folder / "sub.csv")
        assert ran.code == 0, ran
        said = [line for line in ran.err.splitlines() + ran.out.splitlines() if "[S543]" in line]
        assert [line.partition("warning[S543] ")[2] for line in said] == ([says] if says else [])


ROWS = """
truth:
  file: truth.csv
  columns: {list: image}
  each: {class: name, x1: left, y1: top, x2: right, y2: bottom}
lists: {file: lists.csv, columns: {list: image}}
submission: {columns: {list: image, boxes: found}, each: [class, score, x1, y1, x2, y2]}
metrics: [BoxAP, BoxF1]
"""


def in_rows(cells):
    boxes = [(n, box) for n, (_, true) in enumerate(cells) for box in boxes_of(true, TRUE)]
    rows = [f"i{n},{','.join(map(str, box.corners))},{box.name}" for n, box in boxes]
    return "image,left,top,right,bottom,name\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_truth_with_a_row_for_each_box(challenge, score, seed):
    cells = boxed(seed)
    files = {"truth.csv": in_rows(cells), "sub.csv": written(cells, "image,found", 0)}
    lists = "image\n" + "".join(f"i{n}\n" for n in range(len(cells)))
    folder = challenge(ROWS, **files, **{"lists.csv": lists})
    ran = score(folder, folder / "sub.csv", "--format", "json")
    assert ran.code == 0, ran
    found = json.loads(ran.out)["submissions"][0]["values"]
    view = boxes_view(*cells, parts=EACH)
    same([found[name]["mean"] for name in found], [value_of(name, view) for name in found])


def test_a_row_that_is_no_box_is_told(challenge, score):
    cells, bad = boxed(1), "image,left,top,right,bottom,name\ni0,5,5,1,9,a\n"
    files = {"truth.csv": bad, "sub.csv": written(cells, "image,found", 0)}
    lists = "image\n" + "".join(f"i{n}\n" for n in range(len(cells)))
    folder = challenge(ROWS, **files, **{"lists.csv": lists})
    ran = score(folder, folder / "sub.csv")
    assert ran.code == 2, ran
    assert "truth.csv:2: error[T541]" in ran.out + ran.err
    files["truth.csv"] = bad.replace("right", "rigth")
    folder = challenge(ROWS, **files, **{"lists.csv": lists})
    ran = score(folder, folder / "sub.csv")
    assert "column 'right' is missing" in ran.out + ran.err


TABLES = (ROOT / "docs" / "tables.md").read_text(encoding="utf-8")
PAGE = TABLES.partition("\n## Images\n")[2].partition("\n## ")[0]


@pytest.mark.slow("scores images", beyond=1)
@pytest.mark.parametrize("yaml", re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL))
def test_the_challenges_of_the_page_are_sound(challenge, score, yaml):
    cells = drawn(1) if "rle" in yaml else boxed(1)
    head = "image,rle" if "rle" in yaml else "image,found"
    files = {"sub.csv": written(cells, head, 0), "truth.csv": written(cells, head, 1)}
    folder = challenge(yaml, **files)
    assert score("lint", folder).code == 0
    assert score(folder, folder / "sub.csv").code == 0
