"""Average precision of boxes and overlaps of masks against pycocotools, on random data."""

import contextlib
import io

import numpy as np
import pytest

coco = pytest.importorskip("pycocotools.coco")
cocoeval = pytest.importorskip("pycocotools.cocoeval")
mask = pytest.importorskip("pycocotools.mask")

from scorer.metrics.catalogue import metrics  # noqa: E402
from scorer.metrics.images import box_overlaps  # noqa: E402
from scorer.metrics.notation import parse_measure  # noqa: E402
from scorer.testing import boxes_view, masks_view  # noqa: E402

SEEDS = range(25)


def drawn(seed):
    """Rows `image, class, score, x, y, w, h`: submitted boxes near the true ones, and the true."""
    rng = np.random.default_rng(seed)
    true, sent = [], []
    for image in range(1, int(rng.integers(3, 12))):
        for _ in range(int(rng.integers(0, 6))):
            code, box = int(rng.integers(1, 4)), rng.integers(1, 40, 4)
            true.append((image, code, 1.0, *box.tolist()))
            for _ in range(int(rng.integers(0, 4))):
                near = np.maximum(box + rng.integers(-3, 4, 4), 1)
                code = code if rng.random() < 0.8 else int(rng.integers(1, 5))
                sent.append((image, code, round(float(rng.random()), 6), *near.tolist()))
    return true or [(1, 1, 1.0, 1, 1, 5, 5)], sent or [(1, 1, 0.5, 1, 1, 5, 5)]


def program_of(true, sent, thresholds, most=100, recalls=None):
    """COCO's program, which has matched the boxes, of all sizes."""
    images = sorted({row[0] for row in true + sent})
    rows = [
        {"id": n, "image_id": i, "category_id": c, "bbox": box, "area": box[2] * box[3],
         "iscrowd": 0}
        for n, (i, c, _, *box) in enumerate(true, start=1)
    ]  # fmt: skip
    found = [{"image_id": i, "category_id": c, "score": s, "bbox": box} for i, c, s, *box in sent]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = coco.COCO()
        truth.dataset = {
            "images": [{"id": i} for i in images],
            "categories": [{"id": c} for c in range(1, 5)],
            "annotations": rows,
        }
        truth.createIndex()
        program = cocoeval.COCOeval(truth, truth.loadRes(found), "bbox")
        program.params.iouThrs = np.array(thresholds)
        program.params.areaRng, program.params.areaRngLbl = [[0, 1e10]], ["all"]
        program.params.maxDets = [most]
        if recalls is not None:
            program.params.recThrs = recalls
        program.evaluate()
        program.accumulate()
    return program


def theirs(*asked, **options):
    """COCO's average precision."""
    precision = program_of(*asked, **options).eval["precision"]
    return precision[precision > -1].mean()


def view_of(true, sent):
    def cell(rows, image, score):
        return " ".join(
            " ".join(map(str, [c, *([s] if score else []), *box]))
            for i, c, s, *box in rows
            if i == image
        )

    images = sorted({row[0] for row in true + sent})
    cells = [(cell(sent, i, True), cell(true, i, False)) for i in images]
    return boxes_view(*cells, parts=("class", "score", "x", "y", "w", "h"))


def value(view, **params):
    made = parse_measure(metrics().get("BoxAP"), "BoxAP", params)
    given = made.values(view)
    return given.pooled()


@pytest.mark.parametrize("seed", SEEDS)
def test_average_precision(seed):
    true, sent = drawn(seed)
    view = view_of(true, sent)
    ten = [round(0.5 + 0.05 * n, 2) for n in range(10)]
    assert value(view) == pytest.approx(theirs(true, sent, ten), rel=1e-10)
    assert value(view, iou=0.4) == pytest.approx(theirs(true, sent, [0.4]), rel=1e-10)
    two = theirs(true, sent, [0.5], most=2)
    assert value(view, iou=0.5, most=2) == pytest.approx(two, rel=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_f1_of_boxes_counts_cocos_matches(seed):
    true, sent = drawn(seed)
    thresholds = [0.4, 0.5, 0.75]
    counts = {}
    for one in program_of(true, sent, thresholds, most=10**6).evalImgs:
        if one is not None:
            right = (one["dtMatches"] > 0).sum(axis=1)
            sizes = len(one["dtIds"]), len(one["gtIds"])
            counts[one["image_id"]] = counts.get(one["image_id"], 0) + np.append(right, sizes)
    table = np.array([counts[image] for image in sorted(counts)], dtype=float)
    right, either = table[:, :3], table[:, 3:].sum(axis=1, keepdims=True)
    view, made = (
        view_of(true, sent),
        parse_measure(metrics().get("BoxF1"), "BoxF1", {"iou": thresholds}),
    )
    wanted = (2 * right / either).mean(axis=1)
    assert made.values(view) == pytest.approx(wanted)
    made = parse_measure(metrics().get("BoxF1"), "BoxF1", {"iou": thresholds, "ratio": "jaccard"})
    wanted = (right / (either - right)).mean(axis=1)
    assert made.values(view) == pytest.approx(wanted)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_area_of_voc_is_cocos_at_each_true_box(seed):
    """Of true boxes apart from each other, so that a box has one to match at most."""
    rng = np.random.default_rng(seed)
    true, sent = [], []
    for image in range(1, 6):
        for place in range(int(rng.integers(1, 5))):
            box = np.array([100 * place, 0, *rng.integers(20, 40, 2)])
            true.append((image, 1, 1.0, *box.tolist()))
            for _ in range(int(rng.integers(0, 3))):
                near = box + rng.integers(0, 9, 4)
                sent.append((image, 1, round(float(rng.random()), 6), *near.tolist()))
    sent = sent or [(1, 1, 0.5, 1, 1, 5, 5)]
    at_each = (np.arange(len(true)) + 1) / len(true) - 1e-12
    wanted = theirs(true, sent, [0.5], recalls=at_each)
    assert value(view_of(true, sent), iou=0.5, rule="voc") == pytest.approx(wanted, rel=1e-10)
    eleven = theirs(true, sent, [0.5], recalls=np.arange(11) / 10 - 1e-12)
    assert value(view_of(true, sent), iou=0.5, rule="voc2007") == pytest.approx(eleven, rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_intersections_over_unions(seed):
    rng = np.random.default_rng(seed)
    first, second = (rng.integers(1, 30, (9, 4)).astype(float) for _ in range(2))
    wanted = mask.iou(first, second, [0] * 9)
    corners = [np.column_stack([x[:, :2], x[:, :2] + x[:, 2:]]) for x in (first, second)]
    assert box_overlaps(*corners) == pytest.approx(wanted)
    grids = rng.random((2, 12, 17)) < 0.4
    wanted = mask.iou(*([mask.encode(np.asfortranarray(g.astype(np.uint8)))] for g in grids), [0])
    cells = (runs(g.ravel(order="F")) for g in grids)  # COCO counts down the columns
    both, true, sent = masks_view(tuple(cells)).counts()
    assert both / (true + sent - both) == pytest.approx(wanted[0])


def runs(flat):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flat.astype(int), [0]]))) + 1
    pairs = edges.reshape(-1, 2)
    return " ".join(f"{first} {last - first}" for first, last in pairs)
