#!/usr/bin/env python3
"""Makes meshes and scenes after the figures of Brunel, Benard and Guennebaud (2021), with shapes of our own.

    make_figures.py -o DIR                 all scenes: DIR/NAME.yaml with meshes in DIR/meshes
    make_figures.py capsules_k foot -o DIR   these two
    make_figures.py balls --refine 2 -o DIR  meshes with edges half as long
    make_figures.py balls --finer 10 -o DIR  ten times as many frames of the same motion

`abut deform DIR/NAME.yaml -o RESULTS` computes a scene. Lengths are in metres, z is up.

The captions of the paper give the part of the displacement that the named body takes: k_big = 0.6 means that the big ball takes 60 %
(section 8). Its stiffness in a scene is the rest, 0.4. In `thorns` and `direction` the value is the stiffness of section 4.3, because the
thorns of Fig. 20 are flattened, and the ground of Fig. 21 deforms within the larger extent.
"""

import argparse
import math
import os

import surfaces

FIGURES = {}


def figure(make):
    FIGURES[make.__name__] = make
    return make


class Scene:
    """Surfaces and pairs of a scene, and the meshes they need."""

    def __init__(self, title, frames=1):
        self.title, self.frames, self.times = title, frames, 1
        self.surfaces, self.pairs, self.meshes, self.texts, self.poses = [], [], {}, {}, {}

    def surface(self, name, mesh, keys=(), pose=None, **values):
        """Adds a surface; `pose` gives its points at a frame, which are written as a sequence of files."""
        if pose:
            self.poses[name] = pose
            values["sequence"] = {"files": f"meshes/{{scene}}_{name}_%04d.obj"}
        self.meshes[name] = mesh
        self.surfaces.append(({"name": name, "shape": {"file": f"meshes/{{scene}}_{name}.obj"}, **values}, list(keys)))

    def pair(self, first, second, keys=(), **values):
        self.pairs.append(({"first": first, "second": second, **values}, list(keys)))

    def map(self, name, values):
        """A bulge map, or the regions of vertices; returns its path."""
        self.texts[name] = values
        return f"meshes/{{scene}}_{name}.txt"

    def refine_time(self, times):
        """As many frames between two frames, times this."""
        self.frames, self.times = (self.frames - 1) * times + 1, times
        for _, keys in self.surfaces + self.pairs:
            for key in keys:
                key["frame"] *= times

    def write(self, directory, name):
        for mesh, surface in self.meshes.items():
            surfaces.write_obj(os.path.join(directory, "meshes", f"{name}_{mesh}.obj"), surface)
        for surface, pose in self.poses.items():
            for frame in range(self.frames):
                path = os.path.join(directory, "meshes", f"{name}_{surface}_{frame:04d}.obj")
                surfaces.write_obj(path, (pose(frame / self.times), self.meshes[surface][1]))
        for text, values in self.texts.items():
            with open(os.path.join(directory, "meshes", f"{name}_{text}.txt"), "w", encoding="ascii") as out:
                out.writelines((value if isinstance(value, str) else f"{value:.6g}") + "\n" for value in values)
        lines = ["abut: 1", f'title: "{self.title}"', "deform:", f"  frames: {self.frames}", "  surfaces:"]
        lines += [line for item in self.surfaces for line in listed(*item)]
        lines += ["  pairs:"] + [line for item in self.pairs for line in listed(*item)]
        with open(os.path.join(directory, f"{name}.yaml"), "w", encoding="ascii") as out:
            out.write("\n".join(lines).replace("{scene}", name) + "\n")


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def listed(values, keys):
    if not keys:
        yield "    - " + flow(values)
        return
    yield "    - " + flow(values)[:-1] + ","
    yield "       keys: [" + (",\n" + 14 * " ").join(flow(key) for key in keys) + "]}"


def count(n, refine):
    return max(2, round(n * refine))


# ---- figures


def capsules(refine, title, frames):
    scene = Scene(title, frames)
    scene.surface("low", surfaces.capsule(count(26, refine), 0.5, 2.0), extent=0.8)
    scene.surface("high", surfaces.capsule(count(26, refine), 0.5, 2.0), rotate=[0, 0, 90], translate=[0.03, 0.02, 0.72], extent=0.8)
    return scene


