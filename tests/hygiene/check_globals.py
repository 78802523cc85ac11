#!/usr/bin/env python3
"""No variables of file scope that can change (static or global, static ones of functions included). Usage: check_globals.py BUILD_FOLDER"""

import re

import objects
import sources

ALLOWED = {"src/app/interrupt.c": "a signal handler has no argument that could lead to the object of the run"}


def main():
    found = objects.objects(objects.build_folder())
    findings = objects.missing(found)
    used = set()
    for source, symbols in sorted(objects.symbols(found).items()):
        for name, kind, section in symbols:
            mutable = kind in "BbDdC" and not section.startswith(".data.rel.ro") and not re.match(r"(\.L|__|_?DW)", name)
            if mutable and source in ALLOWED:
                used.add(source)
            elif mutable:
                findings.append(f"{source}: variable {name} in {section}; put it into the object that it belongs to, or make it const")
    findings += [f"{source} needs no exception: it has no such variable" for source in sorted(ALLOWED.keys() - used)]
    sources.conclude(findings, found)


main()
