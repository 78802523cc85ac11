"""`abut deform`: volume and zones of a scene with key frames, equal on 1, 2 and 5 ranks; sequences of files; refused
frames; warnings."""
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


def main():
    with scratch() as folder:
        check_scene(folder)
        check_sequence(folder)
        check_refused_frame(folder)
        check_warnings(folder)


main()
