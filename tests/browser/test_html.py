"""The pages of a report and of a comparison in headless Chromium, driven by selenium."""

import json
import re
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

import scorer
from scorer.api.submissions import SubmissionFile

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
AXE = Path(__file__).parents[2] / ".venv/node/node_modules/axe-core/axe.min.js"
HOSTILE = "<script>document.title='taken'</script>"


@pytest.fixture(scope="module")
def sent(tmp_path_factory):
    """A challenge with groups, good submissions, one of a hostile name, and a bad one."""
    folder = tmp_path_factory.mktemp("board")
    lists = [f"q{n}" for n in range(12)]
    (folder / "lists.csv").write_text(
        "list,group\n" + "".join(f"{q},{'odd' if n % 2 else 'even'}\n" for n, q in enumerate(lists))
    )
    (folder / "truth.csv").write_text("list,item\n" + "".join(f"{q},a\n{q},b\n" for q in lists))
    (folder / "challenge.yaml").write_text(
        "title: A <b>board</b>\ntruth: truth.csv\nlists: lists.csv\nmetrics: [P@2, RR, nDCG@2]\n"
    )
    files = {
        "first": ["a", "b"], HOSTILE: ["x", "a"], "a team whose name is rather long": ["x", "y"],
        "between": ["a", "x"],
    }  # fmt: skip
    found = []
    for n, (name, items) in enumerate(files.items()):
        path = folder / f"{n}.csv"
        rows = [f"{q},{item}\n" for q in lists for item in items]
        path.write_text("list,item\n" + "".join(rows))
        found.append(SubmissionFile(name, path))
    (folder / "bad.csv").write_text("list,item\nq1,a\nq1,a\n")
    return folder, [*found, SubmissionFile("bad", folder / "bad.csv")]


@pytest.fixture(scope="module")
def board(sent):
    """The leaderboard's page."""
    folder, files = sent
    page = folder / "board.html"
    scorer.score(folder, files).write(page)
    return page


@pytest.fixture(scope="module")
def comparison(sent):
    """The page of a comparison of every two."""
    folder, files = sent
    page = folder / "comparison.html"
    scorer.compare(folder, files).write(page)
    return page


@pytest.fixture(scope="module")
def visit(driver, see):
    """Open a file as a reader with a wide, light screen; at the end, no error, no request."""

    @contextmanager
    def visited(path):
        see(1100)
        driver.get("about:blank")
        for kind in ("browser", "performance"):
            driver.get_log(kind)
        driver.get(path.as_uri())
        yield driver
        assert driver.get_log("browser") == []
        events = [
            json.loads(entry["message"])["message"] for entry in driver.get_log("performance")
        ]
        asked = [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
            and not event["params"]["request"]["url"].startswith("chrome:")  # its own first tab
        ]
        assert {url.partition("#")[0] for url in asked} <= {path.as_uri(), "about:blank"}

    return visited


@pytest.fixture
def page(visit, board):
    with visit(board) as opened:
        yield opened


def names(page):
    return [cell.text for cell in page.find_elements("css selector", ".board tbody th a")]


def head(page, text):
    heads = page.find_elements("css selector", ".board thead th")
    return next(each for each in heads if each.text == text)


def test_it_is_the_board_and_text_stays_text(page):
    assert page.title == "A <b>board</b>"
    assert page.find_element("css selector", "h1").text == "A <b>board</b>"
    assert names(page)[0] == "first"
    assert HOSTILE in names(page)
    assert len(page.find_elements("css selector", "script")) == 1


def test_it_sorts_by_click(page):
    before = names(page)
    button = head(page, "RR").find_element("css selector", "button")
    button.click()
    assert head(page, "RR").get_attribute("aria-sort") == "descending"
    assert head(page, "rank").get_attribute("aria-sort") == "none"
    assert names(page)[:2] in (["first", "between"], ["between", "first"])
    button.click()
    assert head(page, "RR").get_attribute("aria-sort") == "ascending"
    assert names(page)[0] == "a team whose name is rather long"
    head(page, "rank").find_element("css selector", "button").click()
    assert names(page) == before


