#!/usr/bin/env python3
"""
Continuity in time of `abut deform`: the largest change of a displacement between two frames. For a continuous motion it
falls in proportion to the distance of frames.

    deform_jumps.py COARSE FINER FINEST
"""

import argparse
import sys

import needs

needs.modules("h5py", "numpy")

import numpy as np

from abut_results import Frames, ResultsError


def jumps(directory):
    """Number of frames and largest change of a displacement between two of them."""
    results, largest, last = Frames(directory), 0.0, None
    for frame in results.frames:
        now = np.vstack([results.surface(frame, i)[1] for i in range(len(results.names))])
        if last is not None:
            largest = max(largest, float(np.linalg.norm(now - last, axis=1).max()))
        last = now
    return len(results.frames), largest


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", metavar="DIR", help="results of the same motion with more and more frames")
    try:
        print("directory,frames,largest_jump_m")
        for directory in parser.parse_args().directories:
            count, largest = jumps(directory)
            print(f"{directory},{count},{largest:.6g}")
    except (ResultsError, OSError) as error:
        sys.exit(f"deform_jumps.py: {error}")


if __name__ == "__main__":
    main()
