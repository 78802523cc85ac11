"""`abut deform`: volume and zones of a scene with key frames, equal on 1, 2 and 3 ranks; sequences of files; regions
of one surface; messages for wrong input."""
import csv
import math
import os
import shutil
import subprocess
import sys

from abut_runs import call, content, expect, near, scratch, write

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "inputs", "deform", "make_figures.py")
SCENE = """abut: 1
deform:
  frames: 4
  surfaces:
    - {name: ball, shape: {ball: {radius: 1, cells: 8}}, extent: 0.9,
       keys: [{frame: 1, translate: [0.05, 0.02, 1.1]}, {frame: 3, translate: [0.05, 0.02, 0.7]}]}
    - {name: block, shape: {box: {size: [4, 4, 1], cells: [16, 16, 4]}}, translate: [0, 0, -0.5], extent: 1.0}
    - {name: far, shape: {ball: {radius: 0.5, cells: 4}}, translate: [0, 0, 9], extent: 0.5}
  pairs:
    - {first: block, second: ball, stiffness: [1, 3], tau: 0}
    - {first: ball, second: far}
"""


def rows(folder, name):
    with open(os.path.join(folder, name), newline="", encoding="ascii") as file:
        return list(csv.DictReader(file))


DIGEST = """
import hashlib, sys, h5py
with h5py.File(sys.argv[1], "r") as file:
    file.visititems(lambda name, item: print(name, item.dtype, item.shape, hashlib.sha256(item[()].tobytes()).hexdigest())
                    if isinstance(item, h5py.Dataset) else None)
"""


def datasets(folder):
    """One line for each dataset of frames.h5: name, type, shape, digest of its bytes. None if no Python here has h5py."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", DIGEST, os.path.join(folder, "frames.h5")], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.splitlines()
        expect("No module named" in done.stderr or "No such file" in done.stderr, done.stderr)
    print("skipped: frames.h5 is not compared, because no Python here has h5py")
    return None


def check_scene(folder):
    scene = write(folder, "scene.yaml", SCENE)
    results, frames = {}, {}
    for ranks in (1, 2, 3, 5):
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
    for ranks in (1, 2, 3, 5):
        out = os.path.join(folder, f"late{ranks}")
        done = call(ranks, "deform", scene, "-o", out, directory=out)
        expect(done.code == 4 and "frame 3: surfaces ball and far" in done.output, done.output)
        expect(done.summary["frames"] == 3, ranks, "ranks:", done.summary)
        expect(sorted({int(row["frame"]) for row in rows(out, "contacts.csv")}) == [0, 1, 2], ranks, "ranks: other frames")
        expect(content(out)["contacts.csv"] == content(os.path.join(folder, "late1"))["contacts.csv"], ranks, "ranks: other contacts")


BAD = """abut: 1
deform:
  surfaces:
    - {name: part, shape: {file: bad.obj}, extent: 1}
    - {name: block, shape: {box: {size: [4, 4, 1], cells: [8, 8, 2]}}, translate: [0, 0, -0.5], extent: 1.0}
  pairs: [{first: part, second: block}]
