"""A scene in other units of length, mass and time is the same scene: the same iterations, the same shapes, with each potential."""
import os
import re
import subprocess
from abut_runs import ABUT, ENVIRONMENT, expect, near, run, scratch, write

# Powers of two, so that rounding is the same in both units and any difference is of a number with a unit that was taken for one without.
METRE, KILOGRAM, SECOND = 1024.0, 2.0**18, 8.0
BASE = {"kg": (1, 0, 0), "m": (0, 1, 0), "N": (1, 1, -2), "Pa": (1, -1, -2)}  # exponents of kg, m, s
STIFFNESS = 1e6
STEP = """abut: 1
dim: {dim}
time: {{step: {step}, steps: 8, integrator: {integrator}{ties}}}
gravity: [0, {gravity}{zero}]
materials: {{soft: {{model: neo-hookean, young: {young}, poisson: 0.3, density: {density}}}}}
bodies:
  - {{name: lower, material: soft, shape: {{box: {{size: {lower}, cells: [2, 1{one}]}}}}, translate: {low}}}
  - {{name: upper, material: soft, shape: {{box: {{size: {upper}, cells: [1, 1{one}]}}}}, rotate: {angle}, translate: {high}}}
obstacles:
  - {{name: table, shape: {{box: {{size: {table}, cells: [2, 1{one}]}}}}, translate: {under}}}
contact: {{potential: {potential}, dhat: {{relative: 0.02}}, {stiffness}}}
solver: {{tolerance: {{relative: {rate}}}}}
output: {{fields: {{every: 0}}}}
"""


def exponents(text):
    """Of a unit: (1, -2, -2) for N/m^3."""
    sums = [0, 0, 0]
    for sign, name, power in re.findall(r"(/?)([A-Za-z]+)(?:\^(\d))?", text):
        for i in range(3):
            sums[i] += (-1 if sign else 1) * int(power or 1) * BASE[name][i]
    return tuple(sums)


def potentials():
    """Exponents of the unit of the stiffness by potential, in 2D (a slice of one metre) and 3D, as the program states them."""
    reference = subprocess.run([ABUT, "--scene-reference"], env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True).stdout
    stated = re.search(r"Units: (.*) \|", reference).group(1)
    return {name: {3: exponents(solid), 2: exponents(plane or solid)}
            for name, solid, plane in re.findall(r"`([a-z-]+)` ([^ ;]+)(?: \(2D: ([^)]+)\))?", stated)}


POTENTIALS = potentials()
expect(len(POTENTIALS) > 3, "potentials", POTENTIALS)


def unit(kilogram, metre, second, scaled):
    return KILOGRAM**kilogram * METRE**metre * SECOND**second if scaled else 1.0


def scene(dim, potential, integrator, rule, scaled):
    mass = -dim if scaled else 0  # of a slice: kg/m^2 and N/m in 2D
    length = unit(0, 1, 0, scaled)

    def place(*x):
        return repr([a * length for a in x[:dim]])

    return STEP.format(
        dim=dim, zero=", 0" if dim == 3 else "", one=", 1" if dim == 3 else "", integrator=integrator, potential=potential,
        ties=f", regularization: {100 * unit(0, 0, -2, scaled)!r}" if integrator == "quasi-static" else "",
        step=repr(0.02 * unit(0, 0, 1, scaled)),
        rate=repr(1e-5 * (1 if integrator == "quasi-static" else unit(0, 0, -1, scaled))), gravity=repr(-10 * unit(0, 1, -2, scaled)),
        young=repr(1e5 * unit(1, 2 - dim, -2, scaled)), density=repr(1000 * unit(1, mass, 0, scaled)),
        lower=place(0.5, 0.2, 0.4), low=place(0.03, 0.11, 0.02), upper=place(0.2, 0.2, 0.2), high=place(0.1, 0.341, 0.05),
        angle="[0, 20, 0]" if dim == 3 else "8", table=place(1, 0.2, 1), under=place(0, -0.1, 0),
        stiffness={"number": f"stiffness: {STIFFNESS * unit(*POTENTIALS[potential][dim], scaled)!r}", "adaptive": "stiffness: adaptive",
                   "moduli": "relative_stiffness: 1"}[rule])


COLUMNS = {"min_gap_m": (0, 1, 0), "energy_elastic_J": (1, 2, -2), "energy_contact_J": (1, 2, -2), "energy_gravity_J": (1, 2, -2),
           "energy_kinetic_J": (1, 2, -2), "contact_force_y_N": (1, 1, -2), "angular_momentum_z": (1, 2, -1)}

with scratch() as folder:
    for dim in (2, 3):
        for potential in POTENTIALS:
            static = [("quasi-static", "number"), ("quasi-static", "adaptive"), ("quasi-static", "moduli")]
            for integrator, rule in [("implicit-euler", "number"), *(static if dim == 3 else [("implicit-euler", "moduli")])]:
                name = f"{potential}-{dim}-{integrator}-{rule}"
                both = []
                for scaled in (False, True):
                    path = write(folder, f"{name}-{scaled}.yaml", scene(dim, potential, integrator, rule, scaled))
                    done = run(path, os.path.join(folder, f"{name}-{scaled}"))
                    expect(done.code == 0, name, done.output[-2000:])
                    both.append(done.steps)
                expect(any(row["contacts"] > 0 for row in both[0]), name, "is without contact")
                for first, second in zip(*both):
                    for key in ("newton_iterations", "contacts"):
                        expect(first[key] == second[key], name, "step", first["step"], key, first[key], "and, in other units,", second[key])
                    for key, dimensions in COLUMNS.items():
                        size = max(abs(row[key]) for row in both[0])
                        near(second[key] / unit(*dimensions, True), first[key], 1e-9 * size, f"{name} {key}")
print("ok")
