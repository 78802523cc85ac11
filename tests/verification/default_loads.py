"""Problems of test_defaults.py: loads on free bodies, impacts, rotation, small contact forces beside large ones."""

GRAVITY = 9.6  # [m/s^2]


def tiny_load(table, _):
    """Gravity of any size gives a free body its momentum, in steps of any length."""
    errors = []
    for integrator in ("implicit-euler", "newmark", "bdf2"):
        for gravity, step in ((2e-7, 0.02), (5e-3, 1e-6), (1.0, 1e-8)):
            done = table.run(f"""gravity: [0, {-gravity!r}, 0]
materials: {{soft: {{young: 3.0e5, poisson: 0.3, density: 1200}}}}
bodies: [{{name: block, material: soft, shape: {{box: {{size: 0.5, cells: 1}}}}}}]
""", f"step: {step!r}, steps: 300, integrator: {integrator}")
            errors.append(abs(-done.steps[-1]["momentum_y"] / (1200 * 0.125 * gravity * done.steps[-1]["time_s"]) - 1))
    table.add("free body, gravity 2e-7 to 1 m/s^2: worst error of momentum", "", max(errors), 0, 1e-3)


def balance_off(table, _):
    """Without the balance of forces no step of a resting block counts as one at round-off."""
    if table.balance:
        return
    done = table.run("""materials: {soft: {young: 2.0e5, poisson: 0.3, density: 700, damping: {stiffness: 0.01}}}
bodies: [{name: block, material: soft, shape: {box: {size: [0.25, 0.2], cells: [3, 2]}}, translate: [0, 0.1002]}]
obstacles: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]
""", "step: 0.01, steps: 60", dim=2, solver="balance: off", counts=False)
    table.add("resting block, balance: off: steps said to be at round-off", "", done.summary["imbalance_round_off_steps"], 0, 0)


def face_force(table, _):
    """A resultant on a face acts as the uniform traction does."""
    energies = []
    for load in ("force: [300, -900, 0]", "traction: [1200, -3600, 0]"):
        done = table.run(f"""materials: {{soft: {{model: linear, young: 8.0e5, poisson: 0.25, density: 1000}}}}
bodies: [{{name: block, material: soft, shape: {{box: {{size: [0.5, 0.8, 0.5], cells: [3, 4, 2]}}}}}}]
motions: [{{select: {{body: block, box: [[0, 0, 0], [1, 0, 1]], relative: true}}}}]
loads: [{{select: {{body: block, box: [[0, 1, 0], [1, 1, 1]], relative: true}}, {load}}}]
""", "step: 1, steps: 1, integrator: quasi-static")
        energies.append(done.steps[-1]["energy_elastic_J"])
    table.add("force on a face: energy / that of the uniform traction", "", energies[0] / energies[1], 1, 1e-3)


def load_impulse(table, _):
    """A force that ends after two and a half steps gives a free body its impulse, however the body vibrates."""
    for integrator in ("implicit-euler", "newmark"):
        done = table.run("""materials: {soft: {young: 1.0e6, poisson: 0.3, density: 1000, damping: {stiffness: 0.001}}}
bodies: [{name: block, material: soft, shape: {box: {size: [1, 0.5], cells: [4, 2]}}}]
gravity: [0, 0, 0]
loads: [{select: {body: block, box: [[1, 0], [1, 1]], relative: true}, force: [800, 0, 0], end: 0.0025}]
""", f"step: 0.001, steps: 8, integrator: {integrator}", dim=2)
        table.add(f"load of 2.5 steps, {integrator}: momentum / its impulse", "", done.steps[-1]["momentum_x"] / (800 * 0.0025), 1, 1e-6)


def first_impact(table, potentials):
    """A block hits the floor in the first step: the momentum changes by the impulse of the contact forces in steps.csv."""
    for potential in potentials:
        done = table.run(f"""materials: {{soft: {{young: 1.0e6, poisson: 0.3, density: 1000}}}}
bodies: [{{name: block, material: soft, shape: {{box: {{size: [1, 1], cells: [4, 4]}}}}, translate: [0, 0.5017, 0], velocity: [0, -2, 0]}}]
obstacles: [{{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}]
gravity: [0, 0, 0]
contact: {{potential: {potential}}}
""", "step: 0.001, steps: 60, integrator: bdf2", dim=2)
        impulse = sum(step["contact_force_y_N"] * step["dt_s"] for step in done.steps)
        table.add("impact in the first step, bdf2: impulse / change of momentum", potential,
                  impulse / (done.steps[-1]["momentum_y"] + 2000), 1, 5e-3)


