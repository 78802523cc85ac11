# What `cmake --install` puts in place: program, library, headers, CMake package (abut::abut), pkg-config file, man page, shell completion.
# The library has all folders but those of the program and its subcommands: static, or shared with -DBUILD_SHARED_LIBS=ON.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(folders ${ABUT_FOLDERS})
list(REMOVE_ITEM folders app tools/contacts tools/animation tools/resolve main)
set(objects)
foreach(path ${folders})
  get_filename_component(folder ${path} NAME)
  if(TARGET abut_${folder})
    list(APPEND objects $<TARGET_OBJECTS:abut_${folder}>)
  endif()
endforeach()

add_library(abut_library ${objects})
set_target_properties(abut_library PROPERTIES
  OUTPUT_NAME abut EXPORT_NAME abut LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}) # before version 1 the interface may change with each minor version
target_include_directories(abut_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(abut_library
  PUBLIC PkgConfig::PETSC MPI::MPI_C
  PRIVATE PkgConfig::YAML ${HDF5_C_LIBRARIES} ${CHOLMOD_LIBRARY} ${METIS_LIBRARY} LAPACK::LAPACK ${CMAKE_DL_LIBS} m)

# The installed program finds PETSc and the other libraries where the build found them.
set_target_properties(abut abut_library PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
install(TARGETS abut)
install(TARGETS abut_library EXPORT abutTargets)
set(left_out PATTERN private EXCLUDE)
if(NOT ABUT_TOOLS)
  foreach(header contact_points contact_measures rigid deform untangle)
    list(APPEND left_out PATTERN ${header}.h EXCLUDE)
  endforeach()
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/abut DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${left_out})
install(EXPORT abutTargets NAMESPACE abut:: DESTINATION ${package})
pkg_get_variable(ABUT_PETSC_PKGCONFIG_DIR ${ABUT_PETSC_PKG} pcfiledir)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/abutConfig.cmake.in ${PROJECT_BINARY_DIR}/abutConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/abutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/abutConfig.cmake ${PROJECT_BINARY_DIR}/abutConfigVersion.cmake DESTINATION ${package})
if(NOT BUILD_SHARED_LIBS) # a program that links a static library names what this library uses
  set(ABUT_PC_REQUIRES ", yaml-0.1")
  string(JOIN " " ABUT_PC_LIBRARIES ${HDF5_C_LIBRARIES} ${CHOLMOD_LIBRARY} ${METIS_LIBRARY} ${LAPACK_LIBRARIES} -lm)
endif()
abut_install_pkgconfig(abut abut "elastic bodies in contact without intersections, on MPI ranks")
install(FILES ${PROJECT_SOURCE_DIR}/packaging/abut.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/abut.bash-completion DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME abut)
