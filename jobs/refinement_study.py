#!/usr/bin/env python3
"""Compares abut with closed forms under refinement: resting gap, contact patch test, Hertz in 2D and 3D, partial slip, impacts.

    refinement_study.py [--potential ipc ...] [--case hertz_cylinder ...] [--levels 4] [--quick] [-n 1] [-o results/refinement_study]

Every case runs on a family of meshes, with dhat fixed and with dhat tied to the edge length h. The results are tables of errors with
their observed orders (refinement.md), all numbers (refinement.json) and a picture of each case and potential. A run whose results are
there is not repeated unless its scene has changed. --quick takes the two coarsest meshes of each case. Needs NumPy, h5py and Matplotlib.
"""

import json
import math
import os
import sys

import refinement_cases
from refinement_cases import CASES
from scene_runs import parser_of, run

import needs

needs.modules("numpy", "h5py", "matplotlib")

import orders
import plot_refinement
from abut_results import Results, ResultsError


def run_level(case, potential, rule, size, arguments):
    """One run: its numbers, or a remark."""
    folder = os.path.join(arguments.output, potential, f"{case.name}-{rule.replace(' ', '_')}", f"{size:.4g}")
    os.makedirs(folder, exist_ok=True)
    scene = os.path.join(folder, "scene.yaml")
    before = refinement_cases.read(scene)
    text = refinement_cases.of_order(case.write(folder, potential, rule, size), arguments.order)
    if before != text and os.path.exists(os.path.join(folder, "summary.json")):
        os.remove(os.path.join(folder, "summary.json"))
    with open(scene, "w", encoding="utf-8") as stream:
        stream.write(text)
    row = {"case": case.name, "potential": potential, "rule": rule, "size": size, "remark": ""}
    code, said = run(scene, folder, arguments)
    if code:
        row["remark"] = f"exit {code}: {said[:200]}"
        return row
    try:
        results = Results(folder)
        summary, steps = results.summary(), results.steps()
        row.update(vertices=summary["vertices"], contacts=int(steps["contacts"][-1]), newton=int(sum(steps["newton_iterations"])),
                   seconds=float(sum(steps["wall_s"])))
        row.update(case.measure(results, potential, rule, size))
        row["residual"] = float(max(steps["residual_N"])) / row["force_N"]
    except (ResultsError, OSError, KeyError, IndexError, ZeroDivisionError) as error:
        row["remark"] = f"not measured: {error!r}"
    return row


def percent(value):
    return "" if value is None or not math.isfinite(value) else f"{100 * value:.2g} %" if abs(value) >= 1e-5 else f"{value:.1e}"


def order(value):
    return "" if not math.isfinite(value) else f"{value:.2f}"


def table(case, rows):
    """Markdown of one case, potential and rule: errors with the order from the row above, then fitted orders."""
    sizes, done = [row["size"] for row in rows], [row for row in rows if not row["remark"]]
    refined = case.name != "resting_gap"
    columns = ["h [m]" if refined else f"stiffness [{case.units[rows[0]['potential']][1]}]", "vertices", "contacts", "gap/dhat"]
    columns += [entry for name in case.errors for entry in ([name, "order"] if refined else [name])] + ["residual", "Newton"]
    steps = {name: orders.steps(sizes, [row.get(name) for row in rows]) for name in case.errors}
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for k, row in enumerate(rows):
        if row["remark"]:
            lines.append(f"| {row['size']:.4g} | {row['remark']} |" + " |" * (len(columns) - 2))
            continue
        cells = [f"{row['size' if refined else 'stiffness']:.4g}", str(row["vertices"]), str(row["contacts"]), f"{row['gap/dhat']:.4f}"]
        for name in case.errors:
            cells += [percent(row[name])] + ([order(steps[name][k])] if refined else [])
        lines.append("| " + " | ".join(cells + [percent(row["residual"]), str(row["newton"])]) + " |")
    fits = [f"{name} {order(fit)}" for name, fit in fitted(case, done).items() if math.isfinite(fit)]
    return "\n".join(lines) + "\n" + (f"\nFitted orders: {', '.join(fits)}.\n" if refined and fits else "")


def fitted(case, rows):
    if case.name == "resting_gap":
        return {}
    return {name: orders.slope([row["size"] for row in rows], [row[name] for row in rows]) for name in case.errors}


def limit(case, rows):
    """Sentence about the limit of the force under refinement (Richardson extrapolation)."""
    done = [row for row in rows if not row["remark"]]
    if "force" not in case.errors or len(done) < 3:
        return ""
    value, power = orders.richardson([row["size"] for row in done], [row["force"] for row in done])
    if not math.isfinite(value):
        return "\nThe last three forces do not fit a power of h about a limit.\n"
    return f"\nThe force tends to {percent(value)} off its closed form, at order {power:.2f} (Richardson, last three).\n"


def write_report(arguments, rows):
    lines = ["# Refinement study", "",
             "Written by jobs/refinement_study.py. Errors are relative; orders are between a mesh and the one above it. The residual is",
             "the largest force imbalance of a vertex in any step, relative to the contact forces of the last step.", ""]
    for name in arguments.case:
        case = CASES[name]
        lines += [f"## {case.title}", ""]
        for potential in arguments.potential:
            for rule in case.rules:
                part = [row for row in rows if (row["case"], row["potential"], row["rule"]) == (name, potential, rule)]
                if part:
                    lines += [f"`{potential}`, {case.words(rule)}:", "", table(case, part) + limit(case, part)]
            if os.path.exists(os.path.join(arguments.output, f"{name}-{potential}.png")):
                lines += [f"![{case.title}]({name}-{potential}.png)", ""]
    with open(os.path.join(arguments.output, "refinement.md"), "w", encoding="utf-8") as stream:
        stream.write("\n".join(lines))
    with open(os.path.join(arguments.output, "refinement.json"), "w", encoding="utf-8") as stream:
        json.dump(rows, stream, indent=1)


def parsed():
    parser = parser_of(__doc__, "refinement_study", ranks=1)
    parser.add_argument("--potential", nargs="+", default=["ipc"], metavar="NAME")
    parser.add_argument("--case", nargs="+", default=list(CASES), choices=list(CASES), metavar="NAME", help=", ".join(CASES))
    parser.add_argument("--levels", type=int, default=99, help="how many of the meshes, from the coarsest")
    parser.add_argument("--order", type=int, default=1, choices=(1, 2), help="order of the cells; give each a folder of its own (-o)")
    parser.add_argument("--quick", action="store_true", help="the two coarsest meshes of each case")
    return parser.parse_args()


def main():
    arguments, rows = parsed(), []
    os.makedirs(arguments.output, exist_ok=True)
    for name in arguments.case:
        case = CASES[name]
        for potential in arguments.potential:
            for rule in case.rules:
                for size in case.sizes[: case.quick if arguments.quick else arguments.levels]:
                    row = run_level(case, potential, rule, size, arguments)
                    rows.append(row)
                    said = row["remark"] or ", ".join(f"{error} {percent(row[error]) or '-'}" for error in case.errors)
                    print(f"{name} {potential} {rule} {size:.4g}: {said}", flush=True)
            plot_refinement.draw(case, potential,
                                 [row for row in rows if row["case"] == name and row["potential"] == potential and not row["remark"]],
                                 os.path.join(arguments.output, f"{name}-{potential}.png"))
            write_report(arguments, rows)
    print(os.path.join(arguments.output, "refinement.md"))
    return 1 if any(row["remark"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
