"""Equal signatures mean equal computations; a fingerprint tells challenges apart, and no truth."""

import hashlib
import json
import zipfile

import pytest
from tables import rows

import scorer
from scorer import __version__
from scorer.api.text import content_of
from scorer.challenge.load import load
from scorer.core.errors import ChallengeError
from scorer.scoring.bind import bind
from scorer.scoring.fingerprint import KEY
from scorer.scoring.open import open_challenge

PLUGIN = '''
from scorer import Floats, Judged, metric

@metric("Met", title="How many judged items were met", source="this test", range=(0, None))
def met(judged: Judged, *, word: str = "a") -> Floats:
    """Hits."""
    return judged.hits.total()
'''
FILES = {
    "truth.csv": "list,item,grade\nq1,a,2\nq1,b,1\nq2,a,1\nq2,c,0\n",
    "sub.csv": "list,item,score\nq1,a,3\nq2,c,2\n",
    "ratings.csv": "list,item,rating\nq1,a,2\nq1,b,1\nq2,a,1\n",
    "rated.csv": "list,item,prediction\nq1,a,3\nq1,b,1\nq2,a,1\n",
    "lists.csv": "list\nq1\nq2\nq3\n",
    "items.csv": "item\na\nb\nc\n",
    "folds.csv": "list,fold\nq1,1\nq2,2\n",
    "own.py": PLUGIN,
    "other.py": PLUGIN.replace('"""Hits."""', '"""The hits."""'),
}
HEAD = "truth: truth.csv\n"
SAME = "submission: {missing_list: zero}\n"


@pytest.fixture
def told(challenge):
    """The report of a small challenge, and its scorecards' digests."""

    def tell(yaml, submission="sub.csv", **files):
        folder = challenge(yaml, **(FILES | files))
        report = scorer.score(folder, [folder / submission], allow_plugins=True)
        assert report.submissions[0].valid
        return report

    return tell


def fingerprint_of(report):
    """The fingerprint of the challenge of a report."""
    return content_of(report).challenge.fingerprint


def signature(report):
    (measure,) = report.measures
    return measure.board_signature


@pytest.mark.parametrize(("one", "other"), rows(__file__, "equal_computations_have_one_signature"))
def test_equal_computations_have_one_signature(told, one, other):
    assert signature(told(HEAD + one)) == signature(told(HEAD + other))


NDCG = "metrics: [nDCG@10]\n"


@pytest.mark.slow("opens a challenge a row", beyond=4)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        *rows(__file__, "another_computation_has_another_signature"),
        (
            f"metrics: [{{metric: Met, word: '{'a' * 500}b{'a' * 500}'}}]\nplugins: [own.py]",
            f"metrics: [{{metric: Met, word: '{'a' * 500}c{'a' * 500}'}}]\nplugins: [own.py]",
        ),
    ],
)
def test_another_computation_has_another_signature(told, one, other):
    assert signature(told(HEAD + one)) != signature(told(HEAD + other))


def test_what_cannot_change_a_number_is_not_said(told):
    rated = "truth: ratings.csv\nmetrics: ['RMSE(average=pooled)']\n"
    found = signature(told(rated, "rated.csv"))
    assert found == f"RMSE|average:pooled|lists:2|missing:error|scorer:{__version__}"
    other = signature(told(rated + "undefined: skip", "rated.csv"))
    assert other == found


def test_constants_and_versions_are_said(told, monkeypatch):
    first = signature(told(HEAD + "metrics: [ERR]"))
    assert "|max_grade:2|" in first
    truth = FILES["truth.csv"].replace("q1,a,2", "q1,a,4")
    assert "|max_grade:4|" in signature(told(HEAD + "metrics: [ERR]", **{"truth.csv": truth}))
    monkeypatch.setattr("scorer.scoring.fingerprint.__version__", "9")
    assert signature(told(HEAD + "metrics: [ERR]")) == first.replace(__version__, "9")


BASE = HEAD + "metrics: [nDCG@10, P@1]\nsubmission: {missing_list: error}\n"


@pytest.mark.parametrize(("yaml", "files"), rows(__file__, "a_fingerprint_is_of_what_rules_mean"))
def test_a_fingerprint_is_of_what_rules_mean(told, yaml, files):
    baseline = "baselines" in yaml
    yaml = yaml.replace("sub.csv]", "base.csv]")
    files = files | ({"base.csv": FILES["sub.csv"]} if baseline else {})
    assert fingerprint_of(told(yaml, **files)) == fingerprint_of(told(BASE))


@pytest.mark.parametrize(
    ("yaml", "files"), rows(__file__, "another_challenge_has_another_fingerprint")
)
def test_another_challenge_has_another_fingerprint(told, yaml, files):
    assert fingerprint_of(told(BASE)) != fingerprint_of(told(yaml, **files))


def test_what_files_hold_counts(told):
    for name, yaml in (
        ("items.csv", BASE + "items: items.csv"),
        ("own.py", BASE + "plugins: [own.py]"),
    ):
        changed = {name: FILES[name] + ("d\n" if name == "items.csv" else "# more\n")}
        assert fingerprint_of(told(yaml)) != fingerprint_of(told(yaml, **changed))


