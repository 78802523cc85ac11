/* Private to mesh/read: what abut and its program abut-gmsh share. */
#pragma once
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ABUT_GMSH_DATA      3    /* descriptor of the data */
#define ABUT_GMSH_TEXT      4    /* descriptor of the text of an error */
#define ABUT_GMSH_TEXT_SIZE 2048 /* largest length of this text, less than the capacity of a pipe */

/* Types of the simplices of a dimension 1 to 3. */
static const int AbutGmshLinear[4] = {15, 1, 2, 4}, AbutGmshQuadratic[4] = {15, 8, 9, 11};

/* Whether files of this name state the unit of their lengths: STEP and IGES. */
static inline int AbutGmshHasUnit(const char path[])
{
  static const char *const extensions[] = {".step", ".stp", ".iges", ".igs"};
  const char              *dot          = strrchr(path, '.');

  for (int k = 0; dot && k < 4; k++)
    if (!strcasecmp(dot, extensions[k])) return 1;
  return 0;
}
