/*
  Intersection [Erleben 2018, section 6], with the rules of the author's own simulator (github.com/diku-dk/PROX) where the paper has none.
  Each pair of surface triangles of the two cells that overlap:
  - A vertex on or behind the other triangle, at any depth and inside the planes through its edges, gives a contact with the normal of the
    triangle. The simulator does not normalise this normal: its length is twice the area of the triangle.
  - Two edges that are not parallel, with closest points inside both, give a contact with their cross product as normal if the middle of the
    closest points is on or behind both triangles: also edges far inside the cells, as section 7.1 describes.
  The first cross product of edges that separates the cells ends the search in these cells. Contacts found before remain.
*/
#include "contact_pointsimpl.h"

/* Surface triangles of two cells: face[s] of cell s. */
typedef struct {
  const AbutCellPair *pair;
  int                 face[2];
} Triangles;

/* Vector along edge k of the triangle of cell s; sets *edge to its index in AbutTetEdge. */
static void EdgeOf(const Triangles *t, int s, int k, int *edge, PetscReal d[3])
{
  const int *face = AbutTetFace[t->face[s]], a = face[k], b = face[(k + 1) % 3];
  const PetscReal(*x)[3] = (const PetscReal(*)[3])t->pair->cell[s]->tet.x;

  for (int i = 0; i < 3; i++) d[i] = x[b][i] - x[a][i];
  for (*edge = 0; AbutTetEdge[*edge][0] != PetscMin(a, b) || AbutTetEdge[*edge][1] != PetscMax(a, b);) (*edge)++;
}

/* Whether the plane of the triangle of cell s has the other triangle strictly on one side. */
static PetscBool SeparatesPlane(const Triangles *t, int s)
{
  const signed char *side = t->pair->side[s][t->face[s]];
  const int         *v    = AbutTetFace[t->face[1 - s]];

  return (PetscBool)(side[v[0]] != 0 && side[v[0]] == side[v[1]] && side[v[0]] == side[v[2]]);
}

/* Coplanar triangles overlap wherever they are in their plane: all cross products of their edges are normal to it. */
static PetscBool Overlap(const Triangles *t)
{
  const unsigned vertices[2] = {0xFu & ~(1u << t->face[0]), 0xFu & ~(1u << t->face[1])};

  if (SeparatesPlane(t, 0) || SeparatesPlane(t, 1)) return PETSC_FALSE;
  for (int k = 0; k < 9; k++) {
    PetscReal e[2][3], axis[3], separation[2];
    int       edge;

    EdgeOf(t, 0, k / 3, &edge, e[0]);
    EdgeOf(t, 1, k % 3, &edge, e[1]);
    if (!AbutEdgeAxis(e[0], e[1], t->pair->rules->parallel, axis)) continue;
    (void)AbutAxisSeparations(t->pair, vertices, axis, separation);
    if (separation[0] > t->pair->rules->touch || separation[1] > t->pair->rules->touch) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

static PetscReal TwiceArea(const Triangles *t, int s)
{
  PetscReal e[2][3], normal[3];
  int       edge;

  for (int k = 0; k < 2; k++) EdgeOf(t, s, k, &edge, e[k]);
  AbutCross(e[0], e[1], normal);
  return AbutNorm(3, normal);
}

/* Contacts of the vertices of the other triangle with the triangle of cell s. */
static PetscErrorCode AddVertices(const Triangles *t, int s, AbutPointContacts *contacts)
{
  const AbutCellPair *pair   = t->pair;
  const int           f      = t->face[s];
  const PetscReal     length = pair->rules->unit ? 1 : TwiceArea(t, s);

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    const int v = AbutTetFace[t->face[1 - s]][k];

    if (pair->side[s][f][v] > 0 || !AbutIsOverFace(pair->rules, pair->cell[s], f, pair->cell[1 - s]->tet.x[v])) continue;
    PetscCall(AbutAddVertexFace(pair, s, f, v, contacts));
    contacts->a[contacts->n - 1].length = length;
  }
  PetscFunctionReturn(0);
}

static PetscBool IsBehindBoth(const Triangles *t, const PetscReal x[3])
{
  for (int s = 0; s < 2; s++)
    if (AbutFaceHeight(t->pair->cell[s], t->face[s], x) > t->pair->rules->touch) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Unit cross product of two edges, and the cells along it: as from AbutAxisSeparations(). */
typedef struct {
  PetscReal normal[3], separation[2], ahead;
} Axis;

/* Appends the contact of two edges. Its normal points to the cell whose lower end is ahead: two contacts if the lower ends coincide. */
static PetscErrorCode AddCrossing(const Triangles *t, const int edge[2], const Axis *axis, AbutPointContacts *contacts)
{
  const AbutCellPair *pair     = t->pair;
  AbutFeaturePair     features = {{pair->cell[0], pair->cell[1]}, {0, 0}};
  AbutEdgeClosest     closest;

  PetscFunctionBegin;
  if (!AbutClosestInEdges(pair->rules, pair->cell, edge[0], edge[1], &closest) || !IsBehindBoth(t, closest.middle)) PetscFunctionReturn(0);
  for (int s = 0; s < 2; s++) features.feature[s] = 1u << AbutTetEdge[edge[s]][0] | 1u << AbutTetEdge[edge[s]][1];
  for (int s = 0; s < 2; s++) {
    const PetscReal sign = s ? -1 : 1, normal[3] = {sign * axis->normal[0], sign * axis->normal[1], sign * axis->normal[2]};

    if (sign * axis->ahead < -pair->rules->touch) continue;
    PetscCall(AbutPointContactsAdd(contacts, &features, closest.middle, normal, axis->separation[s]));
  }
  PetscFunctionReturn(0);
}

/* Contacts of the edges of both triangles, up to a cross product that separates the cells: then *apart is set. */
static PetscErrorCode AddEdges(const Triangles *t, PetscBool *apart, AbutPointContacts *contacts)
{
  const PetscReal touch    = t->pair->rules->touch;
  const unsigned  whole[2] = {0xF, 0xF};

  PetscFunctionBegin;
  for (int k = 0; k < 9 && !*apart; k++) {
    PetscReal e[2][3];
    int       edge[2];
    Axis      axis;

    EdgeOf(t, 0, k / 3, &edge[0], e[0]);
    EdgeOf(t, 1, k % 3, &edge[1], e[1]);
    if (!AbutEdgeAxis(e[0], e[1], t->pair->rules->parallel, axis.normal)) continue;
    axis.ahead = AbutAxisSeparations(t->pair, whole, axis.normal, axis.separation);
    *apart     = (PetscBool)(axis.separation[0] >= -touch || axis.separation[1] >= -touch);
    if (!*apart) PetscCall(AddCrossing(t, edge, &axis, contacts));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFindIntersections(const AbutPointRules *rules, const AbutPointCell *A, const AbutPointCell *B,
                                     AbutPointContacts *contacts)
{
  AbutCellPair pair;
  PetscBool    apart = PETSC_FALSE;

  PetscFunctionBegin;
  if (!AbutCellPairSetUp(&pair, rules, A, B)) PetscFunctionReturn(0);
  for (int k = 0; k < 16 && !apart; k++) {
    const Triangles t = {&pair, {k / 4, k % 4}};

    if (!(A->tet.surface >> t.face[0] & B->tet.surface >> t.face[1] & 1) || !Overlap(&t)) continue;
    for (int s = 0; s < 2; s++) PetscCall(AddVertices(&t, s, contacts));
    PetscCall(AddEdges(&t, &apart, contacts));
  }
  PetscFunctionReturn(0);
}
