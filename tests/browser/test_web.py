"""The pages of a served board in headless Chromium: every way of participants and organizers."""

import re
import sqlite3
import urllib.request
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urljoin

import pytest
from web_helpers import ended, good, made, poor, rows, started

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
from selenium.common.exceptions import WebDriverException  # noqa: E402
from selenium.webdriver import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".venv/node/node_modules/axe-core/axe.min.js"
# with and without scripts, narrow and wide, dark and light: every two of them together
VIEWS = [(True, 1200, "light"), (True, 400, "dark"), (False, 1200, "dark"), (False, 400, "light")]
BAD = "list,item,score\nq00,a,x\n"
PATIENCE = 180
NAMES = count()


@pytest.fixture(scope="module")
def server(request, tmp_path_factory):
    """A server, its address, and its boards, of which each test takes one."""
    tests = sum("served" in each.fixturenames for each in request.session.items)
    place = tmp_path_factory.mktemp("web")
    boards = [made(place, f"course-{n}") for n in range(tests)]
    process, address = started(*[each.folder for each in boards], "--limit", "0")
    yield address, iter(boards)
    ended(process)


@pytest.fixture
def served(server):
    """A board with three teams that have entries, which no other test sees."""
    found = next(server[1])
    with found.board() as board:
        for n, team in enumerate(("blue", "green", "a team whose name is rather long")):
            found.token(team)
            for by in (3, 2):
                path = found.folder.parent / f"{n}-{by}.csv"
                path.write_text(rows(lambda at, item, k=n, d=by: ((at * d + k) * ord(item)) % 7))
                board.add([path], team, answers={"method": "<i>trees</i>"})
        board.evaluations.finish_pending()
    return found


class Visitor:
    """Somebody before the pages."""

    def __init__(self, driver, board, scripts):
        self.driver, self.board, self.scripts = driver, board, scripts

    def goes(self, path=""):
        self.driver.get(f"{self.board}{path}")

    def finds(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def reads(self, selector="body"):
        """The text of what may just be renewed."""
        return self.waits(lambda: [self.finds(selector).text])[0]

    def presses(self, words, within="body"):
        """Press what leads to another page, and wait for it."""
        before = self.finds("html")
        self.by_words(words, within).click()
        self.waits(lambda: is_gone(before))

    def by_words(self, words, within="body"):
        for each in self.all(f"{within} button, {within} a"):
            if words in (each.text.strip(), each.get_attribute("aria-label")):
                return each
        raise AssertionError(f"nothing to press is called {words}: {self.reads()}")

    def opens(self, words):
        """Press what asks a question first."""
        asks = [each for each in self.all("summary") if each.get_attribute("aria-label") == words]
        asks[0].click()

    def waits(self, holds, seconds=PATIENCE):
        passing = [WebDriverException]  # a page that just goes
        return WebDriverWait(self.driver, seconds, 0.2, passing).until(lambda _: holds())

    def clicks(self, selector):
        """Click what may just be renewed."""
        self.waits(lambda: self.finds(selector).click() is None)

    def writes(self, selector, words):
        """Write into a field that may just be renewed."""

        def written():
            field = self.finds(selector)
            field.clear()
            return field.send_keys(words) is None

        self.waits(written)

    def signs_in(self, token):
        self.goes()
        self.presses("Sign in")
        self.finds("#token").send_keys(token)
        self.presses("Sign in", "main")
        assert self.driver.current_url == self.board

    def waits_for_the_entry(self):
        """Until the entry is evaluated; without scripts by loading the page again."""

        def evaluated():
            if not self.scripts:
                self.driver.refresh()
            return self.finds("#status").text not in ("", "pending")

        self.waits(evaluated)

    def downloads(self, path):
        """What a link leads to, with this visitor's cookies."""
        cookies = "; ".join(f"{c['name']}={c['value']}" for c in self.driver.get_cookies())
        request = urllib.request.Request(path, headers={"Cookie": cookies})
        with urllib.request.urlopen(request) as answer:
            return answer.read()


def is_gone(element):
    try:
        return not element.is_enabled()
    except WebDriverException:
        return True


@pytest.fixture
def visitor(driver, see, server, served):
    """Make a visitor of a kind; at the end nothing was asked of another host, no script failed."""

    @contextmanager
    def visits(scripts=True, width=1200, scheme="light"):
        see(width, scheme)
        driver.get(server[0])
        driver.delete_all_cookies()
        driver.get_log("browser")
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        try:
            yield Visitor(driver, f"{server[0]}/c/{served.folder.name}", scripts)
        finally:
            driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        told = [each for each in driver.get_log("browser") if each["level"] != "DEBUG"]
        assert [each for each in told if "status of 4" not in each["message"]] == []

    return visits


@pytest.fixture(params=VIEWS, ids=lambda v: f"{'js' if v[0] else 'no-js'}-{v[1]}-{v[2]}")
def someone(request, visitor):
    with visitor(*request.param) as who:
        yield who


def fits(who):
    """The page does not scroll sideways."""
    wide = who.driver.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1], who.driver.current_url


