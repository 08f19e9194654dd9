"""Take the pictures of the README in a browser: the report of a race on the recorded runs of the MA-BBOB study.

The picture of the tree is that of the race in examples/bowls.py.

Needs Chromium and the developers' extra: `.venv/bin/python docs/make_screenshots.py`.
"""

from __future__ import annotations

import runpy
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from playwright.sync_api import sync_playwright

import polarbear as pb

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
RECORDED = ROOT / "case_studies" / "data" / "ma_bbob_d30.npz"
QUERY = "kind=around&centre=30000&spread=0.3&risk=quantile&level=0.05&machines=1"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


def race_recorded_runs() -> pb.Result:
    """Race six step-size rules of CMA-ES and random search on recorded runs of 160 instances."""
    with np.load(RECORDED) as recorded:
        names, budgets, values = recorded["algorithms"].tolist(), recorded["evaluations"] * 1.0, recorded["values"]
    runs = [
        pb.Trajectory(name, instance, budgets, values[instance, :, column], end=budgets[-1])
        for instance in range(len(values))
        for column, name in enumerate(names)
    ]
    race = pb.Race(names, None, pb.log_grid(100, 60_000, 30), seed=1, confidence=0.95)
    return race.run(pb.ReplayExecutor(runs), max_instances=len(values))


def main() -> None:
    """Race, write the report, and take the pictures."""
    browser_at = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser_at is None:
        raise SystemExit(
            "expected Chromium, which takes the pictures, but it is not installed; run apt-get install chromium"
        )
    IMAGES.mkdir(exist_ok=True)
    page_at = pb.report(
        race_recorded_runs(), Path(tempfile.mkdtemp()) / "report.html", title="Step sizes of CMA-ES on MA-BBOB"
    )
    result, features = runpy.run_path(str(ROOT / "examples" / "bowls.py"))["race_bowls"]()
    bowls_at = pb.report(result, page_at.with_name("bowls.html"), title="Bowls", features=features)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_at, args=FLAGS)
        for scheme in SCHEMES:
            ending = "" if scheme == "light" else f"-{scheme}"
            context = browser.new_context(
                viewport={"width": 1080, "height": 1300}, device_scale_factor=1.5, color_scheme=scheme
            )
            page = context.new_page()
            page.goto(f"{page_at.as_uri()}#{QUERY}")
            page.wait_for_selector("html[data-ready]", state="attached")
            take(page, "#explorer-place", f"explorer{ending}.png")
            take(page, "#best_by_budget figure", f"answer{ending}.png")
            take(page, "#ratings figure", f"ratings{ending}.png")
            take(page, "#evolution", f"evolution{ending}.png")
            page.goto(bowls_at.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            take(page, "#problem-tree-chart", f"tree{ending}.png")
            context.close()
        browser.close()


def take(page: Page, place: str, name: str) -> None:
    """Save one part of the page as a picture with 256 colours, which is small."""
    from PIL import Image

    file = IMAGES / name
    page.locator(place).screenshot(path=file)
    with Image.open(file) as picture:
        small = picture.convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    small.save(file, optimize=True)
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
