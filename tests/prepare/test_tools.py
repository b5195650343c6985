"""Files of evaluation tools: made ones in the form that each tool writes, good and bad."""

import io
import json
import sys
import zipfile
import zlib
from itertools import product

import pytest
import yaml

from scorer.bytes.limits import ReadLimits
from scorer.core.errors import ChallengeError, UsageError
from scorer.prepare import from_tools
from scorer.prepare.from_tools import cases_of, file_names, tool_files, tool_of, values_challenge
from scorer.prepare.tools.archive import MOST_DIRECTORY, ZSTANDARD
from scorer.prepare.tools.base import ToolFile, tools
from scorer.prepare.tools.inspect_ai import inspect_ai

if sys.version_info >= (3, 14):
    import zipfile as by_zstandard
else:
    from backports.zstd import zipfile as by_zstandard


def lines(*rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def packed(method=zipfile.ZIP_DEFLATED, **files):
    out = io.BytesIO()
    with by_zstandard.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "/"), json.dumps(data))
    return out.getvalue()


def sample(n, filter="none", **metrics):
    """A line of lm-evaluation-harness' samples."""
    about = {"doc_id": n, "doc": {"q": "?"}, "target": "4", "arguments": {}, "resps": [["4"]]}
    names = {"filtered_resps": ["4"], "filter": filter, "metrics": list(metrics)}
    return about | names | {"doc_hash": "a", "prompt_hash": "b", "target_hash": "c"} | metrics


def instance(name, trial=0, perturbation=None, split="test", **means):
    """An entry of HELM's per_instance_stats."""
    stats = [
        {"name": {"name": called, "split": split}, "count": 1, "sum": mean, "mean": mean}
        for called, mean in means.items()
    ]
    made = {"instance_id": name, "train_trial_index": trial, "stats": stats}
    return made | ({"perturbation": {"name": perturbation}} if perturbation else {})


def mteb(task, *scores):
    subsets = [{"hf_subset": name, "main_score": score, "languages": ["eng-Latn"]}
               for name, score in scores]  # fmt: skip
    return json.dumps({"dataset_revision": "1", "task_name": task, "mteb_version": "1.38.0",
                       "scores": {"test": subsets}, "evaluation_time": 2.5})  # fmt: skip


def log(*samples):
    header = {"version": 2, "status": "success"}
    header["eval"] = {"run_id": "r", "task": "inspect_evals/gaia", "model": "openai/gpt-4o"}
    return header | ({"samples": [*samples]} if samples else {})


def scored(id, epoch, **values):
    scores = {name: {"value": value, "answer": "4"} for name, value in values.items()}
    return {"id": id, "epoch": epoch, "input": "?", "target": "4", "scores": scores}


SAMPLES = [scored("a", 1, match="C"), scored("a", 2, match="I"), scored(7, 1, match="P"),
           scored(7, 2, match=1)]  # fmt: skip
REPORT = {"total_instances": 4, "resolved_instances": 1, "completed_ids": ["d__d-1", "d__d-2"],
          "resolved_ids": ["d__d-1"], "unresolved_ids": ["d__d-2"], "error_ids": ["p__q-r-9"],
          "schema_version": 2}  # fmt: skip
JUNIT = (
    '<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest" tests="4">'
    '<testcase classname="tests.a" name="one" time="0.25" />'
    '<testcase classname="tests.a" name="two" time="1.5"><failure message="x">y</failure>'
    '</testcase><testcase classname="tests.b" name="three" time="0"><skipped /></testcase>'
    '<testcase classname="tests.b" name="DISABLED_five" status="notrun" time="0."/>'
    '<testcase classname="tests.b" name="four" time="1,000.5"/>'
    '<testcase classname="tests.b" name="four" time="0.5"><error message="end"/></testcase>'
    "</testsuite></testsuites>"
)
DATE = "2025-01-02T03-04-05.678901"

