"""What holds for every page: it can be read by anyone, anywhere, and takes nothing from outside."""

from itertools import pairwise

import pytest


@pytest.fixture(params=["board", "comparison"])
def page(request, visit):
    with visit(request.getfixturevalue(request.param)) as opened:
        yield opened


@pytest.mark.parametrize("width", [320, 375, 768])
def test_a_narrow_screen_scrolls_tables_and_not_the_page(page, see, width):
    see(width)
    page.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = page.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide[0] <= wide[1] <= width


def test_it_is_dark_where_the_reader_wants_it_dark(page, see):
    light = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    see(1100, "dark")
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
def test_all_text_stands_out_from_its_ground(page, see, scheme):
    see(1100, scheme)
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
