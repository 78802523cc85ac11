#!/usr/bin/env python3
"""No reminders left in the sources, no blanks at line ends, no tabs, a newline at the end, relative links of documents lead somewhere."""

import os
import re

import sources

REMINDERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
ENDINGS = (".c", ".h", ".py", ".sh", ".cmake", ".txt", ".md", ".yaml", ".json", ".sbatch")


def check(path):
    for number, line in enumerate(sources.lines(path), 1):
        place = f"{path}:{number}"
        if REMINDERS.search(line):
            yield f"{place}: a reminder: {line.strip()}"
        if line != line.rstrip() or "\t" in line:
            yield f"{place}: a tab, or blanks at the end of the line"
        for target in LINK.findall(line) if path.endswith(".md") else ():
            beside = os.path.join(sources.ROOT, os.path.dirname(path), target)
            if ":" not in target and not os.path.exists(beside):
                yield f"{place}: the link leads to {target}, which does not exist"
    with open(os.path.join(sources.ROOT, path), "rb") as stream:
        content = stream.read()
    if content and not content.endswith(b"\n"):
        yield f"{path}: no newline at the end"


def main():
    folders = ("include", "src", "tests", "cmake", "inputs", "jobs", "postprocess", "docs")
    checked = sources.files(folders, ENDINGS)
    checked += [name for name in sorted(os.listdir(sources.ROOT)) if name.endswith(ENDINGS)]
    sources.conclude([finding for path in checked for finding in check(path)], checked)


main()
