"""Cases of refinement_study.py: scenes, meshes, measured quantities and closed forms."""

import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = os.path.join(ROOT, "inputs", "verification")
sys.path.insert(0, os.path.join(ROOT, "postprocess"))

import closed_forms  # noqa: E402

YOUNG, POISSON, RADIUS = 1.0e6, 0.3, 1.0  # of the scenes


def read(path):
    """Text of a file, or None."""
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except OSError:
        return None


def scene_text(name):
    text = read(os.path.join(SCENES, name))
    if text is None:
        raise SystemExit(f"refinement_study.py: {name} is not in {SCENES}")
    return text


def edited(text, changes):
    """The text with each pattern replaced; a pattern that does not occur exactly once is an error: scene and study do not agree."""
    for pattern, new in changes:
        text, count = re.subn(pattern, new, text)
        if count != 1:
            raise SystemExit(f"refinement_study.py: \"{pattern}\" occurs {count} times in a scene of {SCENES}, expected once")
    return text


def of_order(text, order):
    """The scene with cells of this order in all bodies."""
    if order == 1:
        return text
    before, bodies, after = re.split(r"^(bodies:\n(?: .*\n)+)", text, maxsplit=1, flags=re.M)
    return before + re.sub(r"shape: \{(.*?\}?)\}(?=[,}])", rf"shape: {{\1, order: {order}}}", bodies) + after


def away(potential, dhat):
    """Initial distance of bodies: the orientation-aware potentials lower dhat if round-off makes a gap at rest smaller than dhat."""
    return dhat if potential.endswith("ipc") and potential != "oipc" else 1.01 * dhat


def contact_changes(potential, dhat):
    return [(r"potential: \S+", f"potential: {potential}"), (r"dhat: \{absolute: \S+\}", f"dhat: {{absolute: {dhat:.9g}}}")]


class Case:
    """
    One problem. `sizes` are edge lengths from coarse to fine, `rules` say how dhat follows them; write() leaves scene and meshes in a
    folder, measure() gives errors (relative, by name) and other numbers of a finished run.
    """

    name, title, errors, rules = "", "", (), ("fixed", "tied")
    sizes, quick, coarse_dhat = (), 2, 0.0

    def dhat(self, rule, size):
        return self.coarse_dhat if rule == "fixed" else self.coarse_dhat * size / self.sizes[0]

    def words(self, rule):
        if rule == "fixed":
            return f"dhat = {self.coarse_dhat:g} m on all meshes"
        return f"dhat = {self.coarse_dhat / self.sizes[0]:.3g} h" + (", meshes that match" if rule == "matching" else "")


class Hertz(Case):
    """Load levels are time levels of one run; errors refer to the last one."""

    errors = ("force", "radius", "peak", "pressure")
    coarse_dhat = 2.0e-4

    def write(self, folder, potential, rule, size):
        dhat = self.dhat(rule, size)
        with open(os.path.join(folder, self.mesh), "w", encoding="utf-8") as stream:
            stream.write(f"h = {size:.9g};\n" + scene_text(self.mesh))
        return edited(scene_text(self.name + ".yaml"), contact_changes(potential, dhat) + self.moved(away(potential, dhat)))

    def measure(self, results, potential, rule, size):
        dhat = self.dhat(rule, size)
        curve = [self.loaded(results, level, dhat, away(potential, dhat)) for level in results.levels()[1:]]
        row = dict(curve[-1])
        row["curve"] = [(point["approach"], point["force_N"]) for point in curve]
        return row

    def loaded(self, results, level, dhat, start):
        import contact_pressure

        form, data = self.form, results.level(level)
        moved = self.speed * float(data.attrs["time"])
        patch = contact_pressure.Patch(results, level, self.body, 1)
        force = contact_pressure.pair_force(results, self.body, "ground", int(data.attrs["step"]))
        approach = moved - start + patch.mean_gap  # penetration of the plane of the gap into the undeformed body
        radius, wanted = patch.contact_radius(form.moment), form.contact_radius(force)
        peak = patch.peak(wanted)
        return {"approach": approach, "force_N": force, "radius_m": radius, "peak_Pa": peak, "a/h": wanted,
                "patch_vertices": len(patch.force),
                "gap/dhat": patch.mean_gap / dhat, "force": force / form.force(approach) - 1, "radius": radius / wanted - 1,
                "peak": peak / form.peak(force) - 1, "pressure": patch.pressure_error(form.peak(force), wanted),
                "profile": [(patch.radius / wanted).tolist(), (patch.force / patch.area / form.peak(force)).tolist()]}


