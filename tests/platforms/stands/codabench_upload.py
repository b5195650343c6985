"""Codabench's unpacker and serializer of leaderboards, for a bundle: CHECKOUT BUNDLE.

Theirs: V2Unpacker.unpack, LeaderboardSerializer, the models of leaderboards in a database in
memory. Stood in for: models and serializers of other apps, which keep what was unpacked.
"""

import sys
import types
from pathlib import Path

import django
import yaml
from django.conf import settings
from standin import kind, module, told

checkout, bundle = map(Path, sys.argv[1:])
apps = checkout / "src" / "apps"
sys.path[:0] = [str(apps)]
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "leaderboards"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    USE_TZ=True,
)
django.setup()

from rest_framework import serializers  # noqa: E402

Phase = kind(CURRENT="current", NEXT="next", PREVIOUS="previous")
for name, members in {
    "competitions.models": {"Phase": Phase, "Submission": kind(), "Competition": kind()},
    "datasets.models": {"Data": kind()},
    "queues.models": {"Queue": kind()},
    "tasks.models": {"Task": kind(), "Solution": kind()},
    "utils": {},
    "utils.storage": {"md5": str},
    "api.serializers.submission_leaderboard": {"SubmissionLeaderBoardSerializer": kind()},
    "api.serializers.competitions": {"CompetitionSerializer": kind()},
    "api.serializers.tasks": {
        "TaskSerializer": kind(),
        "SolutionSerializer": kind(),
        "PhaseTaskInstanceSerializer": type("StandIn", (serializers.Serializer,), {}),
    },
}.items():
    module(name, **members)

from api.serializers.leaderboards import LeaderboardSerializer  # noqa: E402
from competitions.unpackers.utils import CompetitionUnpackingException  # noqa: E402
from competitions.unpackers.v2 import V2Unpacker  # noqa: E402
from django.db import connection  # noqa: E402
from leaderboards.models import Column, Leaderboard  # noqa: E402

with connection.schema_editor() as editor:
    editor.create_model(Leaderboard)
    editor.create_model(Column)

said = yaml.safe_load((bundle / "competition.yaml").read_text())
unpacker = V2Unpacker(said, str(bundle), types.SimpleNamespace(id=1))
try:
    unpacker.unpack()
except CompetitionUnpackingException as refusal:
    told(refused=str(refusal))
    sys.exit()
board = LeaderboardSerializer(data=unpacker.competition["leaderboards"][0])
if not board.is_valid():
    told(refused=str(board.errors))
    sys.exit()
columns = board.save().columns.all()
told(
    phases=[
        [p["name"], p["start"], p["end"], p["max_submissions_per_day"]]
        for p in unpacker.competition["phases"]
    ],
    columns=[[c.index, c.key, c.title, c.sorting] for c in columns],
    files=[
        Path(task[each]["file_path"]).exists()
        for task in unpacker.competition["tasks"].values()
        for each in ("scoring_program", "reference_data")
    ],
)
