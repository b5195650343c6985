"""The page of a comparison in a real browser."""

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")


@pytest.fixture
def page(visit, comparison):
    with visit(comparison) as opened:
        yield opened


def column(page, table, n):
    cells = page.find_elements("css selector", f"{table} tbody tr > :nth-child({n})")
    return [cell.text for cell in cells]


def test_it_says_who_was_compared_and_text_stays_text(page, hostile):
    assert page.title == "A <b>board</b>: comparison"
    about = page.find_element("css selector", "header").text
    assert hostile in about
    assert "Not compared, as they cannot be scored: bad." in about
    assert len(page.find_elements("css selector", "script")) == 1
    assert "first > " in page.find_element("id", "orders").text


def test_its_tables_sort(page):
    table = "#measures details[open] table"
    before = column(page, table, 3)
    assert len(before) == 6
    heads = page.find_elements("css selector", f"{table} th button")
    button = next(each for each in heads if each.text == "difference")
    button.click()
    assert [float(said) for said in column(page, table, 3)] == sorted(map(float, before))[::-1]
    button.send_keys(webdriver.Keys.ENTER)
    assert [float(said) for said in column(page, table, 3)] == sorted(map(float, before))


def test_a_pair_opens_with_its_picture_and_the_pictures_numbers(page):
    link = page.find_element("css selector", "#measures details[open] tbody a")
    link.click()
    pair = page.find_element("id", "p1")
    assert pair.get_attribute("open") is not None
    picture = pair.find_element("css selector", "svg.histogram")
    assert picture.is_displayed()
    numbers = pair.find_element("css selector", "figure table")
    assert not numbers.is_displayed()
    pair.find_element("css selector", "figure summary").send_keys(webdriver.Keys.ENTER)
    assert numbers.is_displayed()
    rows = numbers.find_elements("css selector", "tbody tr")
    assert len(rows) == 12
    assert len(picture.find_elements("css selector", "rect")) == sum(
        float(row.text.split()[-1]) != 0 for row in rows
    )


def test_a_pair_shows_measures_and_preferences(page):
    page.find_element("css selector", "#p1 > summary").click()
    assert column(page, "#p1 .scroll:first-of-type", 1)[:3] == ["P@2", "RR", "nDCG@2"]
    assert "RPP" in page.find_element("id", "p1").text
