/*
  Vertex only [Erleben 2018, section 6]: each vertex inside a cell of the other body gives one contact at the vertex, with the normal and
  the distance of the nearest surface face of that cell. Faces at equal distance: the first in the order of the cell.
*/
#include "contact_pointsimpl.h"

/* Surface face of the cell nearest to a point inside it. */
static int NearestFace(const AbutPointRules *rules, const AbutPointCell *cell, const PetscReal x[3], PetscReal *height)
{
  int nearest = -1;

  *height = 0;
  for (int k = 0; k < 4; k++) {
    const PetscReal h = AbutFaceHeight(cell, k, x);

    if (!(cell->tet.surface >> k & 1) || (nearest >= 0 && h <= *height + rules->touch)) continue;
    nearest = k;
    *height = h;
  }
  return nearest;
}

/* Vertices of cell[from] inside the other cell. */
static PetscErrorCode AddVertices(const AbutPointRules *rules, const AbutPointCell *const cell[2], int from, AbutPointContacts *contacts)
{
  const AbutPointCell *other = cell[1 - from];

  PetscFunctionBegin;
  for (int v = 0; v < 4; v++) {
    const PetscReal *x    = cell[from]->tet.x[v];
    AbutFeaturePair  pair = {{cell[0], cell[1]}, {0, 0}};
    PetscReal        normal[3], height;
    int              face;

    if (!AbutIsInside(rules, other, x)) continue;
    face = NearestFace(rules, other, x, &height);
    if (face < 0) continue;
    for (int i = 0; i < 3; i++) normal[i] = from ? other->normal[face][i] : -other->normal[face][i];
    pair.feature[from]     = 1u << v;
    pair.feature[1 - from] = 0xFu & ~(1u << face);
    PetscCall(AbutPointContactsAdd(contacts, &pair, x, normal, height));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Find(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B, AbutPointContacts *contacts)
{
  const AbutPointCell *const cell[2] = {A, B};

  PetscFunctionBegin;
  for (int from = 0; from < 2; from++) PetscCall(AddVertices(rules, cell, from, contacts));
  PetscFunctionReturn(0);
}

const AbutPointMethod AbutVertexOnly = {Find, PETSC_FALSE};
