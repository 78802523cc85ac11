"""Scenes of inputs/oipc, changed to be quick, and what must hold in each: every step converged, nothing crosses, nothing inverts."""
import os
from abut_runs import expect, run, write

SCENES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "inputs", "oipc")


def text_of(name, changes=()):
    """The scene with its meshes where they are and these texts replaced, each of which must be there."""
    with open(os.path.join(SCENES, name + ".yaml")) as file:
        text = file.read()
    for old, new in changes:
        expect(old in text, old, "is not in", name)
        text = text.replace(old, new)
    return text.replace("file: meshes/", f"file: {SCENES}/meshes/").replace("file: ../", f"file: {os.path.dirname(SCENES)}/")


def steps_of(name, folder, ranks, changes=(), *options, label=""):
    """The rows of a run that went well."""
    label = f"{name}{label}-{ranks}"
    done = run(write(folder, label + ".yaml", text_of(name, changes)), os.path.join(folder, label), ranks, "-verify", *options)
    expect(done.code == 0, name, "on", ranks, "ranks:", done.output[-3000:])
    rows = done.steps
    expect(all(row["intersections"] == 0 for row in rows), name, "crosses itself")
    expect(all(row["inversions"] == 0 for row in rows), name, "has inverted cells")
    expect(min(row["min_gap_m"] for row in rows) > 0, name, "has no gap")
    return rows
