"""A revealed folder described as an RO-Crate 1.1, as archives of research data read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from scorer.challenge.model import Challenge
from scorer.core.version import __version__

FILE = "ro-crate-metadata.json"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "https://w3id.org/ro/crate/1.1"
SCORING, SOFTWARE = "#scoring", "#scorer"


def crate(
    challenge: Challenge, files: Mapping[str, bytes], ended: datetime, results: list[str]
) -> bytes:
    """The description of files (path -> bytes), of which `results` are what scoring gave."""
    described = " ".join((challenge.description or challenge.title).split())
    parts = sorted(files)
    graph: list[dict[str, Any]] = [
        {
            "@id": FILE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": PROFILE},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": challenge.title,
            "description": described,
            "datePublished": ended.date().isoformat(),
            "license": "as the organizers say",
            "hasPart": [{"@id": name} for name in parts],
            "mentions": [{"@id": SCORING}],
        },
        *({"@id": name, "@type": "File", **_facts(files[name])} for name in parts),
        {
            "@id": SCORING,
            "@type": "CreateAction",
            "instrument": {"@id": SOFTWARE},
            "object": [{"@id": name} for name in parts if name not in results],
            "result": [{"@id": name} for name in parts if name in results],
            "endTime": ended.isoformat(timespec="seconds"),
        },
        {
            "@id": SOFTWARE,
            "@type": "SoftwareApplication",
            "name": "scorer",
            "version": __version__,
        },
    ]
    text = json.dumps({"@context": CONTEXT, "@graph": graph}, indent=1, ensure_ascii=False)
    return f"{text}\n".encode()


def _facts(data: bytes) -> dict[str, str]:
    return {"contentSize": str(len(data)), "sha256": sha256(data).hexdigest()}
