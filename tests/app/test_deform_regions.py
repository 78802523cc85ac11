"""`abut deform` with regions of one surface: equal on 1 and 3 ranks, by a file and by boxes; messages; lips and a hand."""
import math
import os
import subprocess
import sys

from abut_runs import call, content, expect, scratch, write
from deform_results import datasets, rows

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "inputs", "deform", "make_figures.py")


def check_regions(folder):
    """A finger whose phalanges collide with each other, from the generator of scenes."""
    subprocess.run([sys.executable, "-B", FIGURES, "finger", "--refine", "0.5", "-o", folder], check=True)
    with open(os.path.join(folder, "finger.yaml"), encoding="ascii") as file:
        text = file.read()
    last = text.replace("frames: 13", "frames: 1").replace("%04d.obj}", "%04d.obj, first: 12}")
    for name, scene, ranks_of_runs in (("frames", text, (1, 3)), ("last", last, (1, 3))):
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
                            ("regions: [0, 1]", "regions: [0, 3]", ["surface finger: a pair has the region 3", "0..2"])):
        expect(old in text, old)
        wrong = write(folder, "wrong_regions.yaml", text.replace(old, new, 1))
        done = call(1 + (old == "regions: [0, 1]"), "deform", wrong, "-o", os.path.join(folder, "wrong"), "-overwrite",
                    directory=folder)
        expect(done.output.count("abut: ") == 1, "one voice:", done.output)
        expect(done.code == 2 and all(word in done.output for word in words), "expected", words, "got", done.code, done.output)
    for number, (change, words) in enumerate(((lambda values: values[1:], "lines, must have"),
                          (lambda values: values + [0], "the region map has at least"),
                          (lambda values: values[:2] + [-1] + values[3:], "the region map has -1 at the vertex 2"),
                          (lambda values: values[:2] + ["0.5 1"] + values[3:], "has 0.5 among several numbers at the vertex 2"),
                          (lambda values: values[:2] + ["0 x"] + values[3:], "the entry of the vertex 2 in the region map"),
                          (lambda values: [float(value > 1) for value in values], "have the regions"))):
        with open(regions, encoding="ascii") as file:
            values = [float(line) for line in file]
        with open(os.path.join(folder, "meshes", "wrong.txt"), "w", encoding="ascii") as file:
            file.writelines(f"{value}\n" for value in change(values))
        wrong = write(folder, "wrong_map.yaml", text.replace("finger_regions.txt", "wrong.txt"))
        done = call(1 + number % 3 // 2, "deform", wrong, "-o", os.path.join(folder, "wrong"), "-overwrite", directory=folder)
        expect(done.output.count("abut: ") == 1, "one voice:", done.output)
        expect(done.code == 2 and words in done.output, "expected", words, "got", done.code, done.output)


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
        done = call(1 + (new == "[-9, "), "deform", write(folder, "wrong_boxes.yaml", changed.replace(old, new)),
                    "-o", os.path.join(folder, "wrong"), "-overwrite", directory=folder)
        expect(done.code == 2 and all(word in done.output for word in words), "expected", words, "got", done.code, done.output)


def check_lips_and_hand(folder):
    """Lips that share the corners of the mouth, and finger tips that share no vertices with their palm, touch in the last frame."""
    for name, pairs in (("mouth", 1), ("palm", 4)):
        subprocess.run([sys.executable, "-B", FIGURES, name, "--refine", "0.5", "-o", folder], check=True)
        out = os.path.join(folder, name)
        done = call(1, "deform", f"{out}.yaml", "-o", out, directory=out)
        expect(done.code == 0, name, done.output)
        expect(done.summary["frames_in_contact"] >= 4 and done.summary["frames_unresolved"] == 0, name, done.summary)
        expect(done.summary["volume_error"] < 1e-10 and done.summary["zone_mismatch"] < 1e-8, name, done.summary)
        last = rows(out, "contacts.csv")[-pairs:]
        expect(all(int(row["frame"]) == 12 and int(row["zone_first"]) > 5 and int(row["zone_second"]) > 5 for row in last), name, last)


def main():
    with scratch() as folder:
        check_regions(folder)
        check_lips_and_hand(folder)
        check_region_boxes(folder)


main()
