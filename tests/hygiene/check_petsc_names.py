#!/usr/bin/env python3
"""Names that newer releases of PETSc deprecate appear in petsc_versions.h alone. A build with the oldest release does not warn of them."""

import os
import re

import sources

HEADER = os.path.join("include", "abut", "petsc_versions.h")
OLD = re.compile(r"^#define \w+\s+(\w+)$", re.MULTILINE)


def main():
    with open(os.path.join(sources.ROOT, HEADER), encoding="utf-8") as stream:
        old = {name for name in OLD.findall(stream.read()) if name != "MPI_C_BOOL"}
    name = re.compile(r"\b(" + "|".join(sorted(old)) + r")\b")
    checked = [path for path in sources.c_files() if path != HEADER]
    findings = [f"{path}:{number}: {match[1]} is deprecated, see {HEADER}" for path in checked
                for number, line in enumerate(sources.lines(path), 1) if (match := name.search(line))]
    sources.conclude(findings, checked if old else [])


main()
