"""Scenes of the orientation-aware paper up to their first contacts: contacts act where expected only; falls on codimensional obstacles."""
import os
from abut_runs import expect, near, scratch, write
from falls import BEDS, fall
from oipc_scenes import SCENES, steps_of

OIPC, IPC = "potential: oipc\n  alpha: 0.1\n", "potential: ipc\n"
FORCES = ("energy_contact_J", "contact_force_x_N", "contact_force_y_N", "contact_force_z_N", "contact_force_max_N")


def check_deformed(name, folder, changes, *options):
    """A body alone whose surface comes closer to itself than dhat, or gets finer than that: nothing acts, where distances alone push."""
    rows = steps_of(name, folder, 2, changes, *options)
    for row in rows:
        expect(row["contacts"] == 0 and row["contacts_max"] == 0, name, "is in contact with itself in step", row["step"])
        expect(all(row[key] == 0 for key in FORCES), name, "feels", [row[key] for key in FORCES], "in step", row["step"])
    pushed = steps_of(name, folder, 1, [*changes, (OIPC, IPC)], *options, label="-ipc")
    expect(pushed[-1]["contacts"] > 0 and pushed[-1]["energy_contact_J"] > 0, name, "feels nothing with ipc either")


with scratch() as folder:
    # Pressed to a third in steps seven times as long, cells twice as long, dhat in proportion.
    check_deformed("fig12_compression_2d", folder,
                   [("step: 0.0047", "step: 0.0335"), ("[16, 20]", "[8, 10]"), ("absolute: 0.04", "absolute: 0.1")])
    # The first steps: the skin is then thinner than this dhat, not yet than that of the scene.
    check_deformed("fig13_balloon", folder, [("absolute: 0.02", "absolute: 0.08")], "-steps", 5)

    # The cusp is open for the first 6 cm of 12; coarser, in steps twice as long.
    chi = write(folder, "chi.geo", f'h = 0.06;\nfine = 0.03;\nInclude "{SCENES}/meshes/chi.geo";\nPhysical Surface("chi") = {{1}};\n')
    rows = steps_of("fig14_cusp_2d", folder, 2, [("meshes/chi_2d.geo", chi), ("step: 0.01", "step: 0.02")], "-steps", 12)
    expect(all(row["contacts"] == 0 and row["energy_contact_J"] == 0 for row in rows[:6]), "the open cusp is in contact")
    expect(rows[-1]["contacts_max"] > 0 and rows[-1]["energy_contact_J"] > 0, "the closed cusp is not in contact")

    # The corner is thrown back, but for what implicit Euler takes of its swings: a tenth.
    rows = steps_of("fig16_corner", folder, 2, [], "-steps", 66)
    expect(max(row["contacts_max"] for row in rows) > 0, "the corner meets nothing")
    fallen, thrown = -rows[0]["momentum_y"], rows[-1]["momentum_y"]
    expect(rows[-1]["contacts"] == 0 and fallen > thrown > 0.85 * fallen, "the corner came with", fallen, "Ns and leaves with", thrown)

    # Two rings of 377 kg/m at 3 m/s: what one loses the other gains, to rounding.
    rows = steps_of("fig18_rings", folder, 2, [], "-steps", 8)
    expect(max(row["contacts_max"] for row in rows) > 0, "the rings do not meet")
    for row in rows:
        near(row["momentum_x"], 0, 1e-9 * 377 * 3, "momentum of both rings")

    for bed in BEDS:
        runs = [fall("oipc", bed, folder, ranks) for ranks in (1, 3)]
        for row, *others in zip(*runs):
            for other in others:
                expect(other["contacts"] == row["contacts"], bed, "contacts in step", row["step"], other["contacts"], row["contacts"])
                near(other["momentum_y"], row["momentum_y"], 1e-6, f"{bed}: momentum in step {row['step']:g}")
print("ok")
