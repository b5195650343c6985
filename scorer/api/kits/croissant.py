"""A kit's public files described as a Croissant 1.0 dataset, as conferences and hubs read it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from scorer.challenge.model import Challenge

FILE = "croissant.json"
VOCABULARY = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "equivalentProperty": "cr:equivalentProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


class Published(NamedTuple):
    """What a dataset says of itself that challenge.yaml does not."""

    license: str  # an SPDX id, or an address
    creators: Sequence[str]
    url: str
    date: str  # of publication, YYYY-MM-DD
    version: str = "1.0.0"


def croissant(challenge: Challenge, files: Mapping[str, bytes], published: Published) -> bytes:
    """The description of the CSV files of a kit, which stand beside it."""
    tables = {name: data for name, data in files.items() if name.endswith(".csv")}
    terms = published.license
    if "://" not in terms:
        terms = f"https://spdx.org/licenses/{terms}.html"
    described = " ".join((challenge.description or challenge.title).split())
    creators = [{"@type": "Person", "name": name} for name in published.creators]
    dataset = {
        "@context": VOCABULARY,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": challenge.id,
        "description": described,
        "license": terms,
        "url": published.url,
        "datePublished": published.date,
        "version": published.version,
        "citeAs": f"{', '.join(published.creators)}: {challenge.title}. {published.url}",
        "creator": creators[0] if len(creators) == 1 else creators,
        "distribution": [_file_object(name, data) for name, data in tables.items()],
        "recordSet": [_record_set(name, data) for name, data in tables.items()],
    }
    return (json.dumps(dataset, indent=1, ensure_ascii=False) + "\n").encode()


def _file_object(name: str, data: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": "text/csv",
        "sha256": sha256(data).hexdigest(),
    }


def _record_set(name: str, data: bytes) -> dict[str, Any]:
    """A table's columns, all of them as text: that is what ids and labels are."""
    key = name.removesuffix(".csv")
    columns = next(csv.reader(io.StringIO(data.decode())))
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{key}/{column}",
            "name": column,
            "dataType": "sc:Text",
            "source": {"fileObject": {"@id": name}, "extract": {"column": column}},
        }
        for column in columns
    ]
    return {"@type": "cr:RecordSet", "@id": key, "name": key, "field": fields}
