#!/usr/bin/env python3
"""Writes the scene of one run of a parameter study, DIRECTORY/LINE/scene.yaml, and prints its path.

    study_scene.py SCENE.yaml VALUES.txt LINE DIRECTORY

A line of VALUES.txt has names and values, "mesh_size=0.002 MU=0.1"; empty lines and lines that begin with # do not count. A name is a
key that the scene has once, with a number or a word, or a word of your own in the place of the value: `coefficient: MU`. The copy names
meshes by their full paths. DIRECTORY/LINE/values.txt has the line, for study_table.py.
"""

import contextlib
import json
import os
import re
import sys

from scene_runs import fail

SCALAR = r"(?:\"[^\"]*\"|'[^']*'|[^\s,\[\]{}#]+)"


def read(path):
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def write(path, text):
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def line_of(path, run):
    """The line of a run, and its place, file:line."""
    lines = [(line.strip(), f"{path}:{place}") for place, line in enumerate(read(path).splitlines(), 1) if re.match(r"\s*[^#\s]", line)]
    if not run.isdigit() or not 1 <= int(run) <= len(lines):
        fail(f"{path} has no line {run}, only 1 to {len(lines)}")
    return lines[int(run) - 1]


def values_of(line, place):
    """Values by name."""
    found = {}
    for word in line.split():
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            fail(f"{place}: \"{word}\" must be NAME=VALUE")
        if name in found:
            fail(f"{place}: {name} has two values, {found[name]} and {value}")
        found[name] = value
    return found


def without_comments(text):
    """The scene without comments, which may name keys, too."""
    return re.sub(r"(^|\s)#.*", r"\1", text)


def replaced(text, name, value, scene, place):
    """The text with the value of a key, or with the value in the place of a word."""
    key = rf"(?<![\w-]){re.escape(name)}:(?=\s)"
    keys = len(re.findall(key, text))
    if keys > 1:
        fail(f"{place}: the key {name} occurs {keys} times in {scene}: write a word of your own in the place of the value that varies")
    old = rf"({key}[ \t]+){SCALAR}" if keys else rf"()\b{re.escape(name)}\b(?![\"']?\s*:\s)"
    text, found = re.subn(old, lambda match: match[1] + value, text)
    if not found and keys:
        fail(f"{place}: {name} has a list or keys in {scene}, not a number or word: write a word of your own in the place of a value in it")
    if not found:
        fail(f"{place}: {scene} has neither a key nor a word {name}")
    return text


def with_full_paths(text, folder):
    def full(match):
        return match[1] + json.dumps(os.path.join(folder, match[2].strip("\"'")), ensure_ascii=False)

    return re.sub(r"(\bfiles?:\s+)(\"[^\"]*\"|'[^']*'|[^\s,{}]+)", full, text)


def main():
    if len(sys.argv) != 5:
        fail(__doc__)
    scene, values, number, directory = sys.argv[1:]
    (line, place), text = line_of(values, number), without_comments(read(scene))
    folder = os.path.join(directory, number)
    os.makedirs(folder, exist_ok=True)
    write(os.path.join(folder, "values.txt"), line + "\n")  # first, so that the table of the study also shows a line that fails
    with contextlib.suppress(FileNotFoundError):
        os.remove(os.path.join(folder, "summary.json"))  # of an earlier run with other values, which the table would show
    for name, value in values_of(line, place).items():
        text = replaced(text, name, value, scene, place)
    path = os.path.join(folder, "scene.yaml")
    write(path, with_full_paths(text, os.path.dirname(os.path.abspath(scene))))
    print(path)


main()
