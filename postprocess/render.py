#!/usr/bin/env python3
"""
Pictures of a run: chosen time levels side by side, bodies coloured by number or by a field, obstacles grey.
Needs no display: the renderer is raster.py.

    render.py DIR -o motion.png
    render.py DIR --steps first,10,last --view 30,20 --color von_mises
    render.py DIR --movie motion.mp4 --color von_mises --range 0 2e6     all levels; .gif needs no ffmpeg
"""

import argparse
import colorsys
import concurrent.futures
import os
import signal
import sys

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import EngFormatter, MaxNLocator
from PIL import Image  # comes with Matplotlib

import movie
from cut import cut, plane
from abut_results import CELL_FIELDS, Results, ResultsError, choose_levels, guard, save
from raster import Camera, Layer, render

VIEWS = {"iso": (35.0, 25.0), "front": (0.0, 8.0), "side": (90.0, 8.0), "back": (180.0, 8.0), "top": (0.0, 89.0)}
GREY = np.array([0.76, 0.76, 0.78])
PLANE = np.array([0.84, 0.86, 0.89])
FIRST_COLORS = ("5b8fd1", "e8964f", "6fb56a", "c9635f", "a884c9", "d9bf58", "5fb3b3", "d98fb5", "9c8b78")
GLASS = 0.2  # opacity of obstacles where they hide bodies
BEHIND = 0.12  # opacity of half spaces seen from behind
DPI = 100
HALO = [withStroke(linewidth=2.5, foreground="white", alpha=0.7)]  # texts are legible on bodies
BAR = 0.72  # inches below the pictures for the scale of a field
LEGEND = 0.3  # inches below the pictures for names of bodies
UNITS = {"von_mises": "Pa", "cauchy": "Pa", "pressure": "Pa", "velocity": "m/s", "displacement": "m", "position": "m",
         "contact_force": "N", "friction_force": "N", "contact_pressure": "Pa", "contact_traction": "Pa", "friction_traction": "Pa",
         "contact_gap": "m", "slip": "m", "slip_rate": "m/s", "stick_state": "",
         "plastic_strain": ""}  # forces in 2D: per metre of thickness
