"""A real browser, and pages opened in it from files."""

import shutil

import pytest

import polarbear as pb

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")  # while it lives, nothing else in this process can run an event loop
def browser():
    """Debian's Chromium, or any that bears one of its names."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("the report's page is tested in Chromium, which is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


class Opened:
    """A page in the browser that must load without a request or an error."""

    def __init__(self, browser, path, **options):
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        self.page, self.complaints = self.context.new_page(), []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requested(request.url))
        self.path = path
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def requested(self, url):
        if url.split("#")[0] != self.path.as_uri():
            self.complaints.append(f"asked for {url}")

    def settle(self):
        """Wait until what was changed is shown."""
        self.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")


@pytest.fixture
def opened(browser, tmp_path):
    """Reports on a source and opens the page; afterwards nobody must have complained."""
    pages = []

    def open_(source, *, title="A report", live=None, about=None, **options):
        path = pb.report(source, tmp_path / f"{len(pages)}.html", title=title, live=live, **(about or {}))
        pages.append(Opened(browser, path, **options))
        return pages[-1]

    yield open_
    for each in pages:
        each.context.close()
        assert each.complaints == []
