#!/usr/bin/env python3
"""
Prints the summary of one or several runs as text.

    report.py DIR [DIR ...]
"""

import argparse
import os

import needs

needs.modules("h5py", "numpy")

from abut_results import Results, ResultsError, engineering, guard

PHASES = ["elastic", "contact_search", "ccd", "contact_assembly", "linear_setup", "linear_solve", "line_search", "halo", "verify"]


def plain(summary, key):
    value = summary.get(key)
    if value is None:
        return "not checked" if key.endswith("_found") else "-"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def per(amount, count, unit=""):
    return f"{amount / count:.3g}{unit}" if count else "-"


def share(part, whole):
    return f"{part:10.3f} s {100 * part / whole:6.1f} %" if whole else f"{part:10.3f} s"


def rows(summary):
    """Pairs of a label and a text; a label of None starts a new block."""
    wall, memory, steps = summary["wall_s"], summary["peak_memory_MB"], summary["steps"]
    yield "exit code", f"{summary['exit_code']} ({summary['message'] or 'no message'})"
    yield "steps", f"{steps:,} (to step {summary['last_step']:,}, t = {summary['time_s']:.6g} s)"
    yield "Newton iterations", f"{summary['newton_iterations']:,} ({per(summary['newton_iterations'], steps)} a step)"
    yield "linear iterations", (f"{summary['linear_iterations']:,} "
                                f"({per(summary['linear_iterations'], summary['newton_iterations'])} a Newton iteration)")
    yield "contacts", f"{summary['contacts_avg']:.1f} on average, {summary['contacts_max']:,} at most"
    yield "smallest gap", engineering(summary["min_gap_m"], "m")
    if "imbalance_max" in summary:
        yield "imbalance of forces", (f"{summary['imbalance_max']:.2g} at most; {summary['imbalance_missed_steps']:,} steps missed "
                                      f"solver.balance, {summary['imbalance_round_off_steps']:,} were limited by round-off")
    if summary.get("mesh_error_body"):
        yield "error of the mesh", f"{100 * summary['mesh_error']:.2g} % of the elastic energy of {summary['mesh_error_body']}"
    yield "intersections, inversions", f"{plain(summary, 'intersections_found')}, {plain(summary, 'inversions_found')}"
    yield None, ""
    yield "bodies", plain(summary, "bodies")
    yield "obstacles", f"{plain(summary, 'obstacles')} meshes, {plain(summary, 'half_spaces')} half spaces"
    for key in ("cells", "vertices", "surface_triangles", "unknowns"):
        yield key.replace("_", " "), plain(summary, key)
    yield None, ""
    yield "ranks, hosts", f"{summary['ranks']:,}, {summary['host_count']:,}"
    yield "peak memory", f"{memory['max']:,.0f} MB a rank, {memory['sum']:,.0f} MB in all"
    yield "wall time", f"{wall['total']:10.3f} s"
    yield "  set-up", f"{wall['setup']:10.3f} s"
    yield "  output", f"{wall['output']:10.3f} s"
    yield "  time steps", f"{wall['solve']:10.3f} s ({per(wall['solve'], steps, ' s')} a step)"
    for phase in PHASES:
        yield "    " + phase.replace("_", " "), share(wall[phase], wall["solve"])
    yield None, ""
    yield "scene", summary["scene"]
    yield "version", f"{summary['version']} ({summary['git']})"
    yield "BLAS", plain(summary, "blas")
    yield "options", summary["options"].strip()
    yield "started, ended", f"{summary['started']}, {summary['ended']}"


def show(directory):
    summary = Results(directory).summary()
    try:
        table = list(rows(summary))
    except KeyError as error:
        raise ResultsError(f"{directory}/summary.json has no {error}") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{directory}/summary.json has a value that is not as abut writes it: {error}") from None
    print(os.path.normpath(directory))
    for label, text in table:
        print(f"  {label:<28s}{text}".rstrip() if label else "")


def show_all(directories):
    for number, directory in enumerate(directories):
        if number:
            print()
        show(directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", metavar="DIR", nargs="+", help="results of a run")
    args = parser.parse_args()
    guard("report.py", lambda: show_all(args.directories))


if __name__ == "__main__":
    main()
