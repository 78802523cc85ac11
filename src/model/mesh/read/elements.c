/* Element types of Gmsh: simplices, and the linear parts of quadratic lines and triangles. */
#include "read.h"

PetscInt AbutGmshCorners(PetscInt type)
{
  return type == 15 ? 1 : type == 1 || type == 8 ? 2 : type == 2 || type == 9 ? 3 : type == 4 || type == 11 ? 4 : 0;
}

PetscInt AbutGmshNodes(PetscInt type)
{
  return type == 8 ? 3 : type == 9 ? 6 : type == 11 ? 10 : AbutGmshCorners(type);
}

PetscInt AbutGmshDimension(PetscInt type)
{
  static const signed char dimension[20] = {-1, 1, 2, 2, 3, 3, 3, 3, 1, 2, 2, 3, 3, 3, 3, 0, 2, 3, 3, 3};
  return type >= 0 && type < 20 ? dimension[type] : -1;
}

void AbutSetParts(PetscInt corners, const PetscInt v[], PetscInt parts[])
{
  static const PetscInt segments[4] = {0, 2, 2, 1}, triangles[12] = {0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5};
  const PetscInt       *at = corners == 2 ? segments : triangles;

  for (PetscInt i = 0; i < AbutNumParts(corners) * corners; i++) parts[i] = v[at[i]];
}
