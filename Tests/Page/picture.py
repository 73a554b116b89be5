"""Tests pictures of a terminal (SVG) with a headless Chromium, and prints their faults.

docs/pictures/capture makes the pictures. Each character must be in its own cell, at the terminal's position. The
picture is served with a policy that refuses every further request. It must look the same in an <img> element, as
README shows it.
"""

import argparse
import io
import pathlib
import sys

from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

PICTURE, PAGE = "http://page.test/picture.svg", "http://page.test/"
POLICY = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
WINDOW = {"width": 1000, "height": 900}
README = f'<body style="margin: 0"><img style="width: 100vw; height: 100vh" src="{PICTURE}">'
# The permitted deviation, as a part of a cell. If white space is lost, characters are whole cells off.
TOLERANCE = 0.25
# For each piece of text: its content and its intended width, then the edges of its characters as the browser draws
# them.
PIECES = """[...document.querySelectorAll("text")].map(piece => {
    const drawn = [...Array(piece.getNumberOfChars()).keys()];
    return {
        text: piece.textContent,
        left: parseFloat(piece.getAttribute("x")),
        row: parseFloat(piece.getAttribute("y")),
        width: parseFloat(piece.getAttribute("textLength")),
        starts: drawn.map(index => piece.getStartPositionOfChar(index).x),
        ends: drawn.map(index => piece.getEndPositionOfChar(index).x),
    };
})"""


def misplaced(piece, cell):
    """Describes the first misplaced character of a piece; None if all are in their cells."""
    text, starts, ends = piece["text"], piece["starts"], piece["ends"]
    if len(starts) != len(text):
        return f"{len(starts)} of {len(text)} characters are drawn"
    for index, edges in enumerate(zip(starts, ends)):
        for verb, edge, column in zip(["begins", "ends"], edges, [index, index + 1]):
            off = (edge - piece["left"]) / cell - column
            if abs(off) > TOLERANCE:
                return f"character {index} ({text[index]!r}) {verb} {off:+.2f} cells off"
    return None


def faults(pieces):
    """Returns the faults of a picture's pieces: all cells must have the same width, and each at most one character."""
    if len(pieces) < 50:
        return [f"{len(pieces)} pieces of text are no screen"]
    cells = {round(piece["width"] / len(piece["text"]), 3) for piece in pieces}
    if len(cells) != 1:
        return [f"there are cells of {sorted(cells)}"]
    cell, margin = cells.pop(), min(piece["left"] for piece in pieces)
    found, taken = [], set()
    for piece in pieces:
        column = (piece["left"] - margin) / cell
        places = {(piece["row"], round(column) + index) for index in range(len(piece["text"]))}
        wrong = [misplaced(piece, cell)]
        wrong.append(f"begins in column {column:.2f}" if abs(column - round(column)) > 0.01 else None)
        wrong.append("is drawn over another piece" if taken & places else None)
        found += [f"{piece['text']!r}: {text}" for text in wrong if text]
        taken |= places
    return found


def shot(page, url):
    """Returns a screenshot of a page, in shades of grey."""
    page.goto(url)
    return Image.open(io.BytesIO(page.screenshot())).convert("L")


def look(browser, content, say):
    """Shows a picture alone and as README does. Returns the number of its pieces of text."""
    asked = []

    def answer(route):
        asked.append(route.request.url)
        if route.request.url == PAGE:
            route.fulfill(body=README, content_type="text/html")
        else:
            route.fulfill(body=content, content_type="image/svg+xml", headers=POLICY)

    page = browser.new_page(viewport=WINDOW)
    page.route("**/*", answer)
    page.on("console", lambda message: say(f"the browser says {message.text}"))
    page.on("pageerror", lambda error: say(str(error)))
    alone = shot(page, PICTURE)
    pieces = page.evaluate(PIECES)
    for fault in faults(pieces):
        say(fault)
    if alone.getextrema()[0] == alone.getextrema()[1]:
        say("nothing is drawn")
    # An image may draw the edges of letters slightly differently. A moved word changes more pixels than that.
    other = ImageChops.difference(alone, shot(page, PAGE)).histogram()
    if sum(other[64:]) > sum(other) / 500:
        say("looks different in README")
    if set(asked) != {PICTURE, PAGE}:
        say(f"asks for {sorted(set(asked) - {PICTURE, PAGE})}")
    page.close()
    return len(pieces)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", required=True)
    parser.add_argument("pictures", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    wrong, pieces = [], 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=arguments.browser, args=["--no-sandbox"])
        for file in arguments.pictures:
            pieces += look(browser, file.read_bytes(), lambda text: wrong.append(f"{file.name}: {text}"))
        browser.close()
    for text in wrong:
        print(f"picture: {text}", file=sys.stderr)
    print(f"picture: {pieces} pieces of text in {len(arguments.pictures)} picture(s): {len(wrong)} faults")
    sys.exit(1 if wrong else 0)


main()
