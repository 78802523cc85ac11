#!/usr/bin/env python3
"""Runs the scenes that Li et al. (2020) published with their code, on their meshes, beside the figures of their Fig. 23 and Table 1.

    authors_scenes.py [NAME ...] [--scenes DIR] [-n 1] [-o results/authors_scenes] [--page] [--list]

The scenes are not part of abut: --scenes is the folder input of the 2020 IPC code, or ABUT_REFERENCE_DIR/scenes/ipc2020/input.
inputs/from_ipc.py converts them; all else is at its default. In a name * matches any text. A run with results is not repeated unless its
folder is deleted; an interrupted one continues. authors_scenes.md in the folder of results has a row for each run; --page writes the
tables of docs/ipc2020.md, where scenes without results keep their rows. Exit code 1: a run failed or has an intersection.
"""

import dataclasses
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "postprocess"))
import needs
from ipc2020 import measured
from ipc2020_page import cells_of
from scene_runs import (ROOT, converted, markdown, matching, parser_of, require_program, rows_of, run, section_of, steps_of,
                        summary_of, write_section)

REFERENCE = os.path.join(os.environ.get("ABUT_REFERENCE_DIR", ""), "scenes", "ipc2020", "input")
PAGE = os.path.join(ROOT, "docs", "ipc2020.md")
COLUMNS = ["scene", "nodes", "steps", "contacts avg (max)", "Newton a step (max)", "local a step", "processor s a step",
           "paper: nodes; contacts; Newton; s", "Newton here / paper"]


@dataclasses.dataclass(frozen=True)
class Row:
    file: str  # below the folder of the scenes
    paper: str = ""  # row of Fig. 23 or Table 1: nodes; contacts avg (max); Newton iterations, seconds a step
    steps: int = 0  # steps of the run; 0: the whole scene


EXAMPLES = "paperExamples/"
FRICTION = "otherExamples/friction/"
SWEEP = {0.002: "137 (430); 2.12; 0.29", 0.005: "194 (584); 2.37; 0.36", 0.01: "269 (707); 2.65; 0.38", 0.025: "435 (1.0K); 2.69; 0.38",
         0.05: "551 (1.2K); 3.06; 0.46", 0.1: "597 (1.3K); 4.75; 0.73", 0.2: "607 (1.2K); 14.37; 1.79", 0.5: "653 (1.4K); 100.58; 11.39",
         1: "708 (1.3K); 188.17; 18.41", 2: "843 (1.3K); 522.00; 52.02"}
