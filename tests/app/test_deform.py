"""`abut deform`: volume and zones of a scene with key frames, equal on 1, 2 and 5 ranks; sequences of files; refused
frames; warnings."""
import math
import os

from abut_runs import call, content, expect, near, scratch, write
from deform_results import SCENE, datasets, rows


def check_scene(folder):
    scene = write(folder, "scene.yaml", SCENE)
    results, frames = {}, {}
    for ranks in (1, 2, 5):
        out = os.path.join(folder, f"out{ranks}")
        done = call(ranks, "deform", scene, "-o", out, directory=out)
        expect(done.code == 0, ranks, "ranks:", done.output)
        results[ranks] = [content(out)[name] for name in ("contacts.csv", "surfaces.csv", "frames.xdmf")]
        expect(results[ranks] == results[1], "results differ between 1 and", ranks, "ranks")
        frames[ranks] = datasets(out)
        expect(frames[ranks] == frames[1], "frames.h5 differs between 1 and", ranks, "ranks")
        total = done.summary
        expect(total["frames"] == 4 and total["pairs"] == 2 and total["exit_code"] == 0, total)
        expect(total["frames_in_contact"] == 2, total)
        expect(0 < total["processor_seconds_busiest_rank"] <= total["processor_seconds_all_ranks"], total)
        expect(total["volume_error"] < 1e-10 and total["zone_mismatch"] < 1e-8, total)
        expect(total["frames_unresolved"] == 0 and total["frames_volume_limited"] == 0 and "warning" not in done.output, done.output)
    expect(frames[1] is None or len(frames[1]) == 3 + 4 * 3 * 4, "datasets", frames[1])
    contact = [row for row in rows(os.path.join(folder, "out1"), "contacts.csv") if row["first"] == "block"]
    near(float(contact[3]["direction_z"]), -1, 1e-3, "direction")
    near(float(contact[3]["depth_m"]), 0.3, 0.02, "depth")
    expect(int(contact[3]["zone_first"]) > int(contact[2]["zone_first"]) > 0, contact)
    last = [row for row in rows(os.path.join(folder, "out1"), "surfaces.csv") if row["frame"] == "3"]
    moved = {row["surface"]: float(row["displacement_m"]) for row in last}
    near(moved["block"] + moved["ball"], 0.3, 0.02, "displacements")
    near(moved["block"], 3 * moved["ball"], 0.01, "ratio by stiffness")
    expect(moved["far"] == 0, moved)
    again = call(1, "deform", scene, "-o", os.path.join(folder, "out1"), directory=folder)
    expect(again.code == 2 and "results of another run" in again.output, again.output)


def obj(path, shift):
    """A tetrahedron."""
    corners = [(-1, -1, 0), (1, -1, 0), (0, 1, 0), (0, 0, 1.5)]
    lines = [f"v {x} {y} {z + shift}" for x, y, z in corners] + ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4"]
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


def check_sequence(folder):
    for frame in range(3):
        obj(os.path.join(folder, f"part{frame:02d}.obj"), 0.2 - 0.15 * frame)
    text = """abut: 1
deform:
  frames: 3
  surfaces:
    - {name: part, shape: {file: part00.obj}, sequence: {files: part%02d.obj}, extent: 1}
    - {name: block, shape: {box: {size: [4, 4, 1], cells: [20, 20, 4]}}, translate: [0, 0, -0.5], extent: 1.0}
  pairs: [{first: part, second: block, tau: -3}]
"""
    scene, out = write(folder, "sequence.yaml", text), os.path.join(folder, "sequence")
    done = call(2, "deform", scene, "-o", out, directory=out)
    expect(done.code == 0, done.output)
    crossings = [int(row["crossings"]) for row in rows(out, "contacts.csv")]
    expect(crossings[0] == 0 and crossings[1] == 0 and crossings[2] > 0, crossings)
    missing = write(folder, "missing.yaml", text.replace("frames: 3", "frames: 4"))
    done = call(2, "deform", missing, "-o", os.path.join(folder, "missing"), directory=folder)
    expect(done.code == 2 and "part03.obj" in done.output, done.output)


def check_refused_frame(folder):
    """The frames before the first refused one are written, on any number of ranks."""
    key = "{frame: 2, translate: [0, 0, 0]}, {frame: 3, translate: [0.05, 0.02, -8.3]}"
    far = "translate: [0, 0, 9], extent: 0.5"
    scene = write(folder, "late.yaml", SCENE.replace(far, f"{far}, keys: [{key}]"))
    for ranks in (1, 3, 5):
        out = os.path.join(folder, f"late{ranks}")
        done = call(ranks, "deform", scene, "-o", out, directory=out)
        expect(done.code == 4 and "frame 3: surfaces ball and far" in done.output, done.output)
        expect(done.summary["frames"] == 3, ranks, "ranks:", done.summary)
        expect(sorted({int(row["frame"]) for row in rows(out, "contacts.csv")}) == [0, 1, 2], ranks, "ranks: other frames")
        expect(content(out)["contacts.csv"] == content(os.path.join(folder, "late1"))["contacts.csv"], ranks, "ranks: other contacts")


