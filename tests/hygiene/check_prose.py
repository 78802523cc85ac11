#!/usr/bin/env python3
"""Plain technical English: turns of phrase and metaphorical names that a reader stumbles over. CONTRIBUTING.md has the rules."""

import re

import sources

PHRASES = re.compile(r"\b([Ww]hat (is|are|was|it|they|has|have|does|do|comes|stands|needs|there|a|the)|those (of|that|which)|goes? by|"
                     r"of which there|stands? for|are those|is that of|as ever|at hand|pulled harder|worn[- ]out|let go of)\b")
# Words that are no part of an identifier; the value is the term of the field.
WORDS = {"say": "report", "tell": "report", "deal": "distribute", "mail": "exchange", "parcel": "message", "light": "small",
         "heavy": "large",
         "weighty": "large", "gain": "increase", "pace": "rate", "press": "bordered", "blame": "limiter", "pull": "multiplier",
         "worn": "lagged",
         "rings": "one-ring", "smooth": "oriented", "harder": "penalty update"}
CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
OWN = ("src", "include")  # C files whose identifiers are checked
# Files that quote the phrases.
QUOTES = {"tests/hygiene/check_prose.py", "CONTRIBUTING.md"}


def phrases(path):
    for number, line in enumerate(sources.lines(path), 1):
        for match in PHRASES.finditer(line):
            yield f"{path}:{number}: '{match[0]}': {line.strip()[:110]}"


def identifiers(path):
    text = CODE.sub(lambda match: "\n" * match[0].count("\n"), "\n".join(sources.lines(path)))
    seen = set()
    for number, line in enumerate(text.split("\n"), 1):
        for name in IDENTIFIER.findall(line):
            for word in (part.lower() for part in PARTS.findall(name)):
                if word in WORDS and name not in seen and "OneRing" not in name:
                    seen.add(name)
                    yield f"{path}:{number}: the name {name}: '{word}'; the term is {WORDS[word]}"


def main():
    documents = sources.files(("docs",), (".md",)) + ["README.md", "CONTRIBUTING.md"]
    scripts = sources.files(("inputs", "jobs", "postprocess"), (".py", ".sh", ".yaml", ".sbatch"))
    code = sources.files(OWN, (".c", ".h"))
    tests = sources.files(("tests",), (".c", ".h", ".py"))
    checked = [path for path in code + documents + scripts + tests if path not in QUOTES]
    findings = [finding for path in checked for finding in phrases(path)]
    findings += [finding for path in code for finding in identifiers(path)]
    sources.conclude(findings, checked)


main()
