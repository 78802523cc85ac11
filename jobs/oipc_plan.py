"""What oipc.py does with each scene of inputs/oipc: section of docs/oipc.md, potentials, variants, picture. A new scene is one more line of PLANS."""

import dataclasses

POTENTIALS = ("ipc", "convergent-ipc", "oipc", "gcp")  # in the order of tables; what abut does not know is left out
BOTH = ("ipc", "oipc")
PAPERS = ("ipc", "convergent-ipc", "oipc")  # that the paper compares


@dataclasses.dataclass(frozen=True)
class Plan:
    section: str  # of the page
    potentials: tuple = BOTH
    steps: int = 0  # of a coarse run; 0: all of the scene
    coarse: tuple = ()  # of a coarse run: texts of the scene and what replaces them
    edits: dict = dataclasses.field(default_factory=dict)  # by potential: further texts and what replaces them
    variants: dict = dataclasses.field(default_factory=lambda: {"": ()})  # by label: the same; each is a run with every potential
    paper: str = ""  # row of Table 1: nodes, cells; edges min, avg, max [m]; Newton iterations a step
    picture: tuple | None = ()  # options of render.py; none: no picture
    drawn: tuple = BOTH  # potentials that are drawn


FLAT = ("--steps", "first,last")

PLANS = {
    "fig10_fillet_2d": Plan("rest", paper="445, 672; 0.01, 0.04, 0.21; 0", picture=FLAT),
    "fig01_fillet_3d": Plan("rest", paper="1003, 3824; 0.02, 0.19, 0.42; 0", picture=FLAT),
    "fig11_two_blocks_2d": Plan("rest", paper="708, 1260; 0.09, 0.12, 0.22; 0", picture=("--fit", "all", *FLAT)),
    "fig11_two_blocks_3d": Plan("rest", paper="580, 2079; 0.04, 0.21, 0.55; 0", picture=("--view", "20,15", *FLAT)),
    "fig11_slit_2d": Plan("rest", paper="199, 325; 0.04, 0.18, 0.34; 0", picture=FLAT),
    "fig11_slit_3d": Plan("rest", paper="1058, 3871; 0.01, 0.04, 0.13; 0", picture=("--view", "20,25", *FLAT)),
    "fig12_compression_2d": Plan("deformed", paper="356, 630; 0.09, 0.12, 0.22; 2.3", picture=FLAT),
    "fig12_compression_3d": Plan("deformed", paper="2169, 9799; 0.03, 0.10, 0.18; 2.5", picture=FLAT),
}
SECTIONS = ("rest", "deformed")
