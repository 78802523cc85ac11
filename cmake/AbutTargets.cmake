# abut_add_folder(NAME SOURCES ... DEPENDS folders above it ...): the static library abut_NAME of one layer. Sources may be in subfolders,
# which include the private headers of the folder by their bare names.
function(abut_add_folder name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(abut_${name} STATIC ${arg_SOURCES})
  target_include_directories(abut_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(abut_${name} PUBLIC PkgConfig::PETSC MPI::MPI_C m)
  foreach(above ${arg_DEPENDS})
    target_link_libraries(abut_${name} PUBLIC abut_${above})
  endforeach()
  abut_compile_options(abut_${name})
endfunction()

function(abut_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-missing-field-initializers -Wshadow -Wstrict-prototypes -fno-math-errno -ffp-contract=off)
  if(ABUT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ABUT_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
endfunction()

# abut_add_test(NAME SOURCES ... DEPENDS folders ... [NPROCS 1 2 3 4] [LABELS ...] [ARGS ...] [TIMEOUT s] [COST s]):
# one executable tests/NAME, run on every rank count as NAME_np1, NAME_np2, ...; exit code 77 means skipped. COST, of tests of seconds, is
# the time of a run: such tests start first and are not in jobs/test.sh --quick.
function(abut_add_test name)
  cmake_parse_arguments(arg "" "TIMEOUT;COST" "SOURCES;DEPENDS;NPROCS;LABELS;ARGS" ${ARGN})
  if(NOT arg_NPROCS)
    set(arg_NPROCS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE abut_test_support)
  foreach(folder ${arg_DEPENDS})
    target_link_libraries(${name} PRIVATE abut_${folder})
  endforeach()
  target_compile_definitions(${name} PRIVATE ABUT_REFERENCE_DIR="${ABUT_REFERENCE_DIR}")
  abut_compile_options(${name})
  foreach(source ${arg_SOURCES}) # the tests themselves: most of them run for less time than -O3 takes; not sources of abut that are tested
    if(NOT IS_ABSOLUTE ${source})
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>)
    endif()
  endforeach()
  foreach(np ${arg_NPROCS})
    set(labels ${arg_LABELS})
    if(np LESS 3 AND NOT arg_COST)
      list(APPEND labels quick)
    endif()
    abut_add_run(${name}_np${np} ${np} COMMAND $<TARGET_FILE:${name}> ${arg_ARGS} TIMEOUT ${arg_TIMEOUT} LABELS ${labels})
    if(arg_COST)
      set_tests_properties(${name}_np${np} PROPERTIES COST ${arg_COST} PROCESSORS ${np})
    endif()
  endforeach()
endfunction()

# abut_add_run(NAME NP COMMAND program args ...): any command as a test, with more than one rank under mpiexec, whose start takes longer
# than that of a program. One rank more than processors: a test waits for starts, files and other ranks.
function(abut_add_run name np)
  cmake_parse_arguments(arg "" "TIMEOUT" "COMMAND;LABELS" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  # a program without mpiexec needs no daemon; its folder has no number then, so that such programs need different ones
  set(start)
  set(environment OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_orte_tmpdir_base=${PROJECT_BINARY_DIR}/Testing/mpi/${name})
  set(processors 1)
  if(np GREATER 1)
    set(environment)
    math(EXPR processors "${np} - 1")
    set(start ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${np})
  endif()
  add_test(NAME ${name} COMMAND ${start} ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES
    PROCESSORS ${processors} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77 LABELS "${arg_LABELS}"
    ENVIRONMENT "${ABUT_TEST_ENVIRONMENT};${environment}")
endfunction()

# abut_install_pkgconfig(NAME LIBRARY DESCRIPTION): the file NAME.pc; ABUT_PC_REQUIRES and ABUT_PC_LIBRARIES: what a static library needs.
# Folders are relative to that of the file, so that the installation can be moved.
function(abut_install_pkgconfig ABUT_PC_NAME ABUT_PC_LIBRARY ABUT_PC_DESCRIPTION)
  file(RELATIVE_PATH ABUT_PC_INCLUDE ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/abut.pc.in ${PROJECT_BINARY_DIR}/${ABUT_PC_NAME}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${ABUT_PC_NAME}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