def file(served, text):
    path = served.folder.parent / f"sent-{next(NAMES)}.csv"
    path.write_text(text)
    return path


def drops(who, path):
    """Drop a file as from another window; without scripts it is chosen."""
    chosen = who.finds("#file")
    if not who.scripts:
        chosen.send_keys(str(path))
        return
    who.driver.execute_script(
        """const data = new DataTransfer();
        data.items.add(new File([arguments[1]], arguments[2]));
        arguments[0].dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));""",
        who.finds(".drop"), path.read_text(), path.name,
    )  # fmt: skip


def own(n, by):
    """Rows that no other test sends."""
    return rows(lambda at, item: good(at, item) if (at + n) % by else (poor(at, item) + n % 3) % 4)


def test_the_way_of_a_participant(someone, served):
    who, team = someone, f"team {next(NAMES)}"
    token, n = served.token(team), next(NAMES)
    who.goes()
    before = len(who.all("#standings tbody tr:has(th)"))
    assert before >= 3
    fits(who)
    who.signs_in(token)
    assert team in who.reads()
    assert "not on this board yet" in who.reads()
    # a bad file: its problems at once, and nothing is counted
    who.presses("Submit")
    drops(who, file(served, BAD))
    if not who.scripts:
        who.presses("Check only")
    who.waits(lambda: "S501" in who.reads())
    assert "Nothing was sent" in who.reads()
    fits(who)
    if who.scripts:  # sending it would use up one of the day's rejected files
        assert not who.finds("button[value=send]").is_enabled()
    # a good one
    drops(who, file(served, own(n, 3)))
    if who.scripts:
        who.waits(lambda: "Nothing is wrong" in who.reads())
        assert who.finds("button[value=send]").is_enabled()
    who.finds("[name='answer.method']").send_keys("BM25")
    who.presses("Send")
    who.waits(lambda: "/entries/" in who.driver.current_url)
    who.waits_for_the_entry()
    assert who.reads("#status") == "scored"
    text = who.reads()
    assert "BM25" in text
    assert "private" not in text
    number = int(who.driver.current_url.rsplit("/", 1)[1])
    receipt = who.downloads(who.by_words("Download the receipt").get_attribute("href"))
    assert f'"entry":{number}' in receipt.decode()
    fits(who)
    # its row, and one's own place above it
    who.presses("Leaderboard")
    mine = who.reads("#standings tr.own")
    assert team in mine
    assert "BM25" in mine
    assert team in who.reads(".own.strip")
    assert len(who.all("#standings tbody tr:has(th)")) == before + 1
    fits(who)
    # another entry, selected, and withdrawn
    who.presses("Submit")
    drops(who, file(served, own(n, 4)))
    who.presses("Send")
    who.waits(lambda: "/entries/" in who.driver.current_url)
    who.waits_for_the_entry()
    who.presses("Entries")
    assert len(who.all(".entries tbody tr")) == 2
    fits(who)
    who.presses(f"Select entry {number}")
    assert "selected" in who.all(".entries tbody tr")[1].text
    other = who.all(".entries tbody th a")[0].text
    who.opens(f"Withdraw entry {other}?")
    assert "Only the organizer can restore it" in who.reads()
    who.presses(f"Withdraw entry {other}")
    assert "withdrawn" in who.all(".entries tbody tr")[0].text
    # rules and kit
    who.presses("Rules")
    assert "nDCG" in who.reads() or "P@2" in who.reads()
    fits(who)
    kit = who.downloads(who.by_words("Download the kit").get_attribute("href"))
    assert kit.startswith(b"PK")
    who.presses("Sign out")
    who.goes("/entries")
    assert "Sign in to see entries" in who.reads()


