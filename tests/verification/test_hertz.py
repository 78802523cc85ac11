"""Force against approach of a cylinder between two planes, on a coarse mesh, within the error that its edges allow."""
import csv
import os
from abut_runs import expect, near, run, scratch, write
from refinement_cases import CASES

CASE, SIZE, DHAT = CASES["hertz_cylinder"], 0.0125, 2.0e-4
STEPS = 4

with scratch() as folder:
    scene = write(folder, "scene.yaml", CASE.write(folder, "ipc", "fixed", SIZE))
    done = run(scene, os.path.join(folder, "out"), 2)
    if "needs libgmsh" in done.output:
        raise SystemExit(77)
    expect(done.code == 0, done.output)
    with open(os.path.join(done.directory, "pairs.csv")) as file:
        rows = list(csv.DictReader(file))
    for step in range(1, STEPS + 1):
        sides = {row["body_b"]: float(row["normal_y_N"]) for row in rows if row["step"] == str(step)}
        approach = CASE.speed * 0.25 * step - DHAT + done.steps[step - 1]["min_gap_m"]
        wanted = CASE.form.force(approach)
        radius = CASE.form.contact_radius(wanted)
        # Linear triangles are too stiff by a relative (h / a)^2: the error of the energy is the square of the error of the stress, of
        # the order of h / a. Sagittas of the edges, h^2 / 8R, add to the approach. The closed form is accurate to about (a / R)^2.
        excess, stiff, model = sides["ground"] / wanted - 1, (SIZE / radius) ** 2 + SIZE**2 / 8 / approach, (radius / 1.0) ** 2
        expect(-model < excess < stiff + model, f"force is {excess:+.4f} off in step {step}, expected {-model:.4f} to {stiff + model:.4f}")
        # The width ends half an edge beyond the last vertex in contact, which is within half an edge of the end of the closed form.
        width = next(float(row["area_m2"]) for row in rows if row["step"] == str(step) and row["body_b"] == "ground")
        half = CASE.form.contact_radius(sides["ground"])
        near(width / (2 * half), 1, SIZE / half, f"width of the contact over that of Hertz in step {step}")
        # nothing but regularization, 1e-3/s^2 times 3141 kg, takes part in the balance of both sides
        near(sides["ground"] + sides["press"], 0, 1e-3 * 3142 * CASE.speed, "balance of the two sides")
print("ok")
