#!/usr/bin/env python3
"""
Pictures of the results of `abut deform`: chosen frames side by side, surfaces in colours, contact zones red.
Needs no display: the renderer is raster.py.

    render_frames.py DIR -o picture.png
    render_frames.py DIR --frames first,3,last --view 30,20 --hide ball
    render_frames.py DIR --movie motion.gif              all frames, or motion.mp4 with ffmpeg
"""

import argparse

import needs

needs.modules("h5py", "numpy", "matplotlib")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from PIL import Image  # comes with Matplotlib

import movie
from abut_results import Frames, ResultsError, guard, save
from raster import Camera, Layer, render
from render import body_colors, view_direction

ZONE = np.array([0.83, 0.25, 0.22])
UP = np.array([0.0, 0.0, 1.0])
WIDTH = 1280  # of a picture of several frames [pixels]
SHOWN = 3  # images of a movie for each frame


def choose(frames, text):
    """Frames by a list of first, middle, last, all and numbers."""
    words = {"first": 0, "middle": len(frames) // 2, "last": len(frames) - 1}
    chosen = []
    for word in text.split(","):
        if word == "all":
            chosen += frames
            continue
        try:
            chosen.append(frames[words[word] if word in words else int(word)])
        except (ValueError, IndexError):
            raise ResultsError(f"frame \"{word}\": use first, middle, last, all or a number below {len(frames)}") from None
    return chosen


def collect(frames, frame, shown, before):
    """All surfaces of a frame: points, triangles, colours of points, number of the surface of each triangle."""
    points, triangles, colors, groups = [], [], [], []
    palette, first = body_colors(len(frames.names)), 0
    for i in shown:
        position, displacement, zone = frames.surface(frame, i)
        if before:
            position, zone = position - displacement, np.zeros(len(position), bool)
        color = np.tile(palette[i], (len(position), 1))
        color[zone] = ZONE
        points.append(position)
        colors.append(color)
        triangles.append(frames.triangles[i] + first)
        groups.append(np.full(len(frames.triangles[i]), i))
        first += len(position)
    return np.vstack(points), np.vstack(triangles), np.vstack(colors), np.concatenate(groups)


def picture(frames, frame, shown, camera, args, before=False):
    points, triangles, colors, groups = collect(frames, frame, shown, before)
    if args.cut is not None:  # the half in front of the plane y = cut is left out
        kept = (points[triangles][:, :, 1] >= args.cut).all(axis=1)
        triangles, groups = triangles[kept], groups[kept]
    above = UP if camera.axes[2] @ UP <= 0 else -UP  # seen from below, light comes from below
    light = -0.3 * camera.axes[0] + 1.1 * above - 0.9 * camera.axes[2]
    return render(points, [Layer(triangles, colors[triangles], groups, wired=args.edges)], camera, light, triangles)


def draw(args):
    if args.movie:
        movie.check(args.movie)
    frames = Frames(args.directory)
    hidden = set(args.hide.split(",")) - {""}
    unknown = hidden - set(frames.names)
    if unknown:
        raise ResultsError(f"no surface is named {', '.join(sorted(unknown))}; the names are {', '.join(frames.names)}")
    shown = [i for i, name in enumerate(frames.names) if name not in hidden]
    chosen = choose(frames.frames, "all" if args.movie else args.frames)
    toward = view_direction(args.view, 2)
    held = np.vstack([collect(frames, frame, shown, before)[0] for frame in chosen for before in (True, False)])
    if args.zoom != 1:
        center = 0.5 * (held.min(axis=0) + held.max(axis=0))
        held = center + (held - center) / args.zoom
    columns = len(chosen) + (1 if args.before else 0)
    size = args.size or (360 if args.movie else WIDTH // columns)
    camera = Camera(held, toward, UP, 2 * size, 2 * size)
    if args.movie:
        return movie.write(args.movie, (picture(frames, frame, shown, camera, args) for frame in chosen), len(chosen) * [SHOWN])
    figure, axes = plt.subplots(1, columns, figsize=(columns * size / 100, size / 100 + 0.3), squeeze=False, dpi=100)
    for axis in axes.flat:
        axis.set_axis_off()
    if args.before:
        axes[0, 0].imshow(picture(frames, chosen[-1], shown, camera, args, before=True))
        axes[0, 0].set_title(f"frame {int(chosen[-1])}, input", fontsize=10, pad=3)
    for axis, frame in zip(axes[0, 1 if args.before else 0 :], chosen):
        axis.imshow(picture(frames, frame, shown, camera, args))
        axis.set_title(f"frame {int(frame)}", fontsize=10, pad=3)
    figure.subplots_adjust(left=0.005, right=0.995, top=0.93, bottom=0.005, wspace=0.02)
    path = args.output or f"{args.directory}/frames.png"
    save(figure, path)
    if args.palette:
        movie.few_colors(Image.open(path).convert("RGB"), args.palette).save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="DIR", help="results of `abut deform`")
    parser.add_argument("-o", "--output", help="picture to write; default DIR/frames.png")
    parser.add_argument("--frames", default="first,middle,last", help="first, middle, last, all or numbers, separated by commas")
    parser.add_argument("--before", action="store_true", help="show the input of the last of these frames first")
    parser.add_argument("--view", default="20,15", help="azimuth,elevation in degrees as in --view=-40,20, or a name as for render.py")
    parser.add_argument("--hide", default="", help="names of surfaces to leave out, separated by commas")
    parser.add_argument("--cut", type=float, help="leave out the half y < CUT")
    parser.add_argument("--zoom", type=float, default=1.0, help="enlargement around the middle")
    parser.add_argument("--edges", action="store_true", help="draw edges of triangles, if large enough")
    parser.add_argument("--size", type=int, help=f"pixels a frame is wide and high [all frames: {WIDTH} wide; movie: 360]")
    parser.add_argument("--palette", type=int, help="number of colours of the file [all]")
    parser.add_argument("--movie", metavar="FILE", help="movie of all frames to write instead: .mp4, which needs ffmpeg, or .gif")
    args = parser.parse_args()
    guard("render_frames.py", lambda: draw(args))


if __name__ == "__main__":
    main()
