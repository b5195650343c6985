"""The HTML report in a real browser."""

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")


@pytest.fixture
def page(visit, board):
    with visit(board) as opened:
        yield opened


def names(page):
    return [cell.text for cell in page.find_elements("css selector", ".board tbody th a")]


def head(page, text):
    heads = page.find_elements("css selector", ".board thead th")
    return next(each for each in heads if each.text == text)


def test_it_is_the_board_and_text_stays_text(page, hostile):
    assert page.title == "A <b>board</b>"
    assert page.find_element("css selector", "h1").text == "A <b>board</b>"
    assert names(page)[0] == "first"
    assert hostile in names(page)
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
