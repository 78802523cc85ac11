"""A program that was built without the tools refuses their subcommands, options and scenes and says why; the simulation runs."""
import os
from abut_runs import call, expect, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.01, steps: 1}
materials: {soft: {young: 1.0e5, poisson: 0.3, density: 1000}}
bodies:
  - {name: a, material: soft, shape: {box: {size: [1, 1], cells: [2, 2]}}}
  - {name: b, material: soft, shape: {box: {size: [1, 1], cells: [2, 2]}}, translate: [SHIFT, 0]}
"""
WHY = "-DABUT_TOOLS=OFF"


def refused(done, *texts):
    expect(done.code == 2, done.code, done.output)
    expect(all(text in done.output for text in texts), texts, done.output)


with scratch() as folder:
    scene, out = write(folder, "scene.yaml", SCENE.replace("SHIFT", "2")), os.path.join(folder, "out")
    for words in (("contacts", scene), ("deform", scene), ("deform", scene, "-resolve")):
        refused(call(2, *words, "-o", out), f"this build has no subcommand '{words[0]}'", WHY)
    for line in ("expected_normals: [{between: [a, b], normal: [1, 0]}]", "deform: {frames: 1}"):
        key = write(folder, "key.yaml", SCENE.replace("SHIFT", "2") + line + "\n")
        refused(run(key, out), f"key.yaml:8: the scene has the key \"{line.split(':')[0]}\"", WHY)
    refused(call(1, "twist", scene), "'twist' is no subcommand; the subcommands are run, check, study, selftest, --scene-reference")
    for words in (("--help",), ("--scene-reference",), ("run", "-help")):
        done = call(1, *words)
        expect(done.code == 0 and not any(word in done.output for word in ("abut contacts", "abut deform", "-resolve")), words, done.output)

    done = run(scene, out, 2)
    expect(done.code == 0 and len(done.steps) == 1, done.output)
    refused(run(scene, os.path.join(folder, "fine"), 1, "-restart", os.path.join(out, "checkpoint.h5"), "-restart_interpolate", scene),
            "this build has no -restart_interpolate", WHY)
    done = run(write(folder, "crossing.yaml", SCENE.replace("SHIFT", "0.5")), os.path.join(folder, "crossing"))
    expect(done.code == 3 and "none is allowed" in done.output and "abut deform" not in done.output, done.output)
print("ok")
