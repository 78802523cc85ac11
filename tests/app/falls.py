"""A block that falls on a bed of points, of segments, of triangles: obstacles without area stop it, too."""
import os
from abut_runs import expect, run, write

# dhat is larger than the gaps and the edges of the grid: obstacles without area still stop the block.
FALL = """abut: 1
dim: 3
time: {step: 0.02, steps: 20}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: block, material: soft, shape: {box: {size: [0.3, 0.1, 0.3], cells: [3, 1, 3]}},
      translate: [0.01, 0.09, 0.02], velocity: [0, -1, 0]}
obstacles:
  - {name: bed, shape: {file: FILE}}
contact: {potential: POTENTIAL, dhat: {absolute: 2.0e-2}}
output: {fields: {every: 0}}
"""
SPACING, HALF = 0.1, 3
PLACES = range(-HALF, HALF + 1)
GRID = "".join(f"v {SPACING * x:g} 0 {SPACING * z:g}\n" for x in PLACES for z in PLACES)
SIDE = len(PLACES)
BEDS = {"bed.pt": GRID,
        "bed.seg": GRID + "".join(f"s {SIDE * x + z + 1} {SIDE * x + z + 2}\n" for x in range(SIDE) for z in range(SIDE - 1)),
        "bed.obj": GRID + "".join(f"f {SIDE * x + z + 1} {SIDE * x + z + 2} {SIDE * (x + 1) + z + 1}\n"
                                  f"f {SIDE * x + z + 2} {SIDE * (x + 1) + z + 2} {SIDE * (x + 1) + z + 1}\n"
                                  for x in range(SIDE - 1) for z in range(SIDE - 1))}


def fall(potential, bed, folder, ranks):
    """The steps of a fall that nothing crosses, in which the bed is met and throws the block back."""
    write(folder, bed, BEDS[bed])
    scene = write(folder, "fall.yaml", FALL.replace("FILE", bed).replace("POTENTIAL", potential))
    done = run(scene, os.path.join(folder, f"{bed[4:]}-{potential}-{ranks}"), ranks, "-verify")
    expect(done.code == 0, bed, done.output)
    rows = done.steps
    expect(all(row["intersections"] == 0 and row["inversions"] == 0 for row in rows), bed, "is crossed with", potential)
    expect(max(row["contacts"] for row in rows) > 0, bed, "is not met with", potential)
    expect(max(row["momentum_y"] for row in rows) > 0, bed, "does not throw the block back with", potential)  # 9 kg at 1 m/s
    return rows
