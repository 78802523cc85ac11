#!/usr/bin/env python3
"""
Continuity in time of `abut deform`: the largest change of a displacement between two frames. For a continuous motion it
falls in proportion to the distance of frames.

    deform_jumps.py COARSE FINER FINEST
"""

import argparse

import needs

needs.modules("h5py", "numpy")

import numpy as np

from abut_results import Frames, guard


def jumps(directory):
    """Number of frames and largest change of a displacement between two of them."""
    results, largest, last = Frames(directory), 0.0, None
    for frame in results.frames:
        now = np.vstack([results.surface(frame, i)[1] for i in range(len(results.names))])
        if last is not None:
            largest = max(largest, float(np.linalg.norm(now - last, axis=1).max()))
        last = now
    return len(results.frames), largest


def show(directories):
    print("directory,frames,largest_jump_m")
    for directory in directories:
        count, largest = jumps(directory)
        print(f"{directory},{count},{largest:.6g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", metavar="DIR", help="results of the same motion with more and more frames")
    args = parser.parse_args()
    guard("deform_jumps.py", lambda: show(args.directories))


if __name__ == "__main__":
    main()