TITLES = {"von_mises": "von Mises stress", "cauchy": "Frobenius norm of the Cauchy stress", "velocity": "speed"}
PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
FLATTEST, TALLEST = 0.45, 1.35  # limits of height over width of a picture
POINT_SIZE = 0.006  # half the side of the mark of a point, relative to the width of the picture
NARROWEST, WIDEST = 16, 8192  # pictures [pixels]
SHORTEST, LONGEST = 4.0, 30.0  # of a movie without --speed [s]


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
        self.up[1 if self.dim == 2 else "xyz".index(args.up)] = 1
        self.toward = np.array([0.0, 0.0, 1.0]) if self.dim == 2 else view_direction(args.view, int(self.up.argmax()))
        self.cells = results.cell_vertices()
        if self.dim == 2:
            self.surface, self.surface_body = plane_triangles(self.cells, results.mesh("cells_body"))
        else:
            self.surface, self.surface_body = results.mesh("surface"), results.mesh("surface_body")
        self.obstacles = results.mesh("obstacle_triangles").reshape(-1, 3).astype(np.int64)
        self.obstacle_body = results.mesh("obstacle_triangles_body").astype(np.int64)
        self.segments = results.mesh("obstacle_segments").reshape(-1, 2).astype(np.int64)
        if self.dim == 2:
            self.segments = np.vstack([self.segments, results.mesh("surface").reshape(-1, 2).astype(np.int64)])
        elif args.color != "body":  # without shades of the colours the shape shows by its edges
            self.segments = np.vstack([self.segments, sharp_edges(results.mesh("rest"), self.surface)])
        self.points = results.mesh("obstacle_points").astype(np.int64)
        self.half_space = None if args.cut is None else plane(args.cut)
        if self.half_space and self.dim == 2:
            raise ResultsError(f"--cut {args.cut}: the bodies of {args.directory} are plane, must be three-dimensional")
        self.body_vertices = np.unique(self.cells[self.cells >= 0] if self.half_space else self.surface)
        self.palette = body_colors(len(results.bodies()))
        self.times, self.held, self.values = [], [], []

    def measure(self, names):
        """Times, points that have to be in the picture, and range of the field over these levels."""
        for name in names:
            attributes = self.results.level(name).attrs
            self.times.append(float(attributes["time"]))
            self.held.append(self._extremes(name))
            if self.args.color != "body":
                values = field_values(self, name)[self.body_vertices]
                self.values += [values.min(), values.max()]
        if not np.isfinite(self.times).all():
            raise ResultsError(f"{self.args.directory}/fields.h5: the times {self.times} must be finite")
        self.held = np.vstack(self.held)
        if self.half_space and not (self.held @ self.half_space[0] < self.half_space[1]).any():
            low, high = (self.held @ np.abs(self.half_space[0])).min(), (self.held @ np.abs(self.half_space[0])).max()
            raise ResultsError(f"--cut {self.args.cut}: leaves nothing; in these levels the bodies are in [{low:.4g}, {high:.4g}] m")
        if self.args.fit == "all":
            planes = [plane for name in names for plane in self.results.planes(name)]
            center = 0.5 * (self.held.min(axis=0) + self.held.max(axis=0))
            self.held = np.vstack([self.held, *(center - ((center - point) @ normal) * normal for point, normal in planes)])

    def _extremes(self, name):
        """Outermost points of bodies, or with --fit all of obstacles too, along the axes of space and of the picture."""
        inside = self.body_vertices if len(self.body_vertices) and self.args.fit == "bodies" else slice(None)
        points = self.positions(name)[inside]
        flat = points @ np.vstack([Camera(points[:1], self.toward, self.up, 1, 1).axes, np.eye(3)]).T
        return points[np.concatenate([flat.argmin(axis=0), flat.argmax(axis=0)])]

    @property
    def limits(self):
        """Lower and upper end of the colours."""
        if self.args.range or not self.values:
            return self.args.range
        return min(self.values), max(self.values) if max(self.values) > min(self.values) else min(self.values) + 1

    @property
    def beyond(self):
        """Which ends of the colours values exceed, in a word of Matplotlib."""
        low, high = min(self.values) < self.limits[0], max(self.values) > self.limits[1]
        return "both" if low and high else "min" if low else "max" if high else "neither"

    def positions(self, name):
        """Positions of a level, with displacements since the first one multiplied by --magnify."""
        points, times = self.results.field("position", name), self.args.magnify
        if times == 1.0:
            return points
        first = self.results.field("position", self.results.levels()[0])
        return first + times * (points - first)

    def planes(self, name):
        """Squares of the half-space obstacles at a level: points, triangles and, for each triangle, whether it faces the eye."""
        points, facing, low, high = [], [], self.held.min(axis=0), self.held.max(axis=0)
        center = 0.5 * (low + high)
        for point, normal in self.results.planes(name):
            facing += 2 * [self.dim == 2 or normal @ self.toward >= 0.02]
            size = (1.1 if facing[-1] else 0.5) * np.linalg.norm(high - low)  # of a lid the edges are in the picture
            foot = center - ((center - point) @ normal) * normal
            if self.dim == 2:
                along, across = size * np.array([normal[1], -normal[0], 0.0]), -size * normal
                points += [foot - along, foot + along, foot + along + across, foot - along + across]
            else:
                along = np.cross(normal, [0.0, 0.0, 1.0] if abs(normal[2]) < 0.9 else [1.0, 0.0, 0.0])
                along *= size / np.linalg.norm(along)
                across = np.cross(normal, along)
                points += [foot - along - across, foot + along - across, foot + along + across, foot - along + across]
        return np.array(points).reshape(-1, 3), squares(len(points) // 4), np.array(facing, dtype=bool)


def squares(count):
    """Two triangles for each four points."""
    return (4 * np.arange(count)[:, None, None] + [[0, 1, 2], [0, 2, 3]]).reshape(-1, 3)


def plane_triangles(cells, body):
    """Triangles that draw the cells of a plane mesh, four for a quadratic cell, and their bodies."""
    if cells.shape[1] == 3:
        return cells, body
    linear, quadratic = cells[:, 3] < 0, cells[:, 3] >= 0
    parts = cells[quadratic][:, [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]]].reshape(-1, 3)
    return np.vstack([cells[linear][:, :3], parts]), np.concatenate([body[linear], np.repeat(body[quadratic], 4)])


