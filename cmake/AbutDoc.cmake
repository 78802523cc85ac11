# Target `doc`: the reference of the public headers, doc/html/index.html in the build folder; a warning of Doxygen is an error.
find_program(DOXYGEN_PROGRAM doxygen)
configure_file(${PROJECT_SOURCE_DIR}/docs/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
if(DOXYGEN_PROGRAM)
  add_custom_target(doc COMMAND ${DOXYGEN_PROGRAM} ${PROJECT_BINARY_DIR}/Doxyfile VERBATIM)
endif()
