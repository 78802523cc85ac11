"""The model of scaling_study.py: counts of a run, and seconds by phase predicted from them. docs/scaling.md describes it."""

import json
import math
import re

from scaling_rates import setup_seconds, solve_seconds

# seconds of a phase, and the count of the rank with most that they are proportional to, for each Newton iteration
COMPUTATION = {"elastic": "cells", "line_search": "cells", "contact_search": "candidates", "ccd": "candidates",
               "contact_assembly": "stencils"}
FIRST_RANK = {"direct": "dissection_s", "multigrid": "parts_s"}  # seconds of the first rank that serve --serves Newton iterations
PROCESSOR_TIME = "  clock: processor time outside MPI"  # a line of view.txt
GROUPS = {"cells": ["elastic", "line_search"], "contact": ["contact_search", "ccd", "contact_assembly"],
          "linear": ["linear_setup", "linear_solve"]}
# counts that change with the number of ranks, and the iterations that they are proportional to; the others of a run are taken over
GROWING = {"cells": None, "candidates": None, "stencils": None, "memory_MB": None, "setup_flop": "newton", "solve_flop": "linear",
           "messages": "linear", "bytes": "linear", "reductions": "linear"}


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def max_and_mean(view):
    """Name -> (maximum, mean) over ranks, for both kinds of lines that the views print."""
    found = {}
    for name, most, mean in re.findall(r"^  ([\w -]+?) +max ([\d.]+) avg ([\d.]+) a rank", view, re.M):
        found[name] = (float(most), float(mean))
    for name, most, ratio in re.findall(r"^  (\w+) +\d+, most on a rank (\d+) \(([\d.]+) of the average\)", view, re.M):
        found[name] = (float(most), float(most) / max(float(ratio), 1e-9))
    return found


def event(log, name):
    """Number of times, largest seconds and operations of a rank in an event of -log_view; 0 if the event did not occur."""
    line = re.search(rf"^{name} +(\d+) +[\d.]+ ([\d.e+-]+) +[\d.]+ ([\d.e+-]+)", log, re.M)
    return tuple(map(float, line.groups())) if line else (0.0, 0.0, 0.0)


def factorisation(view):
    """Operations of the factorisation by nested substructures: on the busiest rank, and one after the other; (1, 1) if there is none."""
    found = re.findall(r"([\d.e+]+) on the busiest rank, ([\d.e+]+) one after the other", view)
    return (float(found[-1][0]), float(found[-1][1])) if found else (1.0, 1.0)


def setup_flop(view, log, solver):
    """Operations of set-ups on the rank with most: direct with waiting, multigrid at least factorisations of its coarsest level."""
    flop, (busiest, path) = event(log, "abut_linear_setup")[2], factorisation(view)
    if solver == "direct":
        return flop * path / busiest
    return max(flop, coarse_flop(view, log, solver))


def coarse_flop(view, log, solver):
    """Operations of all factorisations of the coarsest level of multigrid, one after the other.

    A set-up has a product P^T A P for each level but the finest: with more than two levels this is an upper bound.
    """
    return event(log, "MatPtAPNumeric")[0] * factorisation(view)[1] if solver == "multigrid" else 0.0


def wall(summary, log, solver):
    """Seconds of the phases, for multigrid without the prediction from which it was chosen. Direct uses the analysis of the prediction."""
    seconds = dict(summary["wall_s"])
    if solver == "multigrid":
        seconds["linear_setup"] -= event(log, "abut_prediction")[1]
    return seconds


def mean_seconds(log, name):
    """Seconds of one occurrence of an event."""
    count, seconds, _ = event(log, name)
    return seconds / max(count, 1)


def number(pattern, log):
    """The number that the pattern marks in -log_view."""
    line = re.search(pattern, log, re.M)
    if not line:
        raise ValueError(f"the output of -log_view has no line {pattern}")
    return float(line.group(1))


