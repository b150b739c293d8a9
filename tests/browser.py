"""Headless Chromium, controlled through chromedriver.

The driver implements the W3C's WebDriver protocol (https://www.w3.org/TR/webdriver2/).
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome", "chrome"])), None)
DRIVER = shutil.which("chromedriver")
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--window-size=1200,900",
]  # fmt: skip
_PHONE = 500  # Pixels; a narrower page is that of a phone.
_TIMEOUT = 30.0  # Seconds to wait for a program to start, or for a page
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # WebDriver section 11: the key of a reference to an element


class Browser:
    """A browser with one page open.

    Args:
        driver: Client of the driver.
        folder: Folder of the browser's profile.
        options: Additional options of Chromium.
    """

    def __init__(self, driver: httpx.Client, folder: str, **options: Any) -> None:
        self._driver = driver
        arguments = [*FLAGS, f"--user-data-dir={folder}"]
        capabilities = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments, **options},
        }
        self._session = ""
        session = self._send("POST", "session", {"capabilities": {"alwaysMatch": capabilities}})
        self._session = f"session/{session['sessionId']}/"

    def open(self, address: str) -> None:
        """Open an address, and wait for the page."""
        self._send("POST", "url", {"url": address})

    def run(self, script: str) -> Any:
        """Return the result of a script of the test, to which the policy of the page does not apply."""
        return self._send("POST", "execute/sync", {"script": script, "args": []})

    def click(self, path: str) -> None:
        """Click on the element at an XPath, and wait for the next page."""
        self.run("window.isLeft = true")
        self.choose(path)
        # The driver does not always wait for the page after a form.
        self.wait("return !window.isLeft && document.readyState === 'complete'")

    def choose(self, path: str) -> None:
        """Click on the element at an XPath that opens no page."""
        self._send("POST", f"element/{self._find(path)}/click", {})

    def type(self, path: str, text: str) -> None:
        """Type a string into the element at an XPath."""
        self._send("POST", f"element/{self._find(path)}/value", {"text": text})

    def resize(self, width: int, height: int = 900) -> None:
        """Give the page a size, in pixels."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < _PHONE
        )

    def command(self, name: str, **parameters: Any) -> Any:
        """Return the result of a command of Chromium's DevTools protocol."""
        return self._send("POST", "goog/cdp/execute", {"cmd": name, "params": parameters})

    def wait(self, script: str) -> None:
        """Wait until a script returns something true."""
        until = time.monotonic() + _TIMEOUT
        while not self.run(script):
            assert time.monotonic() < until, f"this did not become true: {script}"
            time.sleep(0.01)

    @property
    def requests(self) -> list[str]:
        """The addresses that the browser has requested since the last look."""
        messages = (
            json.loads(entry["message"])["message"] for entry in self._send("POST", "se/log", {"type": "performance"})
        )
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    @property
    def text(self) -> str:
        """The visible text of the page."""
        return str(self.run("return document.body.innerText"))

    @property
    def console(self) -> list[str]:
        """The new messages of the browser's console, such as violations of the page's policy."""
        return [entry["message"] for entry in self._send("POST", "se/log", {"type": "browser"})]

    def close(self) -> None:
        """End the browser."""
        self._send("DELETE", "", None)

    def _find(self, path: str) -> str:
        return str(self._send("POST", "element", {"using": "xpath", "value": path})[ELEMENT])

    def _send(self, method: str, path: str, body: Any) -> Any:
        response = self._driver.request(method, (self._session + path).rstrip("/"), json=body)
        value = response.json()["value"]
        assert response.status_code == 200, value
        return value


@contextmanager
def running_driver() -> Iterator[httpx.Client]:
    """Start chromedriver and yield a client of it; without chromedriver or Chromium the tests are skipped."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed (Debian: apt-get install chromium chromium-driver)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as client:
            until = time.monotonic() + _TIMEOUT
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
