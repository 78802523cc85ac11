"""The installed sparse library is complete: examples/sparse is built against it by pkg-config, and solves on 1 and 2 ranks."""
import os
import subprocess
import tempfile

BUILD, SOURCE, CMAKE, MPIEXEC = (os.environ[name] for name in ("BUILD", "SOURCE", "CMAKE", "MPIEXEC"))


def succeed(*command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(os.environ, **more), check=False)
    assert done.returncode == 0, (command, done.stdout)
    return done.stdout


def find(prefix, name):
    return next(os.path.join(folder, name) for folder, _, files in os.walk(prefix) if name in files)


with tempfile.TemporaryDirectory(prefix="abut-test-") as scratch:
    prefix, program = os.path.join(scratch, "prefix"), os.path.join(scratch, "solve")
    succeed(CMAKE, "--install", BUILD, "--prefix", prefix)
    find(prefix, "README.md")
    packages = os.pathsep.join([os.path.dirname(find(prefix, "abut-sparse.pc")), os.environ.get("PKG_CONFIG_PATH", "")])
    flags = succeed("pkg-config", "--cflags", "--libs", "abut-sparse", PKG_CONFIG_PATH=packages).split()
    assert SOURCE not in " ".join(flags), flags
    flags += [flag.replace("-L", "-Wl,-rpath,", 1) for flag in flags if flag.startswith("-L")]  # outside of the system's folders
    succeed("mpicc", os.path.join(SOURCE, "examples", "sparse", "solve.c"), "-o", program, *flags)
    for header in ("core", "linalg", "linear", "option", "precond"):  # each compiles with the installed ones alone
        with open(program + ".c", "w", encoding="ascii") as file:
            file.write(f"#include <abut/{header}.h>\n")
        succeed("mpicc", "-c", program + ".c", "-o", program + ".o", *[flag for flag in flags if flag.startswith("-I")])
    for ranks, solver, most in ((1, "preonly -pc_type abut-cholesky", 1), (2, "preonly -pc_type abut-substructure", 1),
                                (2, "cg -pc_type abut-multigrid -ksp_rtol 1e-8", 40)):
        line = succeed(MPIEXEC, "-n", str(ranks), program, "-ksp_type", *solver.split()).splitlines()[-1]
        assert int(line.split()[0]) <= most and float(line.split()[-1]) < 1e-5, (solver, line)
print("ok")
