"""A hook of MkDocs for links from documents to source files. The site has no source files, so each such link becomes
its text. A link to a file that does not exist is an error."""

import logging
import os
import pathlib
import re

ROOT = pathlib.Path(os.environ["GATEHOUSE_ROOT"])
STAGE = pathlib.Path(os.environ["GATEHOUSE_STAGE"])
LOG = logging.getLogger("mkdocs.hooks.links")
LINK = re.compile(r"(?<!!)\[([^\]\[]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def on_page_markdown(markdown, page, **_):
    folder = pathlib.PurePosixPath(page.file.src_uri).parent

    def without(match):
        text, target = match.group(1), match.group(2)
        if "://" in target or target.startswith("mailto:"):
            return match.group(0)
        path = os.path.normpath(folder / target)
        if (STAGE / path).is_file():
            return match.group(0)
        if path.startswith("..") or not (ROOT / path).exists():
            LOG.warning("%s: %s leads nowhere", page.file.src_uri, target)
        return text if text.startswith("`") else f"{text} (`{path}`)" if path not in text else f"`{text}`"

    return LINK.sub(without, markdown)
