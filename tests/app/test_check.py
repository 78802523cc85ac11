"""`abut check` prints contacts, the smallest activation distance and its place at the start, and warns of bodies that repel
themselves; equal on 1 and 3 ranks."""
import re
from abut_runs import call, expect, near, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 1}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: lower, material: soft, shape: {box: {size: [1, 1, 0.04], cells: [5, 5, 1]}}}
  - {name: upper, material: soft, shape: {box: {size: [0.5, 0.5, 0.3], cells: [3, 3, 1]}}, translate: [0.13, 0.17, GAP]}
contact: {potential: POTENTIAL, dhat: {absolute: 0.05}}
"""


def what_is_said(folder, potential, gap, ranks):
    scene = write(folder, f"{potential}.yaml", SCENE.replace("POTENTIAL", potential).replace("GAP", str(gap)))
    done = call(ranks, "check", scene)
    expect(done.code == 0, potential, ranks, "ranks:", done.output)
    expect("bodies: 2, obstacles with a mesh: 0, diagonal" in done.output, done.output)
    said = re.search(r"contacts at the start +(\d+) of two bodies, (\d+) within a body", done.output)
    expect(said, done.output)
    at_rest = re.search(r"contacts at rest with dhat +(\d+)", done.output)
    expect(not at_rest or (int(at_rest[1]) > 0) == (gap < 0.2), "pairs at rest", done.output)
    return int(said[1]), int(said[2]), re.search(r"smallest activation distance +(.*)", done.output), at_rest and int(at_rest[1])


DEEP = """abut: 1
time: {step: 0.01, steps: 1}
materials: {soft: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: cube, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}}
obstacles:
  - {name: floor, plane: {point: [0, 0, -0.48], normal: [0, 0, 2]}}
  - {name: block, shape: {box: {size: [0.4, 0.4, 0.6], cells: 1}}, translate: [0.5, 0.5, 0.5]}
  - {name: room, shape: {box: {size: [1.8, 1.8, 9], cells: 1}}, translate: [0.45, 0.45, 0], oriented: inward}
"""


def depths(folder):
    """How deep vertices lie behind half spaces, in obstacles and outside of a container."""
    for ranks in (1, 3):
        done = call(ranks, "check", write(folder, "deep.yaml", DEEP), "-o", folder)
        expect(done.code == 3, done.output)
        found = {m[1]: (m[0], int(m[2]), int(m[3]), float(m[4])) for m in re.findall(
            r"  'cube' lies (.*) '(\w+)': (\d+) surface vertices, the deepest is vertex (\d+) by (\S+) m", done.output)}
        expect(set(found) == {"floor", "block", "room"}, found)
        expect(found["floor"][0] == "behind plane" and found["floor"][1] == 16, found)
        near(found["floor"][3], 0.02, 1e-9, "depth behind the plane")
        expect(found["block"][:2] == ("in obstacle", 1) and found["block"][2] == 63, found)
        near(found["block"][3], 0.2, 1e-9, "depth of the corner in the block")
        expect(found["room"][1] == 28, found)
        near(found["room"][3], (2 * 0.05 ** 2) ** 0.5, 1e-6, "distance of an edge from the room")


FINE = """abut: 1
dim: 2
time: {step: 0.01, steps: 1}
materials: {soft: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: coarse, material: soft, shape: {box: {size: [0.3, 0.05], cells: [30, 2]}}, translate: [0, 1]}
  - {name: strip, material: soft, shape: {box: {size: [0.3, 0.05], cells: [300, 2]}}}
contact: {potential: POTENTIAL, dhat: {absolute: DHAT}}
"""


def own_contacts(folder):
    """A strip with edges of 1 mm on its long sides repels itself with a larger dhat: on each side a vertex and the next edge but one in
    both directions, and at each corner a vertex and the edge around it."""
    own = 2 * 2 * 299 + 4
    for potential, dhat, pairs in (("ipc", "1.1e-3", own), ("ipc", "0.9e-3", 0), ("convergent-ipc", "1.1e-3", own), ("oipc", "1.1e-3", 0)):
        scene = write(folder, "fine.yaml", FINE.replace("POTENTIAL", potential).replace("DHAT", dhat))
        for done in (call(3, "check", scene), call(1, "run", scene, "-o", folder, "-overwrite")):
            said = re.findall(r"warning: body '(\w+)' repels itself .* (\S+) m apart.* \(such pairs of all bodies: (\d+)\)", done.output)
            expect(done.code == 0 and said == [("strip", "0.001", str(pairs))] * (pairs > 0), potential, dhat, done.output)


with scratch() as folder:
    depths(folder)
    own_contacts(folder)
    seen = {}
    for ranks in (1, 3):
        two, one, least, at_rest = what_is_said(folder, "oipc", 0.19, ranks)
        expect(two == 0 and one == 0, "oipc acts at rest:", two, one)
        place = re.fullmatch(r"(\S+) m at vertex (\d+) of '(\w+)' \((\S+), (\S+), (\S+)\)", least[1])
        expect(place, least[1])
        near(float(place[1]), 0.01, 1e-9, "half the gap")
        near(abs(float(place[6]) - 0.03), 0.01, 1e-6, "a face of the gap")
        two, one, least, far = what_is_said(folder, "oipc", 1.19, ranks)
        expect(two == 0 and one == 0 and far == 0 and least[1] == "dhat", "oipc far apart:", two, one, far, least[1])
        two, one, least, _ = what_is_said(folder, "ipc", 0.19, ranks)
        expect(two > 0 and one > 0 and not least, "ipc repels across the gap and through the plate:", two, one)
        seen[ranks] = (place[2], place[3], two, one, at_rest, *what_is_said(folder, "convergent-ipc", 0.19, ranks)[:2])
    expect(len(set(seen.values())) == 1, "places and pairs by ranks:", seen)
    write(folder, "points.pt", "v 0 0.1 0\nv 1 0.1 0\nv 0 0.1 1\n")
    bed = "obstacles:\n  - {name: bed, shape: {file: points.pt}, translate: [0, -2, 0]}\n"
    for potential, refused in (("gcp", 1), ("oipc", 0)):
        done = call(2, "check", write(folder, "bed.yaml", SCENE.replace("POTENTIAL", potential).replace("GAP", "1.19") + bed))
        expect(done.code == 2 * refused and done.output.count("obstacle 'bed' is of points") == refused, potential, done.output)
    expect("obstacle 'bed' repels on both sides" in done.output, done.output)
print("ok")
