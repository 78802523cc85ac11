"""The script of the refinement study completes on two meshes of a case, writes tables and pictures, and does not repeat runs."""
import os
from abut_runs import expect, scratch
from studies import study

with scratch() as folder:
    written = []
    for _ in range(2):
        rows = study(folder, "--quick", "--case", "resting_gap", "patch_2d", "hertz_cylinder")
        written.append(os.path.getmtime(os.path.join(folder, "ipc", "patch_2d-fixed", "0.125", "summary.json")))
    expect(written[0] == written[1], "the second time it ran again")
    hertz = [row for row in rows if row["case"] == "hertz_cylinder" and row["rule"] == "tied"]
    expect(len(hertz) == 2 and abs(hertz[1]["force"]) < 0.5 * abs(hertz[0]["force"]), "halving h does not halve the error of the force")
    for row in rows:  # a patch test that O(dhat) and interface alone disturb: far from the 100 % of a lost load
        expect(row["case"] != "patch_2d" or row["stress"] < 0.05, row)
    for name in ("resting_gap", "patch_2d", "hertz_cylinder"):
        expect(os.path.getsize(os.path.join(folder, f"{name}-ipc.png")) > 5000, name, "is not drawn")
    with open(os.path.join(folder, "refinement.md")) as file:
        text = file.read()
    expect("Fitted orders: force" in text and "Resting gap" in text, text)
print("ok")