ROLLER = "7K; 2.3K (5.6K); 58.6; 63.3"
SECTIONS = {
    "authors": {
        "Fig. 2, mat on knives": Row(EXAMPLES + "2_matKnives.txt", "3.2K; 291 (472); 5.5; 1.4"),
        "Fig. 2, ball on points": Row(EXAMPLES + "2_spherePoints.txt", "7K; 126 (182); 6.6; 2.8"),
        "Fig. 4, rods": Row(EXAMPLES + "4_rodsTwist.txt", "53K; 243K (498K); 14.1; 141.5", 160),
        "Fig. 5, house hit": Row(EXAMPLES + "5_hitCardHouse.txt", "6K; 7K (13K); 16.6; 10.0"),
        "house of cards, 0.1": Row(FRICTION + "matHouse_sharp.txt"),
        "house of cards, 0.2": Row(FRICTION + "matHouse_sharp0.2.txt"),
        "Fig. 7, arch": Row(EXAMPLES + "7_masonryArch.txt", "216; 101 (118); 5.7; 0.05"),
        "arch of 25 stones, 0.5": Row(FRICTION + "masonryArch_25.txt"),
        "arch of 25 stones, 0.2": Row(FRICTION + "masonryArch_25_0.2.txt"),
        "Fig. 8, ball roller": Row(EXAMPLES + "8_rollerBall.txt", ROLLER),
        "Fig. 10, cubes": Row(EXAMPLES + "10_cubeStack.txt"),
        "Fig. 10, slots": Row(EXAMPLES + "10_tetSlots.txt"),
        "Fig. 10, tetrahedra": Row(EXAMPLES + "10_tetTet.txt"),
        "Fig. 12, masses": Row(EXAMPLES + "12_largeMassRatio.txt"),
        "Fig. 12, sphere on mat": Row(EXAMPLES + "12_sphereOnMat.txt"),
        "Fig. 13, dolphin": Row(EXAMPLES + "13_dolphinFunnel.txt", "8K; 7K (31K); 39.7; 27.9"),
        "Fig. 15, compactor": Row(EXAMPLES + "15_trashComp_shapes.txt", "15K; 6K (132K); 29.4; 61.9", 32),
        "Fig. 17, pin cushion": Row(EXAMPLES + "17_pinCushionBall.txt", "9K; 317 (496); 9.5; 3.7"),
        "Fig. 18, points": Row(EXAMPLES + "18_pointRollerBall.txt", steps=300),
        "Fig. 18, segments": Row(EXAMPLES + "18_segRollerBall.txt", steps=300),
        "Fig. 20, rod": Row(EXAMPLES + "20_pencilStickSlip.txt"),
        "Fig. 21, mat of 40 x 40": Row(EXAMPLES + "21_scalability/mat40x40_twist.txt"),
        "Fig. 21, mat of 100 x 100": Row(EXAMPLES + "21_scalability/mat100x100_twist.txt", steps=60),
        "Fig. 21, armadillo": Row(EXAMPLES + "21_scalability/armadillo13K_twist.txt"),
        "chain of 5": Row(EXAMPLES + "videoExamples/chain5.txt"),
        "chain of 10": Row(EXAMPLES + "videoExamples/chain10.txt"),
        "chain of 100": Row(EXAMPLES + "videoExamples/chain100.txt", "20K; 40K (53K); 2.4; 4.0"),
        "slope, 0.49": Row(FRICTION + "slopeTest_highSchoolPhysics_0.49.txt"),
        "slope, 0.5": Row(FRICTION + "slopeTest_highSchoolPhysics_0.5.txt"),
        "tunnel": Row("otherExamples/tunnel.txt"),
    },
    "authors rods": {f"h = {h:g} s": Row(EXAMPLES + f"tb1_diffDt/rodsTwist_E1e4_dt{h:g}.txt", "2.5K; " + paper)
                     for h, paper in SWEEP.items()},
}
ROWS = {name: row for rows in SECTIONS.values() for name, row in rows.items()}


def folder_of(name, arguments):
    return os.path.join(arguments.output, name.replace(",", "").replace(" ", "_"))


def newton_of_paper(row):
    return float(row.paper.split(";")[2]) if row.paper else 0


def row_of(name, out, code, said):
    """A row of the table, and the reason why the run counts as failed, or ''."""
    cells, steps = measured(name, out, code, said), rows_of(out)
    newton = [int(step["newton_iterations"]) for step in steps]
    mean = sum(newton) / len(newton) if newton else 0
    paper = newton_of_paper(ROWS[name])
    whole = steps_of(os.path.join(out, "scene.yaml"))
    part = paper and len(steps) < whole  # the paper's means are of whole runs
    row = {**dict.fromkeys(COLUMNS, "–"), "scene": name, "paper: nodes; contacts; Newton; s": ROWS[name].paper or "–"}
    if newton:
        row |= {"nodes": cells["nodes"], "steps": f"{len(steps)} of {whole}" if part else cells["steps"],
                "contacts avg (max)": f"{cells['contacts avg']} ({cells['contacts max']})",
                "Newton a step (max)": f"{mean:.2f} ({max(newton)})", "local a step": cells["local a step"],
                "processor s a step": cells["processor s a step"] or "–",
                "Newton here / paper": f"{mean / paper:.2f}" if paper and not part else "–"}
    crossings = cells["crossings"]
    return row, cells["remark"] or ("" if crossings in (0, "", "not checked") else f"{crossings} intersections")