def communication(log, ranks):
    """Messages, bytes and reductions of a rank in Newton iterations: start-up and output are not in the predicted times.

    -log_view has averages of an event. Messages and reductions are multiplied by the maximum over the average of the whole run.
    """
    solve = r"^SNESSolve +\d+ +[\d.]+ +(?:[\d.e+-]+ +[\d.]+ +){2}"
    messages, length, reductions = (number(solve + r"\S+ +" * column + r"([\d.e+]+)", log) for column in range(3))
    most = {name: number(rf"^MPI {name}: +([\d.e+]+)", log) for name in ("Msg Count", "Reductions")}
    mean = {"Msg Count": number(r"^MPI Msg Count: +\S+ +\S+ +([\d.e+]+)", log),
            "Reductions": number(r"^ *0: +Main Stage: .* ([\d.e+]+) +[\d.]+% *$", log)}
    ratio = {name: most[name] / max(mean[name], 1e-9) for name in most}
    return {"messages": messages / ranks * ratio["Msg Count"], "bytes": messages * length / ranks,
            "reductions": reductions * ratio["Reductions"]}


def record(out, ranks):
    """The counts and times of the run in a folder. Cells, stencils, operations and so on are of the rank with most."""
    summary, view, log = json.loads(read(out + "/summary.json")), read(out + "/view.txt"), read(out + "/log_view.txt")
    sizes, solver = max_and_mean(view), re.findall(r"current solver: (\w+)", view)[-1]
    kinds = [sizes[name] for name in ("candidates face-vertex", "candidates edge-edge", "candidates edge-vertex") if name in sizes]
    return {
        "ranks": ranks,
        "solver": solver,
        "vertices": summary["vertices"],
        "cells": sizes["cells"][0],
        "candidates": sum(most for most, _ in kinds),
        "stencils": sizes["stencils"][0],
        "balance": sizes["stencils"][0] / max(sizes["stencils"][1], 1e-9),
        "setup_flop": setup_flop(view, log, solver),
        "coarse_flop": coarse_flop(view, log, solver),
        "solve_flop": event(log, "abut_linear_solve")[2],
        "symbolic": event(log, "abut_symbolic")[0],
        "symbolic_s": event(log, "abut_symbolic")[1],
        "processor_time": PROCESSOR_TIME in view,
        "dissection_s": mean_seconds(log, "abut_dissection"),
        "parts_s": mean_seconds(log, "abut_parts"),
        **communication(log, ranks),
        "newton": summary["newton_iterations"],
        "linear": summary["linear_iterations"],
        "memory_MB": summary["peak_memory_MB"]["max"],
        "wall": wall(summary, log, solver),
    }


def measured(at):
    """Seconds of the phases that the model predicts."""
    return sum(at["wall"][phase] for phases in GROUPS.values() for phase in phases) + at["wall"]["halo"]


def predict(given, first, rates, at):
    """Seconds by phase: work of the rank with most at the speed of one rank, work of the first rank alone, and messages.

    first: record of one rank; rates: solver -> records of one rank with this solver, of several sizes; at: record of any number of ranks.
    """
    def compute(phase):
        count = COMPUTATION[phase]
        return first["wall"][phase] * at[count] / max(first[count], 1) * at["newton"] / max(first["newton"], 1)

    runs = rates[at["solver"]]
    found = {group: sum(compute(phase) for phase in phases) for group, phases in GROUPS.items() if group != "linear"}
    found["linear"] = setup_seconds(given, runs, at) + solve_seconds(runs, at)
    found["first rank"] = at[FIRST_RANK[at["solver"]]] * at["newton"] / given.serves if at["solver"] in FIRST_RANK else 0
    found["messages"] = given.alpha * (at["messages"] + at["reductions"] * math.log2(at["ranks"])) + given.beta * at["bytes"]
    return found


def parts_work(ranks):
    """Work of the bisections, one after the other, of the graph of nodes for multigrid; 1: of the whole graph. 1 + 1/2 + 1/4 + ..."""
    return 2 - 2 / max(ranks, 2)


