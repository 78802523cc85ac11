"""Files of options and meshes that are wrong end in exit code 2 with one line that names file and line, on 1 and 2 ranks."""
import os
import struct
import subprocess
from abut_runs import ABUT, ENVIRONMENT, Finished, call, expect, scratch, write

SCENE = """abut: 1
time: {step: 0.01, steps: 1}
materials: {m: {young: 1.0e6, poisson: 0.3, density: 1000}}
bodies:
  - {name: part, material: m, shape: {SHAPE}}
output: {fields: {every: 0}}
"""
GMSH = os.path.exists(os.path.join(os.path.dirname(os.environ["ABUT"]), "abut-gmsh"))


def start(ranks, *words, **more):
    """One rank without mpiexec, which waits for seconds after an exit code that is not 0."""
    if ranks > 1:
        return call(ranks, *words, environment=more)
    done = subprocess.run([ABUT, *words], env=ENVIRONMENT | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return Finished(done.returncode, done.stdout, "")


def refused(done, *words):
    said = [line for line in done.output.splitlines() if line.startswith("abut: ")]
    expect(done.code == 2 and len(said) == 1 and "PETSC ERROR" not in done.output, words, done.code, done.output[-2000:])
    expect(all(word in said[0] for word in words), words, said)


def files_of_options(folder):
    words = "run", write(folder, "box.yaml", SCENE.replace("SHAPE", "box: {size: 1, cells: 1}")), "-o", os.path.join(folder, "out")
    cycle = write(folder, "cycle.opt", "# twice\n-options_file " + os.path.join(folder, "back.opt"))
    write(folder, "back.opt", "-options_file " + cycle)
    own = os.path.join(folder, "own.opt")
    write(folder, "own.opt", f"-v\n-options_file {own}\n")
    mark = write(folder, "mark.opt", "\ufeff-v\n")
    dash = write(folder, "dash.opt", "# comment\n\n-v\nverify\n")
    for ranks, path, *said in ((1, own, "own.opt:2: ", "includes itself"), (2, cycle, "back.opt:1: ", "includes itself"),
                                (1, mark, "mark.opt:1: ", "byte order mark"), (2, dash, "dash.opt:4: ", "'verify'")):
        refused(start(ranks, *words, "-options_file", path), *said)
    refused(start(1, *words, PETSC_OPTIONS=f"-options_file {own}"), "own.opt:2: ")
    refused(start(2, *words, "-options_string_yaml", "a: [b"), "PETSc cannot read its options")
    refused(start(2, *words, "-fp_trap"), "-fp_trap is not possible")
    refused(start(1, *words, "-ksp_rtol", "abc"), "-ksp_rtol", "abc")
    refused(start(1, *words, "-restart_distance", "0.1"), "-restart_distance has no effect without -restart_interpolate")
    good = write(folder, "good.opt", f"  -v # lines\r\n\t-snes_max_it 30\n-options_file {write(folder, 'more.opt', '-ksp_max_it 9')}\n")
    expect(start(2, *words, "-options_file", good).code == 0, "a right file of options")


def damaged(number):
    """A binary mesh of version 4.1 whose only block of nodes states the given number of nodes; it has three."""
    nodes = struct.pack("<4Q", 1, 3, 1, 3) + struct.pack("<3i", 3, 1, 0) + struct.pack("<Q", number) + struct.pack("<3Q", 1, 2, 3)
    elements = struct.pack("<4Q", 1, 1, 1, 1) + struct.pack("<3i", 3, 1, 4) + struct.pack("<Q", 1) + struct.pack("<5Q", 1, 1, 2, 3, 2**40)
    return (b"$MeshFormat\n4.1 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n" + nodes + struct.pack("<9d", *range(9)) +
            b"\n$EndNodes\n$Elements\n" + elements + b"\n$EndElements\n")


def meshes(folder):
    """Damaged files that libgmsh reads, in a process of its own."""
    scene = write(folder, "mesh.yaml", SCENE.replace("SHAPE", "file: damaged.msh"))
    for ranks, number in enumerate((3, 2**62), start=1):
        with open(os.path.join(folder, "damaged.msh"), "wb") as file:
            file.write(damaged(number))
        refused(start(ranks, "check", scene), "mesh.yaml:5", "body 'part'", "damaged.msh")
    scene = write(folder, "cad.yaml", SCENE.replace("{SHAPE}", "{file: cube.geo, mesh_size: 0.008}, scale: 0.02"))
    write(folder, "cube.geo", 'SetFactory("OpenCASCADE");\nBox(1) = {0, 0, 0, 1, 1, 1};\n')
    done = start(2, "check", scene)
    expect(done.code == 0 and "size of 'part': 0.02 x 0.02 x 0.02 m, diagonal 0.034641 m, mass 0.008 kg\n" in done.output, done.output)


with scratch() as folder:
    files_of_options(folder)
    if GMSH:
        meshes(folder)
print("ok")
