#!/usr/bin/env python3
"""Converts a scene file of the 2020 IPC code into an abut scene.

    python3 inputs/from_ipc.py SCENE.txt -o SCENE.yaml

Meshes stay in place; the new scene names them by paths relative to its own folder. Nothing is dropped silently: a feature that abut
lacks ends the conversion; a feature without a counterpart that does not change the result is reported on standard error and in the head of
the new file.

Exit codes: 0 converted, 2 wrong input (the message says file and line), 3 not possible (the message says why).
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from ipcscene import emit, grammar, placement, scripts  # noqa: E402
from ipcscene.errors import Impossible, SceneError  # noqa: E402


def leave_friction_out(scene):
    """Sets all friction to 0 and reports it."""
    if scene.self_friction > 0:
        scene.note(f"friction among shapes (selfFric), coefficient {scene.self_friction:g}, is left out as asked", scene.places["selfFric"])
    for plane in scene.planes:
        if plane.friction > 0:
            scene.note(f"friction on a plane, coefficient {plane.friction:g}, is left out as asked", plane.place)
        plane.friction = 0.0
    scene.self_friction = 0.0


def check_supported(scene):
    """Refuses settings of contact and solver that abut lacks, and reports settings with another meaning in abut."""
    for spec in scene.static_meshes:
        if spec.friction > 0:
            scene.note(f"friction {spec.friction:g} of meshCO has no effect in the other code's interior point and is left out", spec.place)
    if "selfCollisionOff" in scene.places:
        raise Impossible(scene.places["selfCollisionOff"], "contact turned off (selfCollisionOff); abut never lets surfaces cross")
    if len(set(scene.tolerances)) > 1:
        scene.note(f"tol changes from step to step; its smallest value {min(scene.tolerances):g} holds throughout", scene.places["tol"])
    kappa, first_range, final_range, too_close, first_speed, final_speed = scene.tuning
    place = scene.places.get("tuning", scene.places.get("dHat", "default"))
    if kappa < 0 or final_range <= 0:
        raise SceneError(place, f"stiffness {kappa:g} and barrier range {final_range:g} must not be negative, the range not 0")
    if first_range > final_range:
        scene.note(f"that code narrows the barrier range from {first_range:g} to {final_range:g} within each step; "
                   f"here it is {final_range:g} "
                   "from the start", place)
    if first_speed > final_speed:
        scene.note(f"that code lowers the friction speed from {first_speed:g} to {final_speed:g} within each step; "
                   f"here it is {final_speed:g} "
                   "from the start", place)
    if kappa == 0 and too_close != 1e-9:
        scene.note(f"that code doubles the stiffness at gaps below {too_close:g} (dTol), abut below 1e-09: "
                   "the smallest gaps may differ", place)
    if kappa == 0 and (scene.absolute or final_range != 1e-3):
        scene.note("that code's smallest stiffness follows the fourth power of 1 / dHat, abut's the third: they agree at dHat 1e-3 of the "
                   "diagonal, elsewhere gaps may differ", place)
    if kappa == 0 and scene.kappa_multiplier != 1e11:
        place = scene.places.get("kappaMinMultiplier", scene.places.get("minBarrierStiffnessScale"))
        scene.note(f"kappaMinMultiplier {scene.kappa_multiplier:g}; abut's is 1e11, so that the first gaps may differ", place)
    if scene.friction_lags == 1 and (scene.self_friction > 0 or any(plane.friction > 0 for plane in scene.planes)):
        scene.note("with one lag that code solves the first step once, with the friction of the start; abut solves it without friction "
                   "and again with it", scene.places.get("fricIterAmt", "default fricIterAmt"))


def convert(scene_path, out_path, ignore_friction):
    """The text of the abut scene and the reported notes."""
    scene = grammar.read(scene_path)
    check_supported(scene)
    if ignore_friction:
        leave_friction_out(scene)
    if not scene.shapes:
        raise SceneError(os.path.basename(scene_path), "the scene has no shapes")
    placed = placement.Placement(scene, scene_path)
    script = scripts.Script(scene, placed, scene_path)
    return emit.Document(scene, placed, script, scene_path, out_path).render(), scene.notes


def main():
    parser = argparse.ArgumentParser(description="Converts a scene file of the 2020 IPC code into an abut scene.",
                                     epilog="Exit codes: 0 converted, 2 wrong input, 3 not possible.")
    parser.add_argument("scene", metavar="SCENE.txt")
    parser.add_argument("-o", "--output", metavar="SCENE.yaml", required=True)
    parser.add_argument("--ignore-friction", action="store_true", help="convert scenes with friction, without it")
    arguments = parser.parse_args()
    try:
        document, notes = convert(arguments.scene, arguments.output, arguments.ignore_friction)
        with open(arguments.output, "w", encoding="utf-8") as stream:
            stream.write(document)
    except SceneError as error:
        print(f"from_ipc: {error}", file=sys.stderr)
        return error.exit_code
    except OSError as error:
        print(f"from_ipc: {error.filename}: {error.strerror}", file=sys.stderr)
        return SceneError.exit_code
    for note in notes:
        print(f"from_ipc: note: {note}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