@figure
def capsules_k(refine):
    """Fig. 5: the stiffness passes from one of two crossed capsules to the other."""
    scene = capsules(refine, "Capsules, relative stiffness (Fig. 5)", 5)
    scene.pair("low", "high", [{"frame": 0, "stiffness": [0, 1]}, {"frame": 4, "stiffness": [1, 0]}])
    return scene


@figure
def capsules_tau(refine):
    """Fig. 6: contact zones of growing extent."""
    scene = capsules(refine, "Capsules, extent of the zone (Fig. 6)", 5)
    scene.pair("low", "high", [{"frame": 0, "tau": 1.5}, {"frame": 4, "tau": -1.5}])
    return scene


@figure
def foot(refine):
    """Fig. 1: a rigid foot is pressed into an elastic plane."""

    def place(p):
        x, y, z = p
        heel, ball = math.exp(-(((x + 0.62) / 0.28) ** 2)), math.exp(-(((x - 0.42) / 0.3) ** 2))
        width = 0.24 + 0.06 * heel + 0.14 * ball
        height = 0.2 + 0.22 * (0.5 - 0.5 * math.tanh(3 * (x + 0.1)))
        sole = 0.1 * (1 - heel - ball) if z < 0 else 0  # the arch
        return (1.1 * x, width * y - 0.08 * ball, height * math.copysign(abs(z) ** 0.7, z) + sole * abs(z) + 0.14 * max(0.0, x - 0.7))

    scene = Scene("Foot on a plane (Fig. 1)", 13)
    scene.surface("foot", surfaces.sphere(count(30, refine), place), extent=0.3,
                  keys=[{"frame": 0, "translate": [0, 0, 0.5], "rotate": [0, 12, 0]}, {"frame": 6, "translate": [0, 0, 0.1],
                        "rotate": [0, 0, 0]}, {"frame": 12, "translate": [0, 0, 0.42], "rotate": [0, -14, 0]}])
    scene.surface("plane", surfaces.grid(count(90, refine), 4.5), extent=0.5)
    scene.pair("foot", "plane", stiffness=[1, 0], tau=0)
    return scene


@figure
def balls(refine):
    """Fig. 12: two elastic balls of different size and stiffness."""
    scene = Scene("Two balls (Fig. 12)", 21)
    scene.surface("big", surfaces.sphere(count(30, refine)), extent=1.25, volume=0.9, omega=2)
    scene.surface("small", surfaces.sphere(count(24, refine), lambda p: tuple(0.6 * c for c in p)), extent=0.75, volume=0.9, omega=2,
                  keys=[{"frame": 0, "translate": [0.02, 0.01, 1.65]}, {"frame": 20, "translate": [0.02, 0.01, 1.2]}])
    scene.pair("big", "small", stiffness=[0.4, 0.6], tau=0.2)
    return scene


@figure
def fingers(refine):
    """Fig. 14: five fingers press into a ball."""
    scene = Scene("Fingers on a ball (Fig. 14)", 11)
    scene.surface("ball", surfaces.sphere(count(32, refine)), extent=1.5, volume=3, omega=0)
    for i, degrees in enumerate((90, 30, 0, -30, -62)):
        polar = math.radians(62 if i == 0 else 48)
        azimuth = math.radians(degrees + (90 if i == 0 else 0))
        way = (math.sin(polar) * math.cos(azimuth), math.sin(polar) * math.sin(azimuth), math.cos(polar))
        turn = surfaces.cross((1, 0, 0), way)
        angle = math.degrees(math.atan2(math.sqrt(surfaces.dot(turn, turn)), way[0]))
        axis = surfaces.unit(turn)
        far, near = 1.7, 1.5
        scene.surface(f"finger{i}", surfaces.capsule(count(13, refine), 0.2, 0.9), extent=0.9, omega=0,
                      keys=[{"frame": 0, "translate": [far * c for c in way], "rotate": [angle * c for c in axis]},
                            {"frame": 10, "translate": [near * c for c in way], "rotate": [angle * c for c in axis]}])
        scene.pair("ball", f"finger{i}", stiffness=[0.8, 0.2], tau=0.6)
    return scene


