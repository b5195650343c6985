"""Codabench's compute worker, for a submission: CHECKOUT BUNDLE SUBMISSION.zip FOLDER.

Theirs: run_wrapper, which prepares, runs, and sends values and output, for the prediction and then
the scoring. Stood in for: the container's engine, which runs the command here with the mounted
folders in place of /app, and the site, which keeps what it is sent.
"""

import asyncio
import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path
from urllib.parse import parse_qs

import yaml
from standin import server, told

checkout, bundle, submission, folder = map(Path, sys.argv[1:])
os.environ |= {"LOG_LEVEL": "CRITICAL", "HOST_DIRECTORY": str(folder)}
sys.path[:0] = [str(checkout / "compute_worker"), str(checkout / "src" / "settings")]
kept, scores, statuses = {}, [], []


def site(method, path, body):
    """A store of files by PUT and GET, and the interface for statuses and scores."""
    if method == "GET":
        return kept.get(path)
    if method == "PUT":
        kept[path] = body
    elif method == "POST":
        scores.append(json.loads(body)["scores"])
    else:
        statuses.extend(parse_qs(body.decode()).get("status", []))
    return b""


class Engine:
    """One container at a time, as a process."""

    def __init__(self, **named):
        self.runs = {}

    def pull(self, *words, **named):
        return iter(())

    def create_host_config(self, binds, **named):
        return binds

    def create_container(self, image, name, host_config, command, **named):
        self.runs[name] = shlex.split(command), host_config
        return {"Id": name}

    def start(self, container):
        words, mounts = self.runs[container]
        for place, mount in sorted(mounts.items(), key=lambda each: -len(each[1]["bind"])):
            words = [word.replace(mount["bind"], place) for word in words]
        self.ended = subprocess.run([sys.executable, *words[1:]], capture_output=True)

    def attach(self, container, **named):
        return self.ended.stdout or None, self.ended.stderr or None

    def inspect_container(self, container):
        return {"State": {"Status": "exited"}}

    def wait(self, container):
        return {"StatusCode": self.ended.returncode}

    def remove_container(self, container, **named):
        pass


class Socket:
    async def send(self, text):
        pass

    async def close(self):
        pass


async def connected(*words, **named):
    return Socket()


import docker  # noqa: E402
import websockets  # noqa: E402

docker.APIClient, websockets.connect = Engine, connected
import compute_worker as worker  # noqa: E402

worker.BASE_DIR, worker.CACHE_DIR = f"{folder}/", f"{folder}/cache"
sleep = asyncio.sleep
worker.asyncio.sleep = lambda seconds: sleep(min(seconds, 0.1))


def zipped(place):
    """A folder as an archive, as the unpacker stores it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in place.rglob("*"):
            archive.write(path, path.relative_to(place))
    return out.getvalue()


said = yaml.safe_load((bundle / "competition.yaml").read_text())
task = said["tasks"][said["phases"][0]["tasks"][0]]
for name in ("scoring_program", "reference_data"):
    kept[f"/{name}"] = zipped(bundle / task[name])
kept["/submission"] = submission.read_bytes()
address = server(site)
streams = [
    f"{step}_{stream}"
    for step in ("prediction", "scoring")
    for stream in ("stdout", "stderr", "ingestion_stdout", "ingestion_stderr")
]
both = {
    "user_pk": 1,
    "id": 7,
    "secret": "0",
    "submissions_api_url": address,
    "docker_image": said["docker_image"],
    "execution_time_limit": 300,
    "prediction_result": f"{address}/prediction",
    "detailed_results_url": None,
    **{name: f"{address}/{name}" for name in streams},
}
prediction = {"is_scoring": False, "program_data": f"{address}/submission"}
scoring = {
    "is_scoring": True,
    "program_data": f"{address}/scoring_program",
    "reference_data": f"{address}/reference_data",
    "scoring_result": f"{address}/output",
    "detailed_results_url": f"{address}/page",
}
for step in (prediction, scoring):
    worker.run_wrapper(both | step)
told(
    statuses=statuses,
    scores=scores,
    shown=kept.get("/scoring_stderr", b"").decode(),
    page=kept.get("/page", b"").decode()[:15],
)