def test_the_commands_words_count(score, challenge):
    folder = challenge(BASE, **FILES)
    (folder / "more.csv").write_text(FILES["truth.csv"] + "q2,d,1\n")

    def fingerprint(*words):
        ran = score(folder, folder / "sub.csv", "--format", "json", *words)
        return json.loads(ran.out)["challenge"]["fingerprint"]

    assert (
        len({fingerprint(), fingerprint("-m", "P@1"), fingerprint("--truth", folder / "more.csv")})
        == 3
    )
    assert fingerprint() == fingerprint("-m", "nDCG@10", "-m", "P@1")
    assert fingerprint() == fingerprint("--truth", folder / "truth.csv", "--precision", "2")


def test_a_key_ends_the_guessing(told, challenge):
    def digests(**files):
        return told(BASE, **files).submissions[0].card.digests

    plain, keyed, other = digests(), digests(**{KEY: "k1\n"}), digests(**{KEY: "k2"})
    assert len({plain["truth"], keyed["truth"], other["truth"]}) == 3
    assert digests(**{KEY: "k1"}) == keyed  # the end of the line is no part of it
    assert plain["rules"] == keyed["rules"]
    known = hashlib.sha256(FILES["truth.csv"].encode()).hexdigest()
    files = json.dumps({"truth": known}).encode()
    key = hashlib.sha256(b"k1").digest()
    assert keyed["truth"] == hashlib.blake2b(files, key=key, digest_size=32).hexdigest()


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_key_is_refused(challenge, text):
    folder = challenge(BASE, **FILES, **{KEY: text})
    with pytest.raises(ChallengeError, match=r"T102.*the key is empty"):
        open_challenge(bind(load(folder)))


@pytest.mark.slow("opens a challenge a row")
def test_nothing_public_holds_a_digest_that_anyone_can_make(score, challenge, tmp_path):
    folder = challenge(BASE, **FILES, **{KEY: "secret"})
    (folder / "sub.csv").write_text(FILES["sub.csv"])
    kit = tmp_path / "kit.zip"
    assert score("kit", folder, "-o", kit).code == 0
    with zipfile.ZipFile(kit) as archive:
        assert not any("key" in name for name in archive.namelist())
        said = "".join(archive.read(name).decode() for name in archive.namelist())
    for form in ("json", "html", "csv", "table"):
        said += score(folder, folder / "sub.csv", "--format", form).out
    said += score("lint", folder, "--format", "json").out
    report = scorer.score(folder, [folder / "sub.csv"])
    said += report.submissions[0].card.to_bytes().decode("latin-1")
    truth = FILES["truth.csv"].encode()
    rules = bytes.fromhex(report.submissions[0].card.digests["rules"])
    for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256"):
        assert hashlib.new(name, truth).hexdigest()[:16] not in said
        once = hashlib.new(name, truth).hexdigest().encode()
        for text in (truth, once, json.dumps({"truth": once.decode()}).encode()):
            assert hashlib.new(name, rules + text).hexdigest()[:16] not in said
            assert hashlib.blake2b(text, key=rules, digest_size=32).hexdigest()[:16] not in said


def identity(report):
    return report.submissions[0].card.digests


@pytest.mark.slow("opens a challenge a row", beyond=4)
@pytest.mark.parametrize(
    "yaml",
    [
        BASE + "leaderboard: {seed: 2}",
        BASE + "leaderboard: {intervals: false, tiers: {alpha: 0.1}}",
        BASE + "leaderboard: {tie_break: [P@1]}",
        BASE + "title: Another\ndescription: words\n",
        BASE.replace("nDCG@10, P@1", "P@1, nDCG@10"),
        BASE.replace("P@1]", "{metric: P@1, primary: true}]"),
        BASE + "leaderboard: {baselines: [base.csv]}",
    ],
)
@pytest.mark.parametrize("key", [{}, {KEY: "secret"}], ids=["open", "keyed"])
def test_what_only_the_board_depends_on_changes_no_scorecards_identity(told, yaml, key):
    base = {"base.csv": FILES["sub.csv"]}
    assert identity(told(yaml, **base, **key)) == identity(told(BASE, **key))


@pytest.mark.parametrize(
    ("yaml", "files", "changed"),
    [
        (BASE.replace(", P@1", ""), {}, {"rules", "truth"}),
        (BASE.replace("missing_list: error", "ties: item-asc"), {}, {"rules", "truth"}),
        (BASE.replace("missing_list: error", "limits: {rows: 9}"), {}, {"rules", "truth"}),
        (BASE + "undefined: skip", {}, {"rules", "truth"}),
        (BASE, {"truth.csv": FILES["truth.csv"] + "q2,d,1\n"}, {"truth"}),
        (BASE, {"sub.csv": FILES["sub.csv"] + "q2,d,1\n"}, {"submission"}),
        (BASE + "plugins: [own.py]", {}, {"plugins"}),
        # a card that holds positions is not one that holds none
        (BASE + "leaderboard: {rank_by: {preference: RPP, aggregate: MC4}}", {}, {"positions"}),
    ],
)
def test_what_a_value_depends_on_changes_its_scorecards_identity(told, yaml, files, changed):
    one, other = identity(told(BASE)), identity(told(yaml, **files))
    assert {name for name in one if one[name] != other[name]} == changed


@pytest.mark.slow("opens a challenge a row")
def test_every_command_tells_the_same_fingerprint(score, challenge):
    folder = challenge(BASE, **FILES, **{"two.csv": FILES["sub.csv"]})
    files = folder / "sub.csv", folder / "two.csv"
    commands = (("lint", folder), (folder, *files), ("compare", folder, *files))
    written = [score(*words, "--format", "json").json() for words in commands]
    assert len({each["challenge"]["fingerprint"] for each in written}) == 1
