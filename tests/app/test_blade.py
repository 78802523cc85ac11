"""A blade that turns fast hits all in its way in its own sense, also between chord and arc of a step, or the program refuses the turn."""
import csv
import math
import os
from abut_runs import call, expect, near, run, scratch, write

STEP = 0.01  # [s]
REACH = 0.1  # of the blade [m]
LEADING = math.hypot(REACH, 0.01), math.degrees(math.atan2(0.01, REACH))  # corner of the blade in polar coordinates
SCENE = f"""abut: 1
dim: 2
time: {{step: {STEP}, steps: STEPS}}
materials: {{m: {{young: 1.0e6, poisson: 0.3, density: 1000}}}}
bodies:
BODIES
obstacles:
  - {{name: blade, shape: {{box: {{size: [{2 * REACH}, 0.02], cells: [4, 1]}}}}}}
motions:
  - {{select: {{body: blade}}, angular_velocity: [0, 0, SPEED]}}
output: {{fields: {{every: 0}}}}
"""


def text(degrees, bodies, steps=1):
    """Scene of a blade that turns by this angle per step; a body is its size, its distance from the axis and its angle [degrees]."""
    lines = [f"  - {{name: b{i}, material: m, shape: {{box: {{size: {size}, cells: 1}}}}, translate: "
             f"[{r * math.cos(math.radians(a)):.17g}, {r * math.sin(math.radians(a)):.17g}]}}" for i, (size, r, a) in enumerate(bodies)]
    return (SCENE.replace("STEPS", str(steps)).replace("BODIES", "\n".join(lines))
            .replace("SPEED", repr(math.radians(degrees) / STEP)))


def swept(folder, name, scene, ranks, *options):
    done = run(write(folder, name + ".yaml", scene), os.path.join(folder, f"{name}-{ranks}-{len(options)}"), ranks, "-verify", *options)
    expect(done.code == 0, name, "on", ranks, "ranks:", done.output[-3000:])
    expect(all(row["intersections"] == 0 and row["inversions"] == 0 and row["halvings"] == 0 for row in done.steps), name, done.steps)
    return done.steps[-1]


def hits_at_any_speed(folder):
    """Four squares on a circle, a third of a turn in steps of any size: each gets at least 0.6 of the blade's speed: their inner corners
    are hit, and the step of the first contact moves them a part of the way."""
    squares = [(0.02, 0.07, a) for a in (45, 135, 225, 315)]
    for ranks, degrees in ((1, 3), (2, 10), (3, 22.5), (1, 30), (2, 45), (3, -45)):
        last = swept(folder, f"turn{degrees}", text(degrees, squares, math.ceil(120 / abs(degrees))), ranks)
        full = 4 * 0.02**2 * 1000 * 0.07**2 * math.radians(degrees) / STEP
        expect(last["angular_momentum_z"] / full > 0.6, degrees, "degrees a step on", ranks, "ranks:", last["angular_momentum_z"], full)
        expect(last["boundary_progress"] >= 0.999, degrees, last["boundary_progress"])


def between_chord_and_arc(folder):
    """A straight line to the end of the step passes a small square outside the chord; the arc does not, also behind a first contact."""
    degrees = 40
    small = (0.002, REACH - 0.0035, LEADING[1] + degrees / 2)
    near(LEADING[0] * math.cos(math.radians(degrees / 2)), 0.0945, 1e-4, "largest reach of the chord")
    first = (0.02, 0.05, 32)  # touched before the small one is
    mass = 0.002**2 * 1000
    for ranks in (1, 3):
        last = swept(folder, "small", text(degrees, [small]), ranks)
        expect(last["angular_momentum_z"] > 0.1 * mass * REACH**2 * math.radians(degrees) / STEP, "not hit:", last["angular_momentum_z"])
        swept(folder, "both", text(degrees, [small, first]), ranks)
        with open(os.path.join(folder, f"both-{ranks}-0", "pairs.csv")) as file:
            pushed = {row["body_a"]: float(row["normal_y_N"]) for row in csv.DictReader(file)}
        expect(min(pushed.get("b0", 0), pushed.get("b1", 0)) > 0, "not hit behind a first contact:", pushed)


def refusals(folder):
    """Turns that no step represents; angles of motions at the same time add up, others do not. The named step is enough."""
    scene = text(360, [(0.02, 0.07, 45)])
    path = write(folder, "full.yaml", scene)
    for done in (call(1, "check", path), call(2, "run", path, "-o", os.path.join(folder, "full"))):
        expect(done.code == 2 and done.output.count("abut: ") == 1, done.code, done.output)
        for word in ("full.yaml:10:", "obstacle 'blade' turns by 360 degrees in a time step of 0.01 s", "must be at most 45 degrees",
                     "time.step at most 0.00125 s"):
            expect(word in done.output, word, "is not in", done.output)
    expect(call(1, "check", write(folder, "smaller.yaml", scene.replace(f"step: {STEP}", "step: 0.00125"))).code == 0, "the named step")
    half = text(30, [(0.02, 0.07, 45)])
    motion = next(line for line in half.splitlines() if "angular_velocity" in line)
    later = motion.replace("}, angular", "}, start: 0.5, angular")
    ends = motion.replace("}, angular", "}, end: 0.5, angular")
    for motions, code in (((motion, later), 2), ((ends, later), 0), ((ends, motion), 2)):
        done = call(1, "check", write(folder, "two.yaml", half.replace(motion, "\n".join(motions))))
        expect(done.code == code and ("turns by 60 degrees" in done.output) == (code == 2), motions, done.code, done.output)
    for degrees, code in ((144, 0), (180, 2)):
        ring = text(0, [(0.02, 0.07, 45)]).replace("{body: blade}, angular_velocity: [0, 0, 0.0]",
                                                   f"{{body: b0}}, angular_velocity: [0, 0, {math.radians(degrees) / STEP}]")
        done = call(1, "check", write(folder, "body.yaml", ring))
        expect(done.code == code and ("body 'b0' turns by 180 degrees" in done.output) == (code == 2), degrees, done.code, done.output)


with scratch() as scratch_folder:
    hits_at_any_speed(scratch_folder)
    between_chord_and_arc(scratch_folder)
    refusals(scratch_folder)
print("ok")
