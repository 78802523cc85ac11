"""`abut deform -resolve` refuses `start` positions with inverted cells by body, cell and det F, before it moves anything."""
import os
from abut_runs import expect, scratch, write
from resolve_scenes import HEAD, resolve

TETRAHEDRON = """$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 0 0 -1
$EndNodes
$Elements
2
1 4 2 0 1 1 2 3 4
2 4 2 0 1 1 3 2 5
$EndElements
"""
BODIES = """bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, translate: [-0.4, 0, 0]}
  - {name: pair, material: MATERIAL, shape: {file: rest.msh}, start: start.msh}
"""

with scratch() as folder:
    write(folder, "rest.msh", TETRAHEDRON)
    write(folder, "start.msh", TETRAHEDRON.replace("5 0 0 -1", "5 0 0 0.5"))
    for material in ("soft", "hard"):
        scene = write(folder, f"{material}.yaml", HEAD + BODIES.replace("MATERIAL", material))
        for ranks in (1, 2, 3):
            out = os.path.join(folder, f"{material}{ranks}")
            done = resolve(scene, out, ranks)
            expect(done.code == 2, material, ranks, "ranks:", done.code, done.output)
            said = "body 'pair' has inverted cells at the start (1 in the scene): det F of the cell 41 is -0.5;"
            expect(said in done.output, done.output)
            expect(done.output.count("abut: ") == 1, "one voice:", done.output)
            expect(not os.path.exists(os.path.join(out, "scene.yaml")), "a refused scene was written")
print("ok")
