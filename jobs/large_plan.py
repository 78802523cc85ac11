"""Plan of large_scenes.py: mesh, start and steps of each row of the paper's Fig. 23, cheapest first; then whole runs of some rows."""

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
    whole: bool = False  # a run from the start of the scene, of the table of whole runs


def ball(scene, radius, start, steps):
    """Entries of a scene with a ball of 12 cells from centre to surface: a coarse ball of make_meshes.py, and the same divided once."""
    mesh = ((f"{{ball: {{radius: {radius}, cells: 12}}}}", f"{{file: meshes/large/ball_1k.msh}}, scale: {2 * radius}"),)
    return {"steps": steps, "start": start, "coarse_scene": scene, "coarse": mesh, "fine": mesh, "divided": (("large/ball_1k", 1),)}


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
    "fig02_mat_on_knives": Row("3.2K, 9.1K; 291 (472); 5.5; 1.4; 147", 60),
    "fig07_arch_stands": Row("216, 150; 101 (118); 5.7; 0.05; 54", 500),
    "fig02_ball_on_points": Row("7K, 28K; 126 (182); 6.6; 2.8; 229", **ball("fig02_ball_on_points", 0.5, 30, 40)),
    "fig08_roller_ball": Row("7K, 28K; 2.3K (5.6K); 58.6; 63.3; 215", **ball("fig08_roller_ball", 0.5, 120, 40)),
    "fig17_pin_cushion": Row("9K, 28K; 317 (496); 9.5; 3.7; 233", **ball("fig17_pin_cushion", 0.476, 100, 40)),
    "fig18_segment_rollers": Row(**ball("fig18_segment_rollers", 0.5, 120, 8)),
    "fig18_point_rollers": Row(**ball("fig18_point_rollers", 0.5, 120, 8)),
    "fig13_dolphin_funnel": Row("8K, 36K; 7K (31K); 39.7; 27.9; 357", 20, divided=(("dolphin", 1),), start=240,
                                coarse_scene="fig13_dolphin_funnel"),
    "fig05_card_house_hit_large": Row("6K, 15K; 7K (13K); 16.6; 10.0; 186", 40),
    "fig15_trash_compactor": Row("15K, 56K; 6K (132K); 29.4; 61.9; 638", 236, fine=(("cells: 12}", "cells: 10}"),), divided=(("hare", 1),),
                                 start=14, coarse_scene="fig15_trash_compactor",
                                 coarse=(("cells: 12}", "cells: 5}"), ("[39, 1, 39]", "[16, 1, 16]"))),
    "fig19_golf_ball_large": Row("29K, 118K; 1K (4K); 9.3; 12.1; 861", 20, start=54, coarse_scene="fig19_golf_ball",
                                 coarse=(("cells: 8}", "cells: 5}"),)),
    "fig04_rods_twist_large": Row("53K, 202K; 243K (498K); 14.1; 141.5; 2,638", 20, start=465, coarse_scene="fig04_rods_twist"),
    "fig21_mat_3k": Row(fine=((SHEET, "{file: meshes/large/mat_3k.msh}"),), **MAT),
    "fig21_mat_12k": Row(fine=((SHEET, "{file: meshes/large/mat_12k.msh}"),), **MAT),
    "fig21_mat_45k": Row("45K, 133K; 264K (439K); 34.5; 776; 4,546", fine=((SHEET, "{file: meshes/large/mat_45k.msh}"),), **MAT),
    "fig21_mat_176k": Row(fine=((SHEET, "{file: meshes/large/mat_176k.msh}"),), options=("-verify",), **MAT),
    "fig21_mat_219k": Row(steps=35, scene="fig14_mat_twist", fine=((SHEET, "{box: {size: [1, 1, 0.008], cells: [330, 330, 1]}}"),)),
    "fig21_creature_3k": Row(**creature(3, 0)),
    "fig21_creature_23k": Row(**creature(3, 1)),
    "fig21_creature_171k": Row(**creature(3, 2)),
    "fig14_mat_twist_large": Row("45K, 133K; 264K (439K); 34.5; 776; 4,546", 4, start=45, coarse_scene="fig14_mat_twist",
                                 coarse=(("[39, 39, 1]", "[79, 79, 1]"),)),
    "fig01_squeeze_out": Row("45K, 181K; 37K (277K); 42.5; 252; 1,700", 6, start=61, coarse_scene="fig01_squeeze_out",
                             divided=(("octopus", 1), ("hare", 1), ("cage", 1), ("gnome", 1))),
    "fig16_armadillo_roller": Row("67K, 386K; 8K (33K); 66.8; 346; 3,651", 15, divided=(("gnome", 2),), start=180,
                                  coarse_scene="fig16_armadillo_roller"),
    "fig22_squishy_ball_compression": Row(steps=9, start=5, **SQUISHY_RUN),
    SQUISHY: Row(steps=30, start=14, **SQUISHY_RUN),
    "fig12_sphere_on_mat": Row("", 60),
}
WHOLE = {"fig08_roller_ball": 1000, "fig18_segment_rollers": 1000, "fig18_point_rollers": 1000, SQUISHY: 2000}  # steps of the scene
ROWS |= {"whole_" + name: dataclasses.replace(ROWS[name], scene=name, start=0, steps=steps, whole=True) for name, steps in WHOLE.items()}
COMPACTOR = ROWS["fig15_trash_compactor"]
ROWS["whole_fig15_neo_hookean"] = dataclasses.replace(COMPACTOR, scene="fig15_trash_compactor", start=0, steps=250, whole=True,
                                                      fine=(*COMPACTOR.fine, ("fixed-corotated, young", "neo-hookean, young")))
