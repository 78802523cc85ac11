/*
  Intersection [Erleben 2018, section 6]: each pair of surface triangles of the two cells. A vertex on or behind a triangle, no deeper than
  AbutPointRules.close, and inside the planes through its edges along its normal gives a contact with the normal of the triangle.
  Two edges whose cross product does not separate the cells, and whose closest points are inside both edges and on or behind both
  triangles, give a contact with the cross product as normal: also edges far inside the cells, as section 7.1 describes.
*/
#include "contact_pointsimpl.h"

/* Vertices of face g of the other cell and face f of cell s. */
static PetscErrorCode AddVertexFaces(const AbutCellPair *pair, int s, int f, int g, AbutPointContacts *contacts)
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    const int v = AbutTetFace[g][k];

    if (pair->side[s][f][v] > 0 || pair->height[s][f][v] < -pair->rules->close) continue;
    if (AbutIsOverFace(pair->rules, pair->cell[s], f, pair->cell[1 - s]->tet.x[v])) PetscCall(AbutAddVertexFace(pair, s, f, v, contacts));
  }
  PetscFunctionReturn(0);
}

/* Whether a point is on or behind a surface face of cell s at its edge e. */
static PetscBool IsBehind(const AbutCellPair *pair, int s, int e, const PetscReal x[3])
{
  for (int k = 0; k < 2; k++) {
    const int f = AbutTetEdgeFaces[e][k];

    if (pair->cell[s]->tet.surface >> f & 1 && AbutFaceHeight(pair->cell[s], f, x) <= pair->rules->touch) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether a direction points from the centroid of cell[1] to that of cell[0]. */
static PetscBool IsBackward(const AbutCellPair *pair, const PetscReal direction[3])
{
  const AbutTetrahedron *a = &pair->cell[0]->tet, *b = &pair->cell[1]->tet;
  PetscReal              sum = 0;

  for (int v = 0; v < 4; v++)
    for (int k = 0; k < 3; k++) sum += direction[k] * (b->x[v][k] - a->x[v][k]);
  return (PetscBool)(sum < -4 * pair->rules->touch);
}

/* Contact of edge i of cell[0] and edge j of cell[1]. */
static PetscErrorCode AddEdges(const AbutCellPair *pair, int i, int j, AbutPointContacts *contacts)
{
  const AbutFeaturePair features = {{pair->cell[0], pair->cell[1]},
                                    {1u << AbutTetEdge[i][0] | 1u << AbutTetEdge[i][1], 1u << AbutTetEdge[j][0] | 1u << AbutTetEdge[j][1]}};
  const PetscReal       touch    = pair->rules->touch;
  AbutEdgeClosest       closest;
  PetscReal             separation[2];

  PetscFunctionBegin;
  if (!AbutClosestInEdges(pair->rules, pair->cell, i, j, &closest)) PetscFunctionReturn(0);
  if (!IsBehind(pair, 0, i, closest.middle) || !IsBehind(pair, 1, j, closest.middle)) PetscFunctionReturn(0);
  AbutAxisSeparations(pair, closest.normal, separation);
  if (separation[0] >= -touch || separation[1] >= -touch) PetscFunctionReturn(0);
  if (separation[1] > separation[0] + touch || (separation[1] >= separation[0] - touch && IsBackward(pair, closest.normal)))
    for (int k = 0; k < 3; k++) closest.normal[k] = -closest.normal[k];
  PetscCall(AbutPointContactsAdd(contacts, &features, closest.middle, closest.normal, PetscMax(separation[0], separation[1])));
  PetscFunctionReturn(0);
}

static PetscErrorCode Find(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  AbutCellPair pair;
  AbutOverlap  overlap;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B) || !AbutCellPairOverlap(&pair, PETSC_FALSE, &overlap)) PetscFunctionReturn(0);
  for (int f = 0; f < 4; f++)
    for (int g = 0; g < 4; g++) {
      if (!(A->tet.surface >> f & B->tet.surface >> g & 1)) continue;
      PetscCall(AddVertexFaces(&pair, 0, f, g, contacts));
      PetscCall(AddVertexFaces(&pair, 1, g, f, contacts));
    }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      if (AbutIsSurfaceEdge(A, i) && AbutIsSurfaceEdge(B, j)) PetscCall(AddEdges(&pair, i, j, contacts));
  PetscFunctionReturn(0);
}

const AbutPointMethod AbutIntersectionMethod = {Find, PETSC_FALSE};
