"""The site in a browser: accessibility, layout, search and requests, on every page, in both colour schemes.

`axe/` is axe-core 4.14.1 (https://github.com/dequelabs/axe-core), with its licence.
"""

from __future__ import annotations

import functools
import gzip
import http.server
import io
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..browser import Browser, running_driver

ROOT = Path(__file__).parents[2]
AXE = (Path(__file__).parent / "axe/axe.min.js").read_text("utf-8")
NAVIGATION = re.findall(r"^ +- (?:[^:\n]+: )?(\S+)\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
# The pages of operations are of one kind: every fourth is read.
OPERATIONS = [name for name in NAVIGATION if name.startswith("reference/operations/")]
PAGES = [f"{name}.html" for name in NAVIGATION if name not in OPERATIONS or OPERATIONS.index(name) % 4 == 3]
WIDTHS = (1366, 768, 360)
PHONE = WIDTHS[-1]
# Bytes, compressed. The first load is page, styles, script and logo, without the search index.
FIRST_LOAD = 100_000
SEARCH_INDEX = 280_000
READY = "return document.readyState === 'complete' && !!window.component$"
# Each element that is wider than the page, or that hides a part of its code, in every tab. `innerWidth` of a phone grows with the
# page.
TOO_WIDE = """
const opened = document.head.appendChild(document.createElement('style'));
opened.textContent = '.tabbed-block { display: block !important }';
const found = [
  ...(document.documentElement.scrollWidth > %d ? ['the page'] : []),
  ...[...document.querySelectorAll('.md-content pre > code')]
    .filter(code => code.offsetParent && code.scrollWidth > code.clientWidth + 1)
    .map(code => code.innerText.slice(0, 60)),
];
opened.remove();
return found;
"""
# The navigation is the same on every page: a page of each kind has it checked, also on a phone, and the colours of its code.
WHOLE = {
    "index.html",
    "compare.html",
    "guides/records.html",
    "notebooks/first_steps.html",
    "reference/error-catalogue.html",
    "reference/operations/records_update.html",
}
CONTENT = "{include: ['.md-content', '.md-header'], exclude: ['pre code']}"
# The impact of a rule is the impact of its findings, so the other rules need not run. In the second scheme, the rules about
# colours run again: the others see the same elements.
VIOLATIONS = """
const rules = axe._audit.rules
  .filter(rule => rule.enabled && ['serious', 'critical'].includes(rule.impact))
  .filter(rule => !rule.tags.includes('experimental') && !rule.tags.includes('deprecated'))
  .map(rule => rule.id);
if (rules.length < 50) throw new Error(`only ${rules.length} rules of axe are serious or critical`);
const colours = ['color-contrast', 'link-in-text-block'];
const found = await axe.run(%s, {resultTypes: ['violations'], preload: false, runOnly: %s});
return found.violations.map(violation =>
  violation.impact + ' ' + violation.id + ': ' + violation.nodes.map(node => node.target.join(' ')).slice(0, 3).join('; '));
"""
SCHEMES = {"light": "rules", "dark": "colours"}
NAMES = {"light": "default", "dark": "slate"}  # of the theme
RESULTS = """
return [...document.querySelectorAll('.md-search-result__item h1, .md-search-result__item h2')].map(e => e.innerText)
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass


class UnsearchableHandler(QuietHandler):
    """Serves a site without entries in its search index, which takes each page a third of its time to read."""

    def send_head(self) -> Any:
        path = Path(self.translate_path(self.path))
        if path.name != "search_index.json":
            return super().send_head()
        body = json.dumps({**json.loads(path.read_text("utf-8")), "docs": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        return io.BytesIO(body)


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
    with served(site, QuietHandler) as address:
        yield address


@pytest.fixture(scope="module")
def unsearchable(site: Path) -> Iterator[str]:
    """The address of the site over HTTP, with an empty search index."""
    with served(site, UnsearchableHandler) as address:
        yield address


@contextmanager
def served(site: Path, handler: type[QuietHandler]) -> Iterator[str]:
    """Serve the site, and yield its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def emulate(browser: Browser, scheme: str) -> None:
    """Select a colour scheme, without animations."""
    browser.emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_accessible_and_fits_and_loads_nothing_from_elsewhere(
    browser: Browser, unsearchable: str, page: str
) -> None:
    """No serious finding of axe in either scheme, nothing wider than the page, no other host, no error in the console."""
    emulate(browser, "light")
    browser.resize(WIDTHS[0])
    browser.console  # noqa: B018  # forgets the messages of the previous page
    browser.requests  # noqa: B018
    browser.open(unsearchable + page)
    browser.wait(READY)
    browser.run(AXE)

    found = []
    for width in WIDTHS:
        browser.resize(width)
        found += [f"{page} at {width} px is too narrow for {element}" for element in browser.run(TOO_WIDE % width)]
        if width == WIDTHS[0] or (width == PHONE and page in WHOLE):
            found += [f"{page} at {width} px, {finding}" for finding in violations(browser, page)]
    found += [f"{page} loads {url}" for url in browser.requests if not url.startswith((unsearchable, "data:", "blob:"))]
    found += [f"{page} writes to the console: {message}" for message in browser.console]

    assert found == []


def violations(browser: Browser, page: str) -> list[str]:
    """Return the serious and critical findings of axe, in each scheme."""
    found = []
    for scheme, rules in SCHEMES.items():
        emulate(browser, scheme)
        browser.wait(f"return document.body.dataset.mdColorScheme === '{NAMES[scheme]}'")
        result = browser.run_async(VIOLATIONS % ("document" if page in WHOLE else CONTENT, rules))
        # A string is an error of the script.
        found += [f"{scheme}: {finding}" for finding in ([result] if isinstance(result, str) else result)]
    return found


def test_a_violation_of_each_kind_is_found(browser: Browser, unsearchable: str) -> None:
    """A button without a name, text that is too light in one scheme, an element that is too wide, and code cut off in a tab."""
    page = "guides/paging.html"
    emulate(browser, "light")
    browser.resize(WIDTHS[0])
    browser.open(unsearchable + page)
    browser.wait(READY)
    browser.run(AXE)
    browser.run(
        """document.querySelector('.md-content__inner').insertAdjacentHTML('afterbegin', `
            <button class="nameless"></button>
            <style>
              [data-md-color-scheme=default] .pale { color: #ccc }
              [data-md-color-scheme=slate] .dim { color: #444 }
              .wide { width: 500px }
            </style>
            <p class="pale">Some text</p><p class="dim">Some text</p><p class="wide">Some text</p>
            <div class="tabbed-content"><div class="tabbed-block"><pre><code>${'long'.repeat(50)}</code></pre></div></div>`)"""
    )

    cut_off = browser.run(TOO_WIDE % WIDTHS[0])
    found = violations(browser, page)
    browser.resize(PHONE)

    assert sorted(found) == [
        "dark: serious color-contrast: .dim",
        "light: critical button-name: .nameless",
        "light: serious color-contrast: .pale",
    ]
    assert cut_off == ["long" * 15]
    assert browser.run(TOO_WIDE % PHONE) == ["the page"]


def search(browser: Browser, words: str) -> list[str]:
    """Type into the search field, and return the titles of the results."""
    browser.run("document.querySelector('#__search').checked || document.querySelector('label[for=__search]').click()")
    browser.type("//input[contains(@class, 'md-search__input')]", words)
    browser.wait(RESULTS.replace("return [", "return 0 < [").rstrip() + ".length")
    return list(browser.run(RESULTS))


def test_search_finds_a_word_over_http(browser: Browser, base: str) -> None:
    """The word of the field finds the guide."""
    browser.resize(WIDTHS[0])
    browser.console  # noqa: B018  # forgets the messages of the previous page
    browser.open(f"{base}index.html")

    assert any("ecord" in title for title in search(browser, "precondition"))
    assert browser.console == []


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("install", "quickstart.html"),
        ("proxy", "run/network.html"),
        ("raw response", "guides/responses.html"),
        ("pandas", "guides/frames.html"),
        ("idempotency", "writes.html"),
        ("rate limit", "guides/configuration.html"),
        ("upgrade", "from-0.2-to-0.3.html"),
        ("timeout", "guides/configuration.html"),
        ("pagination", "guides/paging.html"),
        ("testing", "guides/pytest.html"),
    ],
)
def test_search_finds_the_page_that_a_user_needs_first(browser: Browser, base: str, words: str, page: str) -> None:
    """Its `tags` name the words."""
    browser.resize(WIDTHS[0])
    browser.open(f"{base}index.html")
    search(browser, words)

    first = browser.run("return document.querySelector('.md-search-result__item a').href")
    assert first.partition("?")[0] == base + page


def test_search_and_links_work_from_the_file_system(browser: Browser, site: Path) -> None:
    """A site that was opened from a folder has search, and its links lead to files."""
    browser.resize(WIDTHS[0])
    browser.requests  # noqa: B018  # forgets those of the previous page
    browser.open((site / "index.html").as_uri())

    assert any("ecord" in title for title in search(browser, "precondition"))
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    browser.open((site / "index.html").as_uri())
    browser.click("//a[contains(@class, 'md-button--primary')]")
    assert browser.run("return location.pathname").endswith("/quickstart.html")


def test_the_first_load_is_small(browser: Browser, base: str, site: Path) -> None:
    """What the landing page loads, compressed as servers do."""
    browser.requests  # noqa: B018  # forgets those of the previous page
    browser.open(f"{base}index.html")
    browser.wait(READY)
    files = {url.removeprefix(base).partition("?")[0] for url in browser.requests if url.startswith(base)}
    sizes = {file: len(gzip.compress((site / file).read_bytes(), 6)) for file in files}
    index = sum(size for file, size in sizes.items() if "search_index" in file)

    assert 0 < sum(sizes.values()) - index <= FIRST_LOAD
    assert 0 < index <= SEARCH_INDEX


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