@figure
def star(refine):
    """Fig. 17, left: a painted bulge map makes folds like a fabric."""
    plane = surfaces.grid(count(100, refine), 4.0)
    weights = [1.1 * max(0.0, math.cos(2.5 * math.atan2(p[1], p[0]))) ** 2 - 0.1 for p in plane[0]]
    scene = Scene("Star-shaped bulge map (Fig. 17)", 7)
    scene.surface("plane", plane, extent=1.0, volume=0.4, bulge=scene.map("weights", weights))
    scene.surface("ball", surfaces.sphere(count(20, refine), lambda p: tuple(0.6 * c for c in p)), extent=0.6, volume=0.4,
                  keys=[{"frame": 0, "translate": [0.01, 0.02, 0.65]}, {"frame": 6, "translate": [0.01, 0.02, 0.2]}])
    scene.pair("plane", "ball", stiffness=[0.5, 0.5], tau=0)
    return scene


@figure
def wrinkles(refine):
    """Fig. 17, right: a sine is added to the profile."""
    scene = Scene("Wrinkles (Fig. 17)", 7)
    scene.surface("plane", surfaces.grid(count(120, refine), 4.0), extent=1.0, volume=0.4, wave=0.06, waves=5)
    scene.surface("ball", surfaces.sphere(count(20, refine), lambda p: tuple(0.6 * c for c in p)), extent=0.6, volume=0.4,
                  keys=[{"frame": 0, "translate": [0.01, 0.02, 0.65]}, {"frame": 6, "translate": [0.01, 0.02, 0.2]}])
    scene.pair("plane", "ball", stiffness=[0.5, 0.5], tau=0)
    return scene


@figure
def hat_egg(refine):
    """Fig. 18: a soft hat on a softer egg; the stiffness passes from the hat to the egg."""
    egg = surfaces.sphere(count(50, refine), lambda p: (0.75 * p[0], 0.75 * p[1], (1.1 if p[2] > 0 else 0.9) * p[2]))
    hat = surfaces.move(surfaces.dome(count(100, refine), 1.4, 0.75), lambda p: (p[0], -p[1], -p[2]))
    scene = Scene("Hat and egg (Fig. 18)", 11)
    scene.surface("hat", hat, extent=0.5, volume=0.3, translate=[0.02, 0.01, -0.42])
    scene.surface("egg", egg, extent=0.9, volume=1.2)
    scene.pair("hat", "egg", [{"frame": 0, "stiffness": [1, 0]}, {"frame": 10, "stiffness": [0, 1]}], tau=0.2)
    return scene


@figure
def tubes(refine):
    """Fig. 19: a sphere of tubes along the edges of an icosahedron is pressed into a plane."""
    golden = (1 + math.sqrt(5)) / 2
    nodes = [surfaces.unit(p) for s in (1, -1) for t in (golden, -golden) for p in ((0, s, t), (s, t, 0), (t, 0, s))]
    edges = [(a, b) for i, a in enumerate(nodes) for b in nodes[:i] if surfaces.dot(a, b) > 0.4]

    def distance(p):
        """Smooth union of the tubes."""
        total = 0.0
        for a, b in edges:
            ab, ap = surfaces.subtract(b, a), surfaces.subtract(p, a)
            t = max(0.0, min(1.0, surfaces.dot(ap, ab) / surfaces.dot(ab, ab)))
            near = surfaces.unit(tuple(q + t * r for q, r in zip(a, ab)))
            gap = surfaces.subtract(p, near)
            total += math.exp(-(surfaces.dot(gap, gap) / 0.14**2 - 1) * 3)
        return 1 - total

    ball = surfaces.smooth(surfaces.level_set(distance, (-1.3, -1.31, -1.32), (1.31, 1.3, 1.33), 3 * [count(44, refine)]), 3)
    scene = Scene("Sphere of tubes (Fig. 19)", 5)
    scene.surface("tubes", ball, extent=0.7, keys=[{"frame": 0, "translate": [0, 0, 1.12]}, {"frame": 4, "translate": [0, 0, 0.95]}])
    scene.surface("plane", surfaces.grid(count(60, refine), 5.0), extent=1.4, volume=0)
    scene.pair("tubes", "plane", stiffness=[0.44, 0.56], tau=0)
    return scene


