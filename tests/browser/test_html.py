"""The HTML report in a real browser: headless Chromium, driven by selenium."""

import json
import os
import shutil
from itertools import pairwise

import pytest

from scorer.pipeline import Named
from scorer.pipeline import score as scored
from scorer.reporting import Options, forms

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER),
    reason="no browser here: apt-get install chromium chromium-driver",
)
HOSTILE = "<script>document.title='taken'</script>"
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A page with two good submissions, a hostile name, a rejected file and groups."""
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
    sent = []
    for n, (name, items) in enumerate(files.items()):
        path = folder / f"{n}.csv"
        rows = [f"{q},{item}\n" for q in lists for item in items]
        path.write_text("list,item\n" + "".join(rows))
        sent.append(Named(name, path))
    (folder / "bad.csv").write_text("list,item\nq1,a\nq1,a\n")
    page = folder / "board.html"
    found = scored(folder, [*sent, Named("bad", folder / "bad.csv")])
    page.write_text(forms().get("html").write(found, Options()))
    return page


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for word in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    home = os.environ.get("HOME", "/")
    service = webdriver.ChromeService(DRIVER, env={"PATH": "/usr/bin:/bin", "HOME": home})
    opened = webdriver.Chrome(options=options, service=service)
    yield opened
    opened.quit()


@pytest.fixture
def page(driver, report):
    """The page as a reader with a wide, light screen finds it; at the end, no error, no request."""
    see(driver, 1100)
    driver.get("about:blank")
    for kind in ("browser", "performance"):
        driver.get_log(kind)
    driver.get(report.as_uri())
    yield driver
    assert driver.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
        and not event["params"]["request"]["url"].startswith("chrome:")  # its own first tab
    ]
    assert {url.partition("#")[0] for url in asked} <= {report.as_uri(), "about:blank"}


def see(driver, width, scheme="light"):
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )


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
    assert page.find_element("css selector", "#s1 svg.histogram").is_displayed()
    summary = page.find_element("css selector", "#s1 figure summary")
    assert not page.find_element("css selector", "#s1 figure table").is_displayed()
    summary.send_keys(webdriver.Keys.ENTER)
    assert page.find_element("css selector", "#s1 figure table").is_displayed()


def test_the_rejected_one_stands_open_with_its_problems(page):
    opened = page.find_elements("css selector", ".submissions > details[open]")
    assert ["bad" in each.text and "S304" in each.text for each in opened] == [True]


@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_narrow_screen_scrolls_tables_and_not_the_page(page, width):
    see(page, width)
    page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = page.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1] <= width


def test_it_is_dark_where_the_reader_wants_it_dark(page):
    light = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    see(page, 1100, "dark")
    dark = page.execute_script("return getComputedStyle(document.body).backgroundColor")
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
def test_all_text_stands_out_from_its_ground(page, scheme):
    see(page, 1100, scheme)
    assert page.execute_script(CONTRAST) == []


def test_a_screen_reader_finds_its_way(page):
    count = page.execute_script(
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


def test_a_script_from_outside_would_not_run(page):
    policy = page.find_element("css selector", "meta[http-equiv]").get_attribute("content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    ran = page.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.taken = 1';"
        "document.body.append(s); return window.taken === 1"
    )
    assert ran is False
    refused = page.get_log("browser")
    assert len(refused) == 1
    assert "Content Security Policy" in refused[0]["message"]
