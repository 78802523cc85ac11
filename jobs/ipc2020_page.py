"""Writes results into docs/ipc2020.md: replaces the text between the lines `<!-- measured: SECTION -->` and `<!-- end -->`."""

import re

from ipc2020_plan import PLANS, SECTIONS
from large_plan import ROWS

SHORT = ["scene", "steps", "Newton a step", "processor s a step"]
LONG = ["scene", "nodes", "steps", "Newton a step", "local a step", "contacts avg (max)", "processor s a step", "paper: Newton a step"]


def columns_of(section):
    """Columns of the table of a section; SHORT if no scene of the section has a row in the paper's Fig. 23."""
    return LONG if any(plan.paper for plan in PLANS.values() if plan.section == section) else SHORT


def cells_of(text):
    """Cells of the rows of all tables in a text, headers included, lines below headers not."""
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if re.match(r"\|(?! ?---)", line)]


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def block(section):
    """Regular expression of a section; its group is the table."""
    return rf"<!-- measured: {section} -->\n(.*?)\n<!-- end -->"


def measured_rows(path):
    """Rows of the tables of SECTIONS as dictionaries by column, by scene. Other tables of the page have other columns."""
    text, rows = read(path), {}
    for section in SECTIONS:
        header, *cells = cells_of(re.search(block(section), text, re.S)[1])
        if header != columns_of(section):
            raise ValueError(f"{path}: the columns of section {section} are not {columns_of(section)}")
        rows.update({row[0]: dict(zip(header, row)) for row in cells if row[0] in PLANS})
    return rows


def processor_seconds(path):
    """Processor time of the coarse run of each scene on the page: steps times seconds a step."""
    return {name: int(row["steps"]) * float(row["processor s a step"]) for name, row in measured_rows(path).items()}


def seconds_a_step(path):
    """Processor seconds a step of the runs at the paper's sizes, by row; rows of a `_large` scene by its name."""
    header, *cells = cells_of(re.search(block("large"), read(path), re.S)[1])
    seconds = {row[0]: float(row[header.index("processor s a step")]) for row in cells}
    return seconds | {ROWS[name].scene: seconds[name] for name in seconds if ROWS[name].scene.endswith("_large")}


def newton_of_paper(plan):
    """Newton iterations a step in the scene's row of Fig. 23."""
    return float(plan.paper.split(";")[2])


def table(section, rows, before):
    """Rows of the section; scenes without results keep their rows of the text before."""
    kept = {line.split("|")[1].strip(): line for line in before.splitlines() if line.startswith("| ")}
    columns = columns_of(section)
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for name, plan in PLANS.items():
        row = rows.get(name)
        if plan.section != section or not row:
            lines += [kept[name]] if plan.section == section and name in kept else []
            continue
        cells = {**row, "scene": name, "contacts avg (max)": f"{row['contacts avg']} ({row['contacts max']})",
                 "paper: Newton a step": newton_of_paper(plan) if plan.paper else ""}
        lines.append("| " + " | ".join(str(cells[column]) if cells[column] != "" else "–" for column in columns) + " |")
    return "\n".join(lines)


def fill(path, rows):
    text = read(path)
    for section in SECTIONS:
        text = re.sub(block(section), lambda found, of=section:
                      f"<!-- measured: {of} -->\n{table(of, rows, found[1])}\n<!-- end -->", text, flags=re.S)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
