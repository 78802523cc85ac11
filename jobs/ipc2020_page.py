"""Writes results into docs/ipc2020.md: replaces the text between the lines `<!-- measured: SECTION -->` and `<!-- end -->`."""

import csv
import os
import re

from ipc2020_plan import PLANS, SECTIONS

HEADER = ["scene", "nodes", "cells", "h [s]", "steps", "Newton a step", "contacts avg (max)", "s a step", "processor s a step",
          "paper: nodes, cells; contacts; Newton; s", "reference code here: nodes; contacts avg (max); Newton; s"]


def read_peer(folder):
    """Rows of the reference code by scene; empty without a folder."""
    path = os.path.join(folder, "bench", "peer.csv")
    if not folder or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8", newline="") as stream:
        return {row["scene"]: row for row in csv.DictReader(stream)}


def processor_seconds(path):
    """Processor time of the coarse run of each scene on the page: steps times seconds a step."""
    with open(path, encoding="utf-8") as stream:
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in stream if line.startswith("| ")]
    steps, seconds = HEADER.index("steps"), HEADER.index("processor s a step")
    return {row[0]: int(row[steps]) * float(row[seconds]) for row in rows if row[0] in PLANS and len(row) == len(HEADER)}


def peer_text(row):
    if not row:
        return ""
    steps = int(row["steps"])
    newton, seconds = int(row["newton_iterations"]) / steps, float(row["solve_s"]) / steps
    return f"{row['vertices']}; {row['contacts_avg']} ({row['contacts_max']}); {newton:.1f}; {seconds:.3g}"


def table(section, rows, peer, before):
    """Rows of the section; scenes without results keep their rows of the text before."""
    kept = {line.split("|")[1].strip(): line for line in before.splitlines() if line.startswith("| ")}
    lines = ["| " + " | ".join(HEADER) + " |", "|" + " --- |" * len(HEADER)]
    for name, plan in PLANS.items():
        row = rows.get(name)
        if plan.section != section or not row:
            lines += [kept[name]] if plan.section == section and name in kept else []
            continue
        contacts = f"{row['contacts avg']} ({row['contacts max']})"
        cells = [name, row["nodes"], row["cells"], row["h [s]"], row["steps"], row["Newton a step"], contacts, row["s a step"],
                 row["processor s a step"], plan.paper, peer_text(peer.get(plan.peer))]
        lines.append("| " + " | ".join(str(cell) if cell != "" else "–" for cell in cells) + " |")
    return "\n".join(lines)


def fill(path, rows, peer):
    with open(path, encoding="utf-8") as stream:
        text = stream.read()
    for section in SECTIONS:
        text = re.sub(rf"<!-- measured: {section} -->\n(.*?)\n<!-- end -->", lambda found, of=section:
                      f"<!-- measured: {of} -->\n{table(of, rows, peer, found[1])}\n<!-- end -->", text, flags=re.S)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
