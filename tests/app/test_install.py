"""An installation is complete: examples/library is built against it, by CMake and by pkg-config, and runs on 1 and 2 ranks."""
import os
import subprocess

from abut_runs import ENVIRONMENT, MPIEXEC, expect, scratch

BUILD, SOURCE, CMAKE = os.environ["BUILD"], os.environ["SOURCE"], os.environ["CMAKE"]


def succeed(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=dict(ENVIRONMENT, **more), check=False)
    expect(done.returncode == 0, command, done.stdout)
    return done.stdout


def find(prefix, name):
    for folder, _, files in os.walk(prefix):
        if name in files:
            return os.path.join(folder, name)
    raise AssertionError(f"{name} is not installed")


def last_line(ranks, program):
    return succeed([MPIEXEC, "-n", str(ranks), program]).splitlines()[-1]


def check_fall(line):
    """After half a second the ball rests on the floor."""
    expect(line.startswith("t = 0.50 s: lowest vertex at 0.000"), line)
    expect(int(line.split(",")[1].split()[0]) > 0, "no contacts:", line)


with scratch() as folder:
    prefix, build = os.path.join(folder, "prefix"), os.path.join(folder, "build")
    succeed([CMAKE, "--install", BUILD, "--prefix", prefix])
    for installed in ("abut", "abut.1", "time.h", "abutConfig.cmake"):
        find(prefix, installed)
    expect("abut 0." in succeed([os.path.join(prefix, "bin", "abut"), "--version"]), "the installed program does not start")

    example = os.path.join(SOURCE, "examples", "library")
    succeed([CMAKE, "-S", example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"])
    succeed([CMAKE, "--build", build])
    for ranks in (1, 2):
        check_fall(last_line(ranks, os.path.join(build, "drop")))

    packages = os.pathsep.join([os.path.dirname(find(prefix, "abut.pc")), os.environ.get("PKG_CONFIG_PATH", "")])
    flags = succeed(["pkg-config", "--cflags", "--libs", "abut"], PKG_CONFIG_PATH=packages).split()
    program = os.path.join(folder, "drop")
    succeed(["mpicc", os.path.join(example, "drop.c"), "-o", program] + flags)
    check_fall(last_line(1, program))
print("ok")