@figure
def thorns(refine):
    """Fig. 20: a ball on many bent thorns."""
    pitch, radius, height = 0.4, 0.13, 0.3

    def place(x, y):
        i, j = round(x / pitch), round(y / pitch)
        r = math.hypot(x - pitch * i, y - pitch * j) / radius
        if r >= 1 or max(abs(i), abs(j)) > 4:
            return (x, y, 0.0)
        z = height * (1 - r) ** 1.2 * (1 + r)
        bend = 0.35 * (z / height) ** 2
        turn = 1.7 * i + 2.9 * j
        return (x + bend * height * math.cos(turn), y + bend * height * math.sin(turn), z)

    scene = Scene("Thorns (Fig. 20)", 5)
    scene.surface("ball", surfaces.sphere(count(30, refine)), extent=0.8, omega=2,
                  keys=[{"frame": 0, "translate": [0.02, 0.03, 1.26]}, {"frame": 4, "translate": [0.02, 0.03, 1.05]}])
    scene.surface("thorns", surfaces.grid(count(150, refine), 5.2, place), extent=0.25, volume=0)
    scene.pair("thorns", "ball", stiffness=[0.2, 0.8], tau=-0.8)
    return scene


@figure
def direction(refine):
    """Fig. 21: the mapping direction turns like the force of a finger that drags the ground."""
    scene = Scene("Mapping direction (Fig. 21)", 5)
    scene.surface("ground", surfaces.grid(count(90, refine), 4.0), extent=0.9)
    scene.surface("finger", surfaces.capsule(count(20, refine), 0.35, 1.4), extent=0.4, rotate=[0, 40, 0], translate=[-0.5, 0.01, 0.62])
    scene.pair("ground", "finger", [{"frame": 0, "direction": [-0.8, 0, -1]}, {"frame": 4, "direction": [0.8, 0, -1]}],
               stiffness=[0.1, 0.9])
    return scene


def bent(points, joint, half, angle, rest=None):
    """Linear blend skinning of points along x: the part beyond the joint turns about y; weights at `rest` pass over 2 half."""
    c, s = math.cos(angle), math.sin(angle)

    def place(p, at):
        w = max(0.0, min(1.0, (at[0] - joint + half) / (2 * half)))
        w = w * w * (3 - 2 * w)
        x, z = p[0] - joint, p[2]
        return (p[0] + w * (c * x + s * z - x), p[1], p[2] + w * (-s * x + c * z - z))

    return [place(p, at) for p, at in zip(points, rest or points)]


def joint_map(points, joint, half):
    """Region map of two bones along x: 0 before the joint, 1 beyond it, between them where both share the skin."""
    return [max(0.0, min(1.0, (p[0] - joint + half) / (2 * half))) for p in points]


@figure
def elbow(refine):
    """Fig. 13: a skinned capsule bends until both halves collide."""
    straight = surfaces.capsule(count(32, refine), 0.5, 4.0)
    scene = Scene("Bent skinned capsule (Fig. 13)", 13)
    scene.surface("arm", straight, extent=0.9, omega=2, regions=scene.map("regions", joint_map(straight[0], 0.0, 0.7)),
                  pose=lambda frame: bent(straight[0], 0.0, 0.5, math.radians(10 * frame)))
    scene.pair("arm", "arm", regions=[0, 1], stiffness=[0.5, 0.5], tau=-1)
    return scene


@figure
def finger(refine):
    """Fig. 15: a skinned finger of three bones closes; neighbouring phalanxes collide at both joints."""
    straight = surfaces.capsule(count(34, refine), 0.3, 3.0)
    joints = (-0.45, 0.75)

    def pose(frame):
        points = straight[0]
        for joint in reversed(joints):  # the outer bone first: the inner joint then turns it with its own bone
            points = bent(points, joint, 0.25, math.radians(8.5 * frame), straight[0])
        return points

    scene = Scene("Skinned finger (Fig. 15)", 13)
    maps = [joint_map(straight[0], joint, 0.4) for joint in joints]
    scene.surface("finger", straight, extent=0.5, omega=2, pose=pose, regions=scene.map("regions", [a + b for a, b in zip(*maps)]))
    scene.pair("finger", "finger", regions=[0, 1], stiffness=[0.5, 0.5], tau=-1)
    scene.pair("finger", "finger", regions=[1, 2], stiffness=[0.5, 0.5], tau=-1)
    return scene


@figure
def press(refine):
    """A skinned finger of two bones bends onto a ball; its positions are a sequence of files."""
    straight = surfaces.capsule(count(24, refine), 0.28, 2.4)
    scene = Scene("Skinned finger on a ball", 13)
    scene.surface("finger", straight, extent=0.9, omega=2, pose=lambda frame: bent(straight[0], 0.2, 0.45, math.radians(4.6 * frame)))
    scene.surface("ball", surfaces.sphere(count(20, refine), lambda p: tuple(0.6 * c for c in p)),
                  translate=[0.95, 0.02, -1.18], extent=1.0, omega=2)
    scene.pair("finger", "ball", stiffness=[0.5, 0.5], tau=0)
    return scene