def sharp_edges(points, triangles, angle=40.0):
    """Edges [n, 2] between triangles of a surface whose normals differ by more than an angle [degrees]."""
    normals = np.cross(points[triangles[:, 1]] - points[triangles[:, 0]], points[triangles[:, 2]] - points[triangles[:, 0]])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    order = np.lexsort(edges.T)
    first, second = order[:-1], order[1:]
    cosine = (normals[first // 3] * normals[second // 3]).sum(axis=1)
    return edges[first[(edges[first] == edges[second]).all(axis=1) & (cosine < np.cos(np.radians(angle)))]]


def vertex_means(values, cells, count):
    """Cell values as means over the cells of each vertex."""
    present = cells >= 0
    each = np.broadcast_to(values[:, None], cells.shape)[present]
    return np.bincount(cells[present], each, count) / np.maximum(np.bincount(cells[present], minlength=count), 1)


def field_values(scene, level):
    """The field to colour by in a level, on vertices."""
    count, group = len(scene.results.mesh("rest")), scene.results.level(level)
    fields = sorted(name for name in group if name != "planes" and not name.startswith("node_"))
    if scene.args.color not in fields:
        raise ResultsError(f"{scene.args.directory}: no field \"{scene.args.color}\" to colour by; this level has {', '.join(fields)}")
    values = scene.results.field(scene.args.color, level)
    if values.ndim == 2:
        values = np.linalg.norm(values, axis=1)
    if scene.args.color in CELL_FIELDS:
        return vertex_means(values, scene.cells, count)
    if len(values) == count:
        return values
    everywhere = np.full(count, values.max(initial=0) if scene.args.color == "contact_gap" else 0.0)  # dhat where there is no contact
    everywhere[scene.results.mesh("contact_vertices")] = values
    return everywhere


def picture(scene, name, camera):
    """The image of one level."""
    points = scene.positions(name)
    surface, bodies, groups, lines, extend = scene.surface, scene.surface_body, scene.surface_body, scene.segments, np.asarray
    if scene.half_space:
        normal, offset = scene.half_space
        lines = lines[(points[lines] @ normal <= offset).all(axis=1) | np.isin(lines, scene.obstacles).any(axis=1)]
        part = cut(points, surface, bodies, scene.cells, scene.results.mesh("cells_body"), scene.half_space)
        surface, bodies, groups, extend = part.triangles, part.bodies, part.groups, part.extend
    plane_points, planes, facing = scene.planes(name)
    marks, mark_triangles = point_marks(points[scene.points], camera)
    points = extend(points)
    planes += len(points)
    if scene.args.color == "body":
        colors = scene.palette[bodies]
    else:
        low, high = scene.limits
        colors = plt.get_cmap("viridis")((extend(field_values(scene, name)) - low) / (high - low))[surface, :3]

    def grey(triangles, groups, color=GREY, **opacity):
        return Layer(triangles, np.tile(color, (len(triangles), 1)), groups, **opacity)

    layers = [Layer(surface, colors, groups, readable=scene.args.color != "body", wired=scene.args.edges),
              grey(planes[facing], np.full(facing.sum(), 1 << 30), PLANE),
              grey(scene.obstacles, scene.obstacle_body, over=GLASS),
              grey(mark_triangles + len(points) + len(plane_points), np.full(len(mark_triangles), 1 << 31)),
              grey(planes[~facing], np.full((~facing).sum(), 1 << 30), PLANE, over=BEHIND, alone=BEHIND)]
    light = None if scene.dim == 2 else -0.3 * camera.axes[0] + 1.1 * scene.up - 0.9 * camera.axes[2]  # from above, a little left
    return render(np.vstack([points, plane_points, marks]), layers, camera, light, surface, lines)


def point_marks(points, camera):
    """Small squares that face the eye, one a point."""
    side = POINT_SIZE * camera.width / camera.scale
    offsets = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) @ camera.axes[:2] * side
    marks = (points[:, None, :] + offsets[None, :, :]).reshape(-1, 3)
    first = 4 * np.arange(len(points))[:, None]
    return marks, np.vstack([first + [0, 1, 2], first + [0, 2, 3]]).astype(np.int64)


def scale_bar(axis, width, height, scale, size):
    """A bar in the lower left corner of an image of `scale` pixels per metre: 1, 2 or 5 times a power of ten, at most a quarter as wide."""
    most = 0.25 * width / scale
    power = 10.0 ** np.floor(np.log10(most))
    length = max(factor * power for factor in (1, 2, 5) if factor * power <= most)
    left, low = 0.03 * width, 0.97 * height
    axis.plot([left, left + length * scale], [low, low], color="black", linewidth=2, solid_capstyle="butt", path_effects=HALO)
    axis.annotate(EngFormatter("m")(length), (left, low), xytext=(0, 2), textcoords="offset points", va="bottom", fontsize=size,
                  path_effects=HALO)


def axes_mark(axis, width, height, directions, size):
    """The axes of space [axes, 2] in the lower right corner; an axis that points at the eye is left out."""
    tips = 3.5 * size * directions
    start = [width, height] - np.maximum(tips.max(axis=0), 0) - 2.0 * size
    for name, tip, direction in zip("xyz", tips, directions):
        if np.linalg.norm(direction) > 0.15:
            arrow = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0, "path_effects": HALO}
            axis.annotate("", start + tip, start, arrowprops=arrow)
            axis.text(*(start + tip + 0.8 * size * direction / np.linalg.norm(direction)), name, ha="center", va="center", fontsize=size,
                      path_effects=HALO)


