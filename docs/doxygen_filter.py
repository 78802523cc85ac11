#!/usr/bin/env python3
"""Filter of Doxygen for C headers: a comment behind a declaration, an enumerator or a macro becomes its documentation.

A comment behind several declarators, `PetscReal a, b; /* text */`, documents each of them. Line numbers do not change.
"""

import re
import sys

TRAILING = re.compile(r"^(.*?[;,\w)])( *)/\* (.*?)( \*/)?$")
DECLARATORS = re.compile(r"^( *)((?:const |unsigned )*\w+ +)([*\w\[\]]+(?:, *[*\w\[\]]+)+);$")


def filtered(line):
    match = TRAILING.match(line)
    if not match or not match[1].strip() or match[1].lstrip().startswith(("/", "*")):
        return line
    code, blank, text, end = match.groups()
    several = DECLARATORS.match(code)
    if several and end:
        names = [name.strip() for name in several[3].split(",")]
        return several[1] + " ".join(f"{several[2]}{name}; /**< {text} */" for name in names)
    return f"{code}{blank}/**< {text}{end or ''}"


def main():
    with open(sys.argv[1], encoding="utf-8") as stream:
        text = stream.read()
    if sys.argv[1].endswith(".h"):
        text = "\n".join(map(filtered, text.split("\n")))
    sys.stdout.write(text)


main()
