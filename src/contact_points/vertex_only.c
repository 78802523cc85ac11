/*
  Vertex only [Erleben 2018, section 6]: each vertex inside a cell of the other body gives one contact at the vertex, with the normal and
  the distance of the nearest surface face of that cell. Faces at equal distance: the first in the order of the cell.
*/
#include "contact_pointsimpl.h"

/* Surface face of cell s nearest to vertex v of the other cell, which is inside; -1 if the cell has no surface face. */
static int NearestSurfaceFace(const AbutCellPair *pair, int s, int v)
{
  int nearest = -1;

  for (int f = 0; f < 4; f++) {
    if (!(pair->cell[s]->tet.surface >> f & 1)) continue;
    if (nearest < 0 || pair->height[s][f][v] > pair->height[s][nearest][v] + pair->rules->touch) nearest = f;
  }
  return nearest;
}

static PetscErrorCode Find(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  AbutCellPair pair;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B)) PetscFunctionReturn(0);
  for (int s = 0; s < 2; s++)
    for (int v = 0; v < 4; v++) {
      int face;

      if (!AbutIsVertexInside(&pair, 1 - s, v) || (face = NearestSurfaceFace(&pair, s, v)) < 0) continue;
      PetscCall(AbutAddVertexFace(&pair, s, face, v, contacts));
    }
  PetscFunctionReturn(0);
}

const AbutPointMethod AbutVertexOnly = {Find, PETSC_FALSE};
