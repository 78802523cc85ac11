"""`abut contacts`: the fundamental cases by all methods, equal on any number of ranks; rigid motion; messages for wrong input."""
import csv
import os
import subprocess
import sys

from abut_runs import TERMINATE, call, content, expect, near, run_and_signal, scratch, write

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
INPUTS = os.path.join(ROOT, "inputs", "contact_points")
sys.path.insert(0, os.path.join(ROOT, "jobs"))
import contact_points_plan as plan

TABLES = ["quality.csv", "rigid.csv"]
COLUMNS = ["case", "method", "step", "contacts", "quality_percent", "coverage_percent", "excess"]

PLAIN = """abut: 1
dim: 3
time: {step: 0.01, steps: 1}
gravity: [0, -9.81, 0]
materials: {stone: {young: 1.0e9, poisson: 0.3, density: 2000}}
bodies:
  - {name: block, material: stone, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}, translate: [0, 0.499, 0]}
  - {name: ground, material: stone, shape: {box: {size: [3, 1, 3], cells: [1, 1, 1]}}, translate: [0, -0.5, 0]}
"""
GMSH_EDGES = ((0, 1), (1, 2), (2, 0), (3, 0), (3, 2), (3, 1))


def rows(folder, name="quality.csv"):
    with open(os.path.join(folder, name), newline="") as file:
        return list(csv.DictReader(file))


def assess(scene, out, ranks, *options):
    done = call(ranks, "contacts", scene, "-o", out, *options, directory=out)
    expect(done.code == 0, scene, ranks, "ranks:", done.output)
    return [open(os.path.join(out, name), "rb").read() for name in TABLES]


def same_areas(one, other, case):
    """Normals of contacts of a potential depend on the ranks in their last bits, more where the contact force is tiny."""
    for a, b in zip(rows(one, "areas.csv"), rows(other, "areas.csv"), strict=True):
        if a["method"] in plan.METHODS:
            expect(a == b, case, "areas differ between ranks:", a, b)
        for name in ("area_m2", "mean_normal_quality"):
            near(float(a[name]), float(b[name]), 1e-6, f"{case} {a['method']} {name}")


def check_cases(folder):
    """Table 8 of Erleben (2018), and the same tables on 1 and on 2 or 3 ranks."""
    found = {}
    for number, case in enumerate(plan.CASES):
        others = (2 + number % 2,)
        scene = os.path.join(INPUTS, f"table4_{case}.yaml")
        tables = {ranks: assess(scene, os.path.join(folder, f"{case}{ranks}"), ranks, "-method", "all") for ranks in (1, *others)}
        for ranks in others:
            expect(tables[1] == tables[ranks], case, "differs between 1 and", ranks, "ranks")
            same_areas(os.path.join(folder, f"{case}1"), os.path.join(folder, f"{case}{ranks}"), case)
        got = rows(os.path.join(folder, f"{case}1"))
        expect(list(got[0])[: len(COLUMNS)] == COLUMNS, "columns", list(got[0]))
        methods = plan.METHODS + plan.POTENTIALS
        expect([row["method"] for row in got][:len(methods)] == methods, "methods", got)
        expect(all(row["case"] == case and row["step"] == "0" for row in got), "case and step", got)
        found.update({(case, row["method"]): row for row in got})
    for case in plan.CASES[:5]:
        row = found[case, "closest-points"]
        expect([float(row[name]) for name in COLUMNS[4:]] == [100, 100, 1], "closest points", row)
    for column, mean, largest in (("coverage_percent", 0, 0), ("quality_percent", 8, 50), ("excess", 1.5, 11)):
        differences = [abs(float(found[case, method][column]) - value) for method, values in plan.TABLE8[column].items()
                       for case, value in zip(plan.CASES, values)]
        expect(sum(differences) / len(differences) <= mean and max(differences) <= largest, column, sum(differences) / len(differences),
               max(differences))
    for method in ("volume-sat", "surface-sat", "growth", "opposing"):
        near(float(found["sliding_wedge", method]["excess"]), 1, 1e-12, f"excess of the sliding wedge by {method}")
    for (case, method), row in found.items():
        if method in plan.METHODS:
            expect(row["weight_sum"] == row["contacts"], case, method, "sum of weights", row)