class MindlinCylinder(Case):
    """Errors at the last level, with most of the contact slipping; `slip` has load ratio and stick width over contact width by level."""

    name, title, body = "mindlin_cylinder", "Cattaneo and Mindlin, cylinder (2D)", "cylinder"
    errors, coarse_dhat, sizes, rules = ("stick", "traction", "radius"), 2.0e-4, (0.0125, 0.00625, 0.003125), ("tied",)
    form, pressed = closed_forms.MindlinCylinder(RADIUS, YOUNG, POISSON, 0.3), 4  # the level from which the cylinder is pulled

    def write(self, folder, potential, rule, size):
        dhat = self.dhat(rule, size)
        for mesh in ("half_disc.geo", "foundation.geo"):
            with open(os.path.join(folder, mesh), "w", encoding="utf-8") as stream:
                stream.write(f"h = {size:.9g};\n" + scene_text(mesh))
        return edited(scene_text(self.name + ".yaml"), contact_changes(potential, dhat) +
                      [(r"\[0, 2\.0e-4\]", f"[0, {away(potential, dhat):.9g}]")])

    def measure(self, results, potential, rule, size):
        levels = [self.loaded(results, level, rule, size) for level in results.levels()[self.pressed + 1:]]
        return {**levels[-1], "slip": [(level["load ratio"], level["stick/a"]) for level in levels],
                "sticks": [(level["load ratio"], level["c/h"], level["stick"]) for level in levels]}

    def loaded(self, results, level, rule, size):
        import contact_pressure

        patch, friction = contact_pressure.Patch(results, level, self.body, 1), self.form.friction
        x, pressed, pulled = patch.rest[:, 0], patch.force, -patch.friction[:, 0]
        ratio = float(pulled.sum()) / (friction * patch.total)
        width, share = self.form.normal.contact_radius(patch.total), self.form.stick_share(ratio)
        missing = friction * pressed - pulled  # friction that is not needed: a semi-ellipse over the stick width
        stick = 2 * math.sqrt(float(missing @ x**2 / missing.sum()))
        exact = [self.form.traction(place / width, share) for place in x]
        found = pulled / patch.area / (friction * self.form.normal.peak(patch.total))
        return {"force_N": patch.total, "load ratio": ratio, "stick/a": stick / width, "c/h": share * width / size,
                "gap/dhat": patch.mean_gap / self.dhat(rule, size), "stick": stick / (share * width) - 1,
                "radius": patch.contact_radius(self.form.normal.moment) / width - 1,
                "traction": contact_pressure.relative_error(patch.area, found, exact),
                "tractions": [(x / width).tolist(), found.tolist()], "share": share}


class Impact(Case):
    """Steps follow h; `rules` are integrators, the dhat is the same on all meshes."""

    rules = ("implicit-euler", "bdf2", "contact-implicit-newmark")

    def dhat(self, rule, size):
        return self.coarse_dhat

    def words(self, rule):
        return f"`{rule}`, dhat = {self.coarse_dhat:g} m"

    def common(self, results, force):
        """Numbers of a row that every impact has; `force` is the contact force of each step [N]."""
        return {"gap/dhat": float(min(results.steps()["min_gap_m"])) / self.coarse_dhat, "force_N": float(max(force))}


