"""Headless Chromium, driven through its own driver.

Requests to the driver are those of the W3C's WebDriver protocol (https://www.w3.org/TR/webdriver2/).
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from typing import Any

import httpx
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome", "chrome"])), None)
DRIVER = shutil.which("chromedriver")
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,900",
]  # fmt: skip
_PATIENCE = 30.0  # Seconds to wait for a program to start, or for a page
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver section 11: the key of a reference to an element


class Browser:
    """A browser with one page open.

    Args:
        driver: Client of the driver.
        options: Options of Chromium beside the usual ones.
    """

    def __init__(self, driver: httpx.Client, folder: str, **options: Any) -> None:
        self._driver = driver
        arguments = [*FLAGS, f"--user-data-dir={folder}"]
        wanted = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments, **options},
        }
        self._session = ""
        made = self._ask("POST", "session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"session/{made['sessionId']}/"

    def open(self, address: str) -> None:
        """Go to an address, and wait for its page."""
        self._ask("POST", "url", {"url": address})

    def run(self, script: str) -> Any:
        """Return what a script gives that is the test's own; a policy of the page does not apply to it."""
        return self._ask("POST", "execute/sync", {"script": script, "args": []})

    def click(self, path: str) -> None:
        """Click on what an XPath names, and wait for the page that it leads to."""
        self.run("window.isLeft = true")
        self.choose(path)
        # The driver itself does not always wait for what a form leads to.
        until = time.monotonic() + _PATIENCE
        while not self.run("return !window.isLeft && document.readyState === 'complete'"):
            assert time.monotonic() < until, f"{path} led nowhere"
            time.sleep(0.01)

    def choose(self, path: str) -> None:
        """Click on what an XPath names, which leads nowhere."""
        self._ask("POST", f"element/{self._find(path)}/click", {})

    def type(self, path: str, text: str) -> None:
        """Type a text into what an XPath names."""
        self._ask("POST", f"element/{self._find(path)}/value", {"text": text})

    def emulate(self, name: str, value: str) -> None:
        """Have the page see a feature of a device, such as `prefers-color-scheme`."""
        features = {"features": [{"name": name, "value": value}]}
        self._ask("POST", "goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": features})

    @property
    def text(self) -> str:
        """All that somebody can read on the page."""
        return str(self.run("return document.body.innerText"))

    @property
    def complaints(self) -> list[str]:
        """What the browser's console says, such as that the policy of the page was broken."""
        return [entry["message"] for entry in self._ask("POST", "se/log", {"type": "browser"})]

    def close(self) -> None:
        """End the browser."""
        self._ask("DELETE", "", None)

    def _find(self, path: str) -> str:
        return str(self._ask("POST", "element", {"using": "xpath", "value": path})[ELEMENT])

    def _ask(self, method: str, what: str, body: Any) -> Any:
        response = self._driver.request(method, (self._session + what).rstrip("/"), json=body)
        value = response.json()["value"]
        assert response.status_code == 200, value
        return value


@pytest.fixture(scope="module")
def driver():
    """The driver, which starts browsers; without it or without Chromium these tests are skipped."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            until = time.monotonic() + _PATIENCE
            while not _is_ready(client):
                assert time.monotonic() < until, "chromedriver did not start"
                time.sleep(0.05)
            yield client
    finally:
        process.terminate()
        process.wait(30)


def _is_ready(client: httpx.Client) -> bool:
    try:
        return bool(client.get("status").json()["value"]["ready"])
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def browser(driver, tmp_path_factory):
    """A browser as somebody has it on a desk."""
    browser = Browser(driver, str(tmp_path_factory.mktemp("desk")))
    yield browser
    browser.close()


@pytest.fixture
def phone(driver, tmp_path):
    """A browser as somebody has it in a pocket, 360 pixels wide."""
    metrics = {"deviceMetrics": {"width": 360, "height": 740, "pixelRatio": 2}}
    browser = Browser(driver, str(tmp_path), mobileEmulation=metrics)
    yield browser
    browser.close()


@pytest.fixture
def address(stub):
    """The address of the stub on a socket."""
    with stub.serve() as server:
        yield server.base_url