def run_scene(name, arguments):
    out, row = folder_of(name, arguments), ROWS[name]
    try:
        scene = converted(os.path.join(arguments.scenes, row.file), os.path.join(out, "scene.yaml"))
    except ValueError as error:
        return row_of(name, out, 2, str(error))
    return row_of(name, out, *run(scene, out, arguments, ["-steps", str(row.steps)] if row.steps else []))


def table_rows(section):
    """Rows of a table of the page as dictionaries, by scene."""
    _, *cells = cells_of(section_of(PAGE, section)) or [COLUMNS]
    return {row[0]: dict(zip(COLUMNS, row)) for row in cells}


def draw(picture):
    """Draws Newton iterations a step of the rows of the page, here and in the paper."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib import ticker
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3.2), dpi=200)
    for axis, section in zip(axes, SECTIONS):
        rows = [(name, float(row["Newton a step (max)"].split()[0]), newton_of_paper(ROWS[name]))
                for name, row in table_rows(section).items() if row["Newton here / paper"] != "–"]
        for k, label in enumerate(("abut", "paper")):
            axis.semilogx([row[1 + k] for row in rows], range(len(rows)), "os"[k], fillstyle=("full", "none")[k], label=label)
        axis.set_yticks(range(len(rows)), [row[0] for row in rows], fontsize=6)
        axis.invert_yaxis()
        axis.set_xlim(left=1)
        axis.xaxis.set_minor_formatter(ticker.NullFormatter())
        axis.set_xlabel("Newton iterations a step", fontsize=8)
        axis.tick_params(axis="x", labelsize=7)
        axis.grid(alpha=0.25)
        axis.legend(fontsize=6)
    axes[0].set_title("scenes of Fig. 23", fontsize=8)
    axes[1].set_title("twisted rods (Table 1)", fontsize=8)
    figure.tight_layout()
    figure.savefig(picture, pil_kwargs={"optimize": True})
    plt.close(figure)


def write_page(arguments):
    """Rows of runs that have ended replace rows of the page."""
    for section, plan in SECTIONS.items():
        rows = table_rows(section)
        for name in plan:
            out = folder_of(name, arguments)
            summary = summary_of(out)
            if summary and summary["exit_code"] == 0 and rows_of(out):
                rows[name] = row_of(name, out, 0, "")[0]
        write_section(PAGE, section, markdown(COLUMNS, [rows[name] for name in plan if name in rows]))


def main():
    parser = parser_of(__doc__, "authors_scenes", ranks=1, timeout=7200)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--scenes", default=REFERENCE, help="folder input of the 2020 IPC code")
    parser.add_argument("--page", action="store_true", help="write the tables of docs/ipc2020.md, without running anything")
    parser.add_argument("--list", action="store_true", help="names of the scenes")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(ROWS))
        return 0
    if arguments.page:
        needs.modules("matplotlib")
        write_page(arguments)
        draw(os.path.join(ROOT, "docs", "ipc2020", "numbers.png"))
        return 0
    if not os.path.isdir(arguments.scenes):
        parser.error(f"there is no folder {arguments.scenes}: give --scenes, or set ABUT_REFERENCE_DIR")
    require_program(arguments.abut)
    rows, failures = [], 0
    for name in matching(ROWS, arguments.names, arguments.scenes, "authors_scenes.py"):
        row, problem = run_scene(name, arguments)
        rows.append(row)
        failures += bool(problem)
        print(f"{name}: {problem}" if problem else " | ".join(str(cell) for cell in row.values()), flush=True)
        with open(os.path.join(arguments.output, "authors_scenes.md"), "w", encoding="utf-8") as stream:
            stream.write(markdown(COLUMNS, rows))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