class BarImpact(Impact):
    name, title, coarse_dhat = "bar_impact", "Impact of two bars (2D)", 2.0e-5
    errors, sizes = ("stress", "duration", "loss"), (1 / 20, 1 / 40, 1 / 80)
    length, width, density, speed = 1.0, 0.05, 1000.0, 0.1  # of the scene
    form = closed_forms.BarImpact(length, YOUNG, density, speed)

    def write(self, folder, potential, rule, size):
        cells, start = round(self.length / size), away(potential, self.coarse_dhat) / 2 + self.length / 2
        step = self.form.duration / (2 * cells)  # a wave takes two steps for a cell
        text = scene_text(self.name + ".yaml").replace("cells: [20, 1]", f"cells: [{cells}, 1]")
        return edited(text, contact_changes(potential, self.coarse_dhat) +
                      [(r"step: \S+, steps: 60, integrator: \S+\}", f"step: {step!r}, steps: {3 * cells}, integrator: {rule}}}"),
                       (r"\[-0\.50001, 0\]", f"[-{start!r}, 0]"), (r"\[0\.50001, 0\]", f"[{start!r}, 0]")])

    def measure(self, results, potential, rule, size):
        steps, force = results.steps()["dt_s"], abs(results.force("left", "normal_x_N"))
        ends, mass = steps.cumsum(), self.density * self.length * self.width
        wanted = self.form.stress * self.width
        inner = (ends > 0.2 * self.form.duration) & (ends < 0.8 * self.form.duration)
        speeds = speeds_after(rule, -self.speed, force / mass, float(steps[0]))
        return {**self.common(results, force), "stress": float(force[inner].mean()) / wanted - 1, "loss": 1 - speeds[-1] / self.speed,
                "duration": float(steps[force > wanted / 2].sum()) / self.form.duration - 1,
                "history": [(ends / self.form.duration).tolist(), (force / wanted).tolist()]}


class SphereImpact(Impact):
    name, title, coarse_dhat = "sphere_impact", "Impact of a sphere (3D)", 2.0e-4
    errors, sizes = ("force", "duration", "loss"), (0.04, 0.03, 0.02)
    density, speed, mesh = 1000.0, 3.16227766e-2, "ball.geo"  # of the scene

    def write(self, folder, potential, rule, size):
        with open(os.path.join(folder, self.mesh), "w", encoding="utf-8") as stream:
            stream.write(f"h = {size:.9g};\n" + scene_text(self.mesh))
        return edited(scene_text(self.name + ".yaml"), contact_changes(potential, self.coarse_dhat) +
                      [(r"integrator: \S+\}", f"integrator: {rule}}}"),
                       (r"\[0, 2\.0e-4, 0\]", f"[0, {away(potential, self.coarse_dhat):.9g}, 0]")])

    def measure(self, results, potential, rule, size):
        import contact_pressure

        steps, force = results.steps()["dt_s"], results.steps()["contact_force_y_N"]
        mass = self.density * float(contact_pressure.cell_measures(results)[0].sum())  # of the mesh: polyhedra lack up to 3 % of the ball
        form = closed_forms.SphereImpact(RADIUS, YOUNG, POISSON, mass, self.speed)
        speed = float(results.steps()["momentum_y"][-1]) / mass
        return {**self.common(results, force), "force": float(max(force)) / form.force - 1, "loss": 1 - speed / self.speed,
                "a/h": form.contact_radius / size, "duration": float(steps[force > 0.01 * form.force].sum()) / form.duration - 1,
                "history": [(steps.cumsum() / form.duration).tolist(), (force / form.force).tolist()]}


def speeds_after(integrator, speed, accelerations, step):
    """Speeds of the centre of a body from its acceleration by contact in every step, by the rule of the integrator."""
    speeds = [speed]
    for number, acceleration in enumerate(accelerations):
        if integrator == "bdf2" and number:
            speeds.append((4 * speeds[-1] - speeds[-2] + 2 * step * acceleration) / 3)
        else:  # with contact-implicit-newmark contact forces of the end of a step act over all of it
            speeds.append(speeds[-1] + step * acceleration)
    return speeds


class HertzCylinder(Hertz):
    name, title, body, mesh = "hertz_cylinder", "Hertz, cylinder (2D)", "cylinder", "disc.geo"
    sizes = (0.0125, 0.00625, 0.003125, 0.0015625)
    form, speed = closed_forms.HertzCylinder(RADIUS, YOUNG, POISSON), 5.0e-3

    def moved(self, start):
        return [(r"\[0, -1\.5002\]", f"[0, {-1.5 - start:.9g}]"), (r"\[0, 1\.5002\]", f"[0, {1.5 + start:.9g}]")]


class HertzSphere(Hertz):
    name, title, body, mesh = "hertz_sphere", "Hertz, sphere (3D)", "sphere", "half_ball.geo"
    sizes = tuple(0.02 * 2 ** (-k / 2) for k in range(4))
    form, speed = closed_forms.HertzSphere(RADIUS, YOUNG, POISSON), 2.5e-3

    def moved(self, start):
        return [(r"\[0, 2\.0e-4, 0\]", f"[0, {start:.9g}, 0]")]


