"""Damaged checkpoints and tables, empty scenes, values out of range: exit codes on any number of ranks; restarts name changed keys."""
import os
import random
from abut_runs import call, expect, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.01, steps: 2}
gravity: [0, -10]
materials: {soft: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1], cells: [2, 2]}}, velocity: [0, -1]}
obstacles:
  - {name: floor, plane: {point: [0, -2], normal: [0, 1]}}
output: {fields: {every: 0}}
"""


def damaged(path, folder, name, change):
    with open(path, "rb") as file:
        data = bytearray(file.read())
    other = os.path.join(folder, name)
    with open(other, "wb") as file:
        file.write(change(data))
    return other


def flip(data, at):
    data[at] ^= 1 + at % 255
    return data


with scratch() as folder:
    scene = write(folder, "fall.yaml", SCENE)
    whole = run(scene, os.path.join(folder, "whole"), 2)
    expect(whole.code == 0, whole.output)
    checkpoint = os.path.join(whole.directory, "checkpoint.h5")
    size = os.path.getsize(checkpoint)
    chance = random.Random(1)
    for ranks in (2, 3):
        for at in [126, size - 1][:4 - ranks] + [chance.randrange(size) for _ in range(2)]:
            bad = damaged(checkpoint, folder, "bad.h5", lambda data, at=at: flip(data, at))
            done = run(scene, os.path.join(folder, f"bad{ranks}-{at}"), ranks, "-restart", bad)
            expect(done.code == 6 and bad in done.output, ranks, at, done.code, done.output)
        short = damaged(checkpoint, folder, "short.h5", lambda data: data[:1000])
        done = run(scene, os.path.join(folder, f"short{ranks}"), ranks, "-restart", short)
        expect(done.code == 6 and "truncated" in done.output and "unknown reason" not in done.output, done.code, done.output)

    # Rows that are lost and lines that are no rows are named when the table of the steps is continued.
    longer = write(folder, "longer.yaml", SCENE.replace("steps: 2", "steps: 4"))
    for ranks, change, words, left in (
            (1, lambda rows: [rows[0][:40]], ("ends with step 0, the rows up to step 2 of the checkpoint are lost",), [3, 4]),
            (2, lambda rows: rows[:2], ("ends with step 1, the rows up to step 2",), [1, 3, 4]),
            (2, lambda rows: [rows[0], "no row\n", rows[2]], ("steps.csv:2 is no row of the table",), [2, 3, 4]),
            (1, lambda rows: rows, (), [1, 2, 3, 4])):
        done = run(scene, os.path.join(folder, "table"), 1, "-overwrite")
        path = os.path.join(done.directory, "steps.csv")
        with open(path) as file:
            rows = change(list(file))
        with open(path, "w") as file:
            file.writelines(rows)
        done = run(longer, done.directory, ranks, "-restart", os.path.join(done.directory, "checkpoint.h5"))
        expect(done.code == 0 and [row["step"] for row in done.steps] == left, done.code, done.output)
        expect(done.output.count("warning") == len(words) and all(word in done.output for word in words), words, done.output)

    # The state of the checkpoint counts: keys that define the initial state only are named if they have changed.
    other = write(folder, "other.yaml", SCENE.replace("point: [0, -2]", "point: [0, -3]").replace("steps: 2", "steps: 3"))
    done = run(other, os.path.join(folder, "other"), 2, "-restart", checkpoint)
    expect(done.code == 0 and done.output.count("it was [") == 1, done.code, done.output)
    expect("obstacles[0].plane.point is [0 -3 0], it was [0 -2 0]" in done.output, done.output)

    # Scenes that are no scenes.
    empty = write(folder, "empty.yaml", "")
    for path, all_ranks in ((empty, (1, 3)), ("/dev/null", (2,))):
        for ranks in all_ranks:
            done = call(ranks, "check", path)
            expect(done.code == 2 and f"{path}:1: the scene is empty" in done.output, ranks, done.code, done.output)
    for text, what in (("velocity: [0, -1]", "velocity: [0, 1e40]"), ("velocity: [0, -1]", "angular_velocity: 1e300"),
                       ("output:", "contact: {dhat: {absolute: 1e39}}\noutput:")):
        done = call(1, "check", write(folder, "large.yaml", SCENE.replace(text, what)))
        expect(done.code == 2 and "must be a number in [" in done.output, what, done.code, done.output)

    # A bad frame of a sequence is named.
    for k in range(3):
        second = "v 1 1e300 0" if k == 1 else "v 1 -4 0"
        write(folder, f"frame{k}.obj", f"v 0 -4 0\n{second}\nv 0 -4 1\nf 1 2 3\n")
    frames = SCENE.replace("dim: 2", "dim: 3").replace("gravity: [0, -10]", "gravity: [0, -10, 0]").replace("[0, -1]", "[0, -1, 0]")
    frames = frames.replace("[1, 1], cells: [2, 2]", "1, cells: 1").replace("plane: {point: [0, -2], normal: [0, 1]}",
                                                                            "shape: {file: frame0.obj}")
    motion = "motions: [{select: {body: floor}, sequence: {files: frame%d.obj, count: 3, interval: 0.01}}]\n"
    frames = frames.replace("output:", motion + "output:")
    done = run(write(folder, "frames.yaml", frames), os.path.join(folder, "frames"), 2)
    expect(done.code == 2 and "frame1.obj is 1e+300; it must be in [-1e+12, 1e+12]" in done.output, done.code, done.output)
print("ok")
