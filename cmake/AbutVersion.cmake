# abut_version_header(TARGET): abut_version.h with the version and `git describe` of the tree, kept current at every build.
# The header changes only when its content does; outside a checkout the description is "unknown". Run as a script it writes the header.
if(CMAKE_SCRIPT_MODE_FILE)
  set(description "unknown")
  find_program(git git)
  if(git AND EXISTS "${SOURCE_DIR}/.git")
    execute_process(COMMAND ${git} describe --always --dirty --tags --abbrev=12 WORKING_DIRECTORY ${SOURCE_DIR}
                    OUTPUT_VARIABLE output RESULT_VARIABLE result ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(result EQUAL 0)
      set(description "${output}")
    endif()
  endif()
  file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#pragma once\n#define ABUT_VERSION \"${VERSION}\"\n#define ABUT_VERSION_GIT \"${description}\"\n" @ONLY)
  return()
endif()

set(ABUT_VERSION_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(abut_version_header target)
  set(directory "${PROJECT_BINARY_DIR}/generated")
  add_custom_target(${target}_version BYPRODUCTS "${directory}/abut_version.h"
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DHEADER=${directory}/abut_version.h
            -P ${ABUT_VERSION_SCRIPT}
    VERBATIM)
  add_dependencies(${target} ${target}_version)
  target_include_directories(${target} PRIVATE "${directory}")
endfunction()
