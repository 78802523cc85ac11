"""Bodies that touch at the start are told from bodies that intersect; `abut check` prints at most ten lines of a kind and their number;
an activation distance as large as a body, bodies far apart or small ones with friction, give a warning. The same on any number of
ranks."""
import os
import re
from abut_runs import call, expect, run, scratch, write

HEAD = """abut: 1
dim: DIM
time: {step: 0.01, steps: 2}
materials: {soft: {young: 1.0e5, poisson: 0.4, density: 1000}}
"""
BOXES = """bodies:
  - {name: left, material: soft, shape: {box: {size: 1, cells: 2}}}
  - {name: right, material: soft, shape: {box: {size: 1, cells: 2}}, translate: MOVE}
"""
FLOOR = """bodies:
  - {name: left, material: soft, shape: {box: {size: 1, cells: 2}}, translate: MOVE}
obstacles: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 1, 0]}}]
"""
MOTIONS = "motions:\n" + "".join(f"  - {{select: {{body: left}}, velocity: [0, {i}, 0]}}\n" for i in range(1, 14))

# text of the scene, dimension, translation of the second body, whether bodies only touch
CASES = [(BOXES, 3, "[1, 0, 0]", True), (BOXES, 3, "[1, 0.3, 0.2]", True), (BOXES, 3, "[1, 1, 0]", True), (BOXES, 3, "[1, 1, 1]", True),
         (BOXES, 3, "[0.9999999999, 0, 0]", True), (BOXES, 3, "[0.5, 0, 0]", False), (BOXES, 3, "[0, 0, 0]", False),
         (BOXES, 3, "[0.999, 0.3, 0.2]", False), (BOXES, 2, "[1, 0]", True), (BOXES, 2, "[1, 1]", True), (BOXES, 2, "[0.5, 0]", False),
         (FLOOR, 3, "[0, 0.5, 0]", True), (FLOOR, 3, "[0, 0.499, 0]", False)]

with scratch() as folder:
    for number, (text, dim, move, touch) in enumerate(CASES):
        scene = write(folder, f"{number}.yaml", (HEAD + text).replace("DIM", str(dim)).replace("MOVE", move))
        said = []
        for ranks in (1, 3) if number < 2 else (1 + number % 2,):
            done = call(ranks, "check", scene, "-o", folder)
            expect(done.code == 3 and done.output.count("abut: ") == 1, done.code, done.output)
            expect(("bodies touch at the start" in done.output) == touch, text, move, done.output)
            expect(("start them dhat apart" in done.output) == touch, move, done.output)
            expect(f"abut deform {scene} -resolve -o DIR" in done.output, move, done.output)
            listed = [line for line in done.output.splitlines() if line.startswith("  ") and " of '" in line]
            expect(all((" touches " in line) == touch for line in listed), move, listed)
            total = int(done.output.split("start in " if touch else "starts with ")[1].split()[0])
            expect(len(listed) == min(total, 10), len(listed), "lines of", total)
            expect((f"and {total - 10} more, {total} in all" in done.output) == (total > 10), move, done.output)
            said.append(listed)
        expect(all(one == said[0] for one in said), "lines by ranks", said)
    done = run(os.path.join(folder, "0.yaml"), os.path.join(folder, "out"), 2)
    expect(done.code == 3 and "bodies touch at the start" in done.output and "start them dhat apart" in done.output, done.output)

    pair = BOXES.replace("bodies:\n", "").replace("left", "c").replace("right", "d")
    mixed = (HEAD + BOXES.replace("MOVE", "[1, 0, 0]") + pair.replace("cells: 2}}}", "cells: 2}}, translate: [0, 5, 0]}")
             .replace("MOVE", "[0.9, 5, 0]")).replace("DIM", "3")
    for ranks in (1, 3):
        done = call(ranks, "check", write(folder, "mixed.yaml", mixed), "-o", folder)
        expect(done.code == 3 and "the scene starts with" in done.output, done.output)
        expect(re.search("one of them: edge [^;]* of 'c' crosses [^;]* of 'd'", done.output), "named:", done.output)

    large = (HEAD + BOXES + "contact: {dhat: {absolute: DHAT}}\n").replace("DIM", "3").replace("MOVE", "[3, 0, 0]")
    for dhat, warned in ((0.51, True), (0.49, False)):
        scene = write(folder, "large.yaml", large.replace("DHAT", str(dhat)))
        for done in (call(2, "check", scene), run(scene, os.path.join(folder, "large"), 1, "-steps", "1", "-overwrite")):
            expect(done.code == 0 and done.output.count("warning: contact.dhat is") == warned, dhat, done.output)
            expect(("smallest extent of body 'left'" in done.output and "(such bodies: 2)" in done.output) == warned, done.output)

    done = call(2, "check", write(folder, "motions.yaml", large.replace("DHAT", "0.1") + MOTIONS))
    expect(done.code == 0 and done.output.count("selects 27 vertices") == 10, done.output)
    expect("and 3 more motions, 13 in all" in done.output, done.output)
    expect(done.output.count("at the same time") == 10 and "and 2 more motions" in done.output and "12 in all" in done.output, done.output)

    far = (HEAD + BOXES + "contact: {dhat: {absolute: 0.01}, friction: {default: 0.3}}\n").replace("DIM", "3")
    for distance, warned in ((100, True), (50, False)):
        done = call(2, "check", write(folder, "far.yaml", far.replace("MOVE", f"[{distance}, 0, 0]")))
        expect(done.code == 0 and done.output.count("warning: contact.friction.speed") == warned, distance, done.output)
    for scale, warned in ((0.02, True), (0.1, False)):
        small = far.replace("MOVE", "[1.2, 0, 0]").replace("name: right", f"scale: {scale}, name: right")
        done = call(2, "check", write(folder, "small.yaml", small))
        expect(done.code == 0 and done.output.count("and body 'right' has a diagonal of") == warned, scale, done.output)
print("ok")