def blend(t):
    """0 below 0, 1 above 1, smooth between."""
    t = max(0.0, min(1.0, t))
    return t * t * (3 - 2 * t)


def spline(knots, t):
    """Point at t in [0, 1] of a Catmull-Rom curve through the knots."""
    k = min(int(t * (len(knots) - 1)), len(knots) - 2)
    f = t * (len(knots) - 1) - k
    near = [knots[max(0, min(len(knots) - 1, k + i))] for i in (-1, 0, 1, 2)]
    return tuple(q + 0.5 * f * (r - p + f * (2 * p - 5 * q + 4 * r - s + f * (3 * (q - r) + s - p))) for p, q, r, s in zip(*near))


@figure
def mouth(refine):
    """Fig. 1d: the skinned jaw of a face closes until both lips intersect; they meet at the corners of the mouth."""
    profile = [(0, -0.64), (0.55, -0.6), (0.42, -0.2), (0.24, -0.1), (0.14, -0.02), (0.11, 0.08), (0.12, 0.18), (0.2, 0.28), (0.31, 0.31),
               (0.42, 0.26), (0.52, 0.15), (0.64, 0.06), (0.9, 0.02), (1.4, -0.1)]  # distance from the middle, height
    flat = surfaces.grid(count(57, refine), 2.0)
    sines = [p[1] / (math.hypot(p[0], p[1]) or 1) for p in flat[0]]
    lower = [blend(0.5 - 0.6 * s) for s in sines]

    def place(p):
        radius, height = spline(profile, min(1.0, max(abs(p[0]), abs(p[1]))))
        length = math.hypot(p[0], p[1]) or 1
        across = (radius + 0.6 * blend(radius / 0.4)) * p[0] / length
        return (-height, -across, radius * math.copysign(abs(p[1] / length) ** 0.7, p[1]))

    face = surfaces.move(flat, place)
    scene = Scene("Mouth (Fig. 1d)", 13)
    scene.surface("face", face, extent=0.6, omega=2, regions=scene.map("regions", [max(0.0, min(1.0, 0.5 - 0.7 * s)) for s in sines]),
                  pose=lambda frame: [(p[0] + 0.02 * w, p[1] + 0.013 * w, p[2] + 0.027 * frame * w) for p, w in zip(face[0], lower)])
    scene.pair("face", "face", regions=[0, 1], stiffness=[0.5, 0.5], tau=-1, direction=[0, 0, 1])
    return scene


def cushion(p, sizes):
    """A point of the unit sphere moved to a box with round edges."""
    r = sum(abs(c) ** 6 for c in p) ** (-1 / 6)
    return tuple(r * size * c for size, c in zip(sizes, p))


@figure
def anisotropic(refine):
    """Fig. 11: rigid balls press two cushions; the bulge of the right one is anisotropic."""
    scene = Scene("Anisotropic bulge (Fig. 11)", 11)
    for name, x, omega in (("isotropic", -1.3, -1), ("anisotropic", 1.3, 2)):
        body = surfaces.sphere(count(40, refine), lambda p: cushion(p, (1, 1, 0.6)))
        scene.surface(name, body, translate=[x, 0, 0], extent=1.7, omega=omega)
        scene.surface(f"ball_{name}", surfaces.sphere(count(20, refine), lambda p: tuple(0.5 * c for c in p)), extent=0.3,
                      keys=[{"frame": 0, "translate": [x + 0.01, 0.02, 1.12]}, {"frame": 10, "translate": [x + 0.01, 0.02, 0.75]}])
        scene.pair(name, f"ball_{name}", stiffness=[0, 1], tau=0)
    return scene


