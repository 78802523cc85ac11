#!/usr/bin/env python3
"""
Factor of the bulge that keeps the volume to first order in the displacements, as in the method before `abut deform` (Fig. 9 of its paper):
volume = sum over triangles of area vector . (sum of the displacements of its vertices) / 3.

    linear_volume.py WITHOUT WITH     results of one scene with `volume: 0` and `volume: 1` of all surfaces

Displacements are linear in the bulge, so that both results give the first-order volume of any bulge. `volume: FACTOR` in the scene then
computes the deformation of the linear method, and surfaces.csv has the error of its volume.
"""

import argparse

import needs

needs.modules("h5py", "numpy")

import numpy as np

from abut_results import Frames, guard


def first_order(position, displacement, triangles):
    """Volume between a surface and its displacement to first order [m^3]."""
    a, b, c = ((position - displacement)[triangles[:, k]] for k in range(3))
    return float((np.cross(b - a, c - a) * displacement[triangles].sum(axis=1)).sum()) / 6


def show(without, with_bulge):
    low, high = Frames(without), Frames(with_bulge)
    frame = high.frames[-1]
    print("frame,surface,factor")
    for i, name in enumerate(high.names):
        fixed, whole = (first_order(*results.surface(frame, i)[:2], results.triangles[i]) for results in (low, high))
        if whole != fixed:
            print(f"{int(frame)},{name},{fixed / (fixed - whole):.6g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("without", metavar="WITHOUT", help="results with volume: 0")
    parser.add_argument("with_bulge", metavar="WITH", help="results with volume: 1")
    args = parser.parse_args()
    guard("linear_volume.py", lambda: show(args.without, args.with_bulge))


if __name__ == "__main__":
    main()
