# Spack recipe. From a clone of abut:
#   spack repo add packaging/spack
#   spack develop --path "$PWD" abut@0.2.0 && spack install abut@0.2.0
from spack.package import *


class Abut(CMakePackage):
    """Elastic bodies in contact without intersections, on MPI ranks."""

    has_code = True
    license("BSD-2-Clause")
    version("main")
    version("0.2.0")  # built from the clone that `spack develop` names: there is no archive to download

    variant("gmsh", default=True, description="Read .geo and CAD files through libgmsh")
    variant("shared", default=True, description="Install a shared library")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("petsc@3.18: +mpi+double~complex")
    depends_on("suite-sparse")
    depends_on("metis@5:")
    depends_on("hdf5@1.10: +mpi")
    depends_on("libyaml")
    depends_on("lapack")
    depends_on("gmsh", when="+gmsh")
    depends_on("cmocka", when="+tests")
    depends_on("jansson", when="+tests")
    depends_on("gmp", when="+tests")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("ABUT_WITH_GMSH", "gmsh"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("ABUT_BUILD_TESTS", "tests"),
        ]
