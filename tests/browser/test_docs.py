"""The site of the documentation, opened as a folder, finds its pages without a server."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).parents[2]
MKDOCS = Path(sys.executable).parent / "mkdocs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if not MKDOCS.exists():
        pytest.skip("mkdocs is missing: pip install challenge-scorer[docs]")
    folder = tmp_path_factory.mktemp("site")
    words = [MKDOCS, "build", "-q", "--site-dir", folder]
    subprocess.run(words, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=True)
    return folder


@pytest.mark.slow("builds the site and opens it", beyond=60)
@pytest.mark.parametrize(
    ("page", "words", "found"),
    [("index.html", "fail-if-worse", "participate.html"), ("tables.html", "S304", "codes.html")],
)
def test_the_search_of_an_opened_folder_finds_pages(driver, see, site, page, words, found):
    see(1400)  # a narrow screen hides the field behind a button
    driver.get((site / page).as_uri())
    assert driver.current_url.startswith("file://")
    driver.execute_script("document.querySelector('[data-md-toggle=search]').click()")
    field = driver.find_element(By.CSS_SELECTOR, "input[name=query]")
    WebDriverWait(driver, 60).until(lambda _: field.is_displayed() and field.is_enabled())
    field.send_keys(words)

    def results(driver):
        links = driver.find_elements(By.CSS_SELECTOR, ".md-search-result__link")
        return [link.get_attribute("href") for link in links]

    links = WebDriverWait(driver, 60).until(results)
    assert any(found in link for link in links), links
    assert all(link.startswith(site.as_uri()) for link in links)
    assert "unpkg.com" not in driver.page_source  # which a machine without a network cannot ask
