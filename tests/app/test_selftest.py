"""abut selftest passes on any number of ranks and leaves no file; a check that fails ends with an error."""
import os

from abut_runs import call, expect, scratch

with scratch() as scratched:
    folder = os.path.join(scratched, "selftest")
    for ranks in (1, 2, 3):
        done = call(ranks, "selftest", "-o", folder)
        expect(done.code == 0 and done.output.count(" ok\n") == 6 and f"passed on {ranks} ranks" in done.output, done.output)
        expect(not os.path.exists(folder), "files are left")
    done = call(1, "selftest", "-o", folder, "-snes_max_it", "1")
    expect(done.code == 4, "without equilibrium it passes:", done.output)
    done = call(1, "selftest", "scene.yaml")
    expect(done.code == 2 and "abut selftest reads no file" in done.output, done.output)
print("ok")
