/*
  Closest points [Erleben 2018, section 6]: the surfaces of both bodies are eroded, so that touching bodies are apart. A vertex over a
  surface face, or two surface edges with closest points inside both, within the reach give a contact in the middle of the closest points;
  the vector between them is the normal. An edge whose two ends have contacts with faces gives no further contact.
*/
#include "contact_pointsimpl.h"

static PetscBool IsSurfaceVertex(const AbutPointCell *cell, int v)
{
  return (PetscBool)((cell->tet.surface & ~(1u << v)) != 0);
}

/* Contacts of vertices of the other cell with faces of cell s; returns in *used the vertices with a contact. */
static PetscErrorCode AddVertexFaces(const AbutPointRules *rules, const AbutPointCell *const cell[2], int s, unsigned *used,
                                     AbutPointContacts *contacts)
{
  const AbutPointCell *faces = cell[s], *vertices = cell[1 - s];

  PetscFunctionBegin;
  *used = 0;
  for (int v = 0; v < 4; v++) {
    const PetscReal *x = vertices->tet.x[v];

    for (int f = 0; f < 4 && IsSurfaceVertex(vertices, v); f++) {
      AbutFeaturePair features = {{cell[0], cell[1]}, {0, 0}};
      PetscReal       height, normal[3], middle[3];

      if (!(faces->tet.surface >> f & 1)) continue;
      height = AbutFaceHeight(faces, f, x);
      if (height <= rules->touch || height > rules->reach + rules->touch || !AbutIsOverFace(rules, faces, f, x)) continue;
      for (int i = 0; i < 3; i++) {
        normal[i] = s ? -faces->normal[f][i] : faces->normal[f][i];
        middle[i] = x[i] - height / 2 * faces->normal[f][i];
      }
      features.feature[s]     = 0xFu & ~(1u << f);
      features.feature[1 - s] = 1u << v;
      *used |= 1u << v;
      PetscCall(AbutPointContactsAdd(contacts, &features, middle, normal, height));
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddEdges(const AbutPointRules *rules, const AbutPointCell *const cell[2], const unsigned used[2],
                               AbutPointContacts *contacts)
{
  PetscFunctionBegin;
  for (int k = 0; k < 36; k++) {
    const int       edge[2]  = {k / 6, k % 6};
    AbutFeaturePair features = {{cell[0], cell[1]}, {0, 0}};
    PetscBool       skip     = PETSC_FALSE;
    AbutEdgeClosest closest;

    for (int s = 0; s < 2; s++) {
      features.feature[s] = 1u << AbutTetEdge[edge[s]][0] | 1u << AbutTetEdge[edge[s]][1];
      skip |= (PetscBool)(!AbutIsSurfaceEdge(cell[s], edge[s]) || (features.feature[s] & ~used[s]) == 0);
    }
    if (skip || !AbutClosestInEdges(rules, cell, edge[0], edge[1], &closest)) continue;
    if (closest.distance <= rules->touch || closest.distance > rules->reach + rules->touch) continue;
    PetscCall(AbutPointContactsAdd(contacts, &features, closest.middle, closest.normal, closest.distance));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFindClosestPoints(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B,
                                     AbutPointContacts *contacts)
{
  const AbutPointCell *const cell[2] = {A, B};
  unsigned                   used[2]; /* vertices with a contact, by cell */

  PetscFunctionBegin;
  for (int s = 0; s < 2; s++) PetscCall(AddVertexFaces(rules, cell, s, &used[1 - s], contacts));
  PetscCall(AddEdges(rules, cell, used, contacts));
  PetscFunctionReturn(0);
}
