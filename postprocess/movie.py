"""Writes movies: .mp4 by ffmpeg, .gif by Pillow. A file of the name appears only when it is whole."""

import contextlib
import itertools
import os
import shutil
import subprocess

import numpy as np
from PIL import Image  # comes with Matplotlib

from abut_results import ResultsError

RATE = 25  # images a second
SUFFIXES = (".mp4", ".gif")


def check(path):
    """Errors that would come after the drawing otherwise."""
    suffix, folder = os.path.splitext(path)[1].lower(), os.path.dirname(path) or "."
    if suffix not in SUFFIXES:
        raise ResultsError(f"{path}: the suffix of a movie must be one of {', '.join(SUFFIXES)}")
    if suffix == ".mp4" and not shutil.which("ffmpeg"):
        raise ResultsError(f"{path}: an mp4 needs the program ffmpeg, and PATH has none: install ffmpeg, or choose {path[:-4]}.gif")
    if not os.access(folder, os.W_OK):
        raise ResultsError(f"{path}: {folder} is no directory to write in")


def write(path, images, counts):
    """Images [height, width, 3] of bytes in order, each shown for its count of 1/RATE s."""
    part = path + ".part"
    try:
        (_write_mp4 if path.lower().endswith(".mp4") else _write_gif)(part, iter(images), counts)
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(part)


def few_colors(image, count):
    """An image with a palette. The octree keeps rare colours such as in a scale, which the median cut of Pillow merges."""
    return image.quantize(count, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _write_mp4(part, images, counts):
    first = next(images)
    height, width = len(first) // 2 * 2, first.shape[1] // 2 * 2  # yuv420p has one colour for 2 x 2 pixels
    words = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(RATE), "-i", "-", "-pix_fmt", "yuv420p",
             "-movflags", "+faststart", "-f", "mp4", part]
    process = subprocess.Popen(["ffmpeg", "-y", "-loglevel", "error", *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        for image, count in zip(itertools.chain([first], images), counts):
            process.stdin.write(np.ascontiguousarray(image[:height, :width]).tobytes() * int(count))
    except BrokenPipeError:
        pass  # ffmpeg says why
    except BaseException:
        process.kill()
        raise
    _, message = process.communicate()
    if process.returncode:
        raise ResultsError(f"{part}: ffmpeg has failed: {message.decode(errors='replace')}")


def _write_gif(part, images, counts):
    frames = (few_colors(Image.fromarray(image), 256) for image in images)
    next(frames).save(part, "GIF", save_all=True, append_images=frames, duration=[1000 // RATE * int(count) for count in counts], loop=0)
