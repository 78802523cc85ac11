"""Runs scenes of inputs/ipc2020 and checks what must hold in each: every step converged, nothing crosses, nothing inverts."""
import os
from abut_runs import expect, run, write

SCENES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "inputs", "ipc2020")


def changed(name, folder, old, new):
    """Writes the scene with another text at one place into the folder; returns its path without .yaml."""
    with open(os.path.join(SCENES, name + ".yaml"), encoding="utf-8") as stream:
        text = stream.read()
    expect(text.count(old) == 1, name, "has", text.count(old), "places with", old)
    write(folder, name + "-changed.yaml", text.replace(old, new))
    return os.path.join(folder, name + "-changed")


def run_scene(name, folder, ranks=1, *options):
    """Runs a scene of inputs/ipc2020, or one of changed()."""
    done = run(os.path.join(SCENES, name + ".yaml"), os.path.join(folder, f"{os.path.basename(name)}-{ranks}"), ranks, "-verify", *options)
    expect(done.code == 0, name, "on", ranks, "ranks:", done.output[-3000:])
    rows = done.steps
    expect(all(row["intersections"] == 0 for row in rows), name, "crosses itself")
    expect(all(row["inversions"] == 0 for row in rows), name, "has inverted cells")
    expect(max(row["contacts"] for row in rows) > 0, name, "touches nothing")
    expect(min(row["min_gap_m"] for row in rows) > 0, name, "has no gap")
    return done


def along(row, direction, mass):
    """Velocity of the centre of mass in a direction [m/s]."""
    length = sum(d * d for d in direction) ** 0.5
    return sum(row["momentum_" + axis] * d for axis, d in zip("xyz", direction)) / (mass * length)