# tool -> its files, and of each system the groups and values of its cases
MADE = {
    "lm-evaluation-harness": (
        {f"m/samples_mmlu_law_{DATE}.jsonl": lines(sample(0, acc=1.0), sample(1, acc=0.0)),
         f"m/results_{DATE}.json": json.dumps({"group_subtasks": {"mmlu": ["mmlu_other"],
                                                                  "mmlu_other": ["mmlu_law"]}}),
         f"m/samples_gsm8k_{DATE}.jsonl": lines(sample(0, "strict", acc=0, exact_match=True),
                                                sample(0, acc=0.0, bypass=None))},
        {"m": {"mmlu_law/0": (("mmlu", "mmlu_law"), {"acc": 1}),
               "mmlu_law/1": (("mmlu", "mmlu_law"), {"acc": 0}),
               "gsm8k/0": (("gsm8k", "gsm8k"), {"acc": 0, "acc,strict": 0,
                                                "exact_match,strict": 1})}},
    ),
    "HELM": (
        {"mmlu:subject=law,model=openai_gpt2/per_instance_stats.json": json.dumps([
            instance("id1", exact_match=1.0, num_prompt_tokens=7),
            instance("id1", 1, exact_match=0.0), instance("id2", exact_match=1.0),
            instance("id1", toxic_frac=0.25), instance("id1", 1, toxic_frac=0.75),  # of a metric
            instance("id0", split="valid", exact_match=0.0),
            instance("id2", perturbation="robustness", exact_match=0.0)])},
        {"openai_gpt2": {
            f"mmlu:subject=law/id{n}": (("mmlu", "mmlu:subject=law"), values)
            for n, values in ((1, {"exact_match": 0.5, "toxic_frac": 0.5}),
                              (2, {"exact_match": 1}))}},
    ),
    "SWE-bench": (
        {"gpt4.run1.json": json.dumps(REPORT),
         "20240402_rag/results/results.json": json.dumps(
             {"no_generation": ["d__d-2"], "no_logs": [], "resolved": ["p__q-r-9"]}),
         "logs/run/claude/d__d-1/report.json": json.dumps(
             {"d__d-1": {"patch_is_None": False, "patch_exists": True, "resolved": True}})},
        {"gpt4.run1": {"d__d-1": (("d/d",), {"resolved": 1}), "d__d-2": (("d/d",), {"resolved": 0}),
                       "p__q-r-9": (("p/q-r",), {"resolved": 0})},
         "20240402_rag": {"p__q-r-9": (("p/q-r",), {"resolved": 1}),
                          "d__d-2": (("d/d",), {"resolved": 0})},
         "claude": {"d__d-1": (("d/d",), {"resolved": 1})}},
    ),
    "Inspect": (
        {"2025_gaia.json": json.dumps(log(*SAMPLES))},
        {"openai/gpt-4o": {"gaia/a": (("gaia",), {"match": 0.5}),
                           "gaia/7": (("gaia",), {"match": 0.75})}},
    ),
    "MTEB": (
        {"org__m/1f0c/JSICK.json": mteb("JSICK", ("en", 0.75), ("ja", 0.5)),
         "org__m/1f0c/model_meta.json": json.dumps({"name": "org/m", "revision": "1f0c"}),
         f"other/{'a' * 40}/STS12.json": mteb("STS12", ("default", 0.25))},
        {"org/m": {"JSICK/test/en": (("JSICK",), {"main_score": 0.75}),
                   "JSICK/test/ja": (("JSICK",), {"main_score": 0.5})},
         "other": {"STS12/test/default": (("STS12",), {"main_score": 0.25})}},
    ),
    "JUnit XML": (
        {"run.xml": JUNIT},
        {"run": {"tests.a::one": (("tests.a",), {"passed": 1, "seconds": 0.25}),
                 "tests.a::two": (("tests.a",), {"passed": 0, "seconds": 1.5}),
                 "tests.b::four": (("tests.b",), {"passed": 0, "seconds": 1001})}},
    ),
}  # fmt: skip


