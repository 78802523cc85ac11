"""Damages folders of results and draws and prints them by all scripts of postprocess/, in this process. A script may end well, or with one
line that names the damaged folder and an exit status that is not 0; it must not raise anything else.

    postprocess_fuzz.py RUN DEFORM CONTACTS     folders of abut run, deform and contacts
"""

import contextlib
import importlib
import io
import json
import os
import random
import shutil
import sys
import tempfile
from types import SimpleNamespace

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.figure
import numpy as np

SEED, MOST = 20, int(os.environ.get("ABUT_FUZZ", "16"))  # damages for each script

# kind of the results, words of the command line, files that the script reads
SCRIPTS = [
    ("run", ["plot_energy", "{}"], ["steps.csv"]),
    ("run", ["plot_curve", "{}", "-x", "post:travel_x", "-y", "floor:force_y"], ["steps.csv", "motions.csv"]),
    ("run", ["plot_curve", "{}", "-x", "time", "-y", "floor,box:friction_sum / floor,box:normal_sum"], ["steps.csv", "pairs.csv"]),
    ("run", ["render", "{}", "--width", "40", "--steps", "last", "--color", "contact_pressure"], ["fields.h5"]),
    ("run", ["report", "{}"], ["summary.json"]),
    ("run", ["render", "{}", "--width", "40", "--steps", "last", "--color", "von_mises"], ["fields.h5"]),
    ("deform", ["deform_jumps", "{}"], ["frames.h5"]),
    ("deform", ["linear_volume", "{}", "{}"], ["frames.h5"]),
    ("deform", ["render_frames", "{}", "--size", "40", "--frames", "last"], ["frames.h5"]),
    ("contacts", ["plot_contact_quality", "{}"], ["quality.csv"]),
    ("contacts", ["render_contacts", "{}"], ["quality.csv", "contacts.h5", "fields.h5"]),
]


def drawn_coarsely(self, *_, **__):
    self.set_dpi(8)
    self.canvas.draw()


def outcome(words, folder):
    """Fault of the end of a script, None without one, and whether the script failed."""
    name, *arguments = [word.format(folder) for word in words]
    sys.argv, text = [f"{name}.py", *arguments], io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(text):
            module = importlib.import_module(name)
            if name == "plot_energy":
                module.main(f"{name}.py", module.__doc__, "picture.png", module.draw)
            else:
                module.main()
    except SystemExit as end:
        message = end.code
        if not isinstance(message, str) or len(message.splitlines()) != 1 or folder not in message:
            return f"exit {message!r}", True
        if os.environ.get("ABUT_FUZZ"):
            print(message.replace(folder, "DIR"))
        return text.getvalue() or None, True
    except BaseException as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}", True
    finally:
        matplotlib.pyplot.close("all")
    return text.getvalue() or None, False


def damage_bytes(path, rng):
    """Cuts, empties, overwrites or replaces a file; returns the kind."""
    kind = rng.choice(["cut", "empty", "garbage", "flip", "missing", "folder", "nul"])
    with open(path, "rb") as stream:
        data = bytearray(stream.read())
    if kind in ("missing", "folder"):
        os.remove(path)
        if kind == "folder":
            os.mkdir(path)
        return kind
    if kind == "cut":
        data = data[: rng.randrange(len(data))]
    elif kind == "empty":
        data = b""
    elif kind == "garbage":
        data = bytes(rng.randrange(256) for _ in range(300))
    elif kind == "nul":
        start = rng.randrange(len(data))
        data[start : start + 200] = bytes(len(data[start : start + 200]))
    else:
        for _ in range(8):
            data[rng.randrange(len(data))] = rng.randrange(256)
    with open(path, "wb") as stream:
        stream.write(data)
    return kind


def damage_csv(path, rng):
    with open(path, encoding="utf-8") as stream:
        lines = [line.rstrip("\n").split(",") for line in stream]
    kind = rng.choice(["value", "column", "short", "long", "step", "encoding", "rows"])
    row, column = rng.randrange(1, len(lines)), rng.randrange(len(lines[0]))
    if kind == "value":
        lines[row][column] = rng.choice(["nan", "inf", "-1e308", "abc", "", "0x12", '"'])
    elif kind == "column":
        lines = [line[:column] + line[column + 1 :] for line in lines]
    elif kind == "short":
        lines[row] = lines[row][:column]
    elif kind == "long":
        lines[row] += ["7", "8"]
    elif kind == "step":
        lines[row][0] = "99"
    elif kind == "encoding":
        lines[row][column] = "\udcff\udcfe"
    else:
        lines = lines[:1]
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.writelines(",".join(line) + "\n" for line in lines)
    return f"{kind} in row {row}, column {column}"


def damage_json(path, rng):
    with open(path, encoding="utf-8") as stream:
        summary = json.load(stream)
    key, value = rng.choice(sorted(summary)), rng.choice([None, "text", -1, [], {}, 1e400, True, "\u0000", "absent"])
    if value == "absent":
        del summary[key]
    else:
        summary[key] = value
    with open(path, "w", encoding="utf-8") as stream:
        json.dump(rng.choice([summary, summary, summary, [summary], None]), stream)
    return f"{key} = {value!r}"


def places(file):
    found = []
    file.visititems(lambda name, item: found.append(name))
    return sorted(found)