def use_measured_seconds(cores, records):
    """Seconds of the first rank of the largest run with a core for each rank serve for larger ones, in which ranks compete for cores.

    Runs whose clock is the processor time keep their own.
    """
    for name in FIRST_RANK.values():
        real = [at for at in records if at["ranks"] <= cores and at[name] > 0]
        for at in records:
            if at["ranks"] > cores and real and not at["processor_time"]:
                more = parts_work(at["ranks"]) / parts_work(real[-1]["ranks"]) if name == "parts_s" else 1
                at[name] = real[-1][name] * more


def growth(a, b, name, times):
    """Power of the rank count with which a count for each iteration changes from record a to record b."""
    each = [at[name] / max(at[times] if times else 1, 1) for at in (a, b)]
    return math.log(each[1] / each[0]) / math.log(b["ranks"] / a["ranks"]) if min(each) > 0 else 0


def extrapolate(given, records):
    """Counts on more ranks than were run: powers of the rank count through the last two records with the solver of the last.

    Newton iterations stay, linear ones in a Newton iteration do not become fewer.
    """
    same = [at for at in records if at["solver"] == records[-1]["solver"] and at["ranks"] > 1]
    if len(same) < 2:
        return
    a, b = same[-2:]
    ranks = 2 * b["ranks"]
    while ranks <= given.predict:
        more = {**b, "ranks": ranks, "extrapolated": True, "vertices": ""}
        more["linear"] = b["linear"] * (ranks / b["ranks"]) ** max(growth(a, b, "linear", "newton"), 0)
        for name, times in GROWING.items():
            more[name] = b[name] * (ranks / b["ranks"]) ** growth(a, b, name, times) * (more[times] / max(b[times], 1) if times else 1)
        more["setup_flop"] = max(more["setup_flop"], more["coarse_flop"])
        more["parts_s"] = b["parts_s"] * parts_work(ranks) / parts_work(b["ranks"])
        yield more
        ranks *= 2


HEADINGS = ["ranks", "vertices", "cells, most", "stencils, most", "max/avg", "solver", "Gflop, set-up and solution", "messages of a rank",
            "MB of a rank", "reductions", "Newton", "CG", "MB, most", "measured [s]", "predicted [s]", "efficiency"]


def row(given, series, predicted, at):
    """One row of the table; max/avg and measured times only of real runs. predicted: seconds of one rank and of `at`."""
    real, ranks = not at.get("extrapolated"), at["ranks"]
    start, total = predicted
    seconds = f"{measured(at):.2f}" if real and ranks <= given.cores else ""
    ideal = start / (ranks if series == "strong" else 1)
    return [ranks, at["vertices"], f"{at['cells']:.0f}", f"{at['stencils']:.0f}", f"{at['balance']:.2f}" if real else "",
            at["solver"], f"{at['setup_flop'] / 1e9:.3g}, {at['solve_flop'] / 1e9:.3g}", f"{at['messages']:.0f}",
            f"{at['bytes'] / 1e6:.2f}", f"{at['reductions']:.0f}", f"{at['newton']:.0f}", f"{at['linear']:.0f}",
            f"{at['memory_MB']:.0f}", seconds, f"{total:.3g}", f"{ideal / total:.2f}"]


def study(given, series, records, rates):
    """Predicted seconds by phase on all rank counts, and the lines of the table."""
    use_measured_seconds(given.cores, records)
    points = [*records, *extrapolate(given, records)]
    phases = [predict(given, records[0], rates, at) for at in points]
    totals = [sum(at.values()) for at in phases]
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + " --- |" * len(HEADINGS)]
    for at, total in zip(points, totals):
        lines.append("| " + " | ".join(map(str, row(given, series, (totals[0], total), at))) + " |")
    return [{"ranks": at["ranks"], **seconds} for at, seconds in zip(points, phases)], lines

