"""Scenes of the orientation-aware paper at rest need no iteration and no force, where potentials of distances alone push; energies."""
import os
from abut_runs import expect, near, run, scratch, write
from oipc_scenes import steps_of, text_of


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
    # A disc in a ring, edges halved three times: 3 times the integral over both circles is 0.0756618, polygons miss 2e-3 of it.
    text = text_of("fig19_potential_b").replace("radius: 0.75, cells: 8", "radius: 0.75, cells: 64").replace("cells: 2}", "cells: 16}")
    for ranks in (1, 2):
        scene = write(folder, f"sampled-{ranks}.yaml", text.replace("potential: oipc", "potential: oipc\n  quadrature: 2"))
        done = run(scene, os.path.join(folder, f"sampled-{ranks}"), ranks)
        expect(done.code == 0, done.output[-3000:])
        near(done.steps[0]["energy_contact_J"], 0.0756618, 3e-3 * 0.0756618, "potential by quadrature")
    # Points have no edges that samples could stand on: closest-point terms act on them over the whole range, with samples as without.
    write(folder, "two.pt", "v -0.2 0 0\nv 0.3 0 0\n")
    energies = []
    for ranks, quadrature in ((1, ""), (1, "  quadrature: 4\n"), (2, "  quadrature: 4\n")):
        name = f"points-{ranks}-{len(quadrature)}"
        scene = write(folder, name + ".yaml", f"""abut: 1
dim: 2
time: {{step: 0.01, steps: 6}}
gravity: [0, -9.81, 0]
materials: {{soft: {{model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}}}
bodies:
  - {{name: box, material: soft, shape: {{box: {{size: [1, 0.25], cells: [40, 10]}}}}, translate: [0, 0.19], velocity: [0, -1]}}
obstacles:
  - {{name: points, shape: {{file: two.pt}}}}
contact:
  potential: oipc
  dhat: {{absolute: 0.1}}
{quadrature}""")
        done = run(scene, os.path.join(folder, name), ranks)
        expect(done.code == 0, name, done.output[-3000:])
        energies.append([row["energy_contact_J"] for row in done.steps])
    expect(energies[0][-1] > 0, "points are not met:", energies)
    for k in (1, 2):
        for a, b in zip(energies[0], energies[k]):
            near(b, a, 1e-6 * max(energies[0]), "contact energy on points, with samples")
print("ok")
