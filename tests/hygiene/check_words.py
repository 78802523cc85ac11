#!/usr/bin/env python3
"""Budgets of words of the pages. A word has a letter: numbers and marks of tables do not count. Every page of docs is in a budget."""

import glob
import os
import re

import sources

BUDGETS = {
    "guides": (23000, ["README.md", "architecture.md", "extending.md", "gallery.md", "glossary.md", "installation.md", "oipc_formula.md",
                       "own_code.md", "scene-reference.md", "tutorial.md", "user-guide.md"]),
    "results": (15000, ["benchmarks.md", "contact_points.md", "deformer.md", "ipc2020.md", "linear_solvers.md", "oipc.md", "scaling.md",
                        "verification.md"]),
    "architecture": (2300, ["architecture.md"]),
    "change log": (1500, ["CHANGELOG.md"]),
}
pages = {os.path.basename(path): path for path in glob.glob(os.path.join(sources.ROOT, "docs", "*.md"))}
pages.update({name: os.path.join(sources.ROOT, name) for name in ("README.md", "CHANGELOG.md")})
findings = [f"{name}: in no budget of {__file__}" for name in sorted(pages) if not any(name in names for _, names in BUDGETS.values())]
for kind, (most, names) in BUDGETS.items():
    words = sum(len(re.findall(r"\S*[A-Za-z]\S*", open(pages[name], encoding="utf-8").read())) for name in names)
    print(f"{kind}: {words} words of at most {most}")
    if words > most:
        findings.append(f"{kind}: {words} words, the budget is {most}")
sources.conclude(findings, pages)