def test_the_way_of_an_organizer(someone, served):
    who, team = someone, f"invited {next(NAMES)}"
    who.signs_in(served.token("organizer"))
    who.presses("Organize")
    fits(who)
    who.presses("Teams")
    fits(who)
    who.finds("#invite").send_keys(team)
    who.presses("Make its token")
    token = who.reads("main pre")
    assert len(token) >= 32
    who.presses(f"Another token of {team}")
    assert who.reads("main pre") != token
    # its entry, and a decision on it
    path = file(served, own(next(NAMES), 5))
    with served.board() as board:
        (added,) = board.add([path], team)
    who.goes("/entries")
    fits(who)
    who.opens(f"Decide on entry {added.entry}")
    what = who.finds(f"[aria-label='Decision on entry {added.entry}']")
    Select(what).select_by_visible_text("disqualify")
    why = who.finds(f"[aria-label='Reason of the decision on entry {added.entry}']")
    why.send_keys("a test of decisions")
    fits(who)
    who.presses(f"Record the decision on entry {added.entry}")
    assert "a test of decisions" in who.reads()
    who.goes("?split=private")
    assert team not in who.reads("main")
    # the tabs of both boards
    splits = [each.text.partition(" ·")[0] for each in who.all(".pills a")]
    assert splits == ["all", "public", "private"]
    fits(who)
    who.presses("Organize")
    who.presses("Audit")
    assert "nothing suspicious" in who.reads() or "entries" in who.reads("ul[role=status]")
    who.presses("Preview a re-scoring")
    assert "Would change: values of 0 lists" in who.reads()
    copy = who.downloads(who.by_words("Download the database").get_attribute("href"))
    assert copy.startswith(b"SQLite format 3")
    fits(who)
    who.presses("Teams")
    who.presses(f"Revoke tokens of {team}")
    row = next(each for each in who.all("tbody tr") if team in each.text)
    assert [cell.text for cell in row.find_elements(By.TAG_NAME, "td")][:2] == ["1", "0"]


def fails(served, reference):
    """An entry whose evaluation failed, with that reference."""
    path = file(served, own(next(NAMES), 7))
    with served.board() as board:
        served.token("failing")
        (added,) = board.add([path], "failing")
    with (
        closing(sqlite3.connect(served.folder / ".scorer/board.db", timeout=30)) as database,
        database,
    ):
        database.execute(
            "UPDATE evaluation SET status='failed', reference=?, cause='a <b>cause</b>' "
            "WHERE sha256 = ?", (reference, added.sha256),
        )  # fmt: skip


def test_a_re_scoring_is_previewed_and_a_failure_has_its_reference(visitor, served):
    truth = served.folder / "truth.csv"
    before = truth.read_text()
    fails(served, "7f3a7f3a")
    with visitor() as who:
        who.signs_in(served.token("organizer"))
        who.presses("Organize")
        who.presses("7f3a7f3a")
        assert "a <b>cause</b>" in who.reads("main pre")
        try:
            truth.write_text(before.replace("q00,a,2", "q00,a,0").replace("q01,a,2", "q01,a,0"))
            who.goes("/admin")
            assert "Needs attention" in who.reads()
            assert "'truth.csv' changed since the version in force" in who.reads()
            who.presses("Preview a re-scoring")
            assert re.search(r"Would change: values of 2 lists; \d+ places", who.reads())
            assert len(who.all("[aria-label=Moves] tbody tr")) >= 1
        finally:
            truth.write_text(before)
        who.goes("/admin")
        who.presses("Try again: 7f3a7f3a")
        assert "None." in who.reads() or "7f3a7f3a" not in who.reads()


def tabs_to(who, holds, most=80):
    """Press Tab until what has the focus is what is wanted."""
    for _ in range(most):
        focused = who.driver.switch_to.active_element
        if holds(focused):
            outline = focused.value_of_css_property("outline-style")
            assert outline != "none", "the focus is not seen"
            return focused
        ActionChains(who.driver).send_keys(Keys.TAB).perform()
    raise AssertionError("the keyboard does not get there")


