-- Example of an Lmod module: set prefix to that of `cmake --install`.
local prefix = "/opt/abut/0.2.0"
whatis("abut: elastic bodies in contact without intersections, on MPI ranks")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("CMAKE_PREFIX_PATH", prefix)
prepend_path("PKG_CONFIG_PATH", pathJoin(prefix, "lib/pkgconfig"))
prepend_path("LD_LIBRARY_PATH", pathJoin(prefix, "lib"))
setenv("OPENBLAS_NUM_THREADS", "1")
setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1") -- huge pages for arrays of all libraries
setenv("OMP_NUM_THREADS", "1")
