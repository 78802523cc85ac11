"""Results of another run are neither overwritten nor continued by accident; a failed run leaves no older summary that says "done"."""
import hashlib
import os
from abut_runs import content, expect, run, scratch, write

SCENE = """abut: 1
dim: 2
time: {step: 0.01, steps: 4}
gravity: [0, -10]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1], cells: [2, 2]}}}
output: {fields: {every: 1}}
"""


with scratch() as folder:
    scene, out = write(folder, "fall.yaml", SCENE), os.path.join(folder, "out")
    checkpoint = os.path.join(out, "checkpoint.h5")
    for ranks in (1, 2):
        done = run(scene, out, ranks, *(["-overwrite"] if ranks > 1 else []))
        expect(done.code == 0, "the first run failed")
        expect(done.summary["scene_sha256"] == hashlib.sha256(SCENE.encode()).hexdigest() and " run " in done.summary["command"],
               "the summary names another scene or command:", done.summary)
        before = content(out)
        for options, words in (((), ("has results of another run", "-overwrite", "-restart")),
                               (("-restart", ""), ("-restart has no value",)),
                               (("-restart",), ("-restart has no value",)),
                               (("-o", ""), ("-o has no value",)),
                               (("-restart", checkpoint, "-overwrite"), ("-overwrite and -restart exclude each other",))):
            if ranks > 1 and options and "-restart" != options[0]:
                continue
            done = run(scene, out, ranks, *options)
            expect(done.code == 2 and done.output.count("abut: ") == 1, options, done.code, done.output)
            expect(all(word in done.output for word in words), options, done.output)
            expect(content(out) == before, options, "changed the results")

    # -overwrite leaves nothing of the run before, -restart continues it
    done = run(write(folder, "bare.yaml", SCENE.replace("every: 1", "every: 0")), out, 1, "-overwrite", "-steps", "2")
    expect(done.code == 0 and len(done.steps) == 2, done.output)
    expect(not os.path.exists(os.path.join(out, "fields.h5")), "fields of the other run are left")
    done = run(scene, out, 1, "-restart", checkpoint)
    expect(done.code == 0 and len(done.steps) == 4, done.output)

    # a failed run leaves neither a summary that says "done" nor pictures of an older failure
    for name in ("failure.xdmf", "intersections.xdmf"):
        write(out, name, "old")
    wrong = write(folder, "wrong.yaml", SCENE.replace("young: 1.0e5", "young: -1"))
    for options in (("-overwrite",), ("-restart", checkpoint)):
        expect(run(scene, out, 1, "-overwrite").code == 0, "the run before failed")
        for name in ("failure.xdmf", "intersections.xdmf"):
            write(out, name, "old")
        done = run(wrong, out, 2, *options)
        expect(done.code == 2, done.code, done.output)
        left = os.listdir(out)
        expect(not {"summary.json", "failure.xdmf", "intersections.xdmf"} & set(left), "left:", left)
        expect("checkpoint.h5" in left, "the checkpoint is gone although nothing was computed")
    crossing = write(folder, "crossing.yaml", SCENE + "obstacles:\n  - {name: wall, plane: {point: [0, 0], normal: [0, 1]}}\n")
    expect(run(scene, out, 1, "-overwrite").code == 0, "the run before failed")
    write(out, "intersections.xdmf", "old")
    done = run(crossing, out, 2, "-overwrite")
    expect(content(out)["intersections.xdmf"] != b"old", "the intersections of this run are not written")
    expect(done.code == 3 and not os.path.exists(os.path.join(out, "summary.json")), done.code, done.output)
print("ok")