def named(words):
    return lambda each: words in (each.text.strip(), each.get_attribute("aria-label"))


@pytest.mark.parametrize("width", [1200, 400])
def test_with_the_keyboard_alone(visitor, served, width):
    team = f"keys {next(NAMES)}"
    with visitor(True, width) as who:
        who.goes()
        first = who.driver.switch_to.active_element
        first.send_keys(Keys.TAB)
        skip = who.driver.switch_to.active_element
        assert skip.text == "Skip to the content"
        tabs_to(who, named("Sign in")).send_keys(Keys.ENTER)
        who.waits(lambda: who.driver.current_url.endswith("/sign-in"))
        tabs_to(who, lambda each: each.get_attribute("id") == "token").send_keys(
            served.token(team), Keys.ENTER
        )
        who.waits(lambda: team in who.reads())
        tabs_to(who, named("Submit")).send_keys(Keys.ENTER)
        who.waits(lambda: who.all("#file"))
        chosen = tabs_to(who, lambda each: each.get_attribute("id") == "file")
        chosen.send_keys(str(file(served, own(next(NAMES), 6))))
        who.waits(lambda: "Nothing is wrong" in who.reads())
        tabs_to(who, named("Send")).send_keys(Keys.ENTER)
        who.waits(lambda: "/entries/" in who.driver.current_url)
        who.waits_for_the_entry()
        number = who.driver.current_url.rsplit("/", 1)[1]
        tabs_to(who, named("Entries")).send_keys(Keys.ENTER)
        who.waits(lambda: who.all("tbody form"))
        tabs_to(who, named(f"Select entry {number}")).send_keys(Keys.SPACE)
        who.waits(lambda: "selected" in who.finds("tbody").text)
        tabs_to(who, named("Leaderboard")).send_keys(Keys.ENTER)
        who.waits(lambda: who.all("#standings"))
        tabs_to(who, lambda each: each.tag_name == "summary").send_keys(Keys.ENTER)
        assert who.waits(lambda: who.finds("details.notes ul").is_displayed())
        tabs_to(who, lambda each: each.tag_name == "button" and each.text == "team").send_keys(
            Keys.ENTER
        )
        teams = [each.text for each in who.all("#standings tbody th")]
        assert teams == sorted(teams, key=str.lower)
        assert who.driver.current_url.endswith("?sort=team")
        who.driver.refresh()
        assert [each.text for each in who.all("#standings tbody th")] == teams


def signs_in_by_keys(who, token):
    who.goes()
    tabs_to(who, named("Sign in")).send_keys(Keys.ENTER)
    who.waits(lambda: who.driver.current_url.endswith("/sign-in"))
    has_id(who, "token").send_keys(token, Keys.ENTER)
    who.waits(lambda: who.driver.current_url == who.board)


def has_id(who, id):
    return tabs_to(who, lambda each: id in (each.get_attribute("id"), each.get_attribute("name")))


def chooses(who, id, words):
    """Tab to a list and go down to one of its choices."""
    chosen = has_id(who, id)
    chosen.send_keys(Keys.HOME)
    while (now := Select(chosen).first_selected_option.text) != words:
        chosen.send_keys(Keys.DOWN)
        assert Select(chosen).first_selected_option.text != now, "it is not among the choices"


def keyed(who, words, key=Keys.ENTER):
    """Tab to what leads to another page, press it, and wait for that page."""
    before = who.finds("html")
    tabs_to(who, named(words)).send_keys(key)
    who.waits(lambda: is_gone(before) and who.finds("main"))


def saved(who, words, folder):
    """The file that a link downloads, when it is pressed by key."""
    known = {*folder.iterdir()}
    who.driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)}
    )
    tabs_to(who, named(words)).send_keys(Keys.ENTER)

    def new():
        found = {*folder.iterdir()} - known
        return next((each for each in found if each.suffix not in (".crdownload", ".tmp")), None)

    who.waits(new)
    return new().read_bytes()


