"""`score submit`: a participant's way in, with a server as users start it."""

import pytest


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ftp://x/c/a", "f.csv"], "is no challenge's page"),
        (["http://x/other", "f.csv"], "is no challenge's page"),
        (["http://127.0.0.1:1/c/a", "f.csv"], "the server cannot be used"),
    ],
)
def test_an_address_that_leads_nowhere(score, tmp_path, words, said):
    (tmp_path / "token").write_text("t\n")
    ran = score("submit", *words, "--token-file", tmp_path / "token")
    assert ran.code == 2
    assert said in ran.err


def test_a_token_is_needed(score, monkeypatch):
    monkeypatch.delenv("SCORER_TOKEN", raising=False)
    ran = score("submit", "http://127.0.0.1:1/c/a", "f.csv")
    assert ran.code == 2
    assert "a token is needed" in ran.err
