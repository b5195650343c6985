"""Codabench's own unpacker, serializer and compute worker take what `score export` writes."""

import re
import shutil
import zipfile
from datetime import UTC

import pytest
import yaml
from platforms.tries import CHALLENGES, needs

from scorer.challenge.load import load

pytestmark = needs(
    "django", "rest_framework", "drf_writable_nested", "docker", "celery", "websockets", "loguru"
)
COURSE = CHALLENGES[0]


def test_a_bundle_is_unpacked(tried, checkout, exported, stand):
    told = stand("codabench_upload", checkout("codabench"), exported("codabench", tried))
    assert "refused" not in told
    assert all(told["files"])
    challenge = load(tried.folder)
    phases = {name: (start, end, daily) for name, start, end, daily in told["phases"]}
    for phase in challenge.phases:
        start, end, daily = phases[phase.id]
        if phase.after is None:
            assert start == str(phase.opens.astimezone(UTC))
            assert end == str(phase.closes.astimezone(UTC))
            assert daily == phase.quota.per_day
    assert [column[0] for column in told["columns"]] == list(range(len(told["columns"])))


@pytest.mark.parametrize(
    ("pattern", "changed", "said"),
    [  # what would become of a bundle that is written otherwise
        (r"start: '(2026-10-01) 06:00:00'", r"start: \1 06:00:00", "2026-10-01 00:00:00+00:00"),
        (r"start: '2026-10-01 06:00:00'", "start: '2026-10-01T08:00:00+02:00'",
         "2026-10-01 08:00:00+00:00"),
        (r"key: nDCG_10\b", "key: " + "n" * 37, "no more than 36 characters"),
        (r"(?m)^leaderboards:", "leaderboard:", "Could not find leaderboards"),
        (r"index: 2\n    sorting", "index: 1\n    sorting", "unique indexes"),
        (r"(?m)^terms: terms.md", "terms: nowhere.md", "nowhere.md"),
    ],
)  # fmt: skip
def test_what_they_refuse_or_misread(pattern, changed, said, checkout, exported, stand):
    bundle = exported("codabench", COURSE)
    place = bundle / "competition.yaml"
    text = re.sub(pattern, changed, place.read_text())
    assert text != place.read_text()
    place.write_text(text)
    assert said in str(stand("codabench_upload", checkout("codabench"), bundle))


@pytest.mark.parametrize("which", ["good", "bad"])
def test_a_submission_is_scored(which, tried, checkout, exported, means, stand, tmp_path):
    bundle, sent = exported("codabench", tried), tried.sent(which)
    if sent.suffix != ".zip":  # Codabench takes archives alone
        with zipfile.ZipFile(tmp_path / "sent.zip", "w") as archive:
            archive.write(sent, sent.name)
        sent = tmp_path / "sent.zip"
    folder = tmp_path / "worker"
    folder.mkdir()
    told = stand("codabench_worker", checkout("codabench"), bundle, sent, folder)
    if which == "bad":
        assert told["statuses"][-1] == "Failed"
        assert not told["scores"]
        assert tried.said in told["shown"]
        return
    assert told["statuses"][-1] == "Finished", told
    assert told["page"] == "<!doctype html>"
    columns = yaml.safe_load((bundle / "competition.yaml").read_text())["leaderboards"][0]
    split = "public" if load(tried.folder).splits else None
    (values,) = means(tried, split).values()
    titles = {column["title"]: column["key"] for column in columns["columns"]}
    assert told["scores"] == [{titles[re.sub(r"\s", "_", name)]: v for name, v in values.items()}]


def test_two_files_are_refused(checkout, exported, stand, tmp_path):
    sent = shutil.make_archive(tmp_path / "sent", "zip", COURSE.sent("good").parent)
    (tmp_path / "worker").mkdir()
    told = stand("codabench_worker", checkout("codabench"), exported("codabench", COURSE), sent,
                 tmp_path / "worker")  # fmt: skip
    assert told["statuses"][-1] == "Failed"
    assert told["shown"].startswith("send one file; here are ")