"""
CORNERS = ["v -1 -1 -0.2", "v 1 -1 -0.2", "v 0 1 -0.2", "v 0 0 1.5"]
FACES = ["f 1 3 2", "f 1 2 4", "f 2 3 4", "f 3 1 4"]


def check_bad_meshes(folder):
    """Wrong meshes are refused with their reason on any number of ranks, before a file of results exists."""
    cases = [
        (["v nan 0 0"] + CORNERS[1:] + FACES, 2, ["coordinate 0 of vertex 0", "nan"]),
        (["v 1e300 0 0"] + CORNERS[1:] + FACES, 2, ["coordinate 0 of vertex 0", "1e+300"]),
        ([], 2, ["bad.obj", "no vertices"]),
        (CORNERS, 2, ["bad.obj", "neither triangles"]),
        (FACES, 2, ["bad.obj", "vertex number 1 is out of range"]),
        (["PK\x03\x04 no mesh"], 2, ["bad.obj", "no vertices"]),
        (CORNERS + FACES + ["f 1 2 9"], 2, ["bad.obj", "vertex number 9 is out of range"]),
        (CORNERS + FACES + ["f 1 1 2"], 2, ["degenerate"]),
        (CORNERS[:3] + ["v 0 -1 -0.2"] + FACES, 2, ["degenerate"]),
        (CORNERS + ["v 3 0 0"] + FACES + ["f 1 2 5"], 2, ["surface part", "more than two triangles", "vertices 0 and 1"]),
        (CORNERS + FACES[:3] + ["f 1 3 4"], 2, ["surface part", "opposite orientation"]),
        (CORNERS + FACES[:2], 4, ["frame 0", "border edge of part", "the intersection curve ends there"]),
        (["v 0 0 -0.6", "v 0.1 0 -0.6", "v 0 0.1 -0.6", "v 0 0 -0.4"] + FACES, 4, ["frame 0", "part", "inside the other as a whole"]),
        (CORNERS + ["v -1 -1 -0.1", "v 1 -1 -0.1", "v 0 1 -0.1", "v 0 0 1.4"] + FACES + ["f 5 7 6", "f 5 6 8", "f 6 7 8", "f 7 5 8"], 4,
         ["frame 0", "intersects itself"]),
    ]
    for lines, code, words in cases:
        write(folder, "bad.obj", "\n".join(lines) + "\n")
        scene = write(folder, "bad.yaml", BAD)
        outputs = []
        for ranks in (1, 3) if code == 4 else (2,):
            out = os.path.join(folder, f"bad{ranks}")
            done = call(ranks, "deform", scene, "-o", out, "-overwrite", directory=out)
            expect(done.code == code and all(word in done.output for word in words), "expected", code, words, "got", done.code, done.output)
            outputs.append([line for line in done.output.splitlines() if line.startswith("abut:")])
            left = sorted(os.listdir(out)) if os.path.isdir(out) else []
            expect(code == 4 or "frames.h5" not in left, "files of a refused scene:", left)
            shutil.rmtree(out, ignore_errors=True)
        expect(len(outputs[0]) == 1 and outputs[0] == outputs[-1], "one message from one rank, equal on all numbers of ranks:", outputs)


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


def check_region_boxes(folder):
    """Regions by boxes equal the same regions from a file, also if a vertex belongs to three and numbers do not follow the surface."""
    subprocess.run([sys.executable, "-B", FIGURES, "elbow", "--refine", "0.5", "-o", folder], check=True)
    with open(os.path.join(folder, "elbow.yaml"), encoding="ascii") as file:
        text = file.read().replace("frames: 13", "frames: 2").replace("%04d.obj}", "%04d.obj, first: 11}")
    text = text.replace("regions: [0, 1]", "regions: [2, 0]")
    inf = math.inf
    corners = [((-0.7, -inf, -inf), (inf, inf, inf)), ((-0.7, 0.2, -inf), (inf, inf, inf)), ((-inf, -inf, -inf), (0.7, inf, inf))]
    boxes = ", ".join(f"{{box: [{list(low)}, {list(high)}]}}" for low, high in corners).replace("inf", ".inf")
    with open(os.path.join(folder, "meshes", "elbow_arm.obj"), encoding="ascii") as file:
        points = [[float(x) for x in line.split()[1:4]] for line in file if line.startswith("v ")]
    lines = [" ".join(str(l) for l, (low, high) in enumerate(corners) if all(a <= x <= b for a, x, b in zip(low, p, high)))
             for p in points]
    expect(any(line == "0 1 2" for line in lines), "no vertex in three regions")
    write(os.path.join(folder, "meshes"), "elbow_three.txt", "\n".join(lines) + "\n\n")
    by_file = write(folder, "by_file.yaml", text.replace("elbow_regions.txt", "elbow_three.txt"))
    by_boxes = write(folder, "by_boxes.yaml", text.replace("regions: meshes/elbow_regions.txt", f"region_boxes: [{boxes}]"))
    tables = []
    for scene, ranks in ((by_file, 1), (by_boxes, 1), (by_boxes, 3)):
        out = os.path.join(folder, "boxes")
        done = call(ranks, "deform", scene, "-o", out, "-overwrite", directory=out)
        expect(done.code == 0 and done.summary["frames_in_contact"] == 2, done.output, done.summary)
        expect(done.summary["volume_error"] < 1e-10 and done.summary["zone_mismatch"] < 1e-8, done.summary)
        tables.append([content(out)[table] for table in ("contacts.csv", "surfaces.csv")] + [datasets(out)])
    expect(tables[0] == tables[1] == tables[2], "regions by boxes and by a file differ")
    for old, new, words in (("{box: [[-.inf, ", "{box: [[0, ", ["surface arm: the vertex", "is in no box of `region_boxes`"]),
                            ("extent: 0.9", "extent: 0.9, regions: meshes/elbow_regions.txt", ["region_boxes", "exclude `regions`"]),
                            ("[0.7, ", "[-9, ", ["is in no box"]),
                            ("[[-0.7, ", "[[0.7, ", ["one region must contain a triangle as a whole"])):
        with open(by_boxes, encoding="ascii") as file:
            changed = file.read()
        expect(old in changed, old)
        done = call(2, "deform", write(folder, "wrong_boxes.yaml", changed.replace(old, new)), "-o", os.path.join(folder, "wrong"),
                    "-overwrite", directory=folder)
        expect(done.code == 2 and all(word in done.output for word in words), "expected", words, "got", done.code, done.output)


def refuse(folder, old, new, code, *words):
    scene = write(folder, "wrong.yaml", SCENE.replace(old, new))
    done = call(2, "deform", scene, "-o", os.path.join(folder, "wrong"), "-overwrite", directory=folder)
    expect(done.code == code and all(word in done.output for word in words), "expected", code, words, "got", done.code, done.output)


def check_regions(folder):
    """A finger whose phalanges collide with each other, from the generator of scenes."""
    subprocess.run([sys.executable, "-B", FIGURES, "finger", "--refine", "0.5", "-o", folder], check=True)
    with open(os.path.join(folder, "finger.yaml"), encoding="ascii") as file:
        text = file.read()
    last = text.replace("frames: 13", "frames: 1").replace("%04d.obj}", "%04d.obj, first: 12}")
    for name, scene, ranks_of_runs in (("frames", text, (1, 3)), ("last", last, (1, 2, 3))):  # ranks share frames, or regions
        path, tables = write(folder, f"{name}.yaml", scene), {}
        for ranks in ranks_of_runs:
            out = os.path.join(folder, f"{name}{ranks}")
            done = call(ranks, "deform", path, "-o", out, directory=out)
            expect(done.code == 0, ranks, "ranks:", done.output)
            expect(done.summary["frames_in_contact"] >= (4 if name == "frames" else 1), done.summary)
            expect(done.summary["volume_error"] < 1e-10 and done.summary["zone_mismatch"] < 1e-8, done.summary)
            tables[ranks] = [content(out)[table] for table in ("contacts.csv", "surfaces.csv")] + [datasets(out)]
            expect(tables[ranks] == tables[1], "results differ between 1 and", ranks, "ranks")
    contacts = rows(os.path.join(folder, "last1"), "contacts.csv")
    expect(len(contacts) == 2 and all(int(row["zone_first"]) > 5 and int(row["zone_second"]) > 5 for row in contacts), contacts)
    regions = os.path.join(folder, "meshes", "finger_regions.txt")
    for old, new, words in (("regions: [0, 1], ", "", ["deform.pairs[0].second", "or the pair needs `regions`"]),
                            ("regions: [0, 1]", "regions: [1, 1]", ["deform.pairs[0].regions", "are both 1"]),
                            ("regions: meshes/finger_regions.txt, ", "", ["need the key `regions` of the surface"]),
                            ("regions: [0, 1]", "regions: [0, 3]", ["surface finger: a pair has the regions 0 and 3", "0..2"])):
        expect(old in text, old)
        wrong = write(folder, "wrong_regions.yaml", text.replace(old, new, 1))
        done = call(2, "deform", wrong, "-o", os.path.join(folder, "wrong"), "-overwrite", directory=folder)
        expect(done.code == 2 and all(word in done.output for word in words), "expected", words, "got", done.code, done.output)
    for change, words in ((lambda values: values[1:], "lines, must have"),
                          (lambda values: values + [0], "the region map has at least"),
                          (lambda values: values[:2] + [-1] + values[3:], "the region map has -1 at the vertex 2"),
                          (lambda values: values[:2] + ["0.5 1"] + values[3:], "has 0.5 among several numbers at the vertex 2"),
                          (lambda values: values[:2] + ["0 x"] + values[3:], "the entry of the vertex 2 in the region map"),
                          (lambda values: [float(value > 1) for value in values], "have the regions")):
        with open(regions, encoding="ascii") as file:
            values = [float(line) for line in file]
        with open(os.path.join(folder, "meshes", "wrong.txt"), "w", encoding="ascii") as file:
            file.writelines(f"{value}\n" for value in change(values))
        wrong = write(folder, "wrong_map.yaml", text.replace("finger_regions.txt", "wrong.txt"))
        done = call(2, "deform", wrong, "-o", os.path.join(folder, "wrong"), "-overwrite", directory=folder)
        expect(done.code == 2 and words in done.output, "expected", words, "got", done.code, done.output)


def check_refusals(folder):
    refuse(folder, "second: ball", "second: bal", 2, "deform.pairs[0].second", "is bal", "ball")
    refuse(folder, "second: far", "second: ball", 2, "deform.pairs[1].second", "another one")
    refuse(folder, "[1, 3]", "[0, 0]", 2, "stiffness", "above 0")
    refuse(folder, "[1, 3]", "[-0.1, 1]", 2, "stiffness[0] is -0.1", "in [0, 1e+30]")
    refuse(folder, "[1, 3]", "[.nan, 1]", 2, "stiffness[0] is .nan", "in [0, 1e+30]")
    refuse(folder, "tau: 0", "tau: .inf", 2, "tau is .inf", "in [-1e+12, 1e+12]")
    refuse(folder, "frames: 4", "frames: 0", 2, "frames is 0", "in [1, 10000000]")
    refuse(folder, "frames: 4", "frames: 99999999999", 2, "frames is 99999999999", "in [1, 10000000]")
    refuse(folder, "shape: {ball: {radius: 0.5, cells: 4}}", "shape: {file: none.obj}", 2, "none.obj cannot be read")
    refuse(folder, "frame: 3", "frame: 0", 2, "keys", "ascend")
    refuse(folder, "extent: 0.5", "extend: 0.5", 2, "extend", "did you mean")
    refuse(folder, "name: far", "name: ball", 2, "the name \"ball\" twice")
    refuse(folder, "translate: [0, 0, 9]", "translate: [0.05, 0.02, 1.1]", 4, "frame 0: surfaces ball and far",
           "inside the other as a whole")


def main():
    with scratch() as folder:
        check_scene(folder)
        check_sequence(folder)
        check_refused_frame(folder)
        check_regions(folder)
        check_region_boxes(folder)
        check_warnings(folder)
        check_bad_meshes(folder)
        check_refusals(folder)


main()