def written(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read(folder):
    found = {}
    for path, tool in tool_files([folder]):
        for case in tool.function(ToolFile(path)):
            found.setdefault(case.system, {})[case.case] = (case.groups, dict(case.values))
    return found


def test_each_tool_has_made_files():
    assert set(MADE) == {tool.name for tool in tools()}


@pytest.mark.parametrize("name", MADE)
def test_the_cases_of_a_tool(name, tmp_path):
    files, cases = MADE[name]
    folder = written(tmp_path, files)
    assert {tool.name for _, tool in tool_files([folder])} == {name}
    assert read(folder) == cases


@pytest.mark.parametrize(
    "archive",
    [
        {"_journal__start.json": log(), "header.json": log(), "summaries.json": SAMPLES},
        {
            "start.json": log(),
            **{f"samples__{s['id']}_epoch_{s['epoch']}.json": s for s in SAMPLES},
        },
        {
            "_journal__start.json": log(),
            **{f"samples__{s['id']}_epoch_{s['epoch']}__sample.json": s for s in SAMPLES},
            "samples__a_epoch_1__events__0.json": [{"event": "score"}],  # of a sample in parts
        },
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTANDARD])
def test_an_archive_of_inspect_says_the_same_as_its_json(archive, method, tmp_path):
    folder = written(tmp_path, {"a.eval": packed(method, **archive)})
    assert read(folder) == MADE["Inspect"][1]


def test_a_member_packed_by_zstandard_that_is_damaged_is_told(tmp_path):
    data = packed(ZSTANDARD, **{"header.json": log(), "summaries.json": SAMPLES})
    start = data.index(b"header.json") + 40
    for broken in (data[:start] + b"zzzz" + data[start + 4 :],
                   data.replace(zlib.crc32(json.dumps(log()).encode()).to_bytes(4, "little"),
                                b"1234")):  # fmt: skip
        folder = written(tmp_path, {"a.eval": broken})
        with pytest.raises(ChallengeError, match="in it cannot be unpacked"):
            cases_of(tool_files([folder]))


def test_scores_of_inspect_that_are_words_or_have_several_numbers():
    values = {"a": "yes", "b": {"x": 1, "y": "I", "z": None}, "c": True, "d": "a text", "e": [1],
              "f": "1e-1", "g": "nan", "h": float("nan")}  # fmt: skip
    file = type("File", (ToolFile,), {"head": b"{", "document": log(scored(1, 1, **values))})
    (case,) = inspect_ai(file(None))
    assert case.values == {"a": 1, "b/x": 1, "b/y": 0, "c": 1, "f": 0.1}


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("s.jsonl", lines(sample(0, acc=1))[:-30], "s.jsonl:1: error[T107] this is not JSON: ends"),
        ("s.jsonl", lines(sample(0, acc=1)) + '{"doc_id": 1, nan}\n', "s.jsonl:2: error[T107]"),
        ("s.jsonl", lines(sample(0), sample(None)), "s.jsonl:2: error[T107] a sample has its"),
        ("s.jsonl", lines(sample(0), sample(1) | {"metrics": ["f1"]}), "metric 'f1', and has no"),
        ("h.json", json.dumps([instance("a"), {"instance_id": 3}]), "'instance_id' of instance 1"),
        ("h.json", json.dumps({"a": instance("a")}), "this is no list of instances"),
        ("r.json", json.dumps(REPORT | {"resolved_ids": [1]}), "'resolved_ids' is not a list of"),
        ("r.json", json.dumps(REPORT | {"resolved_ids": "d"}), "is a text, not a list"),
        ("r.json", json.dumps({"d-1": {"patch_is_None": 1}}), "'resolved' of d-1 is missing"),
        ("i.json", json.dumps(log()), "'samples' is missing"),
        ("i.json", json.dumps(log({"epoch": 1})), "sample 1 has no 'id'"),
        ("m.json", mteb("T", ("en", "high")), "'main_score' of split 'test', 'en', is missing or"),
        ("m.json", mteb("T").replace('{"test": []}', "[]"), "'scores' is a list, not an object"),
        ("x.xml", JUNIT.replace("</testsuites>", ""), "x.xml:1: error[T107] this is not XML"),
        ("x.xml", JUNIT.replace("1,000.5", "long"), "the time of 'four' is 'long'"),
        ("x.xml", '<!DOCTYPE a [<!ENTITY b "c">]>' + JUNIT.split("?>")[1], "which is refused"),
        ("x.xml", JUNIT.replace("<testsuites>", "<!DOCTYPE t><testsuites>"), "which is refused"),
        ("d.json", '{"resolved": ' + "[" * 100_000 + ', "no_logs": 1', "nested too deeply"),
        ("b.json", b'{"resolved": "\xff", "no_logs": []}', "b.json:1: error[T105] this is not UTF"),
        ("a.eval", packed(_journal__x=1, **{"samples__1_epoch_1.json": scored(1, 1)}), "no header"),
        ("a.eval", packed(**{"header.json": log(), "summaries.json": {}}), "summaries.json: no"),
        ("a.eval", packed(**{"header.json": log()})[:-40], "damaged, encrypted or packed"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_place(name, content, told, tmp_path):
    folder = written(tmp_path, {name: content})
    with pytest.raises(ChallengeError) as caught:
        cases_of(tool_files([folder]))
    (problem,) = caught.value.problems
    assert told in str(problem)
    assert str(problem).startswith(str(folder / name))


def test_an_archive_is_unpacked_within_bounds(tmp_path):
    bomb = log() | {"filler": "a" * 40_000}
    for method in (zipfile.ZIP_DEFLATED, ZSTANDARD):
        data = packed(method, **{"header.json": bomb, "summaries.json": []})
        folder = written(tmp_path, {"a.eval": data})
        with pytest.raises(ChallengeError, match="unpacks to more than is accepted, 30 kB"):
            list(inspect_ai(ToolFile(folder / "a.eval", ReadLimits(unpacked=30_000))))
    assert MOST_DIRECTORY >= 65_535 * 100


def test_files_of_two_tools_or_two_of_one_case_make_no_board(tmp_path):
    stsb = mteb("STS12", ("en", 0.5))
    files = {"m/a.json": stsb, "m/b.json": stsb, "m/c.xml": JUNIT}
    folder = written(tmp_path, files)
    with pytest.raises(UsageError, match="files of several tools make no board: 'MTEB', 'JUnit XM"):
        cases_of(tool_files([folder]))
    (folder / "m" / "c.xml").unlink()
    with pytest.raises(UsageError, match=r"b\.json: case 'STS12/test/en' of 'm' is in .*a\.json, "):
        cases_of(tool_files([folder]))


@pytest.mark.parametrize(
    "content",
    [b"", b"\0\0", "alg_name,case,value\nA,1,2\n", '{"eval": {"a": []}, "base_status": 1}',
     "list,item,grade\nq1,a,1\n", '{"q1": {"a": 1}}', "id,score\n1,2\n",
     "<html></html>", b"PK\x03\x04abc", "a\rb,c\n"],
)  # fmt: skip
def test_other_files_are_of_no_tool(content, tmp_path):
    folder = written(tmp_path, {"file": content})
    assert tool_of(folder / "file") is None
    assert tool_of(folder / "absent") is None


@pytest.mark.parametrize(
    ("name", "average", "levels", "extra"),
    [
        ("lm-evaluation-harness", ["task"], ["task"], {}),
        ("SWE-bench", None, ["repository"], {"missing_list": "zero"}),
        ("MTEB", ["task"], ["task"], {}),
        ("JUnit XML", None, ["class"], {"missing_list": "skip"}),
    ],
)
def test_the_challenge_takes_means_as_the_tool_does(name, average, levels, extra, tmp_path):
    found = cases_of(tool_files([written(tmp_path, MADE[name][0])]))
    data = values_challenge(found)
    assert data["metrics"][0].get("average") == average
    assert data["lists"]["columns"].get("group") == (levels[0] if levels else None)
    rules = {key: data["submission"][key] for key in extra}
    assert rules == extra
    directions = {key: value.get("better") for key, value in data["submission"]["values"].items()}
    assert directions.get("seconds", "lower") == "lower"


def test_tasks_without_a_value_in_common_have_a_score(tmp_path):
    files = {f"m/samples_a_{DATE}.jsonl": lines(sample(0, acc=1.0)),
             f"m/samples_b_{DATE}.jsonl": lines(sample(0, f1=0.5), sample(1))}  # fmt: skip
    found = cases_of(tool_files([written(tmp_path, files)]))
    assert found.values == ("score",)
    assert found.systems["m"] == {"a/0": {"score": 1}, "b/0": {"score": 0.5}}
    assert set(found.groups) == {"a/0", "b/0", "b/1"}  # which is missing


def test_systems_have_files_of_their_own():
    names = file_names(["org/m", "org_m", "ORG:M", "../..", "gpt-4.1", "x" * 400])
    assert list(names.values())[:5] == ["org_m", "org_m_2", "ORG_M_3", "system", "gpt-4.1"]
    assert len(names["x" * 400]) == 150


@pytest.mark.slow("scores a board")
def test_init_writes_the_challenge_that_scores_them(score, tmp_path):
    values = [[1, 1, 0], [0, 0, 1]]  # of a, a, b
    folder = tmp_path / "results"
    for model, (task, cases) in product("XY", (("a", (0, 1)), ("b", (2,)))):
        rows = [
            sample(n, acc=float(values["XY".index(model)][case])) for n, case in enumerate(cases)
        ]
        written(folder, {f"{model}/samples_{task}_{DATE}.jsonl": lines(*rows)})
    ran = score("init", "--from", folder / "X", folder / "Y", tmp_path / "made")
    assert ran.code == 0, ran
    assert "files of lm-evaluation-harness: 2 systems, 3 cases, ranked by acc" in ran.out
    report = score(tmp_path / "made", tmp_path / "made/systems", "--format", "csv")
    means = [line.split(",")[1:3] for line in report.out.splitlines()[1:]]
    assert means == [["X", "0.5"], ["Y", "0.5"]]  # of the means of a and b, not of three cases
    made = yaml.safe_load((tmp_path / "made/challenge.yaml").read_text())
    assert made["submission"]["values"] == {"acc": {"range": [0, 1]}}


def test_init_refuses_what_is_of_no_tool(score, tmp_path):
    folder = written(tmp_path, {"a.xml": JUNIT, "b.txt": "hello"})
    for words, told in (
        ((folder / "a.xml", folder / "b.txt", "x"), "b.txt: no results of a tool that is known"),
        ((folder / "a.xml", folder / "no", "x"), "no is no file or folder"),
        ((folder / "a.xml",), "score init --from RESULTS... DIR"),
    ):
        ran = score("init", "--from", *words)
        assert (ran.code, told in ran.err) == (2, True), ran


def test_a_folder_of_too_many_files_is_refused_not_cut(tmp_path, monkeypatch):
    monkeypatch.setattr(from_tools, "MOST_FILES", 2)
    for n in range(3):
        (tmp_path / f"{n}.json").write_text("{}")
    with pytest.raises(UsageError, match="has more than 2 files"):
        from_tools.tool_files([tmp_path])
