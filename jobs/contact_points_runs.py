"""Runs of contact_points_studies.py: calls of abut contacts on generated scenes."""

import dataclasses

from contact_points_plan import CASES, METHODS, POTENTIALS

AUTHOR = ("-points_shrink", "0.99", "-points_erosion", "0.01")  # of closest points, as in the author's simulator
SINGLE = 1.19e-6  # [m] tolerance of the author's simulator: ten times the resolution of single precision at 1 m
DIAGONAL = {"wall": 9.98, "arch": 9.98}  # [m] unit of the relative tolerances of the program: mesh diagonal
DECREASE = ("-rigid_r_decrease", "0.9")  # as in the author's simulator, r-factor strategy "local"


@dataclasses.dataclass(frozen=True)
class Run:
    """A call of abut contacts on a generated scene."""
    name: str
    maker: tuple  # script of inputs/contact_points and its arguments; the first of these is the name of the scene
    steps: int
    methods: tuple = tuple(METHODS)
    options: tuple = AUTHOR
    step: float = 0.01  # [s]
    label: tuple = ()  # leading cells of a row of the page, after the method

    @property
    def scene(self):
        name = self.maker[1]
        return f"table4_{name}" if name in CASES else name


EVERY = tuple(METHODS + POTENTIALS)


def tolerance(case):
    """Options that set the tolerance of touching to the author's."""
    return ("-points_touch", f"{SINGLE / DIAGONAL[case]:.3g}")


def structure_runs(case):
    """Runs of Wall or Arch: stones of 12 or 6 cells, the program's and the author's tolerance; closest points also with erosion."""
    maker = ("make_structures.py", case)
    own = f"{1e-9 * DIAGONAL[case]:.0e}"
    eroded = ("-points_erosion", "0.01", *tolerance(case))
    return [Run(f"{case}_12_single", maker, 3, EVERY, AUTHOR + tolerance(case), label=("12", f"{SINGLE:.1e}")),
            Run(f"{case}_12", maker, 3, EVERY, label=("12", own)),
            Run(f"{case}_6_single", (*maker, "--cells", "6"), 3, options=AUTHOR + tolerance(case), label=("6", f"{SINGLE:.1e}")),
            Run(f"{case}_eroded", maker, 3, ("closest-points",), eroded, label=("12", "eroded")),
            Run(f"{case}_overlap", (*maker, "--gap", "-0.005"), 3, ("closest-points",), eroded,
                label=("12", "eroded, stones overlap by 5 mm"))]


def timestep_runs(case):
    return [Run(f"{case}_{ms}ms", ("make_structures.py", case), 4, EVERY, AUTHOR + tolerance(case), ms / 1000) for ms in (1, 10, 100)]


PILLAR = ("make_cases.py", "pillar")
OFFSET, SEEDS = 1e-6, 16  # [m] largest horizontal displacement of a stone; number of states
RUNS = {
    "pillar": [Run("pillar", PILLAR, 500, EVERY), Run("pillar_start", PILLAR, 3, EVERY),
               Run("pillar_decrease", PILLAR, 500, options=AUTHOR + DECREASE)],
    "perturbation": [Run(f"pillar_{mm}mm", (*PILLAR, "--shift", str(mm / 1000), "--seed", "1"), 3, EVERY) for mm in (0, 10, 20, 30)],
    "refinement": [*(Run(f"pillar_refined_{level}", (*PILLAR, "--refine", str(level)), 3, EVERY) for level in (0, 1)),
                   Run("pillar_refined_eroded", (*PILLAR, "--refine", "1"), 3, EVERY, ("-points_erosion", "0.01"))],
    "timestep": [Run(f"pillar_{ms}ms", PILLAR, 4, EVERY, step=ms / 1000) for ms in (1, 10, 100)],
    "timestep_wall": timestep_runs("wall"),
    "timestep_arch": timestep_runs("arch"),
    "wall": structure_runs("wall"),
    "arch": structure_runs("arch"),
    "motion": [Run(f"motion_{case}", ("make_cases.py", case), 200, options=()) for case in CASES],
    "masonry": [Run("masonry", ("make_structures.py", "masonry"), 94, ("closest-points", "opposing"))]}
VARIANTS = {  # of the Pillar at step 3: name of the row -> options
    "as on the page": AUTHOR,
    "erosion along vertex normals": ("-points_erosion", "0.01"),
    "tolerance of single precision": (*AUTHOR, "-points_touch", "2.3e-7"),
    "only equal contacts are merged": (*AUTHOR, "-points_merge", "1e-15", "-points_merge_normal", "1e-15"),
    "100 iterations": (*AUTHOR, "-rigid_iterations", "100"),
    "10000 iterations": (*AUTHOR, "-rigid_iterations", "10000"),
    "r-factors times 0.9 where the residual grows": (*AUTHOR, *DECREASE),
    "`-points_strict`": (*AUTHOR, "-points_strict", "true")}
RUNS["variants"] = [Run(f"pillar_variant_{k}", PILLAR, 3, options=options) for k, options in enumerate(VARIANTS.values())]
RUNS["offsets"] = [Run(f"pillar_offset_{seed}", (*PILLAR, "--shift", str(OFFSET), "--seed", str(seed)), 3)
                   for seed in range(1, SEEDS + 1)]
ORIENTED = ("oipc", "gcp")  # potentials with orientation filters
RUNS["filters"] = [Run(f"{case}_filters", maker, 3, ORIENTED, AUTHOR + more + ("-points_lagged_filters", "true"))
                   for case, maker, more in (("pillar", PILLAR, ()), ("wall", ("make_structures.py", "wall"), tolerance("wall")),
                                             ("arch", ("make_structures.py", "arch"), tolerance("arch")))]
STRUCTURES = ["pillar", "wall", "arch", "masonry"]
ELASTIC_STEPS = {"pillar": 500, "wall": 300, "arch": 500, "masonry": 200}
