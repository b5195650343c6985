"""EvalAI's own worker, for a submission: CHECKOUT BUNDLE SUBMISSION.

Theirs: load_challenge, which fetches and imports the evaluation script, and run_submission. Stood
in for: the database, whose rows keep what they are given, and the site, which has the files.
"""

import io
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import yaml
from standin import kind, module, package, server, told

checkout, bundle, submission = map(Path, sys.argv[1:])
sys.path.insert(0, str(checkout / "scripts" / "workers"))
said = yaml.safe_load((bundle / "challenge_config.yaml").read_text())
phase = said["challenge_phases"][0]
names = {split["id"]: split["codename"] for split in said["dataset_splits"]}
splits = {
    names[each["dataset_split_id"]]
    for each in said["challenge_phase_splits"]
    if each["challenge_phase_id"] == phase["id"]
}
rows = []


class Stored:
    """A file of a row."""

    def __init__(self, name=""):
        self.name, self.text = name, ""
        self.url = "/" + name

    def save(self, name, content):
        text = content.read()
        self.name, self.text = name, text.decode() if isinstance(text, bytes) else text


class SplitRows:
    @staticmethod
    def get(challenge_phase, dataset_split__codename):
        if dataset_split__codename not in splits:
            raise LookupError(dataset_split__codename)
        split = SimpleNamespace(codename=dataset_split__codename)
        return SimpleNamespace(dataset_split=split, leaderboard=None)


class DataRows:
    @staticmethod
    def filter(**named):
        return SimpleNamespace(update=lambda **values: None)

    bulk_create = staticmethod(rows.extend)


class Submission:
    RUNNING, FINISHED, FAILED, CANCELLED = "running", "finished", "failed", "cancelled"


nothing = {"return": lambda *words, **named: None}["return"]
package("base", checkout / "apps" / "base")
module("base.utils", get_or_create_sqs_queue=nothing)
module("challenges")
module("challenges.aws_utils", trigger_eks_node_autoscale=nothing)
module("challenges.models", Challenge=kind(), ChallengePhaseSplit=kind(objects=SplitRows),
       LeaderboardData=kind(objects=DataRows))  # fmt: skip
module("jobs")
module("jobs.models", Submission=Submission)
module("jobs.s3_retention", enqueue_submission_artifact_retention_tagging=nothing,
       log_submission_artifact_upload_context=nothing)  # fmt: skip
module("jobs.serializers", SubmissionSerializer=lambda row: SimpleNamespace(data={"id": row.id}))


def site(method, path, body):
    """The bundle's files, as the site has them after the upload."""
    return (bundle / path.lstrip("/")).read_bytes()


os.environ["DJANGO_SETTINGS_MODULE"] = "settings.test"
from django.conf import settings  # noqa: E402

host, port = server(site).removeprefix("http://").split(":")
settings.configure(DJANGO_SERVER=host, DJANGO_SERVER_PORT=port)

own, sys.stdout = sys.stdout, io.StringIO()
import submission_worker as worker  # noqa: E402

annotation = phase["test_annotation_file"]
the_phase = SimpleNamespace(id=1, codename=phase["codename"], disable_logs=False,
                            test_annotation=Stored(annotation))  # fmt: skip
challenge = SimpleNamespace(
    id=1, remote_evaluation=False, save=nothing,
    evaluation_script=Stored(said["evaluation_script"]),
    challengephase_set=SimpleNamespace(all=lambda: [the_phase]),
)  # fmt: skip
the_phase.challenge = challenge
row = SimpleNamespace(id=1, challenge_phase=the_phase, save=nothing, output=None)
row.stdout_file, row.stderr_file = Stored(), Stored()
row.submission_result_file, row.submission_metadata_file = Stored(), Stored()
worker.create_dir_as_python_package(worker.COMPUTE_DIRECTORY_PATH)
sys.path.append(worker.COMPUTE_DIRECTORY_PATH)
worker.load_challenge(challenge)
worker.run_submission(1, the_phase, row, str(submission))
sys.stdout = own
told(
    status=row.status,
    result={each.challenge_phase_split.dataset_split.codename: each.result for each in rows},
    error={each.challenge_phase_split.dataset_split.codename: each.error for each in rows},
    shown=row.submission_result_file.text,
    stderr=row.stderr_file.text,
)
