"""`abut deform` refuses wrong meshes and wrong keys: exit code and message, and no results that look complete."""
import os
import shutil

from abut_runs import call, expect, scratch, write
from deform_results import SCENE

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
    for number, (lines, code, words) in enumerate(cases):
        write(folder, "bad.obj", "\n".join(lines) + "\n")
        scene = write(folder, "bad.yaml", BAD)
        outputs = []
        for ranks in (1, 3) if code == 4 else (1 + number % 2,):
            out = os.path.join(folder, f"bad{ranks}")
            done = call(ranks, "deform", scene, "-o", out, "-overwrite", directory=out)
            expect(done.code == code and all(word in done.output for word in words), "expected", code, words, "got", done.code, done.output)
            outputs.append([line for line in done.output.splitlines() if line.startswith("abut:")])
            left = sorted(os.listdir(out)) if os.path.isdir(out) else []
            expect(code == 4 or "frames.h5" not in left, "files of a refused scene:", left)
            shutil.rmtree(out, ignore_errors=True)
        expect(len(outputs[0]) == 1 and outputs[0] == outputs[-1], "one message from one rank, equal on all numbers of ranks:", outputs)


def refuse(folder, old, new, code, *words, ranks=1):
    scene = write(folder, "wrong.yaml", SCENE.replace(old, new))
    done = call(ranks, "deform", scene, "-o", os.path.join(folder, "wrong"), "-overwrite", directory=folder)
    expect(done.output.count("abut: ") == 1, "one voice:", done.output)
    expect(done.code == code and all(word in done.output for word in words), "expected", code, words, "got", done.code, done.output)


def check_refusals(folder):
    refuse(folder, "second: ball", "second: bal", 2, "deform.pairs[0].second", "is bal", "ball", ranks=2)
    refuse(folder, "second: far", "second: ball", 2, "deform.pairs[1].second", "another one")
    refuse(folder, "[1, 3]", "[0, 0]", 2, "stiffness", "above 0")
    refuse(folder, "[1, 3]", "[-0.1, 1]", 2, "stiffness[0] is -0.1", "in [0, 1e+30]")
    refuse(folder, "[1, 3]", "[.nan, 1]", 2, "stiffness[0] is .nan", "in [0, 1e+30]")
    refuse(folder, "tau: 0", "tau: .inf", 2, "tau is .inf", "in [-1e+12, 1e+12]")
    refuse(folder, "frames: 4", "frames: 0", 2, "frames is 0", "in [1, 10000000]")
    refuse(folder, "frames: 4", "frames: 99999999999", 2, "frames is 99999999999", "in [1, 10000000]")
    refuse(folder, "shape: {ball: {radius: 0.5, cells: 4}}", "shape: {file: none.obj}", 2, "none.obj cannot be read", ranks=2)
    refuse(folder, "frame: 3", "frame: 0", 2, "keys", "ascend")
    refuse(folder, "extent: 0.5", "extend: 0.5", 2, "extend", "did you mean", ranks=2)
    refuse(folder, "name: far", "name: ball", 2, "the name \"ball\" twice")
    refuse(folder, "translate: [0, 0, 9]", "translate: [0.05, 0.02, 1.1]", 4, "frame 0: surfaces ball and far",
           "inside the other as a whole", ranks=2)


def main():
    with scratch() as folder:
        check_bad_meshes(folder)
        check_refusals(folder)


main()
