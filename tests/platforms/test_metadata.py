"""A reader of metadata reads what `score kit` writes."""

import zipfile

import pytest
from platforms.tries import SCORE, needs, run

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
