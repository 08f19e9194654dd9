"""A real browser, and reports opened in it from files."""

import shutil
from functools import cache
from itertools import count

import pytest

from tests.reporting.pages import report as report_on
from tests.reporting.stored import stored_first_places

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
DESKTOP = {"width": 1200, "height": 900}
TIMEOUT = 120_000  # milliseconds to wait for a condition: far more than a slow machine needs


@pytest.fixture(autouse=True)
def first_places_of_pages(monkeypatch):
    """Let `select` answer from the draws of a page, too; see `stored_posterior`."""
    monkeypatch.setattr("polarbear.selection.criterion.first_places_among", stored_first_places)


@pytest.fixture(scope="module")  # while it lives, nothing else in this process can run an event loop
def browser():
    """Debian's Chromium, or any browser that bears one of its names."""
    executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if executable is None:
        pytest.skip("the report's page is tested in Chromium, which is not installed: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=FLAGS, timeout=TIMEOUT)
        yield browser
        browser.close()


class OpenReport:
    """A tab of the browser with a report, which must load without a request, a message or an error."""

    def __init__(self, browser, *, fake_clock=False, **options):
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(TIMEOUT)
        self.path, self.page, self.complaints = None, self.context.new_page(), []
        if fake_clock:
            self.page.clock.install()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.check_request(request.url))

    def show(self, path, viewport):
        self.path = path
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(media="null", color_scheme="light")  # what the test before may have changed
        self.page.goto(path.as_uri())
        self.wait_until_ready()

    def check_request(self, url):
        if url.split("#")[0] != self.path.as_uri():
            self.complaints.append(f"requested {url}")

    def wait_until_ready(self):
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def wait_for_update(self):
        """Wait until a change is shown: the explorer updates the page in the next frame."""
        self.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")

    def choose(self, name, value):
        """Choose a radio button of the explorer; the input itself is invisible behind its label."""
        self.page.check(f"input[name={name}][value='{value}']", force=True)
        self.wait_for_update()

    def ask(self, *queries, read="() => null"):
        """Give queries to the explorer by the page's address, and return what `read` returns after each."""
        return self.page.evaluate(
            f"""async (queries) => {{
                const answers = [];
                for (const query of queries) {{
                    const changed = new Promise((go) => addEventListener("hashchange", go, {{ once: true }}));
                    window.queries = (window.queries ?? 0) + 1; // no event follows where the address stays the same
                    location.hash = `${{query}}&number=${{window.queries}}`;
                    await changed;
                    answers.push(({read})());
                }}
                return answers;
            }}""",
            queries,
        )

    def open_details(self):
        self.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")


@pytest.fixture(scope="module")
def open_report(browser, tmp_path_factory):
    """A function that reports on a source and opens the page. At the end, no page must have complained.

    A new tab is slow, so that all reports of a module share one, or one for each set of options of the browser. Reports
    that several tests use keep their own.
    """
    folder, tabs, pages = tmp_path_factory.mktemp("reports"), [], count()

    def open_(source, *, title="A report", live=None, about=None, viewport=DESKTOP, own_tab=False, **options):
        path = report_on(source, folder / f"{next(pages)}.html", title=title, live=live, **(about or {}))
        tab = new_tab(**options) if own_tab else shared_tab(**options)
        tab.show(path, viewport)
        return tab

    def new_tab(**options):
        tabs.append(OpenReport(browser, **options))
        return tabs[-1]

    shared_tab = cache(new_tab)

    yield open_
    for tab in tabs:
        tab.context.close()
    assert [complaint for tab in tabs for complaint in tab.complaints] == []
