"""With the reference BLAS a run says once why it is slow, and summary.json names the library; with a fast one it says nothing."""
import glob
import os
import sys
from abut_runs import ENVIRONMENT, expect, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 1}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}
"""

folders = [os.path.dirname(path) for name in ("blas/libblas", "lapack/liblapack") for path in glob.glob(f"/usr/lib/*/{name}.so.3")]
if len(folders) != 2:
    print("skipped: Debian's reference BLAS is not installed")
    sys.exit(77)

with scratch() as folder:
    scene = write(folder, "box.yaml", SCENE)
    done = run(scene, os.path.join(folder, "fast"), 2)
    expect(done.code == 0, done.code, done.output)
    fast = done.summary["blas"]
    expect(("the BLAS is" in done.output) == fast.startswith("/"), fast, done.output)
    with open("/proc/cpuinfo", encoding="utf-8") as stream:
        expect("Prescott" not in fast or " avx2 " not in stream.read(), "kernels without vectors:", fast)
    if fast.startswith("OpenBLAS"):
        ENVIRONMENT["OPENBLAS_CORETYPE"] = "Prescott"
        done = run(scene, os.path.join(folder, "wanted"), 2)
        expect(done.code == 0 and "Prescott" in done.summary["blas"], "not what the environment says:", done.summary["blas"])

    ENVIRONMENT["LD_LIBRARY_PATH"] = ":".join(folders)
    done = run(scene, os.path.join(folder, "slow"), 2)
    expect(done.code == 0, done.code, done.output)
    expect("libblas" in done.summary["blas"], done.summary["blas"])
    expect(done.output.count("abut: warning: the BLAS is " + done.summary["blas"]) == 1, done.output)
