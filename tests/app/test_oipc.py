"""Scenes of the orientation-aware paper at rest: it takes no iteration and no force to stay there, where distances alone push; the others take steps."""
import glob
import os
from abut_runs import expect, near, run, scratch, write

SCENES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "inputs", "oipc")


def text_of(name):
    with open(os.path.join(SCENES, name + ".yaml")) as file:
        return file.read().replace("file: meshes/", f"file: {SCENES}/meshes/")


def rows_of(name, folder, ranks, *options):
    done = run(os.path.join(SCENES, name + ".yaml"), os.path.join(folder, f"{name}-{ranks}"), ranks, *options)
    expect(done.code == 0, name, done.output[-3000:])
    return done.steps


with scratch() as folder:
    for name in ("fig10_fillet_2d", "fig11_slit_2d", "fig11_two_blocks_2d", "fig01_fillet_3d", "fig11_slit_3d", "fig11_two_blocks_3d"):
        for ranks in (1, 2):
            for row in rows_of(name, folder, ranks, "-steps", 3):
                expect(row["newton_iterations"] == 0, name, "took", row["newton_iterations"], "iterations")
                expect(row["contacts"] == 0 and row["energy_contact_J"] == 0, name, "is in contact with itself")
                expect(row["energy_kinetic_J"] == 0, name, "moves:", row["energy_kinetic_J"])
    for name in ("fig10_fillet_2d", "fig11_slit_2d", "fig11_two_blocks_2d"):  # that the test sees spurious forces where there are some
        scene = write(folder, name + "-ipc.yaml", text_of(name).replace("potential: oipc", "potential: ipc").replace("  alpha: 0.1\n", ""))
        done = run(scene, os.path.join(folder, name + "-ipc"), 1, "-steps", 2)
        expect(done.code == 0, name, done.output[-3000:])
        expect(done.steps[0]["newton_iterations"] > 0 and done.steps[0]["energy_kinetic_J"] > 1e-6, name, "stays with ipc, too:", done.steps[0])
    for path in sorted(glob.glob(os.path.join(SCENES, "fig1[2-9]_*.yaml"))):
        rows = rows_of(os.path.basename(path)[:-5], folder, 2, "-steps", 1, "-verify")
        expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in rows), path, "crosses or inverts")
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
