/*
  Consistent vertex [Erleben 2018, section 6]: a vertex inside a cell of the other body has edges to vertices outside. Each of these edges
  gives one contact at the vertex, with the surface face whose plane the edge crosses nearest to the vertex. A vertex on a plane up to the
  tolerance crosses it unless AbutPointRules.strict is set, as in the author's own simulator (github.com/diku-dk/PROX).
*/
#include "contact_pointsimpl.h"

/*
  Surface face of cell s whose plane the edge from vertex v to vertex w of the other cell crosses first, the first in the order of the cell
  if planes are crossed in one point; -1 if there is none.
*/
static int FirstCrossed(const AbutCellPair *pair, int s, int v, int w)
{
  const PetscReal *x = pair->cell[1 - s]->tet.x[v], *y = pair->cell[1 - s]->tet.x[w];
  const PetscReal  d[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, length = AbutNorm(3, d);
  PetscReal        first = PETSC_INFINITY; /* [m] from vertex v */
  int              found = -1;

  for (int f = 0; f < 4; f++) {
    const PetscReal h = -PetscMin(pair->height[s][f][v], 0), above = PetscMax(pair->height[s][f][w], 0);
    const PetscReal at = h > 0 ? length * h / (h + above) : 0; /* both heights can be rounded to 0 if exact predicates decide */

    if (pair->rules->strict && pair->side[s][f][v] >= 0) continue;
    if (!(pair->cell[s]->tet.surface >> f & 1) || pair->side[s][f][w] <= 0 || at >= first - pair->rules->touch) continue;
    first = at;
    found = f;
  }
  return found;
}

/* Faces of cell s that edges from vertex v of the other cell, which is inside, cross first. */
static unsigned CrossedFaces(const AbutCellPair *pair, int s, int v)
{
  unsigned faces = 0;

  for (int w = 0; w < 4; w++) {
    const int face = w == v || AbutIsVertexInside(pair, 1 - s, w) ? -1 : FirstCrossed(pair, s, v, w);

    if (face >= 0) faces |= 1u << face;
  }
  return faces;
}

PetscErrorCode AbutFindConsistentVertices(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B,
                                          AbutPointContacts *contacts)
{
  AbutCellPair pair;

  PetscFunctionBegin;
  if (AbutCellPairSetUp(&pair, rules, A, B)) PetscCall(AbutAddVerticesInside(&pair, CrossedFaces, contacts));
  PetscFunctionReturn(0);
}
