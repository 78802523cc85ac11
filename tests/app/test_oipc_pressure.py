"""jobs/oipc_pressure.py: a pressure that follows the surface thins the skin of a balloon and widens it, without contact."""
import os
import re
import subprocess
from abut_runs import ABUT, ENVIRONMENT, expect, python_with, scratch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINE = re.compile(r"step (\d+): thickness (\S+) mm, inner area (\S+) m\^2, contact force (\S+) N, contacts (\d+), Newton (\d+), "
                  r"intersections (\d+)")

with scratch() as folder:
    command = [python_with("numpy", "h5py"), os.path.join(ROOT, "jobs", "oipc_pressure.py"), "--steps", "4", "-o", folder, "--abut", ABUT]
    done = subprocess.run(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    expect(done.returncode == 0, done.stdout)
    rows = [[float(value) for value in found] for found in LINE.findall(done.stdout)]
    expect([row[0] for row in rows] == [1, 2, 3, 4], done.stdout)
    expect(all(a[1] > b[1] and a[2] < b[2] for a, b in zip(rows, rows[1:])), "does not thin and widen:", done.stdout)
    expect(all(row[3] == 0 and row[6] == 0 for row in rows), "contact or intersections:", done.stdout)
    # Without Poisson's effect the pressure alone thins the skin, 0.1 m at rest; the area at rest is 4 pi 0.4^2 m^2, less its facets.
    expect(50 < rows[-1][1] < 100 and 1.8 < rows[0][2] < 3, "thickness or area:", done.stdout)
print("ok")
