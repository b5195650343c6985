"""Readers of metadata read what `score kit` and `score reveal` write."""

import shutil
import zipfile

import pytest
from platforms.tries import CHALLENGES, SCORE, needs, run

WORDS = ("--license", "CC-BY-4.0", "--creator", "A", "--url", "https://example.org/kit")


@needs("mlcroissant")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of its own packages
def test_mlcroissant_reads_the_tables_of_a_kit(tried, tmp_path):
    import mlcroissant

    kit = tmp_path / "kit.zip"
    run([SCORE, "kit", tried.folder, "-o", kit, "--croissant", *WORDS])
    with zipfile.ZipFile(kit) as archive:
        archive.extractall(tmp_path / "kit")
    dataset = mlcroissant.Dataset(jsonld=str(tmp_path / "kit" / "croissant.json"))
    assert not dataset.metadata.ctx.issues.errors
    for records in dataset.metadata.record_sets:
        rows = list(dataset.records(records.name))
        table = (tmp_path / "kit" / f"{records.name}.csv").read_text().splitlines()
        assert len(rows) == len(table) - 1


@needs("rocrate")
def test_rocrate_reads_a_revealed_board(tmp_path):
    from rocrate.rocrate import ROCrate

    course = CHALLENGES[0]
    folder = shutil.copytree(course.folder, tmp_path / "course")
    run([SCORE, "seal", folder])
    run([SCORE, "team", folder, "add", "red"])
    sent = [course.sent("good"), "--team", "red"]
    run([SCORE, "add", folder, *sent])
    run([SCORE, "reveal", folder, "-o", tmp_path / "out"])
    crate = ROCrate(tmp_path / "out")
    assert crate.root_dataset["name"]
    (action,) = crate.get_by_type("CreateAction")
    assert action["instrument"]["name"] == "scorer"
    files = {entity.id for entity in crate.get_by_type("File")}
    assert files
    assert all((tmp_path / "out" / name).is_file() for name in files)
