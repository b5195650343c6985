"""The kit of a challenge whose files are not plain carries their form, and a sample in it."""

import zipfile

import pytest

import scorer
from scorer.api.kit import kit
from scorer.challenge.kit_archive import open_kit
from scorer.challenge.load import load
from scorer.scoring.bind import bind

ITEMS = "list,item\nu2,b\nu2,a\nu1,c\nu1,a\n"
RANKED = "list,item\nu1,a\nu2,b\n"
RATED = "list,item,rating\nu1,a,1\nu1,c,2\nu2,b,4\nu2,a,3\n"
TARGETS = "list,target\nu1,1\nu2,2\n"
PARTED = "list,item\nlike/u1,a\nreply/u2,b\n"

FORMS = {
    "cells": (
        "{header: [user, docs], columns: {list: user, item: docs}, cells: {item: ' '}}",
        RANKED,
    ),
    "the rest of a line": ("{header: [list, item], cells: {item: ','}, comment: team}", RANKED),
    "tab": ("{header: [list, x, item], separator: tab, cells: {item: ','}}", RANKED),
    "whitespace": ("{header: [list, item, score], separator: whitespace}", RANKED),
    "lines": ("{header: [item], cells: {item: ' '}, lines: lists}", RANKED),
    "lines of pairs": ("{header: [prediction], lines: items}", RATED),
    "lines of a file": (
        "{header: [prediction], lines: {file: items.csv, columns: {list: list, item: item}}}",
        RATED,
    ),
    "a vector": ("{header: [list, rank], separator: whitespace, cells: {rank: ','}}", RANKED),
    "wide items": ("{wide: {item: 'doc_*'}, missing_list: error}", RATED),
    "wide ranks": ("{wide: {rank: 'best_*'}, length: 2}", RANKED),
    "wide parts": ("{wide: {list: [like, reply]}}", "list,target\nlike/u1,1\nreply/u1,2\n"),
    "parts": ("{parts: {like: like.csv, reply: reply.csv}}", PARTED),
    "paths": ("{json: {list: 'all.questions[].id', item: 'all.questions[].docs[].id'}}", RANKED),
    "members": ("{format: json}", RANKED),
    "json predictions": ("{format: json}", TARGETS),
}


@pytest.mark.slow("makes kits and scores with them", beyond=2)
@pytest.mark.parametrize("name", FORMS)
def test_the_sample_of_a_kit_is_valid_by_the_kit_and_the_challenge(name, tmp_path):
    form, truth = FORMS[name]
    measure = "MAE" if "rating" in truth or "target" in truth else "RR"
    more = "" if "/" in truth else "lists: lists.csv\n"
    more += "" if "target" in truth or "/" in truth else "items: items.csv\n"
    if name.startswith("wide items"):
        truth, more = truth.replace("u1,c", "u1,b"), "lists: lists.csv\n"
    text = f"truth: truth.csv\n{more}submission: {form}\nmetrics: [{measure}]\n"
    (tmp_path / "challenge.yaml").write_text(text)
    (tmp_path / "truth.csv").write_text(truth)
    (tmp_path / "lists.csv").write_text("list\nu2\nu1\n")
    (tmp_path / "items.csv").write_text(ITEMS)
    bound = bind(load(tmp_path))
    (tmp_path / "kit.zip").write_bytes(kit(bound).data)
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        [sample] = [each for each in archive.namelist() if each.startswith("sample")]
        path = tmp_path / sample
        path.write_bytes(archive.read(sample))
        readme = archive.read("README.md").decode()
    with open_kit(tmp_path / "kit.zip") as there:
        [by_kit] = scorer.check(there, [path])
    [by_challenge] = scorer.score(tmp_path, [path]).submissions
    assert [str(p) for p in by_kit.findings] == []
    assert [str(p) for p in by_challenge.findings] == []
    assert by_challenge.valid
    assert "The form of a submission" in readme


def test_the_sample_has_all_candidates_where_they_are_required(challenge, score, tmp_path):
    items = "list,item\n" + "".join(f"{name},{n}\n" for name in ("q1", "q2") for n in range(30))
    files = {"items.csv": items, "lists.csv": "list\nq1\nq2\n"}
    files["truth.csv"] = "list,item,grade\nq1,0,1\nq1,1,2\nq2,0,1\n"
    yaml = "truth: truth.csv\nitems: items.csv\nlists: lists.csv\nmetrics: [Tau]\n"
    packed = tmp_path / "kit.zip"
    assert score("kit", challenge(yaml, **files), "-o", packed).code == 0
    with zipfile.ZipFile(packed) as archive:
        [sample] = [name for name in archive.namelist() if "sample" in name]
        archive.extract(sample, tmp_path)
    assert score("check", packed, tmp_path / sample).code == 0