def clamped_cube(table, potentials):
    """The floor carries the weight of a cube that frictionless walls clamp with some thousand times its weight."""
    for potential in potentials:
        done = table.run(f"""gravity: [0, {-GRAVITY}, 0]
materials: {{steel: {{young: 1.8e11, poisson: 0.3, density: 7500}}}}
bodies: [{{name: cube, material: steel, shape: {{box: {{size: 0.8, cells: 2}}}}, translate: [0, 0.4005, 0]}}]
obstacles:
  - {{name: floor, plane: {{point: [0, 0, 0], normal: [0, 1, 0]}}}}
  - {{name: left, plane: {{point: [-0.4005, 0, 0], normal: [1, 0, 0]}}}}
  - {{name: right, plane: {{point: [0.4005, 0, 0], normal: [-1, 0, 0]}}}}
motions: [{{plane: left, velocity: [0.001, 0, 0]}}, {{plane: right, velocity: [-0.001, 0, 0]}}]
contact: {{potential: {potential}}}
""", "step: 1, steps: 1, integrator: quasi-static, regularization: 0.01")
        table.add("clamped cube: force on the floor / weight", potential,
                  table.pair(done, "cube", "floor") / (7500 * 0.8**3 * GRAVITY), 1, 0.02)


def leaf_in_vise(table, potentials):
    """A stop at the tip of a leaf feels the same force in one step and in ten, beside a vise that holds the leaf with much more."""
    for potential in potentials:
        force = []
        for steps in (1, 10):
            done = table.run(f"""materials: {{steel: {{young: 2.0e11, poisson: 0.3, density: 7800}}}}
bodies: [{{name: leaf, material: steel, shape: {{box: {{size: [0.2, 0.004], cells: [50, 2]}}}}, translate: [0.1, 0]}}]
obstacles:
  - {{name: upper, shape: {{box: {{size: [0.016, 0.01], cells: 1}}}}, translate: [0.012, 0.0072]}}
  - {{name: lower, shape: {{box: {{size: [0.016, 0.01], cells: 1}}}}, translate: [0.012, -0.0072]}}
  - {{name: stop, shape: {{box: {{size: 0.01, cells: 1}}}}, translate: [0.194, -0.0072]}}
motions:
  - {{select: {{body: leaf, box: [[-1, -1], [0.0001, 1]]}}}}
  - {{select: {{body: upper}}, velocity: [0, -0.00021]}}
  - {{select: {{body: lower}}, velocity: [0, 0.00021]}}
  - {{select: {{body: stop}}, velocity: [0, 0.0006]}}
contact: {{potential: {potential}, stiffness: 1.0e10}}
""", f"step: {1 / steps}, steps: {steps}, integrator: quasi-static", dim=2)
            force.append(table.pair(done, "leaf", "stop"))
        table.add("leaf in a vise: force of the stop in 1 step / in 10 steps", potential, force[0] / force[1], 1, 0.02)


def damped_rotation(table, _):
    """Stiffness-proportional damping leaves a turning body its angular momentum: 0.5 radian of 10 rad/s, damping time 10 ms."""
    done = table.run("""materials: {soft: {young: 1.0e6, poisson: 0.3, density: 1000, damping: {stiffness: 0.01}}}
bodies: [{name: bar, material: soft, shape: {box: {size: [1, 0.5, 0.5], cells: [4, 2, 2]}}, angular_velocity: [0, 0, 10]}]
gravity: [0, 0, 0]
""", "step: 0.002, steps: 25, integrator: newmark")
    spin = [step["angular_momentum_z"] for step in done.steps]
    table.add("damped bar that turns, newmark: angular momentum / at the start", "", spin[-1] / spin[0], 1, 1e-3)
