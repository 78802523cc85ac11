#!/usr/bin/env python3
"""
Pictures of a run: chosen time levels side by side, bodies coloured by number or by a field, obstacles grey.
Needs no display: the renderer is raster.py.

    render.py DIR -o motion.png
    render.py DIR --steps first,10,last --view 30,20 --color von_mises
"""

import argparse
import colorsys

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.ticker import EngFormatter, MaxNLocator
from PIL import Image  # comes with Matplotlib

from abut_results import SURFACE_FIELDS, Results, ResultsError, choose_levels, guard, save
from raster import Camera, render

VIEWS = {"iso": (35.0, 25.0), "front": (0.0, 8.0), "side": (90.0, 8.0), "back": (180.0, 8.0), "top": (0.0, 89.0)}
GREY = np.array([0.76, 0.76, 0.78])
PLANE = np.array([0.90, 0.91, 0.93])
FIRST_COLORS = ("5b8fd1", "e8964f", "6fb56a", "c9635f", "a884c9", "d9bf58", "5fb3b3", "d98fb5", "9c8b78")
GLASS = 0.3  # opacity of obstacles with --glass
BEHIND = 0.25  # opacity of half spaces seen from behind
BAR = 0.72  # inches below the pictures for the scale of a field
UNITS = {"von_mises": "Pa", "cauchy": "Pa", "pressure": "Pa", "velocity": "m/s", "displacement": "m", "position": "m", "contact_force": "N",
         "friction_force": "N", "contact_pressure": "Pa", "contact_traction": "Pa", "friction_traction": "Pa", "contact_gap": "m",
         "slip": "m", "slip_rate": "m/s", "stick_state": "-"}  # forces in 2D: per metre of thickness
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
FLATTEST, TALLEST = 0.45, 1.35  # limits of height over width of a picture
POINT_SIZE = 0.006  # half the side of the mark of a point, relative to the width of the picture


def body_colors(count):
    """Colours of bodies: a fixed list, then hues by the golden ratio, so that consecutive numbers differ."""
    chosen = [tuple(int(code[k : k + 2], 16) / 255 for k in (0, 2, 4)) for code in FIRST_COLORS]
    more = [colorsys.hls_to_rgb((0.07 + 0.6180339887 * i) % 1.0, 0.62 if i % 2 else 0.56, 0.42) for i in range(max(0, count - len(chosen)))]
    return np.array(chosen + more)


def view_direction(view, up):
    """From the scene to the eye, for a view by name or "azimuth,elevation" in degrees; `up` is the axis (0, 1, 2) that points up."""
    try:
        azimuth, elevation = VIEWS[view] if view in VIEWS else (float(part) for part in view.split(","))
    except ValueError:
        raise ResultsError(f"view \"{view}\": use {', '.join(VIEWS)} or azimuth,elevation in degrees") from None
    a, e = np.radians(azimuth), np.radians(min(89.0, max(-89.0, elevation)))
    direction = np.zeros(3)
    direction[up] = np.sin(e)
    direction[(up + 1) % 3] = np.cos(e) * np.cos(a)  # front: y up is seen along z
    direction[(up + 2) % 3] = np.cos(e) * np.sin(a)
    return direction


