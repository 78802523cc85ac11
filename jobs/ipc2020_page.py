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
    """Processor time of the coarse run of each scene on the page, or of its whole run: steps times seconds a step."""
    header, *cells = cells_of(re.search(block("large whole"), read(path), re.S)[1])
    whole = {row[0]: dict(zip(header, row)) for row in cells}
    return {name: int(row["steps"].split()[0]) * float(row["processor s a step"]) for name, row in {**whole, **measured_rows(path)}.items()}


def seconds_a_step(path):
    """Wall-clock seconds a step of the runs at the paper's sizes on two ranks, by row; rows of a `_large` scene by its name."""
    header, *cells = cells_of(re.search(block("large"), read(path), re.S)[1])
    seconds = {row[0]: float(row[header.index("s a step")]) for row in cells}
    return seconds | {ROWS[name].scene: seconds[name] for name in seconds if ROWS[name].scene.endswith("_large")}


def newton_of_paper(plan):
    """Newton iterations a step in the scene's row of Fig. 23."""
    return float(plan.paper.split(";")[2])


def numbers_of_paper(path):
    """Newton iterations a step, here and in the paper: by scene (Fig. 23) and by time step (Table 1)."""
    scenes = {name: (float(row["Newton a step"]), newton_of_paper(PLANS[name])) for name, row in measured_rows(path).items()
              if PLANS[name].paper}
    rows = cells_of(read(path))
    first = next(k for k, row in enumerate(rows) if row[0] == "h [s]" and row[-1].startswith("paper: Newton")) + 1
    steps = {}
    for row in rows[first:]:
        if not re.fullmatch(r"[\d.]+", row[0]) or " of " not in row[1]:
            break
        steps[float(row[0])] = float(row[2].split()[0]), float(row[-1].split(",")[0])
    return scenes, steps


def draw_numbers(path, picture):
    """Draws numbers_of_paper()."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    scenes, steps = numbers_of_paper(path)
    figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.2), dpi=200)
    for k, label in enumerate(("here, coarse meshes", "paper")):
        left.plot([pair[k] for pair in scenes.values()], range(len(scenes)), "os"[k], fillstyle=("full", "none")[k], label=label)
        right.loglog(list(steps), [pair[k] for pair in steps.values()], "-" + "os"[k], fillstyle=("full", "none")[k],
                     label=("here, 2520 nodes", "paper, Table 1: 2.5K nodes")[k])
    left.set_yticks(range(len(scenes)), list(scenes), fontsize=6)
    left.set_ylim(bottom=-3)  # room for the legend
    left.set_title("scenes of Fig. 23", fontsize=8)
    right.set_title("twisted rods by time step", fontsize=8)
    right.set_xlabel("time step [s]", fontsize=8)
    for axis, place in ((left, "lower right"), (right, "upper left")):
        axis.grid(alpha=0.25)
        axis.tick_params(axis="x", labelsize=7)
        axis.legend(fontsize=6, loc=place)
    left.set_xlabel("Newton iterations a step", fontsize=8)
    right.set_ylabel("Newton iterations a step", fontsize=8)
    right.tick_params(axis="y", labelsize=7)
    figure.tight_layout()
    figure.savefig(picture, pil_kwargs={"optimize": True})
    plt.close(figure)


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
