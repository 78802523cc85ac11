"""Ten linked rings fall into each other and hang from the first: no ring passes through another, and the chain comes to rest."""
from abut_runs import expect, scratch
from ipc2020 import run_scene

with scratch() as folder:
    for ranks in (1, 2):
        rows = run_scene("chain_10", folder, ranks, "-steps", "50").steps
        # Play and stretch of ten rings cost less than 100 J; a single ring of 15 kg that fell for half a second would lose 180 J.
        expect(rows[0]["energy_gravity_J"] - rows[-1]["energy_gravity_J"] < 100, "the chain fell", rows[-1]["energy_gravity_J"])
        expect(rows[-1]["energy_kinetic_J"] < 0.1 * max(row["energy_kinetic_J"] for row in rows), "the chain does not calm down")
        expect(rows[-1]["contacts"] > 9, "fewer contacts than links", rows[-1]["contacts"])
print("ok")
