#!/usr/bin/env python3
"""Pages of results name the program that made their numbers. A scene key whose default has changed since then is named on the page, so that
a reader knows which numbers to expect from today's program. Defaults are read from the scene reference of both commits. Without git's
history the check is skipped.
"""

import os
import re
import subprocess
import sys

import sources

# page: sections of the scene reference on which its numbers depend, by their first words
PAGES = {"benchmarks": "", "contact_points": "contact$|contact.dhat|expected", "deformer": "deform", "ipc2020": "", "linear_solvers": "",
         "oipc": "", "scaling": "", "verification": ""}
REFERENCE = "docs/scene-reference.md"


def git(*words):
    return subprocess.run(["git", "-C", sources.ROOT, *words], capture_output=True, text=True, check=False)


def defaults(text):
    """Default of each key of the scene reference, by section and key."""
    found, section = {}, ""
    for line in text.splitlines():
        if line.startswith("#"):
            section = line.strip("#` ")
        row = re.match(r"\| `(\w+)` \| (?:[^|\\]|\\.)* \| ((?:[^|\\]|\\.)*) \|", line)
        if row:
            found[section, row.group(1)] = row.group(2).strip()
    return found


def check(page, now):
    path = f"docs/{page}.md"
    with open(os.path.join(sources.ROOT, path), encoding="utf-8") as stream:
        text = stream.read()
    commits = sorted(set(re.findall(r"\b(?:commits?|to|and) ([0-9a-f]{7})\b(?! of the reference)", text)))
    if not commits:
        yield f"{path}: names no commit"
    for commit in commits:
        then = git("show", f"{commit}:{REFERENCE}")
        if then.returncode:
            yield f"{path}: commit {commit} is not known"
            continue
        for (section, key), value in defaults(then.stdout).items():
            if value == "required":  # every scene of that commit states it
                continue
            changed = re.match(PAGES[page], section) and now.get((section, key), value) != value
            changed = changed and value != "required"  # every scene gave the key
            if changed and not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`", text):
                yield f"{path}: since commit {commit} the default of {section}.{key} is {now[section, key]}, not {value}: say so"


def main():
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        print("skipped: no history of git")
        sys.exit(77)
    with open(os.path.join(sources.ROOT, REFERENCE), encoding="utf-8") as stream:
        now = defaults(stream.read())
    sources.conclude([finding for page in PAGES for finding in check(page, now)], PAGES)


main()
