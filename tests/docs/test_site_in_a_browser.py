"""The site in a browser: accessibility, layout, search and requests, on every page, in both colour schemes.

`axe/` is axe-core 4.14.1 (https://github.com/dequelabs/axe-core), with its licence.
"""

from __future__ import annotations

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..browser import Browser, running_driver

pytestmark = pytest.mark.one_python

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
AXE = (Path(__file__).parent / "axe/axe.min.js").read_text("utf-8")
# The decisions are pages of one kind: every eighth is read, or all of them if the variable `PAGES` is `all`.
DECISIONS = sorted(DOCS.glob("decisions/*.md"))
UNREAD = () if os.environ.get("PAGES") == "all" else {path for number, path in enumerate(DECISIONS) if number % 8}
PAGES = sorted(str(path.relative_to(DOCS).with_suffix(".html")) for path in {*DOCS.rglob("*.md")} - {*UNREAD})
WIDTHS = (1366, 768, 360)
PHONE = WIDTHS[-1]
READY = "return document.readyState === 'complete' && !!window.component$"
# Each element that is wider than the page, or that hides a part of its code.
TOO_WIDE = """
return [
  ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : []),
  ...[...document.querySelectorAll('.md-content pre > code')]
    .filter(code => code.offsetParent && code.scrollWidth > code.clientWidth + 1)
    .map(code => code.innerText.slice(0, 60)),
]
"""
# The navigation is the same on every page, and the colours of code are compared in test_style.py: one page has both checked.
CONTENT = "{include: ['.md-content', '.md-header'], exclude: ['pre code']}"
VIOLATIONS = """
const found = await axe.run(%s, {resultTypes: ['violations'], %s});
return found.violations
  .filter(violation => ['serious', 'critical'].includes(violation.impact))
  .map(violation => violation.id + ': ' + violation.nodes.map(node => node.target.join(' ')).slice(0, 3).join('; '));
"""
RESULTS = """
return [...document.querySelectorAll('.md-search-result__item h1, .md-search-result__item h2')].map(e => e.innerText)
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser without animations."""
    with running_driver() as driver:
        browser = Browser(driver, str(tmp_path_factory.mktemp("profile")))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The address of the site over HTTP."""
    handler = functools.partial(QuietHandler, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def emulate(browser: Browser, scheme: str) -> None:
    """Select a colour scheme, without animations."""
    browser.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible_and_fits_and_loads_nothing_from_elsewhere(browser: Browser, base: str, page: str) -> None:
    """No serious finding of axe in either scheme, nothing wider than the page, no other host, no error in the console."""
    emulate(browser, "light")
    browser.resize(WIDTHS[0])
    browser.console  # noqa: B018  # forgets the messages of the previous page
    browser.requests  # noqa: B018
    browser.open(base + page)
    browser.wait(READY)
    browser.run(AXE)

    too_wide = {}
    for width in WIDTHS:
        browser.resize(width)
        too_wide[width] = browser.run(TOO_WIDE)
    browser.resize(WIDTHS[0])
    light = browser.run_async(VIOLATIONS % (CONTENT, ""))
    emulate(browser, "dark")
    dark = browser.run_async(VIOLATIONS % (CONTENT, "runOnly: ['color-contrast']"))

    assert too_wide == {width: [] for width in WIDTHS}
    assert {"light": light, "dark": dark} == {"light": [], "dark": []}
    assert [url for url in browser.requests if not url.startswith((base, "data:", "blob:"))] == []
    assert browser.console == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDTHS[0], PHONE])
@pytest.mark.parametrize(
    "page", ["index.html", "guides/conditional-updates.html", "reference/operations/records_update.html"]
)
def test_the_whole_page_is_accessible(browser: Browser, base: str, page: str, width: int, scheme: str) -> None:
    """Navigation, search, code and footer have no serious finding either, on a desktop and on a phone."""
    emulate(browser, scheme)
    browser.resize(width)
    browser.open(base + page)
    browser.wait(READY)
    browser.run(AXE)

    assert browser.run_async(VIOLATIONS % ("document", "")) == []


def search(browser: Browser, words: str) -> list[str]:
    """Type into the search field, and return the titles of the results."""
    browser.run("document.querySelector('#__search').checked || document.querySelector('label[for=__search]').click()")
    browser.type("//input[contains(@class, 'md-search__input')]", words)
    browser.wait(RESULTS.replace("return [", "return 0 < [").rstrip() + ".length")
    return list(browser.run(RESULTS))


def test_search_finds_a_word_over_http(browser: Browser, base: str) -> None:
    """The word of the field finds the guide."""
    browser.resize(WIDTHS[0])
    browser.open(f"{base}index.html")

    assert any("onditional" in title for title in search(browser, "precondition"))


def test_search_and_links_work_from_the_file_system(browser: Browser, site: Path) -> None:
    """A site that was opened from a folder has search, and its links lead to files."""
    browser.resize(WIDTHS[0])
    browser.requests  # noqa: B018  # forgets those of the previous page
    browser.open((site / "index.html").as_uri())

    assert any("onditional" in title for title in search(browser, "precondition"))
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    browser.open((site / "index.html").as_uri())
    browser.click("//a[contains(@class, 'md-button--primary')]")
    assert browser.run("return location.pathname").endswith("/quickstart.html")


def test_the_first_screen_has_sentence_install_line_example_and_figures(browser: Browser, base: str) -> None:
    """They are above the fold of a laptop."""
    emulate(browser, "light")
    browser.resize(WIDTHS[0])
    browser.open(f"{base}index.html")

    for selector in (".hero h1", ".install code", ".hero .tabbed-set", ".figures"):
        bottom = browser.run(f"return document.querySelector('{selector}').getBoundingClientRect().bottom")
        assert 0 < bottom <= 900, selector


def test_a_tab_that_is_chosen_once_is_chosen_on_every_page(browser: Browser, base: str) -> None:
    """Async on the landing page is Async on the page of an operation."""
    browser.resize(WIDTHS[0])
    browser.open(f"{base}index.html")
    browser.wait(READY)
    browser.run("[...document.querySelectorAll('.tabbed-labels label')].find(e => e.innerText === 'Async').click()")
    browser.open(f"{base}reference/operations/records_update.html")
    browser.wait(READY)

    chosen = "return document.querySelector('.tabbed-set input:checked').labels[0].innerText"
    assert browser.run(chosen) == "Async"
    browser.run("localStorage.clear()")


@pytest.mark.parametrize("width", [WIDTHS[0], PHONE])
@pytest.mark.parametrize("page", ["index.html", "inside/how-it-works.html"])
def test_text_in_drawings_stays_in_its_box(browser: Browser, base: str, page: str, width: int) -> None:
    """With the fonts of this machine, no text of a drawing crosses a border."""
    browser.resize(width)
    browser.open(base + page)

    outside = browser.run(
        """return [...document.querySelectorAll('.diagram svg')].filter(s => s.getClientRects().length).flatMap(svg => {
            const view = svg.viewBox.baseVal, boxes = [...svg.querySelectorAll('rect')].map(r => r.getBBox());
            return [...svg.querySelectorAll('text:not([transform])')].filter(t => {
                const b = t.getBBox(), middle = b.y + b.height / 2;
                const start = t.getAttribute('text-anchor') === 'middle' ? b.x + b.width / 2 : b.x;
                const box = boxes.filter(
                    r => start > r.x && start < r.x + r.width && middle > r.y && middle < r.y + r.height).pop();
                const [left, right] = box ? [box.x, box.x + box.width] : [0, view.width];
                return b.x < left - 1 || b.x + b.width > right + 1;
            }).map(t => t.textContent);
        })"""
    )
    assert outside == []