class Scene:
    """Data that all time levels share."""

    def __init__(self, results, args):
        self.results, self.args = results, args
        self.dim = results.dim
        self.up = np.zeros(3)
        self.up["xyz".index(args.up)] = 1
        self.toward = np.array([0.0, 0.0, 1.0]) if self.dim == 2 else view_direction(args.view, int(self.up.argmax()))
        cells = results.cell_vertices()
        self.cells = cells
        if self.dim == 2:
            surface, surface_body = plane_triangles(cells, results.mesh("cells_body"))
        else:
            surface, surface_body = results.mesh("surface"), results.mesh("surface_body")
        obstacles = results.mesh("obstacle_triangles").reshape(-1, 3)
        self.num_body_triangles = len(surface)
        self.triangles = np.vstack([surface, obstacles]).astype(np.int64)
        self.body = np.concatenate([surface_body, results.mesh("obstacle_triangles_body")]).astype(np.int64)
        self.segments = results.mesh("obstacle_segments").reshape(-1, 2).astype(np.int64)
        if self.dim == 2 and len(cells) < 20000:
            self.segments = np.vstack([self.segments, self._outline()])
        self.points = results.mesh("obstacle_points").astype(np.int64)
        self.body_vertices = np.unique(surface)
        self.palette = body_colors(len(results.bodies()))

    def _outline(self):
        return self.results.mesh("surface").reshape(-1, 2).astype(np.int64)

    def frame_points(self, names):
        """Positions in all levels that have to be in the picture: of the bodies, or with --fit all of obstacles too."""
        held = self.body_vertices if len(self.body_vertices) and self.args.fit == "bodies" else slice(None)
        points = np.vstack([self.positions(name)[held] for name in names])
        if self.args.fit == "bodies":
            return points
        center = 0.5 * (points.min(axis=0) + points.max(axis=0))
        planes = [plane for name in names for plane in self.results.planes(name)]
        return np.vstack([points, *(center - ((center - point) @ normal) * normal for point, normal in planes)])

    def positions(self, name):
        """Positions of a level, with displacements since the first one multiplied by --magnify."""
        points, times = self.results.field("position", name), self.args.magnify
        if times == 1.0:
            return points
        first = self.results.field("position", self.results.levels()[0])
        return first + times * (points - first)

    def planes(self, name, center, size):
        """Squares of the half-space obstacles at a level: points, triangles and, for each triangle, whether it faces the eye."""
        points, triangles, facing = [], [], []
        for point, normal in self.results.planes(name):
            facing += 2 * [self.dim == 2 or normal @ self.toward >= 0.02]
            foot = center - ((center - point) @ normal) * normal
            if self.dim == 2:
                along = np.array([normal[1], -normal[0], 0.0])
                square = [foot - size * along, foot + size * along, foot + size * along - size * normal,
                          foot - size * along - size * normal]
            else:
                along = np.cross(normal, [0.0, 0.0, 1.0] if abs(normal[2]) < 0.9 else [1.0, 0.0, 0.0])
                along /= np.linalg.norm(along)
                across = np.cross(normal, along)
                square = [foot + size * (i * along + j * across) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            first = 4 * len(triangles) // 2
            points += square
            triangles += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
        return np.array(points).reshape(-1, 3), np.array(triangles, dtype=np.int64).reshape(-1, 3), np.array(facing, dtype=bool)


def plane_triangles(cells, body):
    """Triangles that draw the cells of a plane mesh, four for a quadratic cell, and their bodies."""
    if cells.shape[1] == 3:
        return cells, body
    linear, quadratic = cells[:, 3] < 0, cells[:, 3] >= 0
    parts = cells[quadratic][:, [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]].reshape(-1, 3)
    return np.vstack([cells[linear][:, :3], parts]), np.concatenate([body[linear], np.repeat(body[quadratic], 4)])


def vertex_means(values, cells, count):
    """Cell values as means over the cells of each vertex."""
    total, number = np.zeros(count), np.zeros(count)
    for k in range(cells.shape[1]):
        present = cells[:, k] >= 0
        np.add.at(total, cells[present, k], values[present])
        np.add.at(number, cells[present, k], 1)
    return total / np.maximum(number, 1)


def field_values(scene, level, count):
    """The field to colour by in a level, on vertices."""
    values = scene.results.field(scene.args.color, level)
    if values.ndim == 2:
        values = np.linalg.norm(values, axis=1)
    if scene.args.color in SURFACE_FIELDS:
        inside = values.max(initial=0) if scene.args.color == "contact_gap" else 0.0  # dhat where there is no contact
        everywhere = np.full(count, inside)
        everywhere[scene.results.mesh("contact_vertices")] = values
        return everywhere
    if len(values) == count:
        return values
    return vertex_means(values, scene.cells, count)


def picture(scene, name, camera, center, size, limits):
    """The image of one level."""
    points = scene.positions(name)
    plane_points, plane_triangles, facing = scene.planes(name, center, size)
    marks, mark_triangles = point_marks(points[scene.points], camera)
    triangles = np.vstack([scene.triangles, plane_triangles + len(points), mark_triangles + len(points) + len(plane_points)])
    everything = np.vstack([points, plane_points, marks])
    groups = np.concatenate([scene.body, np.full(len(plane_triangles), 1 << 30), np.full(len(mark_triangles), 1 << 31)])
    casts = np.arange(len(triangles)) < (scene.num_body_triangles if scene.args.glass else len(scene.triangles))
    bodies = np.arange(len(triangles)) < scene.num_body_triangles
    if scene.args.color == "body":
        colors = np.tile(GREY, (len(triangles), 1))
        colors[len(scene.triangles) : len(scene.triangles) + len(plane_triangles)] = PLANE
        colors[: scene.num_body_triangles] = scene.palette[scene.body[: scene.num_body_triangles]]
    else:
        values = np.clip((field_values(scene, name, len(points)) - limits[0]) / max(limits[1] - limits[0], 1e-300), 0, 1)
        colors = np.vstack([plt.get_cmap("viridis")(values)[:, :3], np.tile(PLANE, (len(plane_points), 1)),
                            np.tile(GREY, (len(marks), 1))])
        obstacle = np.setdiff1d(np.arange(len(points)), scene.body_vertices)
        colors[obstacle] = GREY
    light = -0.3 * camera.axes[0] + 1.1 * scene.up - 0.9 * camera.axes[2]  # from above, behind the eye, a little left
    wired = bodies if scene.args.edges else None

    def layer(kept):
        own = colors[kept] if len(colors) == len(triangles) else colors
        return render(everything, triangles[kept], own, groups[kept], casts[kept], camera, light, scene.dim == 2, scene.segments,
                      wired[kept] if scene.args.edges else None)

    before = np.zeros(len(triangles), dtype=bool)  # planes seen from behind, a ceiling from above: they would hide the bodies
    before[len(scene.triangles) : len(scene.triangles) + len(plane_triangles)] = ~facing
    image = layer(~before)
    if scene.args.glass:  # planes and the marks of points stay
        image = GLASS * image + (1 - GLASS) * layer(~before & (bodies | (groups >= 1 << 30)))
    return BEHIND * layer(np.ones(len(triangles), dtype=bool)) + (1 - BEHIND) * image if before.any() else image


def point_marks(points, camera):
    """Small squares that face the eye, one a point."""
    side = POINT_SIZE * camera.width / camera.scale
    offsets = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ camera.axes[:2] * side
    marks = (points[:, None, :] + offsets[None, :, :]).reshape(-1, 3)
    first = 4 * np.arange(len(points))[:, None]
    return marks, np.vstack([first + [0, 1, 2], first + [0, 2, 3]]).astype(np.int64)


def field_limits(scene, names, count):
    values = [field_values(scene, name, count)[scene.body_vertices] for name in names]
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    return low, high if high > low else low + 1


def scale_bar(axis, width, height, scale, size):
    """A bar in the lower left corner of an image of `scale` pixels per metre: 1, 2 or 5 times a power of ten, at most a quarter as wide."""
    most = 0.25 * width / scale
    power = 10.0 ** np.floor(np.log10(most))
    length = max(factor * power for factor in (1, 2, 5) if factor * power <= most)
    left, low = 0.03 * width, 0.97 * height
    axis.autoscale(False)
    axis.plot([left, left + length * scale], [low, low], color="black", linewidth=2, solid_capstyle="butt")
    axis.annotate(EngFormatter("m")(length), (left, low), xytext=(0, 2), textcoords="offset points", va="bottom", fontsize=size)


def unit_of(field, dim):
    unit = UNITS.get(field, "").strip("-")
    return "N/m" if unit == "N" and dim == 2 else unit


def color_bar(figure, field, dim, limits, size):
    """Scale of the colours along the lower edge, with the unit of the field."""
    height = figure.get_figheight()
    axis = figure.add_axes((0.25, 0.36 / height, 0.5, 0.12 / height))
    unit = unit_of(field, dim)
    factor, prefix = next(((f, p) for f, p in PREFIXES if max(map(abs, limits)) >= f), (1.0, "")) if unit else (1.0, "")
    bar = figure.colorbar(ScalarMappable(Normalize(limits[0] / factor, limits[1] / factor), "viridis"), cax=axis,
                          orientation="horizontal")
    bar.ax.tick_params(labelsize=size)
    bar.formatter.set_useOffset(False)
    axis.set_title(field.replace("_", " ") + (f" [{prefix}{unit}]" if unit else ""), fontsize=size, pad=4)
    for most in range(6, 0, -1):  # as many numbers as fit beside each other
        bar.locator = MaxNLocator(most)
        bar.update_ticks()
        figure.canvas.draw()
        boxes = [label.get_window_extent() for label in axis.get_xticklabels() if label.get_text()]
        if all(left.x1 + size / 2 < right.x0 for left, right in zip(boxes, boxes[1:])):
            break


def draw(args):
    results = Results(args.directory)
    levels = results.levels()
    if not levels:
        raise ResultsError(f"{args.directory}/fields.h5 holds no time level yet")
    names = choose_levels(levels, args.steps)
    scene = Scene(results, args)
    held = scene.frame_points(names)
    columns = min(len(names), args.columns)
    bar = 0 if args.color == "body" else BAR
    up = scene.up if scene.dim == 3 else np.array([0.0, 1.0, 0.0])
    wide = args.width // columns if args.width else args.size
    high = int(wide * np.clip(Camera.aspect(held, scene.toward, up), FLATTEST, TALLEST)) if args.width else args.size
    camera = Camera(held, scene.toward, up, 2 * wide, 2 * high)
    center, size = 0.5 * (held.min(axis=0) + held.max(axis=0)), 1.1 * np.linalg.norm(held.max(axis=0) - held.min(axis=0))
    limits = None if args.color == "body" else field_limits(scene, names, len(results.mesh("rest")))
    rows = -(-len(names) // columns)
    title = 0.35 if wide > 300 else 0.24
    tall = rows * (high / 100 + title)
    figure, axes = plt.subplots(rows, columns, figsize=(columns * wide / 100, tall + bar), squeeze=False, dpi=100)
    for axis in axes.flat:
        axis.set_axis_off()
    words = 13 if wide > 400 else 11 if wide > 300 else 8  # size of texts
    for axis, name in zip(axes.flat, names):
        image = picture(scene, name, camera, center, size, limits)
        axis.imshow(image)
        attributes = results.level(name).attrs
        axis.set_title(f"step {int(attributes['step'])},  t = {float(attributes['time']):.4g} s", fontsize=words, pad=3)
    shown = image.shape[1] / camera.width  # the image is smaller than its rendering
    scale_bar(axes.flat[0], image.shape[1], image.shape[0], shown * camera.scale, words - 1)
    figure.subplots_adjust(left=0.01, right=0.99, top=1 - (title - 0.03) / (tall + bar), bottom=(0.01 * tall + bar) / (tall + bar),
                           wspace=0.02, hspace=0.08)
    if limits:
        color_bar(figure, args.color, scene.dim, limits, words - 1)
    path = args.output or f"{args.directory}/render.png"
    save(figure, path)
    if args.palette:
        Image.open(path).convert("RGB").quantize(args.palette, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", help="results of a run")
    parser.add_argument("-o", "--output", help="picture to write; default DIR/render.png")
    parser.add_argument("--steps", default="first,middle,last", help="first, middle, last, all, an index or s<step>, separated by commas")
    parser.add_argument("--view", default="iso", help=f"{', '.join(VIEWS)}, or azimuth,elevation in degrees as in --view=-40,20 (3D)")
    parser.add_argument("--up", default="y", choices="xyz", help="axis that points up in the picture (3D)")
    parser.add_argument("--color", default="body",
                        help="body, or a field of fields.h5: " + ", ".join(f"{name} [{unit}]" for name, unit in UNITS.items())
                        + "; forces in 2D [N/m]; the length of vectors, the Frobenius norm of cauchy")
    parser.add_argument("--size", type=int, default=640, help="pixels a picture is wide and high")
    parser.add_argument("--width", type=int, help="width of a row of pictures in pixels; the height follows from the content")
    parser.add_argument("--fit", default="bodies", choices=("bodies", "all"),
                        help="objects that have to be in the picture; all: obstacles too")
    parser.add_argument("--glass", action="store_true", help="transparent obstacles")
    parser.add_argument("--edges", action="store_true", help="draw edges of the surface triangles of bodies, if large enough")
    parser.add_argument("--magnify", type=float, default=1.0, help="factor on displacements")
    parser.add_argument("--palette", type=int, help="number of colours of the file [all]")
    parser.add_argument("--columns", type=int, default=4, help="pictures in a row")
    args = parser.parse_args()
    guard("render.py", lambda: draw(args))


if __name__ == "__main__":
    main()