def unit_of(field, dim):
    unit = UNITS.get(field, "")
    return "N/m" if unit == "N" and dim == 2 else unit


def color_bar(figure, field, dim, limits, size, beyond="neither"):
    """Scale of the colours along the lower edge, with the unit of the field; `beyond`: ends that values exceed, drawn as arrows."""
    height = figure.get_figheight()
    axis = figure.add_axes((0.25, 0.36 / height, 0.5, 0.12 / height))
    unit = unit_of(field, dim)
    factor, prefix = next(((f, p) for f, p in PREFIXES if max(map(abs, limits)) >= f), (1.0, "")) if unit else (1.0, "")
    bar = figure.colorbar(ScalarMappable(Normalize(limits[0] / factor, limits[1] / factor), "viridis"), cax=axis,
                          orientation="horizontal", extend=beyond, extendfrac=0.03)
    bar.ax.tick_params(labelsize=size)
    bar.formatter.set_useOffset(False)
    axis.set_title(TITLES.get(field, field.replace("_", " ")) + (f" [{prefix}{unit}]" if unit else ""), fontsize=size, pad=4)
    for most in range(6, 0, -1):  # as many numbers as fit beside each other
        bar.locator = MaxNLocator(most)
        bar.update_ticks()
        figure.canvas.draw()
        boxes = [label.get_window_extent() for label in axis.get_xticklabels() if label.get_text()]
        if all(left.x1 + size / 2 < right.x0 for left, right in zip(boxes, boxes[1:])):
            break


def decimals(times):
    """Decimals with which different times differ."""
    gap = min(np.diff(np.unique(times)), default=1.0)
    return next((k for k in range(9) if np.abs(np.round(times, k) - times).max() < 0.01 * gap), 9)


