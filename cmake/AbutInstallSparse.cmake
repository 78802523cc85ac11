# What `cmake --install` puts in place with -DABUT_SPARSE_ALONE=ON: the library of src/sparse, its headers and README, a pkg-config file.
include(GNUInstallDirs)

set(objects)
foreach(folder core dense linalg precond linear)
  list(APPEND objects $<TARGET_OBJECTS:abut_${folder}>)
endforeach()
add_library(abut_sparse ${objects})
set_target_properties(abut_sparse PROPERTIES LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} INSTALL_RPATH_USE_LINK_PATH ON)
target_link_libraries(abut_sparse
  PUBLIC PkgConfig::PETSC MPI::MPI_C
  PRIVATE ${CHOLMOD_LIBRARY} ${METIS_LIBRARY} LAPACK::LAPACK ${CMAKE_DL_LIBS} m)

install(TARGETS abut_sparse)
foreach(header core linalg linear option precond)
  install(FILES ${PROJECT_SOURCE_DIR}/include/abut/${header}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abut)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/src/sparse/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/abut-sparse)
if(NOT BUILD_SHARED_LIBS)
  string(JOIN " " ABUT_PC_LIBRARIES ${CHOLMOD_LIBRARY} ${METIS_LIBRARY} ${LAPACK_LIBRARIES} -lm)
endif()
abut_install_pkgconfig(abut-sparse abut_sparse "preconditioners of sparse matrices with dense blocks, for PETSc")
