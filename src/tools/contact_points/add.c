/* Growable lists of point contacts. */
#include "contact_pointsimpl.h"
#include <abut/containers.h>

PetscErrorCode AbutPointContactsReserve(AbutPointContacts *contacts, PetscInt more)
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(contacts->n + more, &contacts->capacity, &contacts->a));
  PetscFunctionReturn(0);
}

/* Kind and ids, ascending, of a set of vertices of a cell. */
static AbutFeatureKind SetFeature(const AbutTetrahedron *tet, unsigned feature, PetscInt vertex[3])
{
  int n = 0;

  for (int i = 0; i < 3; i++) vertex[i] = -1;
  for (int v = 0; v < 4; v++) {
    int at = n;

    if (!(feature >> v & 1)) continue;
    for (; at > 0 && vertex[at - 1] > tet->vertex[v]; at--) vertex[at] = vertex[at - 1];
    vertex[at] = tet->vertex[v];
    n++;
  }
  return (AbutFeatureKind)(n - 1);
}

PetscErrorCode AbutPointContactsAdd(AbutPointContacts *contacts, const AbutFeaturePair *pair, const PetscReal position[3],
                                    const PetscReal normal[3], PetscReal separation)
{
  AbutPointContact *c;

  PetscFunctionBegin;
  if (contacts->n == contacts->capacity) PetscCall(AbutPointContactsReserve(contacts, 1));
  c = &contacts->a[contacts->n++];
  PetscCall(PetscMemzero(c, sizeof(*c)));
  for (int i = 0; i < 3; i++) {
    c->position[i] = position[i];
    c->normal[i]   = normal[i];
  }
  c->separation = separation;
  c->weight     = 1;
  c->length     = 1;
  for (int s = 0; s < 2; s++) {
    c->body[s]    = pair->cell[s]->tet.body;
    c->cell[s]    = pair->cell[s]->tet.cell;
    c->feature[s] = SetFeature(&pair->cell[s]->tet, pair->feature[s], c->vertex[s]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAddVertexFace(const AbutCellPair *pair, int s, int f, int v, AbutPointContacts *contacts)
{
  const AbutPointCell *cell     = pair->cell[s];
  AbutFeaturePair      features = {{pair->cell[0], pair->cell[1]}, {0, 0}};
  PetscReal            normal[3];

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) normal[i] = s ? -cell->normal[f][i] : cell->normal[f][i];
  features.feature[s]     = 0xFu & ~(1u << f);
  features.feature[1 - s] = 1u << v;
  PetscCall(AbutPointContactsAdd(contacts, &features, pair->cell[1 - s]->tet.x[v], normal, pair->height[s][f][v]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutAddVerticesInside(const AbutCellPair *pair, AbutFacesOfVertexFn choose, AbutPointContacts *contacts)
{
  PetscFunctionBegin;
  for (int s = 0; s < 2; s++)
    for (int v = 0; v < 4; v++) {
      const unsigned faces = AbutIsVertexInside(pair, 1 - s, v) ? choose(pair, s, v) : 0;

      for (int f = 0; f < 4; f++)
        if (faces >> f & 1) PetscCall(AbutAddVertexFace(pair, s, f, v, contacts));
    }
  PetscFunctionReturn(0);
}
