/*
  Open obstacles, such as sheets, that bodies enter from behind, where the normals point away from the bodies. Along these normals the
  bodies would have to pass through the whole obstacle. So the obstacle's normals are reversed instead.
*/
#include "boundary.h"
#include <abut/geom.h>

#define BEHIND 0.75 /* fraction of the vertices of a body above which it is behind an obstacle */
#define CLOSED 1e-6 /* sum of the normals of a closed surface over the sum of their lengths, at most */

/* The normals of a closed surface cancel. */
PetscBool BoundaryIsSheet(const Boundary *b, PetscInt body)
{
  PetscReal sum[3] = {0, 0, 0}, length = 0;

  for (PetscInt e = b->element_start[body]; e < b->element_start[body + 1]; e++) {
    PetscReal n[3] = {0, 0, 0};

    ElementNormal(b, &b->element[b->dim * e], n);
    for (PetscInt k = 0; k < b->dim; k++) sum[k] += n[k];
    length += AbutNorm(b->dim, n);
  }
  return (PetscBool)(AbutNorm(3, sum) > CLOSED * length);
}

/* Lists the elements of a party that meet a box. */
static PetscErrorCode ListElements(const Boundary *b, PetscInt party, PetscReal box[2][3], AbutInts *elements)
{
  PetscFunctionBegin;
  for (PetscInt e = b->element_start[party]; e < b->element_start[party + 1]; e++)
    if (BoundaryMeetsBox(b, box, b->dim, &b->element[b->dim * e])) PetscCall(AbutIntsPush(elements, 1, &e));
  PetscFunctionReturn(0);
}

/* Whether a vertex is behind elements: it sees more of their inner than of their outer sides. */
static PetscBool SeesInside(const Boundary *b, const AbutInts *elements, PetscInt vertex)
{
  PetscReal sum = 0;

  for (PetscInt i = 0; i < elements->n; i++) {
    const PetscReal *corner[3];

    for (PetscInt k = 0; k < b->dim; k++) corner[k] = &b->x[b->dim * b->element[b->dim * elements->a[i] + k]];
    sum += AbutSolidAngle(b->dim, &b->x[b->dim * vertex], corner);
  }
  return (PetscBool)(sum > 0);
}

/* Whether the body on side 1 - s of a pair is behind the obstacle on side s. */
static PetscErrorCode IsBehind(const Boundary *b, const Pair *pair, int s, PetscBool *behind)
{
  const PetscInt body = pair->party[1 - s], first = b->vertex_start[body], end = b->vertex_start[body + 1];
  AbutInts       elements = {0};
  PetscReal      box[2][3];
  PetscInt       num = 0;

  PetscFunctionBegin;
  PairCommonBox(b, pair, 0, box);
  PetscCall(ListElements(b, pair->party[s], box, &elements));
  for (PetscInt v = first; v < end; v++) num += SeesInside(b, &elements, v);
  *behind = (PetscBool)((PetscReal)num > BEHIND * (PetscReal)(end - first));
  PetscCall(PetscFree(elements.a));
  PetscFunctionReturn(0);
}

/* Reverses the normals of a surface. */
static void Turn(Boundary *b, PetscInt body)
{
  for (PetscInt e = b->element_start[body]; e < b->element_start[body + 1]; e++) {
    int32_t *v = &b->element[b->dim * e], first = v[0];

    v[0] = v[1];
    v[1] = first;
  }
}

PetscErrorCode SheetsTurn(Boundary *b, const Pairs *pairs)
{
  PetscInt *behind, *crossed;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(b->num_bodies, &behind, b->num_bodies, &crossed));
  for (PetscInt i = 0; i < pairs->n; i++) {
    const Pair *pair = &pairs->a[i];

    for (int s = 0; s < 2 && pair->crossings && pair->party[1] < b->num_bodies; s++) {
      const PetscInt sheet = pair->party[s];
      PetscBool      is    = PETSC_FALSE;

      if (!BoundaryIsRigid(b, sheet) || !BoundaryIsSheet(b, sheet)) continue;
      PetscCall(IsBehind(b, pair, s, &is));
      crossed[sheet]++;
      behind[sheet] += is;
    }
  }
  for (PetscInt i = 0; i < b->num_bodies; i++)
    if (crossed[i] && behind[i] == crossed[i]) Turn(b, i);
  PetscCall(PetscFree2(behind, crossed));
  PetscFunctionReturn(0);
}
