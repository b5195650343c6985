"""Names that are no measure here, trec_eval's mostly, are answered, and the answers hold."""

import re

import pytest

from scorer import score
from scorer.metrics.catalogue import metrics, page
from scorer.metrics.notation import UNSUPPORTED, NotationError, parse

IN_YAML = [name for name, answer in UNSUPPORTED.items() if "{" in answer]


@pytest.mark.parametrize("name", [*UNSUPPORTED, "GM_MAP"])
def test_a_name_of_trec_evals_is_answered(name, tmp_path, request):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    (tmp_path / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    ran = request.getfixturevalue("score")(tmp_path / "q", tmp_path / "r", "-m", name)
    assert ran.code == 2
    assert f"'{name}' {UNSUPPORTED[name.casefold()][:24]}" in ran.err
    assert "did you mean" not in ran.err
    with pytest.raises(NotationError, match=r"of trec_eval is |is one of two areas"):
        page(metrics(), name)


@pytest.mark.parametrize("notation", ["PRAUC", "AUPRC(average=micro)", "PR_AUC"])
def test_an_area_under_precision_and_recall_is_not_guessed(notation):
    with pytest.raises(NotationError, match=r"AveragePrecision, by steps .* or PRTrapezoids"):
        parse(notation)


@pytest.mark.parametrize("name", IN_YAML)
def test_the_measure_of_an_answer_can_be_had(name, tmp_path):
    answer = UNSUPPORTED[name].partition("in challenge.yaml: ")[2]
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 b 1\n")
    run = "1 Q0 b 1 3 t\n1 Q0 a 2 2 t\n1 Q0 c 3 1 t\n2 Q0 a 1 3 t\n2 Q0 x 2 2 t\n2 Q0 b 3 1 t\n"
    (tmp_path / "r").write_text(run)
    (tmp_path / "challenge.yaml").write_text(
        f"truth: {{file: q, format: trec}}\nsubmission: {{format: trec}}\n{answer}\n"
    )
    report = score(tmp_path, [tmp_path / "r"])
    found = report.mean("r", report.measures[0].id)
    first, second = (1 / 2 + 2 / 3) / 2, (1 + 2 / 3) / 2  # average precision
    if name == "gm_map":
        assert found == pytest.approx((first * second) ** 0.5)
    elif name == "11pt_avg":  # interpolated precision is 2/3 to the end, and first 1 in list 2
        assert found == pytest.approx((11 * 2 / 3 + 6 + 5 * 2 / 3) / 22)


def test_every_measure_of_a_list_is_one():
    for answer in UNSUPPORTED.values():
        for notation in re.findall(r"-m (\S+)", answer):
            assert metrics().get(parse(notation)[0])
