"""A run names its BLAS and warns of one that is not known to be fast, for every BLAS package of Debian that is installed."""
import glob
import os
import re
import subprocess
import sys
from abut_runs import ABUT, ENVIRONMENT, call, expect, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 1}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}}
"""

REFERENCE = [os.path.dirname(path) for name in ("blas/libblas", "lapack/liblapack") for path in glob.glob(f"/usr/lib/*/{name}.so.3")]
PRODUCTS = {"openblas-": "OpenBLAS", "blis-": "BLIS", "atlas": "ATLAS"}  # by the start of the folder's name


def installed():
    """Folders of the optimised packages for LD_LIBRARY_PATH, with the product's name."""
    for path in glob.glob("/usr/lib/*/*/libblas.so.3"):
        folder = os.path.dirname(path)
        for start, product in PRODUCTS.items():
            if os.path.basename(folder).startswith(start):
                yield folder, product


def reads_path():
    """Whether LD_LIBRARY_PATH changes the BLAS: not where the program is linked to a product by its own name."""
    said = subprocess.run(["ldd", ABUT], stdout=subprocess.PIPE, text=True, check=False).stdout
    return "libblas.so.3" in said


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
        expect(done.code == 0 and "Prescott" in done.summary["blas"], "the environment names another BLAS:", done.summary["blas"])
        del ENVIRONMENT["OPENBLAS_CORETYPE"]

    if not reads_path():
        print("skipped: the program is not linked to libblas.so.3, so that LD_LIBRARY_PATH cannot change its BLAS")
        sys.exit(77)
    for path, product in installed():
        ENVIRONMENT["LD_LIBRARY_PATH"] = ":".join([path, *REFERENCE[1:]])
        said = call(1, "--version").output
        expect(re.search(rf"^blas +{product}", said, re.M), path, "is reported as", said)

    if len(REFERENCE) != 2:
        print("skipped: Debian's reference BLAS is not installed")
        sys.exit(77)
    ENVIRONMENT["LD_LIBRARY_PATH"] = ":".join(REFERENCE)
    done = run(scene, os.path.join(folder, "slow"), 2)
    expect(done.code == 0, done.code, done.output)
    expect("libblas" in done.summary["blas"], done.summary["blas"])
    expect(done.output.count("abut: warning: the BLAS is " + done.summary["blas"]) == 1, done.output)
print("ok")
