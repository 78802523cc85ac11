"""Plan of large_scenes.py: mesh, start and steps of rows of the paper's Fig. 23; then whole runs."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Row:
    paper: str = ""  # row of Fig. 23: nodes, cells; contacts avg (max); Newton iterations, seconds a step; memory
    steps: int = 20  # steps of the fine mesh
    scene: str = ""  # scene of inputs/ipc2020; none: the name of the row
    fine: tuple = ()  # replacements of texts for the fine mesh
    divided: tuple = ()  # meshes of creatures with the number of times that refine_mesh.py divides them, so that surfaces keep their shape
    start: int = 0  # steps of the coarse mesh before; 0: the fine mesh runs from the start
    coarse_scene: str = ""
    coarse: tuple = ()  # replacements of texts for the coarse mesh
    coarse_of: str = ""  # another name of the folder of the coarse run, for rows that share it
    options: tuple = ()  # further options of the fine run
    coarse_options: tuple = ()  # further options of the coarse run


SHEET = "{box: {size: [1, 1, 0.008], cells: [39, 39, 1]}}"  # of fig14_mat_twist; the mats of make_meshes.py share one coarse state
MAT = {"steps": 3, "scene": "fig14_mat_twist", "start": 75, "coarse_scene": "fig14_mat_twist", "coarse_of": "fig21_mat_coarse",
       "coarse": ((SHEET, "{file: meshes/large/mat_3k.msh}"),)}


def creature(steps, times):
    """Entries of the twisted creature, with the cells of gnome_3k of make_meshes.py divided some times."""
    mesh = (("file: meshes/gnome.msh", "file: meshes/large/gnome_3k.msh"),)
    return {"steps": steps, "scene": "fig21_creature_twist", "start": 397, "coarse_scene": "fig21_creature_twist",
            "coarse_of": "fig21_creature_coarse", "coarse": mesh, "fine": mesh, "divided": (("large/gnome_3k", times),) if times else ()}


SQUISHY = "fig22_squishy_ball_large"  # 700 tendrils; the ball moves by hundreds of activation distances in a step
SQUISHY_MESH = (("large/squishy_ball_2m", "large/squishy_ball_286k"),)
IMPACT = ("-abut_predict", "eager")
SQUISHY_RUN = {"paper": "688K, 2314K; 3.6K (105K); 12.2; 328; 19,463", "scene": SQUISHY, "fine": SQUISHY_MESH,
               "divided": (("large/squishy_ball_286k", 1),), "options": IMPACT, "coarse_scene": SQUISHY, "coarse": SQUISHY_MESH,
               "coarse_options": IMPACT}

ROWS = {
    "fig15_trash_compactor": Row("15K, 56K; 6K (132K); 29.4; 61.9; 638", 236, fine=(("cells: 12}", "cells: 10}"),), divided=(("hare", 1),),
                                 start=14, coarse_scene="fig15_trash_compactor",
                                 coarse=(("cells: 12}", "cells: 5}"), ("[39, 1, 39]", "[16, 1, 16]"))),
    "fig19_golf_ball_large": Row("29K, 118K; 1K (4K); 9.3; 12.1; 861", 20, start=54, coarse_scene="fig19_golf_ball"),
    "fig04_rods_twist_large": Row("53K, 202K; 243K (498K); 14.1; 141.5; 2,638", 20, start=465, coarse_scene="fig04_rods_twist"),
    "fig21_mat_3k": Row(fine=((SHEET, "{file: meshes/large/mat_3k.msh}"),), **MAT),
    "fig21_mat_12k": Row(fine=((SHEET, "{file: meshes/large/mat_12k.msh}"),), **MAT),
    "fig21_mat_45k": Row("45K, 133K; 264K (439K); 34.5; 776; 4,546", fine=((SHEET, "{file: meshes/large/mat_45k.msh}"),), **MAT),
    "fig21_mat_176k": Row(fine=((SHEET, "{file: meshes/large/mat_176k.msh}"),), options=("-verify",), **MAT),
    "fig21_mat_219k": Row(steps=35, scene="fig14_mat_twist", fine=((SHEET, "{box: {size: [1, 1, 0.008], cells: [330, 330, 1]}}"),)),
    "fig21_creature_3k": Row(**creature(3, 0)),
    "fig21_creature_23k": Row(**creature(3, 1)),
    "fig21_creature_171k": Row(**creature(3, 2)),
    "fig01_squeeze_out": Row("45K, 181K; 37K (277K); 42.5; 252; 1,700", 6, start=61, coarse_scene="fig01_squeeze_out",
                             divided=(("octopus", 1), ("hare", 1), ("cage", 1), ("gnome", 1))),
    "fig16_armadillo_roller": Row("67K, 386K; 8K (33K); 66.8; 346; 3,651", 15, divided=(("gnome", 2),), start=180,
                                  coarse_scene="fig16_armadillo_roller"),
    "fig22_squishy_ball_compression": Row(steps=9, start=5, **SQUISHY_RUN),
    SQUISHY: Row(steps=30, start=14, **SQUISHY_RUN),
}
COMPACTOR = ROWS["fig15_trash_compactor"]
ROWS |= {
    "fig15_neo_hookean": dataclasses.replace(COMPACTOR, scene="fig15_trash_compactor", start=0, steps=250,
                                             fine=(*COMPACTOR.fine, ("fixed-corotated, young", "neo-hookean, young"))),
    "fig22_whole": dataclasses.replace(ROWS[SQUISHY], start=0, steps=2000)}
