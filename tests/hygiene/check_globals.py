#!/usr/bin/env python3
"""No variables of file scope that can change (static or global, static ones of functions included). Usage: check_globals.py BUILD_FOLDER"""

import re

import objects
import sources

# A signal handler has no other argument; PETSc's registration of classes and events is once per process.
ALLOWED = {"src/core/signal.c": "the flag that the signal handler sets", "src/core/phase.c": "PETSc's identifiers of log events"}


def main():
    found = objects.objects(objects.build_folder())
    findings = objects.missing(found)
    for source, path in sorted(found.items()):
        for name, kind, section in objects.symbols(path):
            mutable = kind in "BbDdC" and not section.startswith(".data.rel.ro") and not re.match(r"(\.L|__|_?DW)", name)
            if mutable and source not in ALLOWED:
                findings.append(f"{source}: variable {name} in {section}; put it into the object that it belongs to, or make it const")
    sources.conclude(findings, found)


main()
