/*
  Vertex only [Erleben 2018, section 6]: each vertex inside a cell of the other body gives one contact at the vertex, with the normal and
  the distance of the nearest surface face of that cell. Faces at equal distance: the first in the order of the cell.
*/
#include "contact_pointsimpl.h"

/* Surface face of cell s nearest to vertex v of the other cell, which is inside, as a set; empty if the cell has no surface face. */
static unsigned NearestSurfaceFace(const AbutCellPair *pair, int s, int v)
{
  int nearest = -1;

  for (int f = 0; f < 4; f++) {
    if (!(pair->cell[s]->tet.surface >> f & 1)) continue;
    if (nearest < 0 || pair->height[s][f][v] > pair->height[s][nearest][v] + pair->rules->touch) nearest = f;
  }
  return nearest < 0 ? 0 : 1u << nearest;
}

PetscErrorCode AbutFindVertices(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  AbutCellPair pair;

  PetscFunctionBegin;
  if (AbutCellPairSetUp(&pair, rules, A, B)) PetscCall(AbutAddVerticesInside(&pair, NearestSurfaceFace, contacts));
  PetscFunctionReturn(0);
}
