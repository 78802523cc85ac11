#!/usr/bin/env python3
"""Functions of at most 100 lines and files of at most 600."""

import sources

MAX_FUNCTION, MAX_FILE = 100, 600


def functions(text):
    """First line, name and length of the C functions of a file: their braces stand alone in the first column."""
    opened = None
    for number, line in enumerate(text, 1):
        if line == "{":
            opened = number
        elif opened and line.startswith("}"):
            yield opened, text[opened - 2].strip(), number - opened + 2
            opened = None


def main():
    findings, checked = [], sources.c_files() + sources.files(("inputs", "jobs", "postprocess", "tests"), (".py", ".sh"))
    for path in checked:
        text = sources.lines(path)
        if len(text) > MAX_FILE:
            findings.append(f"{path}: {len(text)} lines, the limit is {MAX_FILE}")
        if path.endswith((".c", ".h")):
            findings += [f"{path}:{number}: {length} lines, the limit is {MAX_FUNCTION}: {head}"
                         for number, head, length in functions(text) if length > MAX_FUNCTION]
    sources.conclude(findings, checked)


main()
