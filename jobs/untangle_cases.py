#!/usr/bin/env python3
"""Moves the bodies of forty scenes apart whose overlaps are hard to part, checks the new scenes exactly, and prints a table.

    jobs/untangle_cases.py                      all scenes of inputs/untangle/make_cases.py
    jobs/untangle_cases.py 'plates_*' wedge -n 2

A scene is resolved, or refused with a reason within the time limit. A resolved scene has no inverted cell, no edge that crosses a face of
another body or of its own, no vertex inside another body or behind a half space: by exact predicates of this script, on the positions in
fields.h5. Results go to results/untangle_cases, the table to tables/cases.md there. The exit code is 1 if a scene is neither resolved nor
refused, or fails the check. Needs numpy and h5py.
"""

import os
import re
import subprocess
import sys
import time
from fractions import Fraction

from oipc_page import Table, write_tables
from scene_runs import ENVIRONMENT, ROOT, matching, parser_of, require_program, summary_of

sys.path.insert(0, os.path.join(ROOT, "inputs", "untangle"))
import make_cases  # noqa: E402

COLUMNS = ["scene", "outcome", "largest displacement", "as a whole", "volume change", "smallest det F", "s"]
MINUTES = 2  # time limit of a scene


class State:
    """Surfaces and cells of a resolved scene."""

    def __init__(self, path):
        import h5py
        with h5py.File(path, "r") as file:
            mesh, self.x = file["mesh"], file["steps/000001/position"][:]
            self.cells, self.body = mesh["cells"][:], mesh["vertex_body"][:]
            self.dim = self.cells.shape[1] - 1
            shells = mesh["obstacle_triangles" if self.dim == 3 else "obstacle_segments"][:]
            self.elements = [tuple(map(int, e)) for part in (mesh["surface"][:], shells) for e in part]
        self.exact = [tuple(Fraction(float(c)) for c in row[:self.dim]) for row in self.x]
        self.edges = sorted({tuple(sorted((e[k], e[(k + 1) % self.dim]))) for e in self.elements for k in range(self.dim)})


def orientation(points):
    """Sign of the volume (2D: area) that dim + 1 points span, exactly."""
    rows = [[c - o for c, o in zip(p, points[0])] for p in points[1:]]
    if len(rows) == 2:
        value = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    else:
        (a, b, c), (d, e, f), (g, h, i) = rows
        value = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (value > 0) - (value < 0)


def meets_flat(p, q, corners):
    """Whether a segment meets a triangle in its plane: seen along an axis that is not in the plane."""
    for axis in range(3):
        flat = [tuple(c for k, c in enumerate(point) if k != axis) for point in (*corners, p, q)]
        if orientation(flat[:3]):
            break
    else:
        return True  # a triangle without area
    sides = [[orientation([flat[k], flat[(k + 1) % 3], end]) for k in range(3)] for end in flat[3:]]
    if any(not min(side) < 0 < max(side) for side in sides):
        return True  # an end is in the triangle
    return any(segments_meet(flat[3], flat[4], flat[k], flat[(k + 1) % 3]) for k in range(3))


def segments_meet(p, q, a, b):
    """Whether two segments of the plane have a common point."""
    first, second = [orientation([p, q, end]) for end in (a, b)], [orientation([a, b, end]) for end in (p, q)]
    if any(first) or any(second):
        return first[0] * first[1] <= 0 and second[0] * second[1] <= 0
    return all(min(p[k], q[k]) <= max(a[k], b[k]) and min(a[k], b[k]) <= max(p[k], q[k]) for k in range(2))


def crosses(state, edge, element):
    """Whether an edge meets an element without a common vertex; a touch counts."""
    p, q = (state.exact[v] for v in edge)
    corners = [state.exact[v] for v in element]
    if state.dim == 2:
        return segments_meet(p, q, *corners)
    sides = [orientation([*corners, p]), orientation([*corners, q])]
    if not any(sides):
        return meets_flat(p, q, corners)
    if sides[0] * sides[1] > 0:
        return False
    turns = [orientation([p, q, corners[k], corners[(k + 1) % 3]]) for k in range(3)]
    return not (min(turns) < 0 < max(turns))


def close_pairs(first, second):
    """Pairs of boxes [n][2][dim] that overlap."""
    import numpy as np
    for i, box in enumerate(first):
        found = np.all((second[:, 0] <= box[1]) & (second[:, 1] >= box[0]), axis=1)
        yield from ((i, int(j)) for j in np.flatnonzero(found))