def check_steps(folder):
    """A block that starts 1 mm deep in the ground stays: its velocity becomes 0, penetration is not corrected."""
    scene = write(folder, "plain.yaml", PLAIN + "motions: [{select: {body: ground}}]\n")
    tables = {ranks: assess(scene, os.path.join(folder, f"steps{ranks}"), ranks, "-method", "opposing,closest-points", "-steps", "5")
              for ranks in (1, 2)}
    expect(tables[1] == tables[2], "steps differ between ranks")
    out = os.path.join(folder, "steps1")
    quality, rigid = rows(out), rows(out, "rigid.csv")
    expect([(row["method"], int(row["step"])) for row in quality] ==
           [(method, step) for method in ("opposing", "closest-points") for step in range(6)], "rows", quality)
    expect(all(row["quality_percent"] == "nan" for row in quality), "no normals are expected")
    done = call(1, "contacts", scene, "-o", os.path.join(folder, "said"), "-method", "growth", "-progress", "lines")
    expect(done.output.count("plain.yaml has no key expected_normals: contacts are found") == 1, done.output)
    held = [row for row in rigid if row["method"] == "opposing"]
    expect(len(held) == 5 and all(float(row["kinetic_J"]) < 1e-12 for row in held), "kinetic energy", held)
    near(float(held[-1]["potential_J"]), 2000 * 9.81 * 0.499, 1e-6, "potential energy")
    expect(os.path.exists(os.path.join(out, "opposing", "fields.h5")), "fields of the motion")


def check_centers(folder):
    """`normal: centers` follows the centres of mass while a block slides over the ground without friction."""
    text = PLAIN.replace("translate: [0, 0.499, 0]}", "translate: [0, 0.499, 0], velocity: [1, 0, 0]}")
    scene = write(folder, "centers.yaml", text + "motions: [{select: {body: ground}}]\n"
                  "expected_normals: [{between: [ground, block], normal: centers}]\n")
    options = ("-method", "opposing", "-rigid_friction", "0", "-steps", "3")
    tables = {ranks: assess(scene, os.path.join(folder, f"centers{ranks}"), ranks, *options) for ranks in (1, 2)}
    expect(tables[1] == tables[2], "differs between ranks")
    out = os.path.join(folder, "centers1")
    for step, row in enumerate(rows(out, "areas.csv")):
        expect([row["body_a"], row["body_b"]] == ["block", "ground"], "bodies", row)
        side, height = 0.01 * step, 0.999
        for axis, value in zip("xyz", (-side, -height, 0)):
            near(float(row[f"normal_{axis}"]), value / (side**2 + height**2) ** 0.5, 1e-6, f"normal {axis} at step {step}")
    expect([float(row["quality_percent"]) for row in rows(out)] == [100, 100, 0, 0], "quality within a degree", rows(out))
    assess(scene, os.path.join(folder, "start"), 1, "-method", "opposing")
    expect(rows(os.path.join(folder, "start"), "areas.csv") == rows(out, "areas.csv")[:1], "the start without steps")
    same = write(folder, "one.yaml", text.replace("translate: [0, -0.5, 0]", "translate: [0, 0.499, 0]") +
                 "expected_normals: [{between: [ground, block], normal: centers}]\n")
    done = call(1, "contacts", same, "-o", os.path.join(folder, "one"), "-method", "opposing")
    expect(done.code == 2 and "their centres coincide, so that `centers` is no direction" in done.output, done.output)


def check_end(folder):
    """The wall-clock limit ends an assessment with complete tables; -help prints its options."""
    scene = write(folder, "plain.yaml", PLAIN)
    out = os.path.join(folder, "limit")
    for minutes in ("0.01", "0.03", "0.1", "1"):  # a machine with other work may take no step in 0.6 s
        done = call(2, "contacts", scene, "-o", out, "-overwrite", "-method", "growth", "-steps", "100000000", "-walltime", minutes)
        said = f"stopped by wall-clock limit of {minutes} minutes after step"
        expect(done.code == 5 and said in done.output, done.code, done.output[-300:])
        quality, rigid = rows(out), rows(out, "rigid.csv")
        expect(len(quality) == len(rigid) + 1 and all(row["case"] == "plain" for row in quality), "rows", len(quality), len(rigid))
        if rigid:
            break
    expect(rigid, "no step")
    expect(os.path.exists(os.path.join(out, "contacts.xdmf")), "index of the points")
    done = call(1, "contacts", "-help")
    expect(done.code == 0 and all(word in done.output for word in ("-contacts_angle", "-points_erosion", "-rigid_friction")), done.output)


def hdf5_is_complete(path):
    """Whether a file is as long as its superblock says."""
    with open(path, "rb") as file:
        head = file.read(48)
    start = 28 if head[8] >= 2 else 40  # of the end-of-file address, by the version of the superblock
    return head[:8] == b"\x89HDF\r\n\x1a\n" and int.from_bytes(head[start:start + 8], "little") == os.path.getsize(path)


