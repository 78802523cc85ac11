"""The layers of src: their order, and the layer of a source file or header."""

import os
import re

import sources

# home of public headers that no folder is named after
HEADERS = {"option": "core", "containers": "core", "simd": "dense", "friction": "potential", "bvh": "geom", "pressure": "constraint",
           "tie": "constraint",
           "contact_measures": "contact_points", "mesh_copy": "mesh", "petsc_versions": "core",
           "schema": "scene", "keys": "scene", "files": "results", "command": "app", "tools": "app"}


def paths():
    """Folder -> its path in src, from the lowest layer to the highest, as CMakeLists.txt lists them."""
    text = "\n".join(sources.lines("CMakeLists.txt"))
    return {os.path.basename(path): path for path in re.search(r"set\(ABUT_FOLDERS([^)]*)\)", text)[1].split()}


def order():
    """Folders of src from the lowest layer to the highest."""
    return list(paths())


def layer(path):
    """Folder of a file of src, or of a public header."""
    parts = path.split(os.sep)
    if parts[0] != "include":
        return next((name for name, place in paths().items() if path.startswith(os.path.join("src", place, ""))), parts[1])
    name = os.path.splitext(parts[-1])[0]
    return name if name in paths() else HEADERS.get(name, name)