def test_it_sorts_with_the_keyboard(page):
    body = page.find_element("css selector", "body")
    keys = webdriver.Keys
    wanted = head(page, "name").find_element("css selector", "button")
    body.send_keys(keys.TAB)
    for _ in range(30):
        if page.switch_to.active_element == wanted:
            break
        page.switch_to.active_element.send_keys(keys.TAB)
    assert page.switch_to.active_element == wanted
    wanted.send_keys(keys.ENTER)
    assert head(page, "name").get_attribute("aria-sort") == "ascending"
    assert names(page) == sorted(names(page), key=str.lower)
    wanted.send_keys(keys.SPACE)
    assert head(page, "name").get_attribute("aria-sort") == "descending"


def test_a_name_opens_its_section_and_a_summary_opens_with_the_keyboard(page):
    page.find_element("link text", "first").click()
    section = page.find_element("id", "s1")
    assert section.get_attribute("open") is not None
    assert section.find_element("css selector", "p").is_displayed()


def test_the_rejected_one_stands_open_with_its_problems(page):
    opened = page.find_elements("css selector", ".submissions > details[open]")
    assert ["bad" in each.text and "S304" in each.text for each in opened] == [True]
    places = [each.get_attribute("id") for each in page.find_elements("css selector", "section")]
    assert places[:3] == ["short", "rejected", "board"]


@pytest.fixture
def duel(visit, comparison):
    with visit(comparison) as opened:
        yield opened


def column(duel, table, n):
    cells = duel.find_elements("css selector", f"{table} tbody tr > :nth-child({n})")
    return [cell.text for cell in cells]


def test_it_says_who_was_compared_and_text_stays_text(duel):
    assert duel.title == "A <b>board</b>: comparison"
    about = duel.find_element("css selector", "header").text
    assert HOSTILE in about
    assert "Not compared, as they cannot be scored: bad." in about
    assert len(duel.find_elements("css selector", "script")) == 1
    assert duel.find_elements("id", "orders") == []


def test_its_tables_sort(duel):
    table = "#measures details[open] table"
    names = [each.text for each in duel.find_elements("css selector", f"{table} th")]
    place = names.index("difference") + 1
    before = column(duel, table, place)
    assert len(before) == 6
    heads = duel.find_elements("css selector", f"{table} th button")
    button = next(each for each in heads if each.text == "difference")
    button.click()
    assert [float(said) for said in column(duel, table, place)] == sorted(map(float, before))[::-1]
    button.send_keys(webdriver.Keys.ENTER)
    assert [float(said) for said in column(duel, table, place)] == sorted(map(float, before))


def test_a_pair_opens_with_its_picture_and_the_pictures_numbers(duel):
    link = duel.find_element("css selector", "#measures details[open] tbody a")
    link.click()
    pair = duel.find_element("id", "p1")
    assert pair.get_attribute("open") is not None
    picture = pair.find_element("css selector", "svg.differences")
    assert picture.is_displayed()
    numbers = pair.find_element("css selector", "figure:has(.differences) table")
    assert not numbers.is_displayed()
    pair.find_element("css selector", "figure:has(.differences) summary").send_keys(
        webdriver.Keys.ENTER
    )
    assert numbers.is_displayed()
    rows = numbers.find_elements("css selector", "tbody tr")
    assert len(rows) == 12
    assert len(picture.find_elements("css selector", "rect")) == sum(
        float(row.text.split()[-1]) != 0 for row in rows
    )


def test_a_pair_shows_measures(duel):
    duel.find_element("css selector", "#p1 > summary").click()
    assert column(duel, "#p1 .scroll:first-of-type", 1)[:3] == ["P@2", "RR", "nDCG@2"]


