"""inputs/pad.yaml: the force on both plates equals the closed form of uniaxial stress; figures of docs/user-guide.md for other settings."""
import math
import os
import subprocess

from abut_runs import expect, near, python_with, run, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
YOUNG, POISSON, AREA, HEIGHT, TRAVEL = 2.0e6, 0.4, 0.06**2, 0.02, 2.0e-3


def uniaxial_force(stretch):
    """
    Compression of a neo-Hookean block [N], Psi = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2. The lateral stretch b follows from the
    lateral stress, mu (b - 1/b) + lambda ln(J) / b = 0, which increases with b.
    """
    mu, lam = YOUNG / 2 / (1 + POISSON), YOUNG * POISSON / (1 + POISSON) / (1 - 2 * POISSON)
    low, high = 1.0, 1 / stretch
    while high - low > 1e-12:
        b = (low + high) / 2
        low, high = (low, b) if mu * (b * b - 1) + lam * math.log(stretch * b * b) > 0 else (b, high)
    return -AREA * (mu * (stretch - 1 / stretch) + lam * math.log(stretch * low * low) / stretch)


def last_forces(folder, name, *changes, ranks=1):
    """Forces on both plates at the end [N], from the scene with words replaced."""
    with open(os.path.join(ROOT, "inputs", "pad.yaml"), encoding="utf-8") as file:
        scene = file.read()
    for old, new in changes:
        expect(old in scene, name, old)
        scene = scene.replace(old, new)
    done = run(write(folder, f"{name}.yaml", scene), os.path.join(folder, name), ranks)
    expect(done.code == 0 and max(row["imbalance"] for row in done.steps) <= 0.01, name, done.output)
    return [abs(row["normal_y_N"]) for row in done.table("pairs.csv")[-2:]]


def apart(distance):
    """Both plates start at this distance from the pad [m]."""
    return ("0.01001", f"{0.01 + distance!r}"), ("0.02002", f"{0.02 + 2 * distance!r}")


def dhat(value):
    return "dhat: {absolute: 1.0e-5}", f"dhat: {{absolute: {value}}}"


def friction(coefficient):
    return "dhat: {", f"friction: {{default: {coefficient}}}\n  dhat: {{"


def sideways(directory):
    """Mean displacement of the pad along x and z at the end [m]: nothing holds it there, and nothing moves it."""
    script = "import h5py, sys; x = h5py.File(sys.argv[1])['position'][()].mean(0); print(x[0], x[2])"
    done = subprocess.run([python_with("h5py"), "-c", script, os.path.join(directory, "checkpoint.h5")], capture_output=True, text=True,
                          check=True)
    return [abs(float(word)) for word in done.stdout.split()]


def check_closed_form(folder):
    for ranks in (1, 2):
        done = run(os.path.join(ROOT, "inputs", "pad.yaml"), os.path.join(folder, str(ranks)), ranks)
        expect(done.code == 0 and len(done.steps) == 10, done.output)
        expect(max(sideways(done.directory)) < 1e-5, "the pad drifts", sideways(done.directory))
        for row in done.table("pairs.csv"):
            force = uniaxial_force(1 - TRAVEL * row["time_s"] / HEIGHT)
            near(abs(row["normal_y_N"]) / force, 1, 0.005 if row["step"] == 10 else 0.01, f"force on {row['body_b']}")


def check_advice(folder):
    """The forces that docs/user-guide.md states for other settings, to its digits."""
    for name, stated, *changes in (
            ("base", 789.4), ("dhat_1", 791.9, dhat("1.0e-6"), *apart(0.9e-6)), ("dhat_100", 767, dhat("1.0e-4"), *apart(0.99e-4)),
            ("close", 843, dhat("1.0e-4")), ("one_step", 789.4, ("step: 0.1", "step: 1.0")), ("friction", 1245, friction(0.5)),
            ("nearly_incompressible", 801.2, ("poisson: 0.4", "poisson: 0.49"))):
        for force in last_forces(folder, name, *changes):
            near(force, stated, 1e-3 * stated, name)


def check_locking(folder):
    """Faces that stick, a compression of 1 %: the force on 3 and 6 cells over the height."""
    for poisson, cells, stated in (("0.4", 3, 116), ("0.4", 6, 110), ("0.49", 3, 271), ("0.49", 6, 192)):
        changes = [("end: 1.0", "end: 0.1"), ("poisson: 0.4", f"poisson: {poisson}"), ("[6, 3, 6]", f"[{2 * cells}, {cells}, {2 * cells}]"),
                   dhat("1.0e-6"), friction(2), *apart(1e-6)]
        for force in last_forces(folder, f"{poisson}_{cells}", *changes):
            near(force, stated, 0.005 * stated, f"poisson {poisson}, {cells} cells")


near(uniaxial_force(0.9), 791.89, 0.01, "closed form")
with scratch() as scratched:
    check_closed_form(scratched)
    check_advice(scratched)
    check_locking(scratched)
print("ok")
