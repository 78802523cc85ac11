#!/usr/bin/env python3
"""Makes two scenes of the same two balls (Fig. 12 of Brunel, Benard and Guennebaud 2021): one for `abut deform`, one for `abut run`.

    make_balls.py -o DIR              DIR/balls_deform.yaml and DIR/balls_run.yaml
    make_balls.py -o DIR --cells 20   more cells across the radius of the big ball

`abut deform` gets the balls where they overlap. `abut run` starts with a gap and moves the far side of the small ball to the same place, in
quasi-static steps; the far side of the big ball is held. Young's moduli have the ratio of the relative stiffnesses.
`postprocess/compare_balls.py` measures the difference.
"""

import argparse
import os

RADII = (1.0, 0.65)
CENTRE = (0.02, 0.01, 1.2)  # of the small ball at the end, as in the last frame of the scene balls
STIFFNESS = (0.4, 0.6)  # of the big and of the small ball; k_big = 0.6 of the caption is the part of the depth that the big ball takes
EXTENT = (1.25, 0.75)
GAP = 0.02  # at the start of abut run [m]
STEPS = 10

DEFORM = """abut: 1
title: "Two balls by the deformer"
deform:
  frames: 1
  surfaces:
    - {{name: big, shape: {{ball: {{radius: {radius[0]}, cells: {cells[0]}}}}}, extent: {extent[0]}, volume: 0.9, omega: 2}}
    - {{name: small, shape: {{ball: {{radius: {radius[1]}, cells: {cells[1]}}}}}, extent: {extent[1]}, volume: 0.9, omega: 2,
       translate: [{x}, {y}, {z}]}}
  pairs:
    - {{first: big, second: small, stiffness: [{stiffness[0]}, {stiffness[1]}], tau: 0.2}}
"""

RUN = """abut: 1
title: Two balls pressed together
dim: 3
time: {{step: {step}, steps: {steps}, integrator: quasi-static}}
gravity: [0, 0, 0]
materials:
  big: {{model: neo-hookean, young: {stiffness[0]}e+6, poisson: 0.45, density: 1000}}
  small: {{model: neo-hookean, young: {stiffness[1]}e+6, poisson: 0.45, density: 1000}}
bodies:
  - {{name: big, material: big, shape: {{ball: {{radius: {radius[0]}, cells: {cells[0]}}}}}}}
  - {{name: small, material: small, shape: {{ball: {{radius: {radius[1]}, cells: {cells[1]}}}}}, translate: [{x}, {y}, {start}]}}
motions:
  - {{select: {{body: big, relative: true, box: [[0, 0, 0], [1, 1, 0.35]]}}, velocity: [0, 0, 0]}}
  - {{select: {{body: small, relative: true, box: [[0, 0, 0.65], [1, 1, 1]]}}, velocity: [0, 0, {speed}]}}
contact: {{dhat: {{absolute: 0.005}}}}
solver: {{tolerance: {{relative: 1.0e-4}}}}
output: {{fields: {{every: {steps}}}}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", required=True, metavar="DIR", help="folder of the scenes")
    parser.add_argument("--cells", type=int, default=12, metavar="N", help="cells across the radius of the big ball")
    given = parser.parse_args()
    start = RADII[0] + RADII[1] + GAP
    values = {"radius": RADII, "cells": (given.cells, max(1, round(given.cells * RADII[1]))), "extent": EXTENT, "stiffness": STIFFNESS,
              "x": CENTRE[0], "y": CENTRE[1], "z": CENTRE[2], "start": start, "steps": STEPS, "step": 1 / STEPS,
              "speed": f"{CENTRE[2] - start:.6g}"}
    os.makedirs(given.o, exist_ok=True)
    for name, text in (("balls_deform", DEFORM), ("balls_run", RUN)):
        with open(os.path.join(given.o, f"{name}.yaml"), "w", encoding="ascii") as out:
            out.write(text.format(**values))


if __name__ == "__main__":
    main()
