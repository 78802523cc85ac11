"""The ten fundamental tests of Erleben [2018] at frame rate and exactly aligned contacts: each runs through without a crossing and ends as it must."""
import glob
import os
import re
from abut_runs import expect, near, scratch
from ipc2020 import SCENES, run_scene


def since_let_go(name, rows):
    """The rows after prescribed motions have ended, from the state they left."""
    with open(os.path.join(SCENES, name + ".yaml")) as file:
        end = re.search(r"^    end: ([0-9.]+)$", file.read(), re.MULTILINE)
    return [row for row in rows if row["time_s"] > (float(end[1]) if end else 0) - 1e-9]


def check_energy(name, rows):
    """Nothing but what weight gives up turns into motion, and all but a tenth of that is gone in the end."""
    start, end = rows[0], rows[-1]
    given = max(start["energy_kinetic_J"] + start["energy_elastic_J"] + start["energy_gravity_J"] - row["energy_gravity_J"] for row in rows)
    for row in rows:
        moving = sum(row[f"energy_{part}_J"] - start[f"energy_{part}_J"] for part in ("kinetic", "elastic", "gravity"))
        expect(moving < 0.01 * given, name, "gained", moving, "J by step", row["step"], "of", given, "J available")
    if name == "fig11_erleben_cube_internal_edges":
        near(end["energy_kinetic_J"], 500 * (0.7**2 + 0.1**2), 2.5, "slides on as if there were no edges")
    else:
        expect(end["energy_kinetic_J"] < 0.1 * given, name, "still moves with", end["energy_kinetic_J"], "J of", given, "J available")


with scratch() as folder:
    names = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(SCENES, "fig11_erleben_*.yaml")))
    expect(len(names) == 10, "scenes:", names)
    for name in names:
        done = run_scene(name, folder)
        check_energy(name, since_let_go(name, done.steps))
    for name in ("fig10_aligned_points", "fig10_aligned_edges", "fig10_aligned_stack"):
        run_scene(name, folder)
    run_scene("fig10_aligned_stack", folder, 2)

    # At rest on the floor of a slot 1 um wider than itself: the centre of a cell of 107 kg is then about 0.2 m high.
    for ranks in (1, 2):
        rows = run_scene("fig10_aligned_slot", folder, ranks).steps
        expect(rows[0]["energy_gravity_J"] > 1400 and 180 < rows[-1]["energy_gravity_J"] < 230, "in the slot:", rows[-1]["energy_gravity_J"])
        expect(min(row["min_gap_m"] for row in rows) < 1e-6, "never near the walls")

    # A cube 10,000 times heavier and 100 times stiffer than the one it falls on
    rows = run_scene("fig12_ratio_mass", folder, 2, "-steps", "40").steps
    expect(rows[-1]["min_gap_m"] > 0 and rows[-1]["energy_gravity_J"] > 1e4 * 9.81 * 0.4, "the big cube reached the floor")
print("ok")
