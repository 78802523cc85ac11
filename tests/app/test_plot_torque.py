"""plot_torque.py: the impulse of the torque on a roller is the angular momentum that a ball which strikes it off the middle loses."""
import os
import subprocess

from abut_runs import call, expect, near, python_with, scratch, write

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
STEP = 2e-4  # [s]
SCENE = f"""abut: 1
time: {{step: {STEP}, steps: 150}}
materials: {{soft: {{model: neo-hookean, young: 1.0e5, poisson: 0.4, density: 1000}}}}
bodies:
  - {{name: ball, material: soft, shape: {{ball: {{radius: 0.1, cells: 2}}}}, translate: [0, 0.25, 0.1], velocity: [0, -3, 0]}}
obstacles:
  - {{name: roller, shape: {{file: {ROOT}/inputs/ipc2020/meshes/roller_long.obj}}}}
contact: {{dhat: {{absolute: 5.0e-4}}, friction: {{default: 0.3, speed: {{absolute: 1.0e-3}}, lags: 2}}}}
solver: {{tolerance: {{absolute: 1.0e-7}}}}
"""
CHECK = """
import sys
from abut_results import Results
from plot_torque import falls, torques
import numpy as np
run = Results(sys.argv[1])
times, values = torques(run, "roller", 0)
print(np.diff(times, prepend=0.0) @ values, run.steps()["angular_momentum_x"][-1], np.abs(values).max())
assert falls(np.array([0.0, 1, 2, 3, 0, 1, 2, 3, 2.9, 1, 3, 0])) == 3
assert falls(np.linspace(0, 1, 50)) == 0 and falls(np.linspace(1, 0, 50)) == 0
"""

with scratch() as folder:
    python, out = python_with("h5py", "matplotlib", "numpy"), os.path.join(folder, "out")
    done = call(1, "run", write(folder, "scene.yaml", SCENE), "-o", out, directory=out)
    expect(done.code == 0, done.output)
    environment = dict(os.environ, PYTHONPATH=os.path.join(ROOT, "postprocess"), PYTHONDONTWRITEBYTECODE="1", MPLBACKEND="Agg")

    def script(*words):
        said = subprocess.run([python, *words], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        expect(said.returncode == 0, said.stdout)
        return said.stdout

    impulse, after, largest = map(float, script("-c", CHECK, out).split())
    first = done.steps[0]["angular_momentum_x"]
    print(f"impulse {impulse:.5g}, angular momentum {first:.5g} before and {after:.5g} after [kg m^2/s], torque up to {largest:.3g} N m")
    expect(abs(after - first) > 0.2 * abs(first), "the ball hardly turned the roller")
    near(impulse, first - after, 0.01 * abs(first - after), "impulse of the torque")  # implicit Euler: of first order in the step
    picture = os.path.join(folder, "torque.png")
    said = script(os.path.join(ROOT, "postprocess", "plot_torque.py"), out, "--bodies", "roller", "--axis", "x", "-o", picture)
    expect("mean" in said and os.path.getsize(picture) > 5000, said)
print("ok")
