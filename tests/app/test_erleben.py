"""The ten fundamental tests of Erleben [2018] at frame rate and with exactly aligned contacts: no intersection, expected end state."""
import glob
import os
from abut_runs import expect, near, scratch
from erleben import check_energy, since_let_go
from ipc2020 import SCENES, run_scene


INTERNAL_EDGES = "fig11_erleben_cube_internal_edges"

with scratch() as folder:
    names = sorted(os.path.basename(path)[:-5] for path in glob.glob(os.path.join(SCENES, "fig11_erleben_*.yaml")))
    expect(len(names) == 10, "scenes:", names)
    for name in names:
        done = run_scene(name, folder)
        rows = since_let_go(os.path.join(SCENES, name + ".yaml"), done.steps)
        check_energy(name, rows, slides_on=name == INTERNAL_EDGES)
        if name == INTERNAL_EDGES:
            # the edges take 1.65 % of the energy, with a tolerance of 1e-6 too; unbalanced forces had hidden the half of it
            near(rows[-1]["energy_kinetic_J"], 500 * (0.7**2 + 0.1**2), 5, name + " slides on nearly as if there were no edges")
    for name in ("fig10_aligned_points", "fig10_aligned_edges", "fig10_aligned_stack"):
        run_scene(name, folder)
    run_scene("fig10_aligned_stack", folder, 2)

    # At rest on the floor of a slot 1 um wider than itself: the centre of a cell of 107 kg is then about 0.2 m high.
    for ranks in (1, 2):
        rows = run_scene("fig10_aligned_slot", folder, ranks).steps
        expect(rows[0]["energy_gravity_J"] > 1400 and 180 < rows[-1]["energy_gravity_J"] < 230, "in the slot:",
               rows[-1]["energy_gravity_J"])
        expect(min(row["min_gap_m"] for row in rows) < 1e-6, "never near the walls")

    # A cube 10,000 times heavier and 100 times stiffer than the one it falls on
    rows = run_scene("fig12_ratio_mass", folder, 2, "-steps", "40").steps
    expect(rows[-1]["min_gap_m"] > 0 and rows[-1]["energy_gravity_J"] > 1e4 * 9.81 * 0.4, "the big cube reached the floor")
print("ok")
