"""An installation is complete: examples/library is built against it, by CMake and by pkg-config, and its programs run on 1 and 2 ranks."""
import os
import re
import subprocess

from abut_runs import ENVIRONMENT, MPIEXEC, expect, near, scratch

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


def last_line(ranks, program, *options):
    return succeed([MPIEXEC, "-n", str(ranks), program, *options]).splitlines()[-1]


def check_fall(line):
    """After half a second the ball rests on the floor."""
    expect(line.startswith("t = 0.50 s: lowest vertex at 0.000"), line)
    expect(int(line.split(",")[1].split()[0]) > 0, "no contacts:", line)


def check_slope(line, slips):
    """
    Springs carry a weight of 48 kg, but for vibrations that have decayed to 1e-4 of it. A block with friction 0.4 on a slope of 0.2 sticks
    and creeps below 1 mm/s; with 0.05 it accelerates at 1.924 - 0.05 * 9.62 m/s^2 and slides 0.72 m in 1 s.
    """
    expect(line.startswith("t = 1.00 s: springs carry"), line)
    along, across, slip = (float(re.search(rf"(\S+) {words}", line)[1]) for words in ("N along", "N across", "m$"))
    if slips:
        near(slip, 0.72, 0.05, "slip while springs vibrate")
        return
    near(along, 48 * 1.924, 0.05, "force along the slope")
    near(across, 48 * 9.62, 0.05, "force across the slope")
    expect(0 <= slip < 1e-3, "slip", slip)


with scratch() as folder:
    prefix, build = os.path.join(folder, "prefix"), os.path.join(folder, "build")
    succeed([CMAKE, "--install", BUILD, "--prefix", prefix])
    for installed in ("abut", "abut.1", "time.h", "abutConfig.cmake"):
        find(prefix, installed)
    expect("abut 0." in succeed([os.path.join(prefix, "bin", "abut"), "--version"]), "the installed program does not start")
    tried = succeed([os.path.join(prefix, "bin", "abut"), "selftest", "-o", os.path.join(prefix, "selftest")])
    expect("the self-test passed" in tried, tried)

    example = os.path.join(SOURCE, "examples", "library")
    succeed([CMAKE, "-S", example, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"])
    succeed([CMAKE, "--build", build])
    for ranks in (1, 2):
        check_fall(last_line(ranks, os.path.join(build, "drop")))
        check_slope(last_line(ranks, os.path.join(build, "foundation")), False)
    check_slope(last_line(2, os.path.join(build, "foundation"), "-friction", "0.05"), True)

    packages = os.pathsep.join([os.path.dirname(find(prefix, "abut.pc")), os.environ.get("PKG_CONFIG_PATH", "")])
    flags = succeed(["pkg-config", "--cflags", "--libs", "abut"], PKG_CONFIG_PATH=packages).split()
    flags += [flag.replace("-L", "-Wl,-rpath,", 1) for flag in flags if flag.startswith("-L")]  # outside of the system's folders
    program = os.path.join(folder, "drop")
    succeed(["mpicc", os.path.join(example, "drop.c"), "-o", program] + flags)
    check_fall(last_line(1, program))
print("ok")