def check_signal(folder):
    """SIGTERM ends an assessment with exit code 5 after a step, with the files of an assessment of that many steps."""
    scene = write(folder, "plain.yaml", PLAIN + "motions: [{select: {body: ground}}]\noutput: {fields: {every: 1}}\n")
    for ranks in (1, 2):
        out = os.path.join(folder, f"signal{ranks}")
        done = run_and_signal(scene, out, ranks, 20, TERMINATE, "-method", "growth,opposing", "-steps", "100000000", verb="contacts",
                              table="rigid.csv")
        expect(done.code == 5 and done.output.count("stopped by signal 15 after step ") == 1, ranks, done.code, done.output[-300:])
        steps = int(rows(out)[-1]["step"])
        expect(len(rows(out)) == steps + 1 == len(rows(out, "rigid.csv")) + 1 > 20, "rows", len(rows(out)), steps)
        again = assess(scene, os.path.join(folder, f"again{ranks}"), ranks, "-method", "growth", "-steps", str(steps))
        tables = [open(os.path.join(out, name), "rb").read() for name in TABLES]
        expect(again == tables, "tables differ from an assessment of", steps, "steps")
        for name in ("contacts.h5", os.path.join("growth", "fields.h5")):
            expect(hdf5_is_complete(os.path.join(out, name)), name, "is not complete")
        expect(open(os.path.join(out, "contacts.xdmf")).read().count("growth/") ==
               open(os.path.join(folder, f"again{ranks}", "contacts.xdmf")).read().count("growth/") > 0, "index of the points")
        left = [name for name in os.listdir(out) if name not in os.listdir(os.path.join(folder, f"again{ranks}"))]
        expect(not left, "files of no complete assessment:", left)


def check_warnings(folder):
    """Erosion by more than the height of a cell is warned of once, with body and vertex; so are bodies that intersect after erosion."""
    scene = write(folder, "plain.yaml", PLAIN)
    deep = write(folder, "deep.yaml", PLAIN.replace("0.499", "0.4"))
    for ranks in (1, 2):
        for method in ("closest-points", "growth"):
            warning = f"abut: warning: {method}: bodies 'block' and 'ground' intersect though they are eroded"
            for file, times in ((scene, 0), (deep, method != "growth")):
                done = call(ranks, "contacts", file, "-o", os.path.join(folder, f"deep{ranks}"), "-method", method, "-overwrite")
                expect(done.code == 0 and done.output.count(warning) == times, file, method, done.output)
        done = call(ranks, "contacts", scene, "-o", os.path.join(folder, f"inverted{ranks}"), "-method", "closest-points",
                    "-points_erosion", "0.9")
        warning = "abut: warning: closest-points: erosion by 0.9 m inverts cell 0 of body 'block' at vertex "
        expect(done.code == 0 and done.output.count(warning) == 1, done.output)


def gmsh_block(order):
    """A cube of six tetrahedra about a diagonal, as .msh; nodes on edges before the corners."""
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    cells = [[0, a, b, 7] for a, b in ((4, 6), (6, 2), (2, 3), (3, 1), (1, 5), (5, 4))]
    edges = sorted({tuple(sorted((cell[a], cell[b]))) for cell in cells for a, b in GMSH_EDGES})
    nodes, first = [tuple((p + q) / 2 for p, q in zip(corners[a], corners[b])) for a, b in edges] if order == 2 else [], 1
    first += len(nodes)
    text = ["$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes", str(len(nodes) + 8)]
    text += [f"{i + 1} {x - 0.5} {y - 0.5} {z - 0.5}" for i, (x, y, z) in enumerate(nodes + corners)]
    text += ["$EndNodes\n$Elements", str(len(cells))]
    for i, cell in enumerate(cells):
        middles = [edges.index(tuple(sorted((cell[a], cell[b])))) + 1 for a, b in GMSH_EDGES] if order == 2 else []
        text.append(" ".join(map(str, [i + 1, 11 if order == 2 else 4, 0] + [first + v for v in cell] + middles)))
    return "\n".join(text) + "\n$EndElements\n"


def check_order(folder):
    """Bodies of order 2 have the contact points of their linear cells."""
    tables = []
    for name, order in (("linear", ""), ("quadratic", ", order: 2")):
        scene = write(folder, f"{name}.yaml", PLAIN.replace("{box: {size: [1, 1, 1], cells: [1, 1, 1]}}",
                                                            "{box: {size: [1, 1, 1], cells: [1, 1, 1]}" + order + "}"))
        out = os.path.join(folder, name)
        done = call(1, "contacts", scene, "-o", out, "-method", "closest-points,growth")
        expect(done.code == 0 and ("have order 2" in done.output) == bool(order), done.output)
        tables.append(rows(out, "areas.csv"))
    expect(tables[0] == tables[1], "contact points of order 2 differ")
    for ranks, name, order in ((1, "linear", 1), (1, "quadratic", 2), (2, "quadratic", 2)):
        mesh, out = os.path.join(folder, f"{name}.msh"), os.path.join(folder, f"{name}-file-{ranks}")
        write(folder, f"{name}.msh", gmsh_block(order))
        scene = write(folder, f"{name}.yaml", PLAIN.replace("{box: {size: [1, 1, 1], cells: [1, 1, 1]}}", f"{{file: {mesh}}}"))
        done = call(ranks, "contacts", scene, "-o", out, "-method", "closest-points,growth")
        expect(done.code == 0 and ("have order 2" in done.output) == (order == 2), done.output)
        expect(rows(out, "areas.csv") == rows(os.path.join(folder, "linear-file-1"), "areas.csv"), "contact points of a file differ")


