"""Pictures and movies of render.py: number of frames, one range of colours and one camera, errors, no part of a file."""
import os
import shutil
import subprocess

from abut_runs import ENVIRONMENT, expect, python_with, run, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RENDER = os.path.join(ROOT, "postprocess", "render.py")
SCENE = """abut: 1
time: {step: 0.01, steps: 5}
gravity: [0, -9.81, 0]
materials: {m: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: box, material: m, shape: {box: {size: 0.2, cells: 2}}, translate: [0, 0.1005, 0], velocity: [0, -1, 0]}
obstacles: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]
output: {fields: {every: 1, stress: true}}
"""
FFMPEG = """#!/bin/sh
for last; do :; done
wc -c > "$last"
{end}
"""
CHECKS = """
import numpy as np
from PIL import Image

movie = Image.open("all.gif")
assert movie.n_frames == 6 and movie.size == (320, 216), (movie.n_frames, movie.size)
frames, lasts = [], []
for k in range(6):
    movie.seek(k)
    frames.append(np.asarray(movie.convert("RGB")).astype(int))
    lasts.append(movie.info["duration"])
assert sum(lasts) == 4040 and len(set(lasts[:-1])) == 1 and lasts[-1] == 40, lasts  # 101 images of 1/25 s
foot, corner = [frame[-72:] for frame in frames], [frame[115:144, :90] for frame in frames]  # scale of colours, bar of length
assert foot[0].std() > 30, "no scale of colours"
for k in range(1, 6):
    for what, pair in (("range", (foot[0], foot[k])), ("camera", (corner[0], corner[k]))):
        assert np.abs(pair[0] - pair[1]).mean() < 3, (what, k)
    assert np.abs(frames[0][:144] - frames[k][:144]).max() > 40, "the body does not move"
assert Image.open("some.gif").n_frames == 3

# all values at one end of the range have the colour of that end, darker by the light
for name, end in (("low", (68, 1, 84)), ("high", (253, 231, 37))):
    image = np.asarray(Image.open(name + ".png").convert("RGB")).astype(float)
    middle = image[len(image) // 3, image.shape[1] // 2]
    light = middle.sum() / sum(end)
    assert 0.75 < light < 1.05 and np.abs(middle - light * np.array(end)).max() < 6, (name, middle)
"""


def draw(*words, path=None):
    """Exit code and output of render.py."""
    environment = ENVIRONMENT if path is None else dict(ENVIRONMENT, PATH=path)
    done = subprocess.run([PYTHON, RENDER, *words], cwd=top, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.returncode, done.stdout


def refused(*words, having, path=None):
    code, text = draw("run", *words, path=path)
    expect(code == 1 and len(text.splitlines()) == 1, words, text)
    expect(all(word in text for word in having), words, text)


def fake_ffmpeg(end):
    """A folder with an ffmpeg that writes the number of its bytes of input."""
    folder = os.path.join(top, "bin")
    os.makedirs(folder, exist_ok=True)
    os.chmod(write(folder, "ffmpeg", FFMPEG.replace("{end}", end)), 0o755)
    return folder + os.pathsep + ENVIRONMENT["PATH"]


with scratch() as top:
    PYTHON = shutil.which(python_with("h5py", "numpy", "matplotlib"))
    done = run(write(top, "run.yaml", SCENE), os.path.join(top, "run"), 1)
    expect(done.code == 0, done.output)

    field = ("--color", "von_mises", "--width", "320")
    for words in (("--movie", "all.gif", *field), ("--movie", "some.gif", "--steps", "last,0,2", "--width", "320"),
                  ("-o", "low.png", *field, "--steps", "0", "--range", "1e11", "2e11"),
                  ("-o", "high.png", *field, "--steps", "0", "--range", "-2000000", "-1000000")):
        code, text = draw("run", *words)
        expect(code == 0, words, text)
    done = subprocess.run([PYTHON, "-c", CHECKS], cwd=top, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    expect(done.returncode == 0, done.stdout)

    refused("--color", "stres", having=["stres", "von_mises", "velocity"])
    refused("--range", "0", "1", having=["--color"])
    refused(*field, "--range", "2", "1", having=["--range 2 1"])
    refused("--movie", "m.avi", having=["m.avi", ".mp4", ".gif"])
    refused("--movie", "none/m.gif", having=["none"])
    refused("--movie", "m.gif", "--steps", "last", having=["two levels"])
    refused("--movie", "m.gif", "--speed", "100", having=["--speed 100", "0.05 s", "[1.39e-05, 0.625]"])
    refused("--movie", "m.mp4", having=["ffmpeg", "m.gif"], path="/nowhere")

    # 0.05 s at a tenth of real time: 0.5 s, 12 images and the first one
    code, text = draw("run", "--movie", "m.mp4", "--speed", "0.1", "--width", "320", path=fake_ffmpeg("exit 0"))
    with open(os.path.join(top, "m.mp4"), encoding="ascii") as file:
        size = int(file.read())
    expect(code == 0 and size == 13 * 320 * 180 * 3, size / (320 * 180 * 3), "images,", text)
    refused("--movie", "m.mp4", "--width", "320", having=["ffmpeg has failed: no space"], path=fake_ffmpeg("echo no space >&2; exit 1"))
    with open(os.path.join(top, "m.mp4"), encoding="ascii") as file:
        expect(int(file.read()) == size, "the movie before is gone")
    expect(not [name for name in os.listdir(top) if "part" in name], os.listdir(top))
print("ok")
