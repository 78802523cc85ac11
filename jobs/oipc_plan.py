"""Plan of oipc.py for each scene of inputs/oipc: section of docs/oipc.md, potentials, variants, picture. A new scene is one line of
PLANS.
"""

import dataclasses

POTENTIALS = ("ipc", "convergent-ipc", "oipc", "gcp")  # in the order of tables; unknown potentials are left out
BOTH = ("ipc", "oipc")
PAPERS = ("ipc", "convergent-ipc", "oipc")  # potentials that the paper compares


@dataclasses.dataclass(frozen=True)
class Plan:
    section: str  # section of the page
    potentials: tuple = BOTH
    steps: int = 0  # steps of a coarse run; 0: all
    coarse: tuple = ()  # replacements of texts for a coarse run
    paper_size: tuple = ()  # replacements for a mesh of the paper's size, which the picture shows
    edits: dict = dataclasses.field(default_factory=dict)  # further replacements by potential
    variants: dict = dataclasses.field(default_factory=dict)  # replacements by label; each is one more run
    varied: tuple = ("oipc",)  # potentials that also run with the variants
    paper: str = ""  # row of Table 1: nodes, cells; Newton iterations a step
    picture: tuple | None = ()  # options of render.py; none: no picture
    drawn: tuple = BOTH  # potentials that are drawn


FLAT = ("--steps", "first,last")
FORCES = ("--color", "contact_force", *FLAT)
PAPER_SIZE = "paper size"  # variant with a mesh of the paper's size
DISTANCE = "dhat: {absolute: "


def refined(levels):
    """
    Levels of fig16_corner: with one edge_length; then with other lengths, proportional to the edges ("L as h"), or as short as the finest
    edges with a stiffness such that their product stays ("L short").
    """
    mesh = {k: [("_1.geo", f"_{k}.geo")] for k in range(1, levels + 1)}
    least = 2 ** (levels - 1)
    short = [("length: 0.02", f"length: {0.02 / least}"), ("stiffness: 3.0e9", f"stiffness: {3.0e9 * least}")]
    return ({f"level {k}": mesh[k] for k in range(2, levels + 1)},
            {f"level {k}, L as h": [*mesh[k], ("length: 0.02", f"length: {0.02 / 2**(k - 1)}")] for k in range(2, levels + 1)} |
            {f"level {k}, L short": [*mesh[k], *short] for k in range(1, levels + 1)})


def meshes(levels, *cells):
    """Variants with the cells of each text multiplied by powers of 2, for both choices of edge_length."""
    out = {}
    for k in range(levels):
        changes = []
        for text in cells:
            start, numbers = text.split("cells: ")
            finer = ", ".join(str(int(number) * 2**k) for number in numbers.strip("[]}").split(", "))
            changes.append((text, f"{start}cells: " + (f"[{finer}]}}" if "[" in numbers else f"{finer}}}")))
        out[f"level {k + 1}"] = changes
        out[f"level {k + 1}, L fixed"] = [*changes, ("alpha: 0.5", "alpha: 0.5\n  edge_length: 0.05")]
    return out


def opened(dim):
    """Variants of the cusps of fig14 by their opening; the scenes have 22 degrees."""
    return {name: [(f"meshes/chi_{dim}d.geo", f"meshes/chi_{dim}d_{angle}.geo")] for name, angle in OPENINGS.items()}


LEVELS, LENGTHS = refined(4)
ALPHAS = {f"alpha {a}": [("alpha: 0.05", f"alpha: {a}")] for a in (0.1, 0.2, 0.5, 1.0)}  # of fig14_cusp_2d
OPENINGS = {f"opening {angle}": angle for angle in (10, 30, 40, 50)}  # [degrees] of the cusps of fig14

