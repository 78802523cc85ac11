"""3D scenes of the orientation-aware paper (Fig. 20 to 24): where bodies end up, and that nothing crosses on the way."""
import csv
import glob
import math
import os
from abut_runs import expect, near, scratch
from erleben import check_energy, since_let_go
from oipc_scenes import SCENES, steps_of

GRAVITY, FLOOR = 9.81, -2
SPIKE, WEDGE, CUBE = 22.5, 67.5, 1000.0  # masses [kg]
SLANT = 0.75 / math.hypot(0.75, 0.15)  # cosine of the slope of a side of spike and wedge, 0.3 m wide and 0.75 m high
SPIKE_LIES, SPIKE_STANDS = 0.15 * 3 / 4 * SLANT, 0.75 / 4  # height of the centre of mass over the support
WEDGE_LIES, WEDGE_STANDS = 0.15 * 2 / 3 * SLANT, 0.75 / 3
CUBE_LIES = 0.5 - CUBE * GRAVITY / 1.0e5 / 3 / 2  # between rigid and a bar, which its weight would shorten by twice that in the mean
NEAR = {SPIKE: 0.007, WEDGE: 0.007, CUBE: 0.018}  # of those heights: gaps and bending; for the cube both ends of its range [m]

# Steps, mass, support at rest, height of the centre of mass over the support, further rank counts
ENDS = {
    "spike_spike": (60, SPIKE, "floor", SPIKE_LIES, (2,)),
    "spike_wedge": (60, SPIKE, "floor", SPIKE_LIES, ()),
    "wedge_wedge": (60, WEDGE, "floor", WEDGE_LIES, (3,)),
    "spike_plane": (80, SPIKE, "target", SPIKE_LIES, ()),
    "wedge_plane": (80, WEDGE, "target", WEDGE_LIES, ()),
    "spike_hole": (95, SPIKE, "floor", SPIKE_STANDS, (3,)),
    "spike_crack": (95, SPIKE, "floor", SPIKE_STANDS, ()),
    "wedge_crack": (95, WEDGE, "floor", WEDGE_STANDS, (2,)),
    "cube_cliff": (60, CUBE, "floor", CUBE_LIES, (2,)),
    "cube_internal_edges": (60, CUBE, "target", CUBE_LIES, ()),
}


def last_partner(folder, label):
    with open(os.path.join(folder, label, "pairs.csv")) as file:
        return list(csv.DictReader(file))[-1]["body_b"]


def check_end(name, folder, ranks):
    steps, mass, where, height, _ = ENDS[name]
    slides_on = name == "cube_internal_edges"
    # The cube's loss on its way over the edges is visible at a finer tolerance only: by default single steps lose as much.
    changes = [("{potential: oipc}", "{potential: oipc}\nsolver: {tolerance: {absolute: 1.0e-6}}")] if slides_on else []
    scene = "fig20_" + name
    rows = steps_of(scene, folder, ranks, changes, "-steps", steps)
    expect(len(rows) == steps and max(row["contacts"] for row in rows) > 0, name, "touches nothing")
    check_energy(name, since_let_go(os.path.join(SCENES, scene + ".yaml"), rows), slides_on)
    partner, end = last_partner(folder, f"{scene}-{ranks}"), rows[-1]
    expect(end["contacts"] > 0 and partner == where, name, "on", ranks, "ranks ends on the", partner, "instead of the", where)
    near(end["energy_gravity_J"] / (mass * GRAVITY) - (FLOOR if where == "floor" else 0), height, NEAR[mass],
         f"{name} on {ranks} ranks: height")
    if slides_on:
        free = 0.5 * mass * (0.7**2 + 0.1**2)
        expect(0.98 * free < end["energy_kinetic_J"] < 1.001 * free, "edges stop the cube:", end["energy_kinetic_J"], "of", free,
               "J are left")


def check_cliff(folder):
    """A cube with its centre 0.1 m inside an edge stays there, in balance, with oipc for 3 s; with ipc it slides over the edge and down."""
    rows = steps_of("fig21_cliff_edge", folder, 2)
    slid = math.hypot(*(sum(row[f"momentum_{axis}"] * row["dt_s"] for row in rows) / CUBE for axis in "xz"))
    expect(slid < 0.06, "the cube slides by", slid, "m with oipc")
    expect(rows[-1]["energy_gravity_J"] > 0.45 * CUBE * GRAVITY and rows[-1]["contacts"] > 0, "the cube falls with oipc")
    rows = steps_of("fig21_cliff_edge", folder, 2, [("potential: oipc", "potential: ipc")], label="-ipc")
    expect(rows[-1]["energy_gravity_J"] < -CUBE * GRAVITY, "the cube stays with ipc, too")


def check_touched(rows, name, at_least):
    expect(max(row["contacts_max"] for row in rows) >= at_least, name, "touches itself or others by",
           max(row["contacts_max"] for row in rows))


with scratch() as folder:
    names = sorted(os.path.basename(path)[6:-5] for path in glob.glob(os.path.join(SCENES, "fig20_*.yaml")))
    expect(names == sorted(ENDS), "scenes:", names)
    for name in names:
        for ranks in (1, *ENDS[name][4]):
            check_end(name, folder, ranks)
    check_cliff(folder)
    # Closer to the funnel than in the scene, so that the dolphin's nose is in it at once
    check_touched(steps_of("fig22_dolphin_funnel", folder, 2, [("[0.55, -0.035, 0]", "[0.35, -0.035, 0]")], "-steps", 6), "the dolphin", 10)
    coarse = [("cells: 12}", "cells: 3}"), ("[39, 1, 39]", "[8, 1, 8]")]
    check_touched(steps_of("fig23_trash_compactor", folder, 2, coarse, "-steps", 10), "the compactor", 5)
    # In four times longer steps, until it lies on itself
    check_touched(steps_of("fig24_mat_twist", folder, 2, [("[39, 39, 1]", "[7, 9, 1]"), ("step: 0.04", "step: 0.16")], "-steps", 22),
                  "the mat", 5)
print("ok")
