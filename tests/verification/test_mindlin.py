"""Partial slip of a cylinder on a block of the same material: contact and stick widths and the traction, with all four potentials."""
import os
from abut_runs import expect, scratch
from studies import study

with scratch() as folder:
    rows = study(folder, "--case", "mindlin_cylinder", "--levels", "1", "--potential", "ipc", "convergent-ipc", "oipc", "gcp")
    expect(len(rows) == 4, "four runs expected", rows)
    for row in rows:
        name = row["potential"]
        expect(abs(row["radius"]) < (row["stick/a"] / row["c/h"]) ** 2, name, "contact width is", row["radius"], "off")  # (h / a)^2
        expect(row["sticks"][-1][0] > 0.8 and len(row["sticks"]) == 4, name, "load ratios", row["sticks"])
        for ratio, edges, stick in row["sticks"]:  # the second moment of a semi-ellipse over `edges` edges is exact to their inverse square
            expect(abs(stick) < edges**-2, f"{name}: at {ratio:.2f} of sliding the stick width of {edges:.1f} edges is {stick:+.4f} off")
        expect(row["traction"] < 1 / row["c/h"] ** 2, name, "traction is", row["traction"], "off")
        expect(os.path.getsize(os.path.join(folder, f"mindlin_cylinder-{name}.png")) > 5000, name, "is not drawn")
print("ok")
