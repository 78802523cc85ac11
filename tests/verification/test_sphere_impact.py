"""Impact of a sphere slower than waves: largest force and contact time of Hertz, and nearly no loss of speed at second order."""
from abut_runs import expect, scratch
from studies import study

with scratch() as folder:
    rows = {row["rule"]: row for row in study(folder, "--case", "sphere_impact", "--levels", "1")}
    for integrator, row in rows.items():
        # Tetrahedra are too stiff by (h / a)^2 / 2 or so: this shortens the contact by the power 2/5 of that and raises the force.
        stiff = 0.5 * row["a/h"] ** -2
        expect(-0.02 < row["force"] < stiff, integrator, "largest force is", row["force"], "off")
        expect(-stiff < row["duration"] < 0.02, integrator, "contact time is", row["duration"], "off")
        expect(abs(row["loss"]) < (0.2 if integrator == "implicit-euler" else 3e-3), integrator, "lost speed:", row["loss"])
print("ok")