def damage_h5(path, rng):
    with h5py.File(path, "r+") as file:
        name = rng.choice(places(file))
        item, parent = file[name], file[name].parent
        attributes = sorted(item.attrs) or sorted(file.attrs)
        kind = rng.choice(["delete", "attribute", "attribute value", "nan", "range", "shape", "short", "text", "group"])
        if kind.startswith("attribute") and attributes:
            holder, attribute = item if len(item.attrs) else file, rng.choice(attributes)
            del holder.attrs[attribute]
            if kind == "attribute value":
                holder.attrs[attribute] = rng.choice(["text", -1, 10**12, float("nan"), [1, 2]])
            return f"{kind} {attribute} of {name}"
        data = item[()] if isinstance(item, h5py.Dataset) else None
        del parent[name.rsplit("/", 1)[-1]]
        if kind == "group":
            file.create_group(name)
        elif data is not None and kind in ("nan", "range", "shape", "short", "text"):
            if kind == "text" or data.dtype.kind == "S":
                data = np.array([b"text"] * len(data))
            elif kind == "nan":
                data = np.where(np.arange(data.size).reshape(data.shape) % 7, data, np.nan)
            elif kind == "range":
                data = data * 0 + rng.choice([-5, 10**6, 1e300])
            elif kind == "shape":
                data = data.reshape(-1)
            else:
                data = data[: len(data) // 2]
            file[name] = data
        return f"{kind} {name}"


def damage(path, rng):
    """Damages a file; returns a description."""
    known = {".csv": damage_csv, ".json": damage_json, ".h5": damage_h5}[os.path.splitext(path)[1]]
    return f"{os.path.basename(path)}: {(known if rng.random() < 0.75 else damage_bytes)(path, rng)}"


def copy_of(source, scratch):
    target = os.path.join(scratch, "results")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)
    return target


def check_cut_rows(source, scratch):
    """The last row of a table may be cut anywhere, as by a kill: the scripts ignore it."""
    for table in ("steps.csv", "pairs.csv"):
        with open(os.path.join(source, table), "rb") as stream:
            data = stream.read()
        last = data.rstrip(b"\n").rfind(b"\n") + 1
        for end in (last + 1, (last + len(data)) // 2, len(data) - 1):
            folder = copy_of(source, scratch)
            with open(os.path.join(folder, table), "wb") as stream:
                stream.write(data[:end])
            for _, words, files in SCRIPTS:
                if table in files:
                    wrong, failed = outcome(words, folder)
                    assert not wrong and not failed, f"{words[0]}, {table} cut at {end - last} of its last row: {wrong}"


def check_color_bar():
    """The numbers of a colour bar are beside each other, and the unit is in its title."""
    render = importlib.import_module("render")
    for width in (1.5, 4, 12):
        for limits in ((0, 1), (101300, 101301), (-3.2e5, 7.7e9), (1e-12, 2e-12), (-0.123456, 98765.4321)):
            for field, dim, unit in (("von_mises", 3, "Pa]"), ("contact_force", 2, "N/m]"), ("velocity", 3, "m/s]"), ("own", 3, "own")):
                figure = matplotlib.pyplot.figure(figsize=(width, 3), dpi=100)
                render.color_bar(figure, field, dim, limits, 10)
                figure.canvas.draw()
                boxes = [text.get_window_extent() for text in figure.axes[0].get_xticklabels() if text.get_text()]
                assert all(left.x1 < right.x0 for left, right in zip(boxes, boxes[1:])), (width, limits, "numbers collide")
                assert figure.axes[0].get_title().endswith(unit), figure.axes[0].get_title()
                matplotlib.pyplot.close(figure)


def check_planes(folder):
    """Pixels that the planes of a scene change: a floor and a ceiling, also seen from behind."""
    results = importlib.import_module("abut_results").Results(folder)
    assert [list(np.round(normal, 9) + 0.0) for _, normal in results.planes()] == [[0, 1, 0], [0, -1, 0]], results.planes()
    render, images = importlib.import_module("render"), []
    for used in ([], [0], [0, 1]):
        planes = [results.planes()[k] for k in used]
        args = SimpleNamespace(up="y", view="iso", fit="all", magnify=1.0, edges=False, color="body", cut=None)
        scene = render.Scene(results, args)
        scene.measure(["000012"])
        results.planes, whole = lambda _, planes=planes: planes, results.planes
        camera = render.Camera(scene.held, scene.toward, scene.up, 80, 80)
        images.append(render.picture(scene, "000012", camera) / 255)
        results.planes = whole
    assert np.abs(images[1] - images[0]).max() > 0.02 and np.abs(images[2] - images[1]).max() > 0.02, "a plane is not drawn"


def main():
    folders = dict(zip(("run", "deform", "contacts"), sys.argv[1:]))
    matplotlib.figure.Figure.savefig = drawn_coarsely
    rng, faults, refused = random.Random(SEED), [], 0
    with tempfile.TemporaryDirectory() as scratch:
        check_color_bar()
        check_planes(folders["run"])
        check_cut_rows(folders["run"], scratch)
        for kind, words, files in SCRIPTS:
            wrong, failed = outcome(words, folders[kind])
            assert not wrong and not failed, f"{words[0]} on sound results: {wrong}"
            for _ in range(MOST):
                folder = copy_of(folders[kind], scratch)
                what = damage(os.path.join(folder, rng.choice(files)), rng)
                wrong, failed = outcome(words, folder)
                refused += failed
                if wrong:
                    faults.append(f"{words[0]}, {what}: {wrong}")
    print(f"{MOST * len(SCRIPTS)} damaged folders, {refused} refused")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
