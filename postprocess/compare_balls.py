#!/usr/bin/env python3
"""
Two balls pressed together by `abut run` beside the same balls by `abut deform` (inputs/deform/make_balls.py): differences of
the surfaces over the radius of each ball, and radii of the contact.

    compare_balls.py RUN DEFORM            RUN, DEFORM: results of balls_run.yaml and balls_deform.yaml
    compare_balls.py RUN DEFORM -o OUT.png also draws the section through both centres
"""

import argparse

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from abut_results import Frames, Results, guard, save


def read_run(directory):
    """Of each body: triangles, rest positions, last positions, vertices with contact forces."""
    results = Results(directory)
    touched = np.linalg.norm(results.field("contact_force"), axis=1) > 0
    surface, body = results.mesh("surface"), results.mesh("surface_body")
    return [(surface[body == b], results.mesh("rest"), results.positions(), touched) for b in range(2)]


def read_deform(directory):
    """Of each surface: triangles, input positions, positions, vertices in the zone."""
    frames = Frames(directory)
    surfaces = [frames.surface(frames.frames[-1], i) for i in range(2)]
    return [(triangles, now - moved, now, zone) for triangles, (now, moved, zone) in zip(frames.triangles, surfaces)]


def nearest(points, corners):
    """Distance of each point from triangles [n, 3, 3] (Ericson 2004, Real-Time Collision Detection, 5.1.5)."""
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    d00, d01, d11 = (ab * ab).sum(1), (ab * ac).sum(1), (ac * ac).sum(1)
    result = np.empty(len(points))
    for i, p in enumerate(points):
        ap = p - a
        d20, d21 = (ap * ab).sum(1), (ap * ac).sum(1)
        v, w = (d11 * d20 - d01 * d21) / (d00 * d11 - d01 * d01), (d00 * d21 - d01 * d20) / (d00 * d11 - d01 * d01)
        inside = (v >= 0) & (w >= 0) & (v + w <= 1)
        best = np.full(len(a), np.inf)
        q = ap - v[:, None] * ab - w[:, None] * ac
        best[inside] = (q * q).sum(1)[inside]
        for start, edge in ((a, ab), (a, ac), (a + ab, ac - ab)):
            t = np.clip(((p - start) * edge).sum(1) / (edge * edge).sum(1), 0, 1)
            r = p - start - t[:, None] * edge
            best = np.minimum(best, (r * r).sum(1))
        result[i] = np.sqrt(best.min())
    return result


def section(triangles, x, centre, across):
    """Segments of a surface in the plane through `centre` with the normal `across`."""
    side, segments = (x - centre) @ across, []
    for t in triangles[(side[triangles].min(1) <= 0) & (side[triangles].max(1) > 0)]:
        ends = []
        for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
            if (side[a] > 0) != (side[b] > 0):
                s = side[a] / (side[a] - side[b])
                ends.append((1 - s) * x[a] + s * x[b])
        segments.append(ends)
    return np.array(segments)


def draw(path, run, deform, axis):
    across = np.cross(axis, [1.0, 0, 0])
    across /= np.linalg.norm(across)
    figure, panel = plt.subplots(figsize=(5, 6.2), dpi=240)
    for found, colour, width, label in ((run, "0.65", 3, "abut run"), (deform, "tab:red", 1, "abut deform")):
        for triangles, _, now, _ in found:
            for a, b in section(triangles, now, np.zeros(3), across):
                panel.plot([a[0], b[0]], [a[2], b[2]], color=colour, linewidth=width, label=label, solid_capstyle="round")
                label = None
    panel.set_aspect("equal")
    panel.set_xlabel("x [m]")
    panel.set_ylabel("z [m]")
    panel.legend(loc="lower right", frameon=False)
    figure.tight_layout()
    save(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", metavar="RUN", help="folder of abut run")
    parser.add_argument("deform", metavar="DEFORM", help="folder of abut deform")
    parser.add_argument("-o", metavar="PNG", help="picture of the section")
    given = parser.parse_args()
    guard("compare_balls.py", lambda: compare(given))


def compare(given):
    run, deform = read_run(given.run), read_deform(given.deform)
    centres = []
    print("ball,mean_difference,largest_difference,largest_difference_outside_contact,contact_radius_run,contact_radius_deform")
    for _, rest, _, _ in deform:
        centres.append((rest.min(0) + rest.max(0)) / 2)
    axis = (centres[1] - centres[0]) / np.linalg.norm(centres[1] - centres[0])
    for name, centre, a, b in zip(("big", "small"), centres, run, deform):
        radius = np.ptp(b[1], axis=0).max() / 2
        used = np.unique(a[0])
        distance = nearest(a[2][used], b[2][b[0]]) / radius
        radii = []
        for triangles, _, now, contact in (a, b):
            vertices = np.unique(triangles)
            offset = now[vertices[contact[vertices]]] - centre
            radii.append(np.linalg.norm(offset - np.outer(offset @ axis, axis), axis=1).max() / radius)
        free = ~a[3][used]
        print(f"{name},{distance.mean():.4f},{distance.max():.4f},{distance[free].max():.4f},{radii[0]:.4f},{radii[1]:.4f}")
    if given.o:
        draw(given.o, run, deform, axis)


if __name__ == "__main__":
    main()
