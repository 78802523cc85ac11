#!/usr/bin/env python3
"""Source files use symbols of their own and of lower layers only, and never in a cycle. Usage: check_cycles.py BUILD_FOLDER"""

import layers
import objects
import sources


def graph(found):
    """Source file -> {source file it uses: one of the symbols}."""
    owner, used = {}, {}
    for source, symbols in objects.symbols(found).items():
        used[source] = set()
        for name, kind, _ in symbols:
            if kind in "TDBRVWC":
                owner[name] = source
            elif kind == "U":
                used[source].add(name)
    return {source: {owner[name]: name for name in sorted(names) if owner.get(name, source) != source} for source, names in used.items()}


def cycles(edges):
    """Strongly connected components with more than one file [Tarjan 1972]."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in edges[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            cut = stack.index(node)
            component = stack[cut:]
            del stack[cut:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(edges):
        if node not in index:
            visit(node)
    return found


def main():
    found = objects.objects(objects.build_folder())
    edges = graph(found)
    rank = {name: number for number, name in enumerate(layers.order())}
    findings = objects.missing(found)
    for component in cycles(edges):
        inside = [f"{one} uses {name} of {two}" for one in component for two, name in edges[one].items() if two in component]
        findings.append(f"cycle of {len(component)} files:\n    " + "\n    ".join(inside))
    findings += [f"{one} uses {name} of {two}, a higher layer" for one in sorted(edges) for two, name in edges[one].items()
                 if rank.get(layers.layer(two), -1) > rank.get(layers.layer(one), -1)]
    sources.conclude(findings, found)


main()