def test_entries_and_downloads_with_the_keyboard_alone(visitor, served, tmp_path):
    team = f"keys {next(NAMES)}"
    token = served.token(team)
    with served.board() as board:
        added = [board.add([file(served, own(next(NAMES), by))], team)[0] for by in (3, 4)]
    one, other = (each.entry for each in added)
    with visitor() as who:
        signs_in_by_keys(who, token)
        keyed(who, "Entries")
        tabs_to(who, named(f"Withdraw entry {other}?")).send_keys(Keys.ENTER)
        keyed(who, f"Withdraw entry {other}", Keys.SPACE)
        assert "withdrawn" in who.all(".entries tbody tr")[0].text
        keyed(who, str(one))
        assert f'"entry":{one}' in saved(who, "Download the receipt", tmp_path).decode()
        keyed(who, "Rules")
        assert saved(who, "Download the kit", tmp_path).startswith(b"PK")
        keyed(who, "Sign out")
        assert "Sign in" in who.reads()


def test_an_organizer_with_the_keyboard_alone(visitor, served, tmp_path):
    team = f"invited {next(NAMES)}"
    fails(served, "7f3a7f3c")
    with visitor() as who:
        signs_in_by_keys(who, served.token("organizer"))
        keyed(who, "Organize")
        keyed(who, "Teams")
        before = who.finds("html")
        has_id(who, "invite").send_keys(team, Keys.ENTER)
        who.waits(lambda: is_gone(before) and who.finds("main pre"))
        token = who.reads("main pre")
        keyed(who, f"Another token of {team}", Keys.SPACE)
        assert who.reads("main pre") != token
        with served.board() as board:
            (added,) = board.add([file(served, own(next(NAMES), 5))], team)
        keyed(who, "Entries")
        tabs_to(who, named(f"Decide on entry {added.entry}")).send_keys(Keys.ENTER)
        chooses(who, "kind", "disqualify")
        before = who.finds("html")
        has_id(who, "reason").send_keys("decided by keys", Keys.ENTER)
        who.waits(lambda: is_gone(before) and "decided by keys" in who.reads())
        assert "disqualified" in who.reads()
        keyed(who, "Organize")
        keyed(who, "Audit", Keys.SPACE)
        assert who.all("[role=status]")
        keyed(who, "Preview a re-scoring", Keys.SPACE)
        assert "Would change: values of 0 lists" in who.reads()
        assert saved(who, "Download the database", tmp_path).startswith(b"SQLite format 3")
        keyed(who, "7f3a7f3c")
        assert "a <b>cause</b>" in who.reads("main pre")
        keyed(who, "Organize")
        keyed(who, "Try again: 7f3a7f3c", Keys.SPACE)
        keyed(who, "Teams")
        keyed(who, f"Revoke tokens of {team}", Keys.SPACE)
        row = next(each for each in who.all("tbody tr") if team in each.text)
        assert [cell.text for cell in row.find_elements(By.TAG_NAME, "td")][:2] == ["1", "0"]


def test_times_and_buttons_at_every_width(someone, served):
    """A deadline has its zone, by scripts what is left of it; all buttons are on the screen."""
    who, team = someone, f"times {next(NAMES)}"
    token = served.token(team)
    with served.board() as board:
        added = [board.add([file(served, own(next(NAMES), by))], team)[0] for by in (3, 5)]
    who.signs_in(token)
    who.goes("/entries")
    header = who.reads("header")
    assert ("closes 2120-01-01 00:00 UTC" in header) != who.scripts
    assert ("closes in" in header and "your time" in header) == who.scripts
    if who.scripts:  # the challenge's own time is in the tooltip
        assert "2120-01-01 00:00 UTC" in who.finds("header time").get_attribute("title")
    changes = [row.find_elements(By.TAG_NAME, "td")[1].text for row in who.all("tbody tr")[:2]]
    assert re.fullmatch(r"[+-]0\.\d{4}", changes[0])
    assert changes[1] == ""
    buttons = [each.rect for each in who.all("table.entries :is(button, summary)")]
    screen = who.driver.execute_script("return document.documentElement.clientWidth")
    shown = [rect for rect in buttons if rect["width"]]
    assert len(shown) >= 2 * len(added)
    assert all(rect["x"] >= 0 and rect["x"] + rect["width"] <= screen for rect in shown)
    inner = who.driver.execute_script(
        """return [...document.querySelectorAll(".scroll")]
        .every(each => each.scrollHeight <= each.clientHeight + 1)"""
    )
    assert inner