def check_refusals(folder):
    scene = write(folder, "plain.yaml", PLAIN)
    plane = write(folder, "plane.yaml", PLAIN + "obstacles: [{name: floor, plane: {point: [0, -3, 0], normal: [0, 1, 0]}}]\n")
    flat = write(folder, "flat.yaml", PLAIN.replace("dim: 3", "dim: 2").replace("[0, -9.81, 0]", "[0, -9.81]")
                 .replace("1, 1, 1]", "1, 1]").replace("3, 1, 3]", "3, 1]").replace(", 0]}", "]}"))
    same = write(folder, "same.yaml", PLAIN + "expected_normals: [{between: [block, block], normal: [0, 1, 0]}]\n")
    solid = write(folder, "solid.yaml", PLAIN + "obstacles: [{name: table, shape: {box: {size: [9, 1, 9], cells: [1, 1, 1]}}, "
                  "translate: [0, -2, 0]}]\n")
    part = write(folder, "part.yaml", PLAIN + "motions: [{select: {body: ground, ids: [0]}}]\n")
    out = os.path.join(folder, "refused")
    for words, message in (
            ((scene, "-method", "all"), "abut contacts needs a folder for its results: -o DIR"),
            ((scene, "-o", out, "-method", "growht"), "there is no contact-point method 'growht'; did you mean 'growth'?; must be one of "),
            ((scene, "-o", out, "-method", "foo"), "there is no contact-point method 'foo'; must be one of closest-points, intersection, "
             "vertex-only, consistent-vertex, volume-sat, surface-sat, growth, opposing, ipc, convergent-ipc, oipc, gcp"),
            ((solid, "-o", out), "the contact-point method 'closest-points' needs tetrahedra, the obstacle 'table' has none"),
            ((scene, "-o", out, "-method", "growth,growth"), "-method names growth twice"),
            ((scene, "-o", out, "-method", "growth,"), "-method 'growth,' has an empty name"),
            ((scene, "-o", out, "-steps", "-1"), "-steps -1: the valid range is [0, "),
            ((scene, "-o", out, "-contacts_angle", "181"), "-contacts_angle 181: the valid range is [0, 180]"),
            ((scene, "-o", out, "-contacts_angel", "1"), "did you mean -contacts_angle?"),
            ((flat, "-o", out), "dim is 2, abut contacts needs 3"),
            ((same, "-o", out), "same.yaml:9: expected normal between 'block' and 'block': these are no two bodies"),
            ((plane, "-o", out, "-steps", "1"), "the plane 'floor' has no contact points"),
            ((part, "-o", out, "-steps", "1"), "moves whole bodies: `select` must name a body only"),
            (("-o", out), "abut contacts needs a scene file as its first argument: abut contacts SCENE.yaml")):
        for ranks in (1, 2) if "'foo'" in message or "-steps -1" in message or "same.yaml" in message or "floor" in message else (1,):
            done = call(ranks, "contacts", *words)
            expect(done.output.count("abut: ") == 1, "one voice:", words, done.output)
            expect(done.code == 2 and message in done.output, words, "exit code", done.code, done.output)
    assess(scene, out, 1, "-method", "growth")
    done = call(1, "contacts", scene, "-o", out)
    expect(done.code == 2 and "has results of another run (" in done.output, done.output)
    assess(scene, out, 1, "-method", "growth", "-overwrite")


def check_generator(folder):
    """make_cases.py writes the files of the repository."""
    subprocess.run([sys.executable, "-B", os.path.join(INPUTS, "make_cases.py"), "-o", folder], check=True)
    for name, data in content(os.path.join(folder, "meshes")).items():
        with open(os.path.join(INPUTS, "meshes", name), "rb") as file:
            expect(file.read() == data, "meshes", name)
    for case in plan.CASES:
        with open(os.path.join(INPUTS, f"table4_{case}.yaml"), "rb") as one, open(os.path.join(folder, f"table4_{case}.yaml"), "rb") as two:
            expect(one.read() == two.read(), case)


with scratch() as directory:
    check_cases(directory)
with scratch() as directory:
    check_steps(directory)
    check_centers(directory)
    check_end(directory)
    check_signal(directory)
    check_warnings(directory)
    check_order(directory)
    check_refusals(directory)
with scratch() as directory:
    check_generator(directory)
