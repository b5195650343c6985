"""Pages in a real browser: headless Chromium, driven by selenium."""

import json
import os
import shutil
from contextlib import contextmanager

import pytest

from scorer import comparing, pipeline, reporting
from scorer.pipeline import Named
from scorer.reporting import Options

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
HOSTILE = "<script>document.title='taken'</script>"
QUIET = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def hostile():
    """The name of a team that would like to be a script."""
    return HOSTILE


@pytest.fixture(scope="session")
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
        found.append(Named(name, path))
    (folder / "bad.csv").write_text("list,item\nq1,a\nq1,a\n")
    return folder, [*found, Named("bad", folder / "bad.csv")]


@pytest.fixture(scope="session")
def board(sent):
    """The leaderboard's page."""
    folder, files = sent
    page = folder / "board.html"
    page.write_text(reporting.forms().get("html").write(pipeline.score(folder, files), Options()))
    return page


@pytest.fixture(scope="session")
def comparison(sent):
    """The page of a comparison of every two."""
    folder, files = sent
    page = folder / "comparison.html"
    report, found = pipeline.compare(folder, files)
    compared = comparing.Compared(report.challenge, report, found)
    page.write_text(comparing.forms().get("html").write(compared, Options()))
    return page


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not (CHROMIUM and DRIVER):
        pytest.skip("no browser here: apt-get install chromium chromium-driver")
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


@pytest.fixture(scope="session")
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


@pytest.fixture(scope="session")
def see(driver):
    """Set how wide the screen is, and whether it is dark."""

    def set_(width, scheme="light"):
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )

    return set_