def test_from_the_board_to_a_first_entry_in_four_actions(someone, served):
    who, team = someone, f"own {next(NAMES)}"
    who.goes()
    who.presses("Submit")
    fits(who)
    who.finds("#name").send_keys(team)
    who.presses("Register")
    token = who.reads("main pre")
    assert "You are signed in" in who.reads()
    fits(who)
    drops(who, file(served, own(next(NAMES), 3)))
    who.presses("Send")
    who.waits(lambda: "/entries/" in who.driver.current_url)
    who.waits_for_the_entry()
    assert who.reads("#status") == "scored"
    # the token is the way in from elsewhere, and leads to where one wanted to go
    who.presses("Sign out")
    who.goes("/entries/1")
    who.finds("#token").send_keys(token)
    who.presses("Sign in", "main")
    assert who.driver.current_url.endswith("/entries/1")


def renews(who):
    """Have an open board ask for news at once, as when its page is seen again."""
    who.driver.execute_script("document.dispatchEvent(new Event('visibilitychange'))")


def test_an_open_board_follows_what_happens(visitor, served):
    with served.board() as board:
        for n in range(6):  # a short board has no filter
            served.token(f"other {n}")
            board.add([file(served, own(n, 2))], f"other {n}")
    served.token("live")
    with visitor() as who:
        who.goes()
        sorted_by = "#standings thead th:nth-child(3)"
        who.clicks(f"{sorted_by} button")
        order = who.waits(lambda: who.finds(sorted_by).get_attribute("aria-sort"))
        who.clicks("details.notes summary")
        who.writes(".filter input", "live")
        who.waits(lambda: not who.finds("#standings tbody tr").is_displayed())
        with served.board() as board:
            board.add([file(served, own(next(NAMES), 8))], "live")
        renews(who)
        shown = lambda: [  # noqa: E731
            each.text for each in who.all("#standings tbody th") if each.is_displayed()
        ]
        who.waits(lambda: shown() == ["live"])
        # what a reader does with a board stays
        who.waits(
            lambda: (
                (
                    who.finds(".filter input").get_attribute("value"),
                    who.driver.switch_to.active_element.get_attribute("type"),
                    who.finds("details.notes ul").is_displayed(),
                    who.finds(sorted_by).get_attribute("aria-sort"),
                )
                == ("live", "search", True, order)
            )
        )
        assert order != "none"
        assert "renewed" in who.reads("#news")


PAGES = [
    (None, ["/", "/c/{id}", "/c/{id}/rules", "/c/{id}/sign-in", "/c/{id}/join",
            "/c/{id}/teams/1", "/codes/S501", "/api/docs", "/nowhere"]),
    ("blue", ["/c/{id}", "/c/{id}/submit", "/c/{id}/entries", "/c/{id}/entries/1"]),
    ("organizer", ["/c/{id}?split=private", "/c/{id}/entries", "/c/{id}/admin",
                   "/c/{id}/admin?view=teams", "/c/{id}/admin?view=log",
                   "/c/{id}/admin/failures/7f3a7f3b"]),
]  # fmt: skip


@pytest.mark.parametrize(("team", "paths"), PAGES)
def test_axe_finds_no_serious_fault(visitor, served, see, team, paths):
    if not AXE.exists():
        pytest.skip("no axe-core here: make browser installs it from npm")
    axe, faults = AXE.read_text(), []
    if team == "organizer":
        fails(served, "7f3a7f3b")
    with visitor() as who:
        if team is not None:
            who.signs_in(served.token(team))
        for path in paths:
            for width, scheme in ((1200, "light"), (400, "dark")):
                see(width, scheme)
                who.driver.get(urljoin(who.board, path.format(id=served.folder.name)))
                who.driver.execute_script(
                    "document.querySelectorAll('details').forEach(each => each.open = true);" + axe
                )
                found = who.driver.execute_async_script(
                    "axe.run(document, {resultTypes: ['violations']}).then(arguments[0])"
                )
                assert len(found["passes"]) > 5  # it did look
                faults += [
                    (path, width, each["id"], each["impact"], each["nodes"][0]["html"][:200])
                    for each in found["violations"]
                ]
    assert faults == []