def check_warnings(folder):
    """Frames that stay unresolved or lose volume are counted and named: a direction of the wrong sense, an extent too small."""
    for ranks in (1, 3):
        away = write(folder, "away.yaml", SCENE.replace("tau: 0}", "tau: 0, direction: [0, 0, 1]}"))
        out = os.path.join(folder, f"away{ranks}")
        done = call(ranks, "deform", away, "-o", out, directory=out)
        expect(done.code == 0 and done.summary["frames_unresolved"] == 2 and done.summary["frames_in_contact"] == 0, done.summary)
        expect(done.output.count("warning: in 2 frames surfaces intersect and stay as they are, first block and ball in frame 2") == 1,
               done.output)
        small = write(folder, "small.yaml", SCENE.replace("extent: 1.0", "extent: 0.02"))
        out = os.path.join(folder, f"small{ranks}")
        done = call(ranks, "deform", small, "-o", out, directory=out)
        expect(done.code == 0 and done.summary["frames_volume_limited"] == 2 and done.summary["volume_error"] > 0.1, done.summary)
        expect(done.output.count("warning: in 2 frames no bulge within the extent keeps the volume of a surface, first of block in frame 2")
               == 1, done.output)


RING = """abut: 1
deform:
  surfaces:
    - {{name: ring, shape: {{file: ring.obj}}, extent: 0.4{regions}}}
    - {{name: bar, shape: {{box: {{size: [0.5, 0.5, 3], cells: [8, 8, 48]}}}}, translate: [0.65, 0.011, 0.013], extent: 0.4}}
  pairs:
    - {{first: ring, second: bar, tau: -1{pair}}}
"""


def ring(path, around=64, across=24):
    """A torus of radius 1 about z with a tube of radius 0.25, as an .obj file."""
    lines = []
    for i in range(around):
        u = 2 * math.pi * i / around
        for j in range(across):
            v = 2 * math.pi * j / across
            lines.append(f"v {(1 + 0.25 * math.cos(v)) * math.cos(u)} {(1 + 0.25 * math.cos(v)) * math.sin(u)} {0.25 * math.sin(v)}\n")
    for i in range(around):
        for j in range(across):
            a, b, c, d = (1 + (i + k) % around * across + (j + m) % across for k, m in ((0, 0), (1, 0), (1, 1), (0, 1)))
            lines.append(f"f {a} {b} {c}\nf {a} {c} {d}\n")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(lines)


def check_ring(folder):
    """A bar beside the hole of a ring moves off the near side alone; the far side, 1.4 m away, is no part of the collision."""
    ring(os.path.join(folder, "ring.obj"))
    boxes = ", region_boxes: [{box: [[0.3, -.inf, -.inf], [.inf, .inf, .inf]]}, {box: [[-.inf, -.inf, -.inf], [0.5, .inf, .inf]]}]"
    for regions, pair in (("", ""), (boxes, ", regions: [0, 0]")):
        scene = write(folder, "ring.yaml", RING.format(regions=regions, pair=pair))
        out = os.path.join(folder, "ring" + ("s" if pair else ""))
        done = call(1, "deform", scene, "-o", out, directory=out)
        row = rows(out, "contacts.csv")[0]
        expect(done.code == 0 and "warning" not in done.output, done.output)
        expect(0.15 < float(row["depth_m"]) < 0.3 and float(row["penetration_after_m"]) < 0.1 * float(row["depth_m"]), row)
        expect(int(row["zone_first"]) > 20 and int(row["zone_second"]) > 5, row)
    wrong = write(folder, "wrong.yaml", RING.format(regions=boxes, pair=", regions: [1, 1]"))
    done = call(1, "deform", wrong, "-o", os.path.join(folder, "wrong"), directory=folder)
    expect(done.code == 2 and ":7:" in done.output and '"bar"' in done.output, done.output)
    far = write(folder, "far.yaml", RING.format(regions=boxes, pair=", regions: [1, 0]"))
    done = call(1, "deform", far, "-o", os.path.join(folder, "far"), directory=os.path.join(folder, "far"))
    expect(done.code == 0 and done.summary["frames_unresolved"] == 0 and done.summary["frames_in_contact"] == 0, done.summary)


def check_coarse_side(folder):
    """A side without a vertex in the zone does not move, and neither does the other one; a rigid side needs no vertices."""
    for stiffness, unresolved in (("[1, 1]", 1), ("[0, 1]", 0)):
        scene = write(folder, "coarse.yaml", f"""abut: 1
deform:
  surfaces:
    - {{name: ball, shape: {{ball: {{radius: 1, cells: 8}}}}, extent: 1, translate: [0.01, 0.02, 1.3]}}
    - {{name: box, shape: {{box: {{size: 1.2, cells: 1}}}}, extent: 0.5}}
  pairs: [{{first: ball, second: box, stiffness: {stiffness}}}]
""")
        out = os.path.join(folder, f"coarse{unresolved}")
        done = call(1, "deform", scene, "-o", out, directory=out)
        moved = max(float(row["displacement_m"]) for row in rows(out, "surfaces.csv"))
        expect(done.code == 0 and done.summary["frames_unresolved"] == unresolved and (moved > 0) == (not unresolved), done.summary, moved)
        expect(unresolved == ("ball and box in frame 0" in done.output), done.output)


def main():
    with scratch() as folder:
        check_ring(folder)
        check_coarse_side(folder)
        check_scene(folder)
        check_sequence(folder)
        check_refused_frame(folder)
        check_warnings(folder)


main()
