"""Scenes of the orientation-aware paper at rest need no iteration and no force, where potentials of distances alone push."""
from abut_runs import expect, scratch
from oipc_scenes import steps_of


with scratch() as folder:
    for name in ("fig10_fillet_2d", "fig11_slit_2d", "fig11_two_blocks_2d", "fig01_fillet_3d", "fig11_slit_3d", "fig11_two_blocks_3d"):
        for ranks in (1, 2) if name.startswith("fig11_slit") or name == "fig01_fillet_3d" else (1,):
            for row in steps_of(name, folder, ranks, (), "-steps", 3):
                expect(row["newton_iterations"] == 0, name, "took", row["newton_iterations"], "iterations")
                expect(row["contacts"] == 0 and row["energy_contact_J"] == 0, name, "is in contact with itself")
                expect(row["energy_kinetic_J"] == 0, name, "moves:", row["energy_kinetic_J"])
    for name in ("fig10_fillet_2d", "fig11_slit_2d", "fig11_two_blocks_2d"):  # that the test sees spurious forces where there are some
        rows = steps_of(name, folder, 1, [("potential: oipc\n  alpha: 0.1\n", "potential: ipc\n")], "-steps", 2, label="-ipc")
        expect(rows[0]["newton_iterations"] > 0 and rows[0]["energy_kinetic_J"] > 1e-6, name, "stays with ipc, too:", rows[0])
    for name in ("fig12_compression_3d", "fig14_cusp_3d", "fig19_potential_a", "fig19_potential_b", "fig19_potential_c"):
        steps_of(name, folder, 2, (), "-steps", 1)  # that they start; contact in the sections of the first two is in test_oipc_contact.py
print("ok")
