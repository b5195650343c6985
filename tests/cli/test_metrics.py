"""`score metrics`: the catalogue, and pages, as text and as data."""


def test_the_catalogue_as_data_has_what_the_text_lists(score):
    text = score("metrics").out
    said = score("metrics", "--format", "json").json()["metrics"]
    listed = {line.split("  ")[1] for line in text.splitlines() if line.startswith("  ")}
    assert listed == {metric["notation"] for metric in said}
    functions = [(metric["name"], *metric["kinds"]) for metric in said]
    assert len(set(functions)) == len(functions)


def test_a_name_of_another_tool_finds_the_data_of_a_metric(score):
    said = score("metrics", "roc_auc_score", "--format", "json").json()["metrics"]
    assert all("roc_auc_score" in str(metric["tools"]) for metric in said)
    found = next(metric for metric in said if metric["name"] == "AUROC")
    assert found["kinds"] == ["labels"]
    assert found["aggregate"] == "pooled"  # one value of all rows
    assert {"tool": "scikit-learn", "names": ["roc_auc_score"], "remark": ""} in found["tools"]
    described = {each["name"]: each["description"] for each in found["parameters"]}
    assert "false positive rate" in described["max_fpr"]


def test_a_page_says_first_what_the_value_means(score):
    page = score("metrics", "AUROC").out
    parts = ["How likely a row of", "Formula", "worked example", "Parameters:", "In scikit-learn"]
    assert [page.index(part) for part in parts] == sorted(page.index(part) for part in parts)
    assert "over lists: pooled" in page
