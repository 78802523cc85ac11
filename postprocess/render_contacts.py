#!/usr/bin/env python3
"""
Contact points and normals of `abut contacts`, a panel for each method: edges of the surfaces, dots for the points, arrows for the normals.
An arrow is the direction of the force on the body that the scene lists later. Green: the normal is an expected one; red: it
is not; blue: none is expected. Arrows of contact potentials have the length of their force.

    render_contacts.py DIR -o contacts.png
    render_contacts.py DIR --methods closest-points,opposing --step 3 --view 20,15 --zoom 0.2
"""

import argparse
import os

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from abut_results import Results, ResultsError, guard, save
from raster import Camera
from render import view_direction

CORRECT = np.cos(np.radians(1.0))
SIZE = 320  # width and height of a panel [1/100 inch]
WIDTH = 1280  # least width of a picture [pixels]
ARROW = 0.16  # length of an arrow over the width of a panel
BODY_COLORS = ["#5b8fd1", "#e8964f", "#6fb56a", "#c9635f", "#a884c9", "#9c8b78"]


def surface_edges(results):
    """Edges of the surface triangles and the body of each."""
    triangles, body = results.mesh("surface"), results.mesh("surface_body")
    edges = np.sort(np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    edges, first = np.unique(edges, axis=0, return_index=True)
    return edges, np.tile(body, 3)[first]


def order_of(directory):
    """Function from a method to its place in quality.csv."""
    methods = list(dict.fromkeys(Results(directory).table("quality.csv")["method"]))
    return lambda method: methods.index(method) if method in methods else len(methods)


def bodies_of(directory, method, step):
    """Results with the positions of the bodies at a step: in a folder of the method, or the starting state of all methods."""
    own = os.path.join(directory, method)
    results = Results(own if os.path.isdir(own) else directory)
    level = next((name for name in results.levels() if int(name) == step), None)
    if level is None:
        raise ResultsError(f"{results.directory}/fields.h5 has no step {step}")
    return results, results.field("position", level)


def draw_panel(axis, args, method, group):
    results, points = bodies_of(args.directory, method, args.step)
    edges, body = surface_edges(results)
    position, normal = group["position"][()], group["normal"][()]
    weight, match = group["weight"][()], group["match"][()]
    toward = view_direction(args.view, 1)
    camera = Camera(points, toward, np.array([0.0, 1.0, 0.0]), SIZE, SIZE)
    flat = camera.project(points.copy())[:, :2]
    at = camera.project(position.copy())[:, :2] if len(position) else np.zeros((0, 2))
    if args.zoom < 1 and len(at):
        middle, scale = np.median(at, axis=0), 1 / args.zoom
        flat, at = (flat - middle) * scale + SIZE / 2, (at - middle) * scale + SIZE / 2
    axis.add_collection(LineCollection(flat[edges], colors=[BODY_COLORS[b % len(BODY_COLORS)] for b in body], linewidths=0.6, alpha=0.7))
    colors = np.where(match < -1, "#2060c0", np.where(match >= CORRECT, "#108030", "#d02020"))
    arrows = normal @ camera.axes[:2].T
    if len(weight) and weight.max() > 0:
        arrows *= (weight / weight.max())[:, None]
    if len(at):
        axis.quiver(at[:, 0], at[:, 1], *(ARROW * SIZE * arrows).T, color=colors, angles="xy", scale_units="xy", scale=1, width=0.006)
        axis.scatter(at[:, 0], at[:, 1], s=8, c=colors, zorder=3)
    axis.set_xlim(0, SIZE)
    axis.set_ylim(SIZE, 0)
    axis.set_aspect("equal")
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set_title(f"{method}: {len(position)}", fontsize=8)


def draw(args):
    with Results(args.directory).open("contacts.h5") as file:
        methods = args.methods.split(",") if args.methods else sorted(file, key=order_of(args.directory))
        unknown = [method for method in methods if method not in file]
        if unknown:
            raise ResultsError(f"{file.filename} has no method {', '.join(unknown)}; it has {', '.join(file)}")
        columns = min(len(methods), args.columns)
        rows = -(-len(methods) // columns)
        figure, axes = plt.subplots(rows, columns, figsize=(columns * SIZE / 100, rows * (SIZE / 100 + 0.25)),
                                    dpi=100 * max(1, WIDTH / (columns * SIZE)), squeeze=False)
        for axis in axes.flat[len(methods):]:
            axis.set_axis_off()
        for axis, method in zip(axes.flat, methods):
            name = f"{args.step:06d}"
            if name not in file[method]:
                raise ResultsError(f"{file.filename} has no step {args.step} of {method}")
            draw_panel(axis, args, method, file[method][name])
    figure.tight_layout(pad=0.4)
    save(figure, args.output or os.path.join(args.directory, "contacts.png"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", help="results of abut contacts")
    parser.add_argument("-o", "--output", help="picture to write; default DIR/contacts.png")
    parser.add_argument("--methods", help="names separated by commas; default: all in the file")
    parser.add_argument("--step", type=int, default=0)
    parser.add_argument("--view", default="20,12", help="azimuth,elevation in degrees, or iso, front, side, back, top")
    parser.add_argument("--zoom", type=float, default=1.0, help="part of the width of the bodies that a panel shows, around the contacts")
    parser.add_argument("--columns", type=int, default=4, help="panels in a row")
    args = parser.parse_args()
    guard("render_contacts.py", lambda: draw(args))


if __name__ == "__main__":
    main()
