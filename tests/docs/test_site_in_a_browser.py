"""The site in a browser: its search, and what it loads."""

from __future__ import annotations

import functools
import gzip
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..browser import Browser, running_driver

WIDTH = 1366
# Bytes, compressed. The first load is page, styles, script and logo, without the search index.
FIRST_LOAD = 100_000
SEARCH_INDEX = 280_000
READY = "return document.readyState === 'complete' && !!window.component$"
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
    with running_driver() as driver:
        browser = Browser(driver, str(tmp_path_factory.mktemp("profile")))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    """The address of the site over HTTP."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def search(browser: Browser, words: str) -> list[str]:
    """Type into the search field, and return the titles of the results."""
    browser.run("document.querySelector('#__search').checked || document.querySelector('label[for=__search]').click()")
    browser.type("//input[contains(@class, 'md-search__input')]", words)
    browser.wait(RESULTS.replace("return [", "return 0 < [").rstrip() + ".length")
    return list(browser.run(RESULTS))


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
def test_search_finds_the_page_that_a_user_needs_first(browser, base, words, page):
    """Its `tags` name the words."""
    browser.resize(WIDTH)
    browser.console  # noqa: B018  # forgets the messages of the previous page
    browser.open(f"{base}index.html")
    search(browser, words)

    first = browser.run("return document.querySelector('.md-search-result__item a').href")
    assert first.partition("?")[0] == base + page
    assert browser.console == []


def test_search_and_links_work_from_the_file_system(browser, site):
    """A site that was opened from a folder has search, and its links lead to files."""
    browser.resize(WIDTH)
    browser.requests  # noqa: B018  # forgets those of the previous page
    browser.open((site / "index.html").as_uri())

    assert any("ecord" in title for title in search(browser, "precondition"))
    assert [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))] == []
    browser.open((site / "index.html").as_uri())
    browser.click("//a[contains(@class, 'md-button--primary')]")
    assert browser.run("return location.pathname").endswith("/quickstart.html")


def test_the_first_load_is_small(browser, base, site):
    """Loads of the landing page are small, compressed as servers do."""
    browser.requests  # noqa: B018  # forgets those of the previous page
    browser.open(f"{base}index.html")
    browser.wait(READY)
    files = {url.removeprefix(base).partition("?")[0] for url in browser.requests if url.startswith(base)}
    sizes = {file: len(gzip.compress((site / file).read_bytes(), 6)) for file in files}
    index = sum(size for file, size in sizes.items() if "search_index" in file)

    assert 0 < sum(sizes.values()) - index <= FIRST_LOAD
    assert 0 < index <= SEARCH_INDEX