def boxes(state, entities):
    import numpy as np
    corners = state.x[np.array(entities)][:, :, :state.dim]
    return np.stack((corners.min(axis=1), corners.max(axis=1)), axis=1)


def faults(state):
    """Names of the conditions that a state violates."""
    found = []
    if any(orientation([state.exact[v] for v in cell]) <= 0 for cell in state.cells):
        found.append("inverted cell")
    for i, j in close_pairs(boxes(state, state.edges), boxes(state, state.elements)):
        edge, element = state.edges[i], state.elements[j]
        if not set(edge) & set(element) and crosses(state, edge, element):
            found.append(f"edge {edge} crosses element {element}")
            break
    vertices = sorted({v for e in state.elements for v in e})
    for i, j in close_pairs(boxes(state, [[v] for v in vertices]), boxes(state, state.cells)):
        cell = state.cells[j]
        if state.body[vertices[i]] == state.body[cell[0]]:
            continue
        inside = [orientation([state.exact[vertices[i]] if k == m else state.exact[v] for m, v in enumerate(cell)])
                  for k in range(state.dim + 1)]
        if min(inside) > 0:
            found.append(f"vertex {vertices[i]} is inside cell {j}")
            break
    return found


def below_planes(state, scene):
    """Vertices of bodies behind a half space of the scene file."""
    count = 0
    for point, normal in re.findall(r"plane: \{point: \[([^]]*)\], normal: \[([^]]*)\]", scene):
        p, n = ([Fraction(float(x)) for x in text.split(",")] for text in (point, normal))
        count += sum(sum(a * (x - b) for a, x, b in zip(n, at, p)) <= 0 for at in state.exact)
    return count


def length(value):
    return f"{value:.3g} m"


def row_of(name, out, seconds):
    summary = summary_of(out)
    bodies = summary["bodies"]
    worst = max((body["volume_change"] for body in bodies), key=abs)
    return {"scene": name, "outcome": "resolved", "largest displacement": length(max(body["displacement_max_m"] for body in bodies)),
            "as a whole": length(max(body["displacement_whole_m"] for body in bodies)), "volume change": f"{100 * worst:+.2g} %",
            "smallest det F": f"{min(body['smallest_det'] for body in bodies):.2f}", "s": f"{seconds:.2g}"}


def study(arguments, name, scene):
    """Row of a scene, and the faults of its outcome."""
    out, command = os.path.join(arguments.output, name), [] if arguments.ranks == 1 else ["mpiexec", "-n", str(arguments.ranks)]
    start = time.monotonic()
    done = subprocess.run([*command, arguments.abut, "deform", scene, "-resolve", "-o", out, "-overwrite", "-walltime", str(MINUTES)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, env=ENVIRONMENT,
                          timeout=120 * MINUTES)
    seconds = time.monotonic() - start
    last = done.stdout.strip().splitlines()[-1]
    if done.returncode:
        reason = last.removeprefix("abut: ")
        return {"scene": name, "outcome": "refused: " + reason, "s": f"{seconds:.2g}"}, "" if done.returncode == 4 else last
    state = State(os.path.join(out, "fields.h5"))
    with open(scene, encoding="utf-8") as stream:
        wrong = faults(state) + ["a vertex is behind a half space"] * (below_planes(state, stream.read()) > 0)
    return row_of(name, out, seconds), "; ".join(wrong)


def main():
    parser = parser_of(__doc__, "untangle_cases", 1)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    require_program(arguments.abut)
    folder = os.path.join(arguments.output, "scenes")
    os.makedirs(folder, exist_ok=True)
    rows, failed = [], 0
    for name in matching(make_cases.CASES, arguments.names, "inputs/untangle/make_cases.py", "untangle_cases.py"):
        row, wrong = study(arguments, name, make_cases.write(folder, name))
        print(", ".join(f"{key} {row[key]}" for key in COLUMNS if key in row) + ("; WRONG: " + wrong if wrong else ""), flush=True)
        failed += bool(wrong)
        rows.append(row)
    table = Table(COLUMNS, 1, rows, [(row["scene"],) for row in rows])
    write_tables(os.path.join(arguments.output, "tables"), {"cases": table})
    resolved = sum(row["outcome"] == "resolved" for row in rows)
    print(f"{len(rows)} scenes: {resolved} resolved, {len(rows) - resolved} refused, {failed} wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