PLANS = {
    "fig10_fillet_2d": Plan("rest", paper="445, 672; 0", picture=FLAT),
    "fig01_fillet_3d": Plan("rest", edits={"ipc": [("steps: 40", "steps: 5")]}, paper="1003, 3824; 0", picture=FLAT),
    "fig11_two_blocks_2d": Plan("rest", paper="708, 1260; 0", picture=("--fit", "all", *FLAT)),
    "fig11_two_blocks_3d": Plan("rest", paper="580, 2079; 0", picture=("--view", "20,15", *FLAT)),
    "fig11_slit_2d": Plan("rest", paper="199, 325; 0", picture=FLAT),
    "fig11_slit_3d": Plan("rest", paper="1058, 3871; 0", picture=("--view", "20,25", *FLAT)),
    "fig12_compression_2d": Plan("deformed", PAPERS, paper="356, 630; 2.3", picture=FORCES),
    "fig12_compression_3d": Plan("deformed", PAPERS, paper="2169, 9799; 2.5", picture=FORCES),
    "fig13_balloon": Plan("deformed", PAPERS, paper="421, 701; 1", picture=FORCES),
    "fig14_cusp_2d": Plan("deformed", PAPERS, edits={"ipc": [("stiffness: 1.0e6", "stiffness: adaptive")]},
                          variants={**ALPHAS, **opened(2)}, varied=PAPERS, picture=(), drawn=PAPERS),
    "fig14_cusp_3d": Plan("deformed", PAPERS, edits={"ipc": [("stiffness: 1.0e6", "stiffness: adaptive")]},
                          variants=opened(3), varied=PAPERS, paper="3761, 12777; 15.8", picture=("--view", "10,10"), drawn=PAPERS),
    "fig16_corner": Plan("corner", ("convergent-ipc", "oipc", "gcp"), variants={**LEVELS, **LENGTHS},
                         varied=("convergent-ipc", "oipc", "gcp"),
                         edits={"convergent-ipc": [("stiffness: 3.0e9", "stiffness: 1.0e8")],
                                "gcp": [("stiffness: 3.0e9", "stiffness: 3.0e10")]},
                         picture=("--steps", "0,30,last", "--fit", "all"), drawn=("oipc",)),
    "fig18_rings": Plan("range", ("oipc",), picture=(), drawn=("oipc",),
                        variants={f"alpha {a}, eps {e}": [("alpha: 0.5", f"alpha: {a}"), (DISTANCE + "0.02", DISTANCE + str(e))]
                                  for a in (0.1, 0.5, 1.0) for e in (0.005, 0.01, 0.02, 0.03)}),
    "fig18_balls": Plan("range", ("oipc",), picture=(), drawn=("oipc",),
                        variants={f"alpha {a}, eps {e}": [("alpha: 0.5", f"alpha: {a}"), (DISTANCE + "0.04", DISTANCE + str(e))]
                                  for a in (0.1, 0.5, 1.0) for e in (0.02, 0.04, 0.08, 0.12)}),
    "fig19_potential_a": Plan("order", (), variants=meshes(5, "ball: {radius: 0.5, cells: 8}", "size: [1.2, 0.3], cells: [20, 5]}"),
                              picture=None),
    "fig19_potential_b": Plan("order", (), variants=meshes(5, "ball: {radius: 0.75, cells: 8}", "minor: 0.2, cells: 2}"),
                              picture=None),
    "fig19_potential_c": Plan("order", (), variants=meshes(3, "ball: {radius: 0.5, cells: 4}", "size: [1, 0.2, 1], cells: [8, 2, 8]}"),
                              picture=None),
    **{name: Plan("erleben", picture=("--fit", "all", "--view", "20,15", *FLAT), drawn=())
       for name in ("fig20_spike_spike", "fig20_spike_wedge", "fig20_wedge_wedge", "fig20_spike_plane", "fig20_wedge_plane",
                    "fig20_spike_hole",
                    "fig20_spike_crack", "fig20_wedge_crack", "fig20_cube_cliff", "fig20_cube_internal_edges")},
    "fig21_cliff_edge": Plan("erleben", picture=("--fit", "all", "--view", "20,15", "--steps", "0,38,last")),
    "fig22_dolphin_funnel": Plan("large", steps=600, paper_size=(("meshes/dolphin.msh", "meshes/large/dolphin_x1.msh"),),
                                 paper="4074, 10511; 58.1", drawn=("oipc",),
                                 picture=("--fit", "all", "--view", "0,15", "--columns", "1", "--steps", "first,s250,s430,s465")),
    "fig23_trash_compactor": Plan("large", steps=260, coarse=(("cells: 12}", "cells: 5}"), ("[39, 1, 39]", "[16, 1, 16]")),
                                  paper_size=(("cells: 12}", "cells: 8}"),), paper="6611, 21696; 125",
                                  picture=("--steps", "first,s100,s142,s200"), drawn=("oipc",)),
    "fig24_mat_twist": Plan("large", steps=200, coarse=(("[39, 39, 1]", "[27, 27, 1]"),),
                            paper_size=(("[39, 39, 1]", "[149, 149, 1]"),), paper="45000, 133206; 195",
                            picture=("--view", "20,25"), drawn=("oipc",)),
    **{name: Plan("friction", drawn=())
       for name in ("slope_slide", "slope_stick", "slope_creep", "arch_stands", "arch_falls", "stick_slip")},
}
SECTIONS = ("rest", "deformed", "corner", "range", "erleben", "large", "friction")


def runs(name, paper_size=False):
    """Potential and variant of every run of a scene, or of its run with a mesh of the paper's size."""
    plan = PLANS[name]
    if paper_size:
        return [("oipc", PAPER_SIZE)] if plan.paper_size else []
    found = [(potential, "") for potential in plan.potentials]
    found += [(potential, variant) for variant in plan.variants for potential in plan.varied
              if potential == "oipc" or variant not in {**LENGTHS, **ALPHAS}]
    return found
