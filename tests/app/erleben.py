"""What must hold in the fundamental tests of Erleben [2018] with any potential."""
import re
from abut_runs import expect


def since_let_go(path, rows):
    """The rows of a scene after prescribed motions have ended, from the state they left."""
    with open(path) as file:
        end = re.search(r"^    end: ([0-9.]+)$", file.read(), re.MULTILINE)
    return [row for row in rows if row["time_s"] > (float(end[1]) if end else 0) - 1e-9]


def check_energy(name, rows, slides_on=False):
    """Nothing but what weight gives up turns into motion, and all but a tenth of that is gone in the end."""
    start, end = rows[0], rows[-1]
    given = max(start["energy_kinetic_J"] + start["energy_elastic_J"] + start["energy_gravity_J"] - row["energy_gravity_J"] for row in rows)
    for row in rows:
        moving = sum(row[f"energy_{part}_J"] - start[f"energy_{part}_J"] for part in ("kinetic", "elastic", "gravity"))
        expect(moving < 0.01 * given, name, "gained", moving, "J by step", row["step"], "of", given, "J available")
    if not slides_on:
        expect(end["energy_kinetic_J"] < 0.1 * given, name, "still moves with", end["energy_kinetic_J"], "J of", given, "J available")
