"""EvalAI's interface for remote evaluation, and our worker: CHECKOUT BUNDLE SUBMISSION.

Theirs: update_submission, which takes values and refuses what it does not know. Stood in for: the
database, the queue, and the site's other answers.
"""

import ast
import contextlib
import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import yaml
from django.conf import settings
from django.core.files.base import ContentFile
from standin import server, told

checkout, bundle, submission = map(Path, sys.argv[1:])
settings.configure(USE_TZ=True)
from django.utils import timezone  # noqa: E402
from rest_framework import status  # noqa: E402

said = yaml.safe_load((bundle / "challenge_config.yaml").read_text())
phase = said["challenge_phases"][0]
names = {split["id"]: split["codename"] for split in said["dataset_splits"]}
labels = said["leaderboard"][0]["schema"]["labels"]
splits = {
    names[each["dataset_split_id"]]
    for each in said["challenge_phase_splits"]
    if each["challenge_phase_id"] == phase["id"]
}
saved, statuses, refused = {}, [], []
waiting = [{"challenge_pk": 4, "phase_pk": 5, "submission_pk": 6}]


class Missing(Exception):
    pass


class SplitRows:
    @staticmethod
    def get(challenge_phase__pk, dataset_split__codename):
        if dataset_split__codename not in splits:
            raise Missing
        board = SimpleNamespace(schema={"labels": labels})
        return SimpleNamespace(pk=dataset_split__codename, leaderboard=board)


class Row:
    """A submission; statuses are those that it is given."""

    def __init__(self):
        self.files, self.id, self.job_name = {}, 6, []
        self.challenge_phase = SimpleNamespace(
            challenge=SimpleNamespace(is_static_dataset_code_upload=False)
        )

    def __getattr__(self, name):
        if not name.endswith("_file"):
            raise AttributeError(name)

        def save(as_name, content):
            self.files[name] = content.read()

        return SimpleNamespace(name=name, save=save)

    def save(self):
        pass

    def __setattr__(self, name, value):
        if name == "status":
            statuses.append(value)
        object.__setattr__(self, name, value)


class Values:
    def __init__(self, *words, data, context, **named):
        self.data, self.split = data, context.get("challenge_phase_split")

    def is_valid(self):
        return True

    def save(self):
        if self.split:
            saved[self.split.pk] = self.data["result"]
        else:
            row.status = self.data["status"]


row = Row()
row.status = "submitted"
nothing = {"of": lambda *words, **named: None}["of"]


def no_row(*words):
    raise Missing


space = {
    "json": json, "status": status, "timezone": timezone, "ContentFile": ContentFile,
    "logger": logging.getLogger("evalai"), "IntegrityError": Missing,
    "Response": lambda data, status: (data, status),
    "transaction": SimpleNamespace(atomic=contextlib.nullcontext),
    "is_user_a_staff": lambda user: True, "is_user_a_host_of_challenge": lambda *words: True,
    "Submission": SimpleNamespace(FAILED="failed", CANCELLED="cancelled", FINISHED="finished",
                                  QUEUED="queued", RUNNING="running"),
    "ChallengePhaseSplit": SimpleNamespace(objects=SplitRows, DoesNotExist=Missing),
    "LeaderboardData": SimpleNamespace(DoesNotExist=Missing),
    "CreateLeaderboardDataSerializer": Values, "SubmissionSerializer": Values,
    "get_submission_model": lambda pk: row, "get_leaderboard_data_model": no_row,
    "log_submission_artifact_upload_context": nothing, "trigger_eks_node_autoscale": nothing,
    "enqueue_submission_artifact_retention_tagging": nothing,
}  # fmt: skip
tree = ast.parse((checkout / "apps" / "jobs" / "views.py").read_text())
tree.body = [node for node in tree.body if getattr(node, "name", None) == "update_submission"]
tree.body[0].decorator_list = []
exec(compile(tree, "jobs/views.py", "exec"), space)


def site(method, path, body):
    """The site: its queue, its rows and files, and their function for what comes back."""
    if path.endswith("/update_submission/"):
        request = SimpleNamespace(method=method, data=json.loads(body), FILES={}, user=None)
        data, code = space["update_submission"](request, 4)
        if code != 200:
            refused.append(data)
        return b"{}" if code == 200 else None
    if path == "/sent/" + submission.name:
        return submission.read_bytes()
    answers = {
        "/api/jobs/challenge/queues/q/": {"body": waiting[0] if waiting else None,
                                          "receipt_handle": "h"},
        "/api/jobs/submission/6": {"status": "submitted", "input_file": f"/sent/{submission.name}"},
        "/api/challenges/challenge/phase/5/": {"codename": phase["codename"]},
        "/api/jobs/queues/q/": {},
    }  # fmt: skip
    if method == "POST":
        waiting.clear()
    return json.dumps(answers[path]).encode()


given = {"AUTH_TOKEN": "t", "CHALLENGE_PK": "4", "QUEUE_NAME": "q", "ONCE": "1"}
ran = subprocess.run(
    [sys.executable, bundle / "remote.py"], capture_output=True, text=True,
    env=os.environ | given | {"API_SERVER": server(site)},
)  # fmt: skip
assert ran.returncode == 0, ran.stderr
told(
    statuses=statuses, refused=refused, saved=saved, left=waiting,
    shown=row.files["submission_result_file"], stderr=row.files["stderr_file"].decode(),
)  # fmt: skip
