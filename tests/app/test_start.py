"""Errors of a scene are reported before the first step: exit codes 2 and 3, one message, no results that look complete."""
import os
import re
from xml.etree import ElementTree
from abut_runs import call, expect, run, scratch, write

OVERLAP = """abut: 1
dim: 3
time: {step: 0.01, steps: 2}
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: left, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}}
  - {name: right, material: soft, shape: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}, translate: [0.91, 0.13, 0.07]}
"""

with scratch() as folder:
    scene = write(folder, "overlap.yaml", OVERLAP)
    counts, firsts = [], []
    for ranks in (1, 2, 3):
        out = os.path.join(folder, f"out{ranks}")
        done = run(scene, out, ranks)
        expect(done.code == 3, "exit code", done.code, done.output)
        expect(done.output.count("abut: ") == 1, "one voice:", done.output)
        expect("'left'" in done.output and "'right'" in done.output, done.output)
        expect(f"to move the bodies apart: abut deform {scene} -resolve -o DIR" in done.output, done.output)
        drawn = ElementTree.parse(os.path.join(out, "intersections.xdmf")).getroot()
        expect(len(drawn.findall(".//Topology")) == 2, "not edges and triangles for ParaView")
        expect(not os.path.exists(os.path.join(out, "steps.csv")), "a refused scene left steps.csv")
        counts.append(done.output.split("starts with ")[1].split()[0])
        firsts.append(done.output.split("one of them: ")[1].split(" (all in ")[0])
    expect(len(set(counts)) == 1 and int(counts[0]) > 0, "counts by ranks:", counts)
    expect(len(set(firsts)) == 1, "crossings that are named by ranks:", firsts)

    done = call(2, "check", scene, "-o", folder)
    expect(done.code == 3 and "'right'" in done.output, done.code, done.output)
    expect(done.output.count(f"abut deform {scene} -resolve -o DIR") == 1, done.output)
    listed = [line for line in done.output.splitlines() if line.startswith("  ") and " crosses " in line]
    expect(len(listed) == len(set(listed)) == 10, "crossings listed:", len(listed))
    expect(f"and {int(counts[0]) - 10} more, {counts[0]} in all" in done.output, done.output)
    ids = {line.strip(): [int(word) for word in re.findall(r"\d+", line)] for line in listed}
    expect(ids.get(firsts[0]) == min(ids.values()), "named:", firsts[0], "though there is", min(ids, key=ids.get))

    sunk = write(folder, "sunk.yaml", OVERLAP.replace("0.91", "1.3")
                 + "obstacles: [{name: floor, plane: {point: [0, 0, 0], normal: [0, -1, 0]}}]\n")
    for ranks in (1, 3):
        done = run(sunk, os.path.join(folder, "sunk"), ranks)
        expect(done.code == 3 and "one of them: vertex 8 of 'left' lies behind plane 'floor'" in done.output, ranks, "ranks:", done.code,
               done.output)

    apart = write(folder, "apart.yaml", OVERLAP.replace("0.91", "1.3"))
    done = call(2, "check", apart)
    expect(done.code == 0, done.code, done.output)
    expect("none" in done.output and "128" in done.output, done.output)

    wrong = write(folder, "wrong.yaml", OVERLAP.replace("young: 1.0e5", "young: -3"))
    done = run(wrong, os.path.join(folder, "wrong"), 2)
    expect(done.code == 2 and "wrong.yaml:4" in done.output and "-3" in done.output and done.output.count("abut: ") == 1, done.code,
           done.output)

    done = run(os.path.join(folder, "absent.yaml"), os.path.join(folder, "absent"), 2)
    expect(done.code == 2 and "absent.yaml" in done.output, done.code, done.output)

    for ranks, wrong, right in ((2, "--steps", "-steps"), (1, "--abut_reuse=3", "-abut_reuse"), (2, "-abut_rejuse", "-abut_reuse"),
                                (1, "-contact_balanc", "-contact_balance"), (1, "-stepz", "-steps"), (1, "-walltmie", "-walltime"),
                                (1, "-steps=3", "-steps")):
        done = run(apart, os.path.join(folder, "refused"), ranks, wrong, "1")
        expect(done.code == 2 and done.output.count("abut: ") == 1, "not refused:", done.code, done.output)
        expect(f"'{wrong}' is no option, did you mean {right}?" in done.output, done.output)
        expect(not os.path.exists(os.path.join(folder, "refused")), "a refused option left results")
    for ranks, *words in ((1, "check", "-help"), (2, "check", apart, "-help"), (2, "deform", apart, "-o", folder, "-help")):
        done = call(ranks, *words)
        expect(done.code == 0 and done.output.startswith(f"  abut {words[0]} SCENE.yaml "), words, done.code, done.output)
        expect(("-resolve_rest" in done.output) == (words[0] == "deform") and "PETSc" not in done.output, words, done.output)
    done = call(1, "run", "-help")
    named, listed = done.output.find("abut accepts names that begin with -snes_max_it, -snes_monitor, "), done.output.find("  -snes_fd")
    expect(done.code == 0 and 0 < named < listed, "options of SNES that apply come before the list:", done.output)
    done = call(1, "check", apart, "--help")
    expect(done.code == 0 and "abut run SCENE.yaml -o DIR" in done.output and "intersections  " not in done.output, done.code, done.output)

    nested = run(apart, os.path.join(folder, "a", "b"), 2, "-steps", "1", "-walltime", "0", "-no_such_option", "1", "-verfi")
    expect(nested.code == 0 and "option -no_such_option is not used\n" in nested.output, nested.code, nested.output)
    expect("option -verfi is not used, did you mean -verify?" in nested.output, nested.output)
    done = run(apart, os.path.join(folder, "c"), 2, "-abut_cg_rtol", "-1")
    expect(done.code == 2 and "-abut_cg_rtol" in done.output, done.code, done.output)
    done = run(apart, os.path.join(folder, "c"), 1, "-walltime", "-1")
    expect(done.code == 2 and "-walltime -1: the valid range is [0, inf]" in done.output, done.code, done.output)
    for ranks, option, value, kind in ((2, "-steps", "1.5", "an integer"), (1, "-walltime", "abc", "a number"),
                                       (1, "-verify", "x", "true or false"), (2, "-abut_reuse", "1e3", "an integer")):
        done = run(apart, os.path.join(folder, "c"), ranks, option, value)
        expect(done.code == 2 and done.output.count("abut: ") == 1, done.code, done.output)
        expect(f"{option} is '{value}', must be {kind}" in done.output, done.output)
    done = run(apart, os.path.join(folder, "c"), 1, "-steps", "-v")
    expect(done.code == 2 and "-steps has no value, must be an integer" in done.output, done.code, done.output)
    done = run(apart, os.path.join(folder, "c"), 2, "-steps", "1", "abut_linear", "direct")
    expect(done.code == 2 and "'abut_linear' is neither an option nor the value of one" in done.output, done.code, done.output)
    done = call(1, "run", "-o", folder, apart)
    expect(done.code == 2 and "abut run needs a scene file as its first argument" in done.output, done.code, done.output)
    done = call(1, "run", apart, scene, "-o", folder)
    expect(done.code == 2, "a second scene was not refused", done.output)

    done = call(1, "frobnicate")
    expect(done.code == 2 and "frobnicate" in done.output, done.code, done.output)
print("ok")
