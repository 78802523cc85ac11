"""Plan of ipc2020.py for each scene of inputs/ipc2020: section of docs/ipc2020.md, mesh, number of steps, picture, figures of the paper."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Plan:
    section: str  # section of the page
    steps: int = 0  # steps of a coarse run; 0: all
    coarse: tuple = ()  # replacements of texts for a coarse run
    paper: str = ""  # row of Fig. 23: nodes, cells; contacts avg (max); Newton iterations and seconds a step
    picture: tuple | None = None  # options of render.py; none: no picture
    curve: bool = False  # plot_curve.py draws it instead of render.py


BALL = ("cells: 12}", "cells: 5}")
FITTED = ("--fit", "all")


def unit(*picture):
    return Plan("unit", picture=picture)


PLANS = {
    "fig10_aligned_points": unit("--fit", "all"),
    "fig10_aligned_edges": unit("--fit", "all", "--view", "20,15"),
    "fig10_aligned_slot": unit(*FITTED, "--view", "20,15"),
    "fig10_aligned_stack": Plan("unit", picture=("--view", "30,12", "--steps", "0,50,last")),
    "fig11_erleben_spike_spike": unit("--fit", "all"),
    "fig11_erleben_spike_wedge": unit("--fit", "all"),
    "fig11_erleben_wedge_wedge": unit("--fit", "all"),
    "fig11_erleben_spike_plane": unit(),
    "fig11_erleben_wedge_plane": unit(),
    "fig11_erleben_spike_hole": Plan("unit", picture=FITTED),
    "fig11_erleben_spike_crack": unit(*FITTED),
    "fig11_erleben_wedge_crack": unit(*FITTED),
    "fig11_erleben_cube_cliff": Plan("unit", picture=("--fit", "all", "--view", "20,15")),
    "fig11_erleben_cube_internal_edges": unit("--fit", "all"),
    "tunnel_10": unit("--view", "0,2", "--steps", "0,1,2,last"),
    "tunnel_100": unit("--view", "0,2", "--steps", "0,1,2,last"),
    "tunnel_1000": unit("--view", "0,2", "--steps", "0,1,2,last"),
    "fig12_ratio_mass": unit("--view", "30,7", "--steps", "0,3,last"),
    "fig12_ratio_stiffness": unit("--view", "30,15"),
    "fig12_sphere_on_mat": Plan("unit", coarse=(("cells: 8}", "cells: 4}"), ("[40, 1, 40]", "[20, 1, 20]")),
                                picture=("--view", "30,15")),
    "chain_10": unit("--view", "30,5"),
    "chain_100": unit("--view", "30,0"),
    "fig01_squeeze_out": Plan("stress", 0, tuple((f"/{name[:-4]}.msh", f"/{name}.msh") for name in
                                                   ("octopus_800", "hare_600", "cage_900", "gnome_600")),
                              "45K, 181K; 37K (277K); 42.5; 252",
                              (*FITTED, "--columns", "3", "--steps", "0,s870,s900,s930,s950,last")),
    "fig02_ball_on_points": Plan("stress", 60, (BALL,), "7K, 28K; 126 (182); 6.6; 2.8",
                                 ("--view", "35,15")),
    "fig02_mat_on_knives": Plan("stress", 60, (("[40, 1, 40]", "[24, 1, 24]"),), "3.2K, 9.1K; 291 (472); 5.5; 1.4",
                                ("--fit", "all")),
    "fig04_rods_twist": Plan("stress", 0, (), "53K, 202K; 243K (498K); 14.1; 141.5",
                             ("--view", "10,20", "--steps", "0,s200,s700,last")),
    "fig13_dolphin_funnel": Plan("stress", 0, (), "8K, 36K; 7K (31K); 39.7; 27.9",
                                 (*FITTED, "--view", "0,15", "--columns", "2", "--steps", "0,s240,s380,s405")),
    "fig14_mat_twist": Plan("stress", 0, (("[39, 39, 1]", "[96, 27, 1]"),), "45K, 133K; 264K (439K); 34.5; 776.2",
                            ("--view", "20,25", "--columns", "2", "--steps", "0,s250,s1000,last")),
    "fig15_trash_compactor": Plan("stress", 0, (BALL, ("[39, 1, 39]", "[16, 1, 16]")), "15K, 56K; 6K (132K); 29.4; 61.9",
                                  ("--steps", "0,s20,s29,s60")),
    "fig15_trash_compactor_octopus": Plan("stress", 0, picture=("--steps", "0,s29,s55")),
    "fig08_roller_ball": Plan("stress", 0, (BALL,), "7K, 28K; 2.3K (5.6K); 58.6; 63.3", FITTED),
    "fig18_segment_rollers": Plan("stress", 0, (BALL,), picture=FITTED),
    "fig18_point_rollers": Plan("stress", 0, (BALL,), picture=FITTED),
    "fig16_armadillo_roller": Plan("stress", 0, (), "67K, 386K; 8K (33K); 66.8; 346",
                                   (*FITTED, "--columns", "3", "--steps", "0,s60,s160,s280,s300,last")),
    "fig16_armadillo_roller_soft": Plan("stress", 0, picture=(*FITTED, "--steps", "0,s160,s240,last")),
    "fig17_pin_cushion": Plan("stress", 0, (BALL,), "9K, 28K; 317 (496); 9.5; 3.7",
                              ("--view", "35,10", "--steps", "0,14,s110,last")),
    "fig19_golf_ball": Plan("stress", 0, (), "29K, 118K; 1K (4K); 9.3; 12.1",
                            ("--view", "0,10", "--color", "velocity", "--steps", "s44,s50,s62,last")),
    "fig21_creature_twist": Plan("stress", 0, picture=("--view", "0,10")),
    "fig22_squishy_ball": Plan("stress", 200, (), "688K, 2314K; 3.6K (105K); 12.2; 328",
                               ("--view", "0,15", "--steps", "0,s20,s30,last")),
    "slope_stick": Plan("friction"),
    "slope_slide": Plan("friction", picture=("--view", "15,12")),
    "creep": Plan("friction"),
    "cards_stands": Plan("friction", 80, picture=("--fit", "all")),
    "cards_falls": Plan("friction", 40, picture=("--fit", "all")),
    "fig05_card_house_hit": Plan("friction", 0, (), "6K, 15K; 7K (13K); 16.6; 10.0",
                                 ("--view", "20,10", "--columns", "3", "--steps", "s31,s36,s41,s46,s50,last")),
    "fig07_arch_stands": Plan("friction", 0, (), "216, 150; 101 (118); 5.7; 0.05",
                        ("--fit", "all", "--view", "10,8", "--magnify", "100")),
    "fig07_arch_falls": Plan("friction", picture=("--fit", "all", "--view", "10,8", "--steps", "0,s80,last")),
    "fig20_stick_slip": Plan("friction", picture=("-x", "time", "-y", "rod,board:friction_sum / rod,board:normal_sum"), curve=True),
    "fig20_hinged_rod": Plan("friction"),
    "tolerance_distance": Plan("accuracy", picture=("--view", "30,12")),
    "tolerance_friction": Plan("accuracy"),
    "tolerance_newton": Plan("accuracy", picture=("--view", "30,12")),
    "tolerance_loose": Plan("accuracy", picture=("--view", "30,12")),
}
SECTIONS = ("unit", "stress", "friction", "accuracy")
