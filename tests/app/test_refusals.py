"""Wrong options, over-long paths, files that cannot be opened and lack of memory: a message of one line and exit code 2, 4 or 6."""
import os
import resource
import subprocess
from abut_runs import ABUT, ENVIRONMENT, call, expect, run, scratch, write

SCENE = """abut: 1
dim: 3
time: {step: 0.01, steps: 2}
gravity: [0, -10, 0]
materials: {soft: {model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}
bodies:
  - {name: box, material: soft, shape: {box: {size: [1, 1, 1], cells: [CELLS, CELLS, CELLS]}}}
output: {fields: {every: 0}}
"""
INFINITE = resource.RLIM_INFINITY


def one_message(done, code, *words):
    """The run has ended in this code with one line of its own that holds the words, and without a trace."""
    expect(done.code == code and done.output.count("abut: ") == 1, words, "code", done.code, done.output[-3000:])
    said = next(line for line in done.output.splitlines() if line.startswith("abut: "))
    expect(all(word in said for word in words) and "PETSC ERROR" not in done.output, words, said)


with scratch() as folder:
    scene = write(folder, "box.yaml", SCENE.replace("CELLS", "2"))
    cases = [(2, "-steps", "-1"), (2, "-steps", "18446744073709551617"), (2, "-steps", "-18446744073709551617"), (2, "-snes_max_it", "-1"),
             (2, "-ksp_max_it", "-1"),
             (2, "-options_file", "/nonexistent/file"), (2, "-options_file", folder), (2, "-pc_type", "nonsense"),
             (2, "-snes_type", "nonsense"), (2, "-snes_type", "ksponly"), (2, "-snes_type", "newtontr"), (2, "-snes_type", "fas"),
             (2, "-snes_linesearch_type", "basic"), (2, "-snes_linesearch_type", "bt"), (2, "-snes_lag_jacobian", "5"),
             (2, "-progress", "nonsense"), (2, "-abut_linear", "nonsense"), (6, "-log_view", ":/nonexistent/log")]
    # on two ranks one option of each kind: read by abut, by PETSc, by SNES, KSP and PC; files that cannot be opened
    voices = ("-steps -1", "-ksp_max_it -1", "-options_file /nonexistent/file", "-pc_type nonsense", "-snes_type nonsense",
              "-snes_type newtontr", "-snes_linesearch_type bt", "-snes_lag_jacobian 5", "-progress nonsense",
              "-log_view :/nonexistent/log")
    expect(set(voices) <= {" ".join(option) for _, *option in cases}, "an option on two ranks that is no case")
    for ranks in (1, 2):
        for code, *option in cases:
            if ranks == 1 or " ".join(option) in voices:
                done = run(scene, os.path.join(folder, f"{ranks}{option[0]}"), ranks, *option, "-overwrite")
                one_message(done, code, option[1].split(":")[-1].split("18446744073709551617")[-1])
    for ranks, option, value, valid in ((1, "-ksp_rtol", "1", "[0, 1)"), (2, "-ksp_rtol", "nan", "[0, 1)"),
                                        (2, "-contact_balance", "nan", "[1, 1e+09]"), (1, "-abut_reuse", "2147483647", "[0, 1000000]")):
        one_message(run(scene, os.path.join(folder, "range"), ranks, option, value), 2, f"{option} {value}: the valid range is {valid}")
    kept = os.path.join(folder, "kept")
    run(scene, kept, 2, "-steps", "1")
    before = sorted(os.listdir(kept))
    for ranks, option, value in ((2, "-fields_compression", "77"), (1, "-contact_balance", "0"), (1, "-abut_shrink_most", "-1")):
        one_message(run(scene, kept, ranks, "-overwrite", option, value), 2, f"{option} {value}: the valid range is")
        expect(sorted(os.listdir(kept)) == before and "summary.json" in before, "removed by a refused option:", os.listdir(kept), before)
    for ranks, option in ((2, "-snes_mf"), (1, "-snes_mf_operator"), (1, "-snes_fd")):
        one_message(run(scene, os.path.join(folder, "free"), ranks, option), 2, option, "does not apply")
    for ranks, kind in ((1, "baij"), (2, "mpisbaij")):
        one_message(run(scene, os.path.join(folder, "format"), ranks, "-mat_type", kind), 2, f"-mat_type {kind} does not apply", "aij")
    for ranks, kind in ((1, "abut-substructure"), (2, "abut-cholesky")):
        one_message(run(scene, os.path.join(folder, "factor"), ranks, "-pc_type", kind), 2, f"-pc_type {kind} factorises on", "use abut-")
    options = write(folder, "options", "-steps -3\n")
    one_message(run(scene, os.path.join(folder, "file"), 1, "-options_file", options), 2, "-steps -3")
    for ranks, word in ((1, "-abut_localrounds"), (2, "-contact_max_pair")):
        options = write(folder, "options", f"{word} 3\n")
        one_message(run(scene, os.path.join(folder, "file"), ranks, "-options_file", options), 2,
                    f"'{word}' in PETSC_OPTIONS or a file", "did you mean")
        done = run(scene, os.path.join(folder, "file"), ranks, environment={"PETSC_OPTIONS": f"{word} 3"})
        one_message(done, 2, f"'{word}' in PETSC_OPTIONS or a file")
    for ranks, verb, option, others in ((2, "run", "-resolve", "abut deform"), (1, "run", "-method", "abut contacts"),
                                        (1, "check", "-steps", "abut run"), (1, "deform", "-restart", "abut run")):
        one_message(call(ranks, verb, scene, "-o", os.path.join(folder, "verb"), option, "1"), 2, f"{option} is no option of abut {verb}",
                    others)
    one_message(run(scene, os.path.join(folder, "failed"), 2, "-ksp_type", "cg", "-pc_type", "none", "-ksp_max_it", "1",
                    "-ksp_error_if_not_converged"), 4, "has not converged")

    often = write(folder, "often.yaml", SCENE.replace("CELLS", "2").replace("every: 0", "interval: 9.9e-6"))
    one_message(run(often, os.path.join(folder, "often")), 2, "often.yaml:8", "interval", "is 9.9e-06, must be at least 1e-05")

    deep = "/".join(["x" * 200] * 25)
    one_message(run(scene, os.path.join(folder, deep)), 2, "-o is a text of")
    one_message(run(scene, os.path.join(folder, "y" * 300)), 6, "File name too long")
    one_message(call(1, "run", os.path.join(folder, deep), "-o", folder), 2)
    one_message(run(scene, os.path.join(folder, "r"), 1, "-restart", deep), 2, "-restart is a text of")

    large = write(folder, "large.yaml", SCENE.replace("CELLS", "120"))
    limit = 1500 * 2**20
    done = subprocess.run([ABUT, "run", large, "-o", os.path.join(folder, "memory")], env=ENVIRONMENT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, INFINITE)))
    lines = [line for line in done.stdout.splitlines() if line.startswith("abut: ")]
    expect(done.returncode == 6 and len(lines) == 1 and "out of memory: " in lines[0] and " MB requested" in lines[0], done.stdout)
print("ok")