class Sheet:
    """A figure with pictures of one size in rows; `show` fills one."""

    def __init__(self, scene, count, width):
        self.scene, columns = scene, min(count, scene.args.columns)
        gap = 4 if count > 1 else 0
        rows, wide = -(-count // columns), (width + gap) // columns - gap
        if not NARROWEST <= wide <= WIDEST:
            raise ResultsError(f"--width {width}: {wide} pixels for each of {columns} pictures, must be in [{NARROWEST}, {WIDEST}]")
        names = [name for name, obstacle, *_ in scene.results.bodies() if not obstacle]
        self.words = 18 if wide > 1000 else 13 if wide > 500 else 11 if wide > 300 else 8  # size of texts
        room = 0.85 * self.words * sum(len(name) + 7 for name in names) < width  # for a row of names
        named = scene.args.color == "body" and 1 < len(names) <= len(FIRST_COLORS) and room
        foot = int(DPI * (LEGEND if named else BAR if scene.limits else 0)) // 2 * 2
        if scene.args.movie:
            high = max(wide * 9 // 32 * 2 - foot, int(FLATTEST * wide) // 2 * 2)
        else:
            high = int(wide * np.clip(Camera.aspect(scene.held, scene.toward, scene.up), FLATTEST, TALLEST)) // 2 * 2
        self.camera = Camera(scene.held, scene.toward, scene.up, 2 * wide, 2 * high)
        size = np.array([columns * (wide + gap) - gap, rows * (high + gap) - gap + foot])
        self.figure = plt.figure(figsize=size / DPI, dpi=DPI)
        self.panels = []
        for k in range(count):
            corner = np.array([k % columns * (wide + gap), size[1] - high - k // columns * (high + gap)])
            axis = self.figure.add_axes((*corner / size, wide / size[0], high / size[1]))
            axis.set_axis_off()
            text = axis.text(0.02, 1 - 0.02 * wide / high, "", transform=axis.transAxes, va="top", fontsize=self.words,
                             bbox={"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 2})
            self.panels.append((axis.imshow(np.zeros((high, wide, 3), np.uint8), aspect="auto", interpolation="none"), text))
            if k == 0:
                axis.autoscale(False)
                scale_bar(axis, wide, high, 0.5 * self.camera.scale, self.words - 1)
                axes_mark(axis, wide, high, self.camera.axes[:2, : scene.dim].T, self.words - 1)
        if named:
            palette = [Patch(color=color) for color, row in zip(scene.palette, scene.results.bodies()) if not row[1]]
            self.figure.legend(palette, names, loc="lower center", ncol=len(names), frameon=False, fontsize=self.words - 1)
        elif scene.limits:
            color_bar(self.figure, scene.args.color, scene.dim, scene.limits, self.words - 1, scene.beyond)

    def show(self, k, name):
        """Draws a level into picture k."""
        image, text = self.panels[k]
        image.set_data(picture(self.scene, name, self.camera))
        attributes = self.scene.results.level(name).attrs
        text.set_text(f"step {int(attributes['step'])},  t = {float(attributes['time']):.{decimals(self.scene.times)}f} s")

    def pixels(self):
        """The figure as bytes [height, width, 3]."""
        self.figure.canvas.draw()
        return np.asarray(self.figure.canvas.buffer_rgba())[..., :3].copy()


_job = []  # of a process that draws frames of a movie: its Sheet, after what `start_frames` was given


def start_frames(*job):
    """Prepares a process that draws frames."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    _job[:] = job


def frame(name):
    """One frame of a movie."""
    if len(_job) > 1:
        args, width, *measured = _job
        scene = Scene(Results(args.directory), args)
        scene.times, scene.held, scene.values = measured
        _job[:] = [Sheet(scene, 1, width)]
    _job[0].show(0, name)
    return _job[0].pixels()


def schedule(times, speed):
    """For each frame of a movie the number of its level, and the seconds of the run in a second of the movie."""
    span = times[-1] - times[0]
    if not span > 0:
        raise ResultsError("a movie needs two levels at different times; output.fields of the scene says how many are written")
    slowest, fastest = span / 3600, span * movie.RATE / 2
    speed = span / np.clip(span, SHORTEST, LONGEST) if speed is None else speed
    if not slowest <= speed <= fastest:
        raise ResultsError(f"--speed {speed:g}: for the {span:g} s of these levels it must be in [{slowest:.3g}, {fastest:.3g}]")
    at = np.linspace(0, span, round(span / speed * movie.RATE) + 1)
    return np.searchsorted(np.array(times) - times[0], at + 1e-9 * span, side="right") - 1, speed


def make_movie(scene, names, width):
    """Draws the levels in processes, one on each core, and writes them in order."""
    args, path = scene.args, scene.args.movie
    shown, speed = schedule(scene.times, args.speed)
    chosen, counts = np.unique(shown, return_counts=True)
    job = args, width, scene.times, scene.held, scene.values
    scene.results.fields().close()  # each process opens the file itself: HDF5 must not share a file over a fork
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the processes end and no part of a file stays
    pool = concurrent.futures.ProcessPoolExecutor(min(len(chosen), len(os.sched_getaffinity(0))), None, start_frames, job)
    try:
        movie.write(path, pool.map(frame, [names[k] for k in chosen]), counts)
    except concurrent.futures.BrokenExecutor:
        raise ResultsError(f"{path}: a process that draws frames has ended; is there enough memory?") from None
    finally:
        pool.shutdown(cancel_futures=True)
    print(f"{path}: {len(chosen)} of {len(names)} levels, {len(shown) / movie.RATE:g} s; a second shows {speed:.4g} s of the run")


def draw(args):
    if args.movie:
        movie.check(args.movie)
    if args.columns < 1:
        raise ResultsError(f"--columns {args.columns}: must be at least 1")
    if args.range and (args.color == "body" or not args.range[0] < args.range[1] or not np.isfinite(args.range).all()):
        raise ResultsError(f"--range {args.range[0]:g} {args.range[1]:g}: needs --color FIELD, and LOW below HIGH")
    results = Results(args.directory)
    levels = results.levels()
    if not levels:
        raise ResultsError(f"{args.directory}/fields.h5 holds no time level yet")
    names = choose_levels(levels, args.steps or ("all" if args.movie else "first,middle,last"))
    if args.movie:
        names.sort(key=levels.index)
    scene = Scene(results, args)
    scene.measure(names)
    width = args.width or int(1280 if args.movie else 640 * max(1.5, min(len(names), args.columns)))
    if args.movie:
        return make_movie(scene, names, width)
    sheet = Sheet(scene, len(names), width)
    for k, name in enumerate(names):
        sheet.show(k, name)
    path = args.output or f"{args.directory}/render.png"
    save(sheet.figure, path)
    if args.palette:
        movie.few_colors(Image.open(path).convert("RGB"), args.palette).save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", help="results of a run")
    outputs = parser.add_mutually_exclusive_group()
    outputs.add_argument("-o", "--output", help="picture to write; default DIR/render.png")
    outputs.add_argument("--movie", metavar="FILE", help="movie to write instead: .mp4, which needs ffmpeg, or .gif")
    parser.add_argument("--speed", type=float, help="seconds of the run in a second of the movie [1, or so that it lasts 4 to 30 s]")
    parser.add_argument("--steps",
                        help="first, middle, last, all, an index or s<step>, separated by commas [first,middle,last; movie: all]")
    parser.add_argument("--view", default="iso", help=f"{', '.join(VIEWS)}, or azimuth,elevation in degrees as in --view=-40,20 (3D)")
    parser.add_argument("--up", default="y", choices="xyz", help="axis that points up in the picture (3D)")
    parser.add_argument("--color", default="body",
                        help="body, or a field of fields.h5: " + ", ".join(f"{name} [{unit}]" for name, unit in UNITS.items())
                        + "; forces in 2D [N/m]; the length of vectors, the Frobenius norm of cauchy")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
                        help="ends of the colours [range of the field in all levels]")
    parser.add_argument("--width", type=int,
                        help="width of the file in pixels [640 a level, at least 960; movie: 1280]; heights follow from the content")
    parser.add_argument("--fit", default="bodies", choices=("bodies", "all"),
                        help="objects that have to be in the picture; all: obstacles too")
    parser.add_argument("--cut", metavar="AXIS,POSITION", help="cut bodies at this coordinate [m], as in --cut x,0.01, and leave the "
                        "part below it; with a minus sign, as in --cut=-x,0.01, the part above (3D)")
    parser.add_argument("--edges", action="store_true", help="draw edges of the surface triangles of bodies, if large enough")
    parser.add_argument("--magnify", type=float, default=1.0, help="factor on displacements")
    parser.add_argument("--palette", type=int, help="number of colours of the file [all]")
    parser.add_argument("--columns", type=int, default=4, help="pictures in a row")
    args = parser.parse_args()
    guard("render.py", lambda: draw(args))


if __name__ == "__main__":
    main()
