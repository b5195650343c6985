"""Scoring and boards of Hugging Face's competitions: CHECKOUT REPOSITORY SUBMISSION.

Theirs: EvalParams, compute_metrics, Leaderboard. Stood in for: the hub, which is a folder.
"""

import json
import shutil
import sys
from datetime import datetime
from pathlib import Path

from standin import module, package, told

checkout, hub, submission = map(Path, sys.argv[1:])


def fetched(repo_id, filename, token, repo_type):
    return str(hub / filename)


module("huggingface_hub", hf_hub_download=fetched, snapshot_download=lambda **named: str(hub))
package("competitions", checkout / "competitions")
from competitions.compute_metrics import compute_metrics  # noqa: E402
from competitions.leaderboard import Leaderboard  # noqa: E402
from competitions.params import EvalParams  # noqa: E402

said = json.loads((hub / "conf.json").read_text())
name = f"submission{''.join(submission.suffixes)}"
(hub / "submissions").mkdir(exist_ok=True)
shutil.copy(submission, hub / "submissions" / f"t-7.{name.rpartition('.')[2]}")
given = EvalParams(
    competition_id="o/c", competition_type=said["COMPETITION_TYPE"], metric=said["EVAL_METRIC"],
    token="", team_id="t", submission_id="7", submission_id_col=said["SUBMISSION_ID_COLUMN"],
    submission_cols=said["SUBMISSION_COLUMNS"].split(","), submission_rows=said["SUBMISSION_ROWS"],
    output_path="", submission_repo="", time_limit=said["TIME_LIMIT"], dataset=said["DATASET"],
    submission_filenames=said["SUBMISSION_FILENAMES"],
)  # fmt: skip
try:
    scores = compute_metrics(given)
except ValueError as error:
    told(failed=str(error))
    sys.exit()

# a second team, worse by the primary measure, sent first
worse = -1.0 if int(said["EVAL_HIGHER_IS_BETTER"]) else 1.0
primary = said["SCORING_METRIC"]
(hub / "submission_info").mkdir(exist_ok=True)
for team, day, shift in (("second", 1, worse), ("first", 2, 0.0)):
    entry = {"submission_id": team, "status": 3, "selected": False,
             "datetime": f"2000-01-0{day} 00:00:00"}  # fmt: skip
    for scope, values in scores.items():
        entry[scope] = values | {primary: values[primary] + shift}
    text = json.dumps({"id": team, "submissions": [entry]})
    (hub / "submission_info" / f"{team}.json").write_text(text)
teams = {team: {"name": team} for team in ("first", "second")}
(hub / "teams.json").write_text(json.dumps(teams))
end = datetime.strptime(said["END_DATE"], "%Y-%m-%d")
board = Leaderboard(
    end, bool(int(said["EVAL_HIGHER_IS_BETTER"])), said["SELECTION_LIMIT"], "o/c", "", primary
)
told(scores=scores, ranks=[list(board.fetch(private=each)["id"]) for each in (False, True)])