@pytest.fixture(params=["board", "comparison"])
def either(request, visit):
    with visit(request.getfixturevalue(request.param)) as opened:
        yield opened


@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_narrow_screen_scrolls_tables_and_not_the_page(either, see, width):
    see(width)
    either.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = either.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1] <= width


def test_it_is_dark_where_the_reader_wants_it_dark(either, see):
    light = either.execute_script("return getComputedStyle(document.body).backgroundColor")
    see(1100, "dark")
    dark = either.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(22, 24, 28)")


CONTRAST = """
const channel = c => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
const light = rgb => [.2126, .7152, .0722].reduce((sum, w, i) => sum + w * channel(rgb[i]), 0);
const numbers = said => said.match(/[0-9.]+/g).map(Number);
const ground = node => {
  for (; node; node = node.parentElement) {
    const found = numbers(getComputedStyle(node).backgroundColor);
    if (found.length < 4 || found[3] > 0) return found;
  }
};
document.querySelectorAll('details').forEach(d => d.open = true);
const faint = [];
for (const node of document.querySelectorAll('body *')) {
  const own = [...node.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!own || node.closest('svg, script')) continue;
  const pair = [light(numbers(getComputedStyle(node).color)), light(ground(node))].sort();
  const ratio = (pair[1] + .05) / (pair[0] + .05);
  if (ratio < 4.5) faint.push([node.tagName, node.textContent.slice(0, 30), ratio]);
}
return faint;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_its_ground(either, see, scheme):
    see(1100, scheme)
    assert either.execute_script(CONTRAST) == []


def test_a_screen_reader_finds_its_way(either):
    count = either.execute_script(
        """const all = q => [...document.querySelectorAll(q)];
        return {
          main: all('main').length,
          lang: document.documentElement.lang,
          bare: all('table').filter(t => !t.caption || !t.caption.textContent).length,
          scopes: all('th').filter(t => !t.scope).length,
          pictures: all('svg').filter(s => s.getAttribute('aria-hidden') !== 'true').length,
          sections: all('section').filter(
            s => !document.getElementById(s.getAttribute('aria-labelledby'))).length,
          twice: all('[id]').length - new Set(all('[id]').map(e => e.id)).size,
          reached: all('.scroll').filter(s => s.tabIndex !== 0 || !s.ariaLabel).length,
          levels: all('h1, h2, h3, h4').map(h => Number(h.tagName[1])),
        }"""
    )
    levels = count.pop("levels")
    assert count == {
        "main": 1, "lang": "en", "bare": 0, "scopes": 0, "pictures": 0, "sections": 0,
        "twice": 0, "reached": 0,
    }  # fmt: skip
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_script_from_outside_would_not_run(either):
    policy = either.find_element("css selector", "meta[http-equiv]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    ran = either.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.taken = 1';"
        "document.body.append(s); return window.taken === 1"
    )
    assert ran is False
    refused = either.get_log("browser")
    assert len(refused) == 1
    assert "Content Security Policy" in refused[0]["message"]


@pytest.mark.parametrize("page", ["board", "comparison"])
def test_axe_finds_no_fault(page, request, visit, see, tmp_path):
    if not AXE.exists():
        pytest.skip("no axe-core here: make browser installs it from npm")
    # a copy without its policy, which lets no other script run
    copy, faults = tmp_path / "board.html", []
    text = request.getfixturevalue(page).read_text()
    copy.write_text(re.sub(r"<meta http-equiv=.*?>", "", text, flags=re.DOTALL))
    for width, scheme in ((1200, "light"), (400, "dark")):
        see(width, scheme)
        with visit(copy) as opened:
            opened.execute_script(
                "document.querySelectorAll('details').forEach(each => each.open = true);"
                + AXE.read_text()
            )
            found = opened.execute_async_script(
                "axe.run(document, {resultTypes: ['violations']}).then(arguments[0])"
            )
        assert len(found["passes"]) > 5  # it did look
        faults += [(width, each["id"]) for each in found["violations"]]
    assert faults == []


LONG = "n" * 90


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """The page of a board of 60 submissions, one of which is far behind and has a long name."""
    folder = tmp_path_factory.mktemp("large")
    lists = [f"q{n}" for n in range(10)]
    rows = [f"{q},i{k},1\n" for q in lists for k in range(5)]
    (folder / "truth.csv").write_text("list,item,grade\n" + "".join(rows))
    (folder / "challenge.yaml").write_text(
        "title: Large\ntruth: truth.csv\nmetrics: [AP, P@5, RR]\nleaderboard: {draws: 200}\n"
    )
    found = []
    for n in range(60):
        path = folder / f"{n}.csv"
        items = [f"x{k}" if k == n % 4 else f"i{k}" for k in range(5)]
        rows = [
            f"{q},{item}\n"
            for m, q in enumerate(lists)
            for item in (["z"] if n == 0 else items[m % 3 :] + items[: m % 3])
        ]
        path.write_text("list,item\n" + "".join(rows))
        found.append(SubmissionFile(LONG if n == 0 else f"team {n}", path))
    page = folder / "board.html"
    scorer.score(folder, found).write(page)
    return page


@pytest.fixture
def crowd(visit, large):
    with visit(large) as opened:
        yield opened


def test_a_filter_keeps_the_rows_whose_name_holds_it(crowd):
    box = crowd.find_element("css selector", ".filter input")
    assert box.is_displayed()
    box.send_keys("TEAM 5")
    kept = [name for name in names(crowd) if name]
    assert sorted(kept) == sorted(["team 5", *(f"team {n}" for n in range(50, 60))])
    assert crowd.find_element("css selector", ".filter output").text == "11 of 60"
    shown = crowd.find_elements("css selector", ".submissions > details:not([hidden])")
    assert len(shown) == 11
    head(crowd, "RR").find_element("css selector", "button").click()
    assert len([name for name in names(crowd) if name]) == 11
    box.clear()
    box.send_keys(LONG[:60])
    assert [name for name in names(crowd) if name] == [LONG]


def test_a_small_board_needs_no_filter(page):
    assert page.find_elements("css selector", ".filter") == []


def test_headings_stay_in_sight(crowd):
    crowd.execute_script("document.querySelectorAll('.board tbody tr')[40].scrollIntoView()")
    top = crowd.execute_script(
        "return document.querySelector('.board thead th').getBoundingClientRect().top"
    )
    assert abs(top) < 2


@pytest.mark.parametrize("width", [375, 1100])
def test_a_long_name_covers_no_number(crowd, see, width):
    see(width)
    over = crowd.execute_script(
        """const over = [];
        for (const row of document.querySelectorAll('.board tbody tr')) {
          const cell = row.querySelector('th'), link = cell.querySelector('a');
          const [inside, outside] = [link.getBoundingClientRect(), cell.getBoundingClientRect()];
          if (inside.right > outside.right + 1 || inside.left < outside.left - 1) over.push(row);
        }
        return over.length"""
    )
    assert over == 0


def test_the_bars_show_every_submission(crowd):
    marks = crowd.find_elements("css selector", ".board tbody .bar :is(circle, text)")
    assert len(marks) == 60
    centres = [mark.rect["x"] + mark.rect["width"] / 2 for mark in marks]
    cell = crowd.find_element("css selector", ".board tbody .bar").rect
    assert all(cell["x"] <= x <= cell["x"] + cell["width"] for x in centres)
    # one far behind does not squeeze the others
    assert marks[-1].tag_name == "text"
    assert max(centres[:-1]) - min(centres[:-1]) > cell["width"] / 12


def test_the_pairs_of_the_best_fifteen_are_shown(crowd):
    assert len(crowd.find_elements("css selector", "#pairs tbody tr")) == 15 * 14 / 2
    assert "The first 15 of 60 submissions" in crowd.find_element("id", "pairs").text
