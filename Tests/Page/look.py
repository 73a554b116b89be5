"""Tests status pages with a headless Chromium, and prints their faults.

Each page is shown at the widths of a phone, a tablet and a screen, with the light and the dark scheme. The checks:
the page's content security policy refuses nothing; no error is logged; nothing is wider than the window; axe-core
finds no fault (WCAG 2.2 AA: contrast, headings, names of pictures, tables). The policy is the one that the real
program sends. The real page must reload itself.
"""

import argparse
import pathlib
import sys
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import sync_playwright

WIDTHS = [360, 768, 1400]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# Rules of axe that are not applied: they forbid a page that reloads itself, but this page has a link that stops it.
UNHELD = {"meta-refresh", "meta-refresh-no-exceptions"}


def served(url):
    """Waits until the real page is served, and returns its headers."""
    for _ in range(300):
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return dict(answer.headers)
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{url} is not served")


def faults(page, name):
    """Returns the faults of the page that is shown."""
    found = []
    width, room = page.evaluate("[document.scrollingElement.scrollWidth, window.innerWidth]")
    if width > room:
        found.append(f"is {width} wide where there are {room}")
    if page.evaluate("getComputedStyle(document.body).margin") != "0px":
        found.append("has no style")
    small = page.evaluate(
        """[...document.querySelectorAll("p, td, dd, dt, span, li, a, th, caption")]
           .filter(e => e.innerText && parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.innerText).slice(0, 3)"""
    )
    if small:
        found.append(f"has letters that nobody can read: {small}")
    results = Axe().run(page, options=RULES).response
    for violation in results["violations"]:
        if violation["id"] not in UNHELD:
            where = "; ".join(node["html"][:160] for node in violation["nodes"][:3])
            found.append(f"{violation['id']}: {violation['help']}: {where}")
    if len(results["passes"]) < 15:
        found.append("axe looked at next to nothing")
    return [f"{name}: {text}" for text in found]


def look(context, url, name, arguments, say):
    for width in WIDTHS:
        for scheme in ["light", "dark"]:
            page = context.new_page()
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.on("console", lambda message: say(f"{name}: the browser says {message.text}"))
            page.on("pageerror", lambda error: say(f"{name}: {error}"))
            page.goto(url)
            page.screenshot(path=arguments.screenshots / f"{name}-{width}-{scheme}.png", full_page=True)
            for fault in faults(page, f"{name}, {width} wide, {scheme}"):
                say(fault)
            page.close()


def asks_again(context, url, say):
    page = context.new_page()
    page.goto(url)
    before = page.evaluate("performance.timeOrigin")
    for _ in range(300):
        time.sleep(0.1)
        try:
            if page.evaluate("performance.timeOrigin") != before:
                break
        except Exception:  # the page is being loaded
            continue
    else:
        say("the page does not ask again by itself")
    page.goto(url)
    page.get_by_role("link", name="pause").click()
    page.wait_for_url("**refresh=off**")
    if page.locator('meta[http-equiv="refresh"]').count() or not page.get_by_role("link", name="resume").count():
        say("the page cannot be told to stop asking")
    page.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", required=True)
    parser.add_argument("--pages", type=pathlib.Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path, required=True)
    parser.add_argument("--picture", type=pathlib.Path, help="also write the picture of the documents")
    arguments = parser.parse_args()
    arguments.screenshots.mkdir(parents=True, exist_ok=True)
    wrong = []
    say = wrong.append
    headers = {name.lower(): value for name, value in served(arguments.url).items()}
    policy = headers["content-security-policy"]
    names = sorted(file.stem for file in arguments.pages.glob("*.html"))
    if names != ["empty", "fault", "fine", "free", "locked"]:
        sys.exit(f"the pages are {names}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
        context = browser.new_context()
        # Serve the pages through this route with the real policy. axe is injected by the browser's driver, to which
        # the policy does not apply; violations of the policy are logged as errors.
        context.route(
            "http://page.test/*",
            lambda route: route.fulfill(
                body=(arguments.pages / (route.request.url.rsplit("/", 1)[1] + ".html")).read_text(),
                headers={"content-type": "text/html; charset=utf-8", "content-security-policy": policy},
            )
            if not route.request.url.endswith("favicon.ico")
            else route.fulfill(status=204),
        )
        for name in names:
            look(context, f"http://page.test/{name}", name, arguments, say)
        look(context, arguments.url + "?refresh=off", "real", arguments, say)
        asks_again(context, arguments.url, say)
        if arguments.picture:
            page = context.new_page()
            page.set_viewport_size({"width": 1120, "height": 900})
            page.goto("http://page.test/fine")
            page.screenshot(path=arguments.picture)
            Image.open(arguments.picture).convert("RGB").quantize(96).save(arguments.picture, optimize=True)
        browser.close()
    for text in wrong:
        print(f"page: {text}", file=sys.stderr)
    print(f"page: {len(names) + 1} pages at {len(WIDTHS)} widths, by day and by night: {len(wrong)} faults")
    sys.exit(1 if wrong else 0)


main()
