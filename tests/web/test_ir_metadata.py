"""What a run says of itself in ir_metadata, on pages: a stranger's text."""

from html import escape

import pytest
from fastapi.testclient import TestClient
from web_helpers import API, made

from scorer.web.app import create
from scorer.web.context import Settings

HOSTILE = "</li><script>alert(1)</script>"
SAID = {"tag": HOSTILE, "actor": r"team: a\u202eb"}
RUN = (
    f"# ir_metadata.start\n# tag: {HOSTILE}\n# actor: {{team: \"a\\u202eb\"}}\n"
    "# ir_metadata.end\nq00 Q0 a 1 2.0 t\nq00 Q0 b 2 1.0 t\n"
)  # fmt: skip
YAML = """\
truth: truth.csv
metrics: [P@2]
lists: lists.csv
submission: {format: trec, missing_list: zero}
leaderboard: {draws: 200}
phases: [{id: main, show: SHOW}]
"""


@pytest.mark.slow("serves a board", beyond=1)
@pytest.mark.parametrize("show", ["all", "own", "none"])
def test_pages_escape_it_and_a_hidden_board_hides_it(show, tmp_path):
    served = made(tmp_path)
    (served.folder / "challenge.yaml").write_text(YAML.replace("SHOW", show))
    (tmp_path / "a.run").write_text(RUN)
    red, blue = (served.bearer(team) for team in ("red", "blue"))
    with served.board() as board:
        board.add([tmp_path / "a.run"], "red")
    settings = Settings((str(served.folder),), workers=1, limit=0)
    with TestClient(create(settings), follow_redirects=False) as client:
        own = client.get("/c/course/entries/1", headers=red).text
        assert escape(HOSTILE) in own
        assert r"a\u202eb" in own
        assert client.get(f"{API}/entries/1", headers=red).json()["ir_metadata"] == SAID
        pages = [client.get("/c/course", headers=blue).text, client.get(f"{API}/board").text,
                 client.get("/c/course/board.csv?split=all").text]  # fmt: skip
        assert ["alert(1)" in page for page in pages] == 3 * [show == "all"]
        assert client.get("/c/course/entries/1", headers=blue).status_code == 404
        assert not any(HOSTILE in page or "\u202e" in page for page in (own, pages[0]))
