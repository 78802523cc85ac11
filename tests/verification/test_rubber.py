"""
Rubber by constants of data sheets, at default settings: uniaxial and equibiaxial tension and pure shear against the closed forms; creep
of a viscoelastic block.
"""
import math
import os
import subprocess

from abut_runs import call, expect, near, python_with, run, scratch, write

OGDEN = ((0.63e6, 1.3), (0.0012e6, 5.0), (-0.01e6, -2.0))  # [Ogden 1972], fitted to Treloar's data
C10, C01, BULK = 0.16e6, 0.04e6, 8.0e7
SCENE = """abut: 1
dim: {dim}
time: {{step: 1, steps: 10, integrator: quasi-static, regularization: 100}}
materials: {{rubber: {{model: {model}, {keys}, bulk: {bulk}, density: 1000}}}}
bodies: [{{name: block, material: rubber, shape: {{box: {{size: 1, cells: 2}}, order: 2}}}}]
loads:
{loads}
"""


def ogden(s):
    """Kirchhoff stresses of the principal stretches s."""
    log_j = sum(map(math.log, s))
    p = [sum(mu * math.exp(alpha * (math.log(t) - log_j / 3)) for mu, alpha in OGDEN) for t in s]
    return [value - sum(p) / 3 + BULK * log_j for value in p]


def mooney_rivlin(s, c01=C01):
    """The same for Psi = c10 (I1 - 3) + c01 (J^(-2/3) I2 - 3) - mu ln J + lambda/2 (ln J)^2, mu = 2 (c10 + c01), lambda = K - 2 mu / 3."""
    mu, log_j = 2 * (C10 + c01), sum(map(math.log, s))
    w, squares = 2 * c01 * math.exp(-2 * log_j / 3), [t * t for t in s]
    second = squares[0] * squares[1] + squares[1] * squares[2] + squares[2] * squares[0]
    pressure = (BULK - 2 * mu / 3) * log_j - mu - w * second / 3
    return [2 * C10 * x + w * x * (sum(squares) - x) + pressure for x in squares]


def neo_hookean(s):
    return mooney_rivlin(s, 0)


def root(function, low, high):
    """Root of an increasing function."""
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return low


def stretches(a, law, mode):
    """Stretches of a given stretch along the first axis: the other ones follow from stresses that are 0."""
    shape = {"uniaxial": lambda b: (a, b, b), "equibiaxial": lambda b: (a, a, b), "pure shear": lambda b: (a, b, 1)}[mode]
    return shape(root(lambda b: law(shape(b))[2 if mode == "equibiaxial" else 1], 0.1, 1.5))


def expected(stress, law, mode):
    """Stretches under a nominal stress along the first axis, and with equibiaxial tension the second."""
    a = root(lambda a: law(stretches(a, law, mode))[0] / a - stress, 0.9, 4)
    return stretches(a, law, mode)


def energy(s, law):
    """Energy density: work of the stresses on a straight path to s, by Simpson's rule."""
    n, total = 400, 0
    for k in range(n + 1):
        at = [1 + k / n * (t - 1) for t in s]
        rate = sum(tau * (t - 1) / x for tau, t, x in zip(law(at), s, at))
        total += rate * (1 if k in (0, n) else 4 if k % 2 else 2) / (3 * n)
    return total


def extents(directory):
    script = "import h5py, sys; x = h5py.File(sys.argv[1])['position'][()]; print(*(x.max(0) - x.min(0)))"
    done = subprocess.run([python_with("h5py"), "-c", script, os.path.join(directory, "checkpoint.h5")], capture_output=True, text=True,
                          check=True)
    return [float(word) for word in done.stdout.split()]


def loads(stress, mode, dim):
    """Opposite tractions on both ends of each loaded axis."""
    lines = []
    for axis in range(2 if mode == "equibiaxial" else 1):
        for end in (0, 1):
            box = [[float(end) if k == axis else 0.0 for k in range(dim)], [float(end) if k == axis else 1.0 for k in range(dim)]]
            traction = [stress * (2 * end - 1) if k == axis else 0.0 for k in range(dim)]
            lines.append(f"  - {{select: {{body: block, box: {box}, relative: true}}, traction: {traction}}}")
    return "\n".join(lines)


def check(folder, model, keys, law):
    for mode, stress in (("uniaxial", 0.35e6), ("uniaxial", 0.1e6), ("equibiaxial", 0.4e6), ("pure shear", 0.4e6)):
        name, dim = f"{model}_{mode.replace(' ', '_')}_{stress:g}", 2 if mode == "pure shear" else 3
        scene = SCENE.format(dim=dim, model=model, keys=keys, bulk=BULK, loads=loads(stress, mode, dim))
        done = run(write(folder, f"{name}.yaml", scene), os.path.join(folder, name), 2 if mode == "pure shear" else 1)
        expect(done.code == 0 and len(done.steps) == 10, name, done.output)
        s = expected(stress, law, mode)
        for found, wanted in zip(extents(done.directory), s):
            near(found / wanted, 1, 2e-4, f"{name}: stretch {wanted:.4f}")
        near(done.steps[-1]["energy_elastic_J"] / energy(s, law), 1, 2e-3, f"{name}: energy")


def check_creep(folder, order):
    """
    Strain under a constant traction: of a standard linear solid with the shear moduli G and G0 = G + g, relaxation time t0 and a bulk
    modulus that hardly matters, stress / 3 (1/G - (1/G - 1/G0) exp(-t G / (t0 G0))).
    """
    shear, branch, time, stress = 1.0e6, 0.5e6, 2.0, 1.0e3
    scene = SCENE.format(dim=3, model="neo-hookean", keys=f"shear: {shear}, prony: [{{shear: {branch}, time: {time}}}]", bulk=1.0e9,
                         loads=loads(stress, "uniaxial", 3))
    scene = scene.replace("step: 1, steps: 10", "step: 0.02, steps: 200").replace("regularization: 100", "regularization: 1.0e-3")
    scene = scene.replace("order: 2", f"order: {order}").replace("loads:", "output: {fields: {every: 0}}\nloads:", 1)
    path, whole = write(folder, f"creep_{order}.yaml", scene), shear + branch
    printed = call(1, "check", path).output
    expect("initial shear modulus 1e+06 Pa (1.5e+06 Pa before it relaxes), bulk modulus 1e+09 Pa, Young's" in printed, printed)
    for steps in (1, 50, 200):
        done = run(path, os.path.join(folder, f"creep_{order}_{steps}"), 1, "-steps", str(steps))
        expect(done.code == 0, done.output)
        t = 0.02 * steps
        wanted = stress / 3 * (1 / shear - (1 / shear - 1 / whole) * math.exp(-t * shear / (time * whole)))
        near((extents(done.directory)[0] - 1) / wanted, 1, 0.006, f"creep at {t} s, order {order}")
        dissipated = [row["energy_dissipated_J"] for row in done.steps]
        expect(all(a <= b for a, b in zip(dissipated, dissipated[1:])), "dissipation falls", dissipated)


with scratch() as scratched:
    check_creep(scratched, 1)
    check_creep(scratched, 2)
    terms = ", ".join(f"{{mu: {mu!r}, alpha: {alpha!r}}}" for mu, alpha in OGDEN)
    check(scratched, "ogden", f"ogden: [{terms}]", ogden)
    check(scratched, "mooney-rivlin", f"c10: {C10}, c01: {C01}", mooney_rivlin)
    check(scratched, "neo-hookean", f"c10: {C10}", neo_hookean)
print("ok")
