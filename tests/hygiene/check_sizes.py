#!/usr/bin/env python3
"""Limits on the length of files, lines and functions, on members of structs and on parameters of functions."""

import os
import re
import statistics

import sources

MAX_FILE, MAX_COLUMNS, MAX_FUNCTION, MAX_MEDIAN, MAX_P95, MAX_MEMBERS, MAX_PARAMETERS = 500, 140, 60, 12, 30, 25, 8
MEMBERS = {"_p_AbutStepper": 20}  # structs with a limit of their own
HEAD = re.compile(r"^(?:static |PETSC_\w+ |inline )*[\w* ]+?\b(\w+)\(([^;{)]*)\)\s*\{", re.M)
STRUCT = re.compile(r"\bstruct\s*(\w*)\s*\{")


def functions(text):
    """First line, head and length of the C functions of a file: their braces stand alone in the first column."""
    opened = None
    for number, line in enumerate(text, 1):
        if line == "{":
            opened = number
        elif opened and line.startswith("}"):
            yield opened, text[opened - 2].strip(), number - opened + 2
            opened = None


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: "\n" * match[0].count("\n"), text, flags=re.S)


def closing(text, start):
    """Position behind the brace that closes the one before `start`."""
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(text[start], 0)
        start += 1
    return start


def members(body):
    """Number of declarators of a struct; a nested struct counts as one, an array and a function pointer too."""
    for nested in (r"\{[^{}]*\}", r"\([^()]*\)", r"\[[^\]]*\]"):
        while re.search(nested, body):
            body = re.sub(nested, "", body)
    return sum(declaration.count(",") + 1 for declaration in body.split(";") if declaration.strip())


def structs(text):
    """Line, name and number of members of the structs of a C text."""
    for match in STRUCT.finditer(text):
        end = closing(text, match.end())
        name = match[1] or (re.match(r"\s*(\w+)", text[end:]) or ["", "?"])[1]
        yield text.count("\n", 0, match.start()) + 1, name, members(text[match.end():end - 1])


def check_c(path, text, lengths):
    for number, head, length in functions(text):
        if path.startswith("src"):
            lengths.append(length)
        if length > MAX_FUNCTION:
            yield f"{path}:{number}: {length} lines, the limit is {MAX_FUNCTION}: {head}"
    code = without_comments("\n".join(text))
    for number, name, count in structs(code):
        limit = MEMBERS.get(name, MAX_MEMBERS)
        if count > limit:
            yield f"{path}:{number}: struct {name} has {count} members, the limit is {limit}"
    for match in HEAD.finditer(code):
        count = match[2].count(",") + 1
        if count > MAX_PARAMETERS:
            yield f"{path}:{code.count(chr(10), 0, match.start()) + 1}: {match[1]} has {count} parameters, the limit is {MAX_PARAMETERS}"


def check(path, lengths):
    text = sources.lines(path)
    if len(text) > MAX_FILE:
        yield f"{path}: {len(text)} lines, the limit is {MAX_FILE}"
    for number, line in enumerate(text, 1):
        if len(line) > MAX_COLUMNS:
            yield f"{path}:{number}: {len(line)} columns, the limit is {MAX_COLUMNS}"
    if path.endswith((".c", ".h")):
        yield from check_c(path, text, lengths)


def distribution(lengths):
    median, p95 = statistics.median(lengths), statistics.quantiles(lengths, n=20)[-1]
    print(f"{len(lengths)} functions of src: median {median:g} lines, 95th percentile {p95:g}, longest {max(lengths)}")
    if median > MAX_MEDIAN or p95 > MAX_P95:
        yield f"functions of src: the limits are a median of {MAX_MEDIAN} lines and a 95th percentile of {MAX_P95}"


def main():
    checked = sources.c_files() + sources.files(("inputs", "jobs", "postprocess", "tests"), (".py", ".sh"))
    lengths = []
    findings = [finding for path in checked for finding in check(path, lengths)]
    findings += distribution(lengths)
    print(f"{sum(len(sources.lines(path)) for path in checked if path.split(os.sep)[0] == 'src')} lines of src")
    sources.conclude(findings, checked)


main()