@figure
def palm(refine):
    """Fig. 14, palm: four fingers of a hand press into its palm. Palm and finger tips are regions without common vertices."""
    lateral, lengths, joints = (-0.72, -0.24, 0.24, 0.72), (1.25, 1.4, 1.35, 1.15), (0.05, 0.42, 0.72)
    bones = [((0.8, y, 0), (0.85 + length, y, 0), 0.17) for y, length in zip(lateral, lengths)]
    bones.append(((-0.3, -0.8, 0), (-0.15, -1.55, 0), 0.22))  # the thumb

    def distance(p):
        """Smooth union of the palm, four fingers and the thumb."""
        total = math.exp(-4 * ((p[0] / 0.95) ** 4 + (p[1] / 0.98) ** 4 + (p[2] / 0.26) ** 2 - 1))
        for start, end, radius in bones:
            along, at = surfaces.subtract(end, start), surfaces.subtract(p, start)
            t = max(0.0, min(1.0, surfaces.dot(at, along) / surfaces.dot(along, along)))
            gap = surfaces.subtract(at, tuple(t * c for c in along))
            total += math.exp(-8 * (surfaces.dot(gap, gap) / radius**2 - 1))
        return 1 - total

    edge = 0.116 / max(1, refine)  # longer edges would cross the regions
    low, high = (-1.2, -1.8, -0.4), (2.6, 1.1, 0.41)
    counts = [round((b - a) / edge) for a, b in zip(low, high)]
    straight = surfaces.smooth(surfaces.level_set(distance, low, high, counts), 10)
    finger = [min(range(4), key=lambda i, y=p[1]: abs(lateral[i] - y)) if p[0] > 0.8 and p[1] > -1.0 else None for p in straight[0]]

    def pose(frame):
        points, turned = list(straight[0]), 11.8 - 5 * (1 - frame / 12) ** 2  # slower and slower
        for i, length in enumerate(lengths):
            mine = [v for v, f in enumerate(finger) if f == i]
            rest = [straight[0][v] for v in mine]
            moved = rest
            for joint, angle in reversed(list(zip(joints, (7, 8.4, 5)))):
                moved = bent(moved, 1.0 + joint * length, 0.15, math.radians(angle * turned), rest)
            for v, point in zip(mine, moved):
                points[v] = point
        return points

    def region(p, i):
        along, i = (-1, 0) if i is None else ((p[0] - 1.0) / lengths[i], i)
        parts = [part for part, low, high in (("0", -2, 0.2), (f"{1 + i}", 0.42, 2), (f"{5 + i}", 0.08, 0.55)) if low <= along < high]
        return " ".join(parts)

    scene = Scene("Fingers on the palm of their hand (Fig. 14)", 13)
    scene.surface("hand", straight, extent=0.6, omega=0, pose=pose,
                  regions=scene.map("regions", [region(p, i) for p, i in zip(straight[0], finger)]))
    for i in range(4):
        scene.pair("hand", "hand", regions=[0, 1 + i], stiffness=[0.8, 0.2], tau=0)
    return scene


@figure
def relief(refine):
    """Fig. 16: an elastic body with relief and a soft jelly; their relative motion is rather tangential."""

    def carve(p):
        r = 1 + 0.05 * math.sin(9 * p[0]) * math.sin(9 * p[1] + 1) * math.sin(9 * p[2] + 2) + 0.25 * math.exp(-20 * (1 - p[2]) ** 2)
        return (1.15 * r * p[0], 0.9 * r * p[1], 0.95 * r * p[2])

    scene = Scene("Body with relief in a jelly (Fig. 16)", 11)
    scene.surface("body", surfaces.sphere(count(35, refine), carve), extent=0.6, omega=2)
    scene.surface("jelly", surfaces.sphere(count(60, refine), lambda p: cushion(p, (1.1, 1.1, 0.7))), extent=1.1, omega=2,
                  keys=[{"frame": 0, "translate": [0.9, 0.03, 1.8]}, {"frame": 10, "translate": [0.45, 0.03, 1.52]}])
    scene.pair("body", "jelly", stiffness=[0.6, 0.4], tau=-1)
    return scene


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"scenes: {', '.join(FIGURES)}; default: all")
    parser.add_argument("-o", required=True, metavar="DIR", help="folder of the scenes")
    parser.add_argument("--refine", type=float, default=1.0, metavar="F", help="number of edges along each line of a mesh, times this")
    parser.add_argument("--finer", type=int, default=1, metavar="N", help="number of frames between two key frames, times this")
    given = parser.parse_args()
    unknown = set(given.names) - set(FIGURES)
    if unknown:
        parser.error(f"there is no scene {', '.join(sorted(unknown))}")
    os.makedirs(os.path.join(given.o, "meshes"), exist_ok=True)
    for name in given.names or FIGURES:
        scene = FIGURES[name](given.refine)
        scene.refine_time(given.finer)
        scene.write(given.o, name)


if __name__ == "__main__":
    main()