class ContactPatch(Case):
    """A block of n and a wider one of 3/4 n cells to the metre; `matching` gives both n, with dhat tied to h."""

    errors = ("stress", "stress away", "ripple")
    rules = ("fixed", "tied", "matching")
    coarse_dhat, pressure = 2.0e-3, 1.0e4

    def write(self, folder, potential, rule, size):
        dhat, n = self.dhat(rule, size), round(1 / size)
        m = n if rule == "matching" else 3 * n // 4
        lower, upper = ("[" + ", ".join(map(str, cells)) + "]"
                        for cells in ((3 * n // 2, n, 3 * n // 2)[: self.dim], (m, m, m)[: self.dim]))
        return edited(scene_text(self.name + ".yaml"), contact_changes(potential, dhat) +
                      [(r"(name: lower.*cells: )\[.*?\]", rf"\g<1>{lower}"), (r"(name: upper.*cells: )\[.*?\]", rf"\g<1>{upper}"),
                       (r"0\.502", f"{0.5 + away(potential, dhat):.9g}")])

    def measure(self, results, potential, rule, size):
        import contact_pressure  # imported here: tests use scenes and closed forms without NumPy

        level, dhat = results.levels()[-1], self.dhat(rule, size)
        force = contact_pressure.pair_force(results, "lower", "upper", int(results.level(level).attrs["step"]))
        return {"force_N": force, "gap/dhat": float(results.steps()["min_gap_m"][-1]) / dhat,
                "stress": contact_pressure.stress_error(results, level, self.pressure),
                "stress away": contact_pressure.stress_error(results, level, self.pressure, lambda middle: abs(middle[:, 1]) > 0.25),
                "ripple": contact_pressure.ripple(results, level, "upper", away(potential, dhat), self.pressure)}


class Patch2d(ContactPatch):
    name, title, dim = "patch_2d", "Contact patch test (2D)", 2
    sizes = (1 / 8, 1 / 16, 1 / 32)


class Patch3d(ContactPatch):
    name, title, dim = "patch_3d", "Contact patch test (3D)", 3
    rules = ("fixed", "tied")
    sizes = (1 / 4, 1 / 8, 1 / 12)


class RestingGap(Case):
    """Not refined in h: `sizes` are stiffnesses of ipc over five decades, from gaps of dhat/1000 to nearly dhat; `rules` say on which
    time step.
    """

    name, title = "resting_gap", "Resting gap"
    errors, rules, quick = ("gap",), ("step 0.1 s", "step 0.05 s"), 2
    sizes = tuple(10.0**k for k in range(8, 14))
    dhat_m, load = 1.0e-3, 5.0e3
    units = {"ipc": (1.0, "kg/m²"), "convergent-ipc": (1.0e-7, "N/m"), "oipc": (1.0e-14, "N"), "gcp": (1.0e-11, "N/m")}

    def words(self, rule):
        return f"dhat = {self.dhat_m:g} m, time " + rule

    def step(self, rule):
        return float(rule.split()[1])

    def stiffness(self, potential, size):
        return self.units[potential][0] * size

    def write(self, folder, potential, rule, size):
        start = [] if potential == "ipc" else [(r"0\.5005", f"{0.5 + away(potential, self.dhat_m):.9g}")]
        return edited(scene_text(self.name + ".yaml"), contact_changes(potential, self.dhat_m) + start +
                      [(r"stiffness: \S+", f"stiffness: {self.stiffness(potential, size):.9e}"),
                       (r"step: 0\.1,", f"step: {self.step(rule):g},")])

    def measure(self, results, potential, rule, size):
        gap = float(results.steps()["min_gap_m"][-1])
        stiffness = self.stiffness(potential, size) / (1 if closed_forms.is_physical(potential) else self.step(rule) ** 2)
        wanted = closed_forms.resting_gap(potential, self.load, self.dhat_m, stiffness)
        return {"force_N": 2 * self.load, "gap_m": gap, "gap/dhat": gap / self.dhat_m, "gap": gap / wanted - 1 if wanted else math.nan,
                "stiffness": self.stiffness(potential, size),
                "pressed": self.load / closed_forms.pressure_unit(potential, self.dhat_m, stiffness)}


CASES = {case.name: case for case in (RestingGap(), Patch2d(), Patch3d(), HertzCylinder(), HertzSphere(), MindlinCylinder(), BarImpact(),
                                   SphereImpact())}
