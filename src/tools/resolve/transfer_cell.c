/*
  Place of a point in a quadratic cell x(l) = sum_a N_a(l) x_a with vertices x_a and barycentric coordinates l: Newton's method, with steps
  that end in the cell. Outside of the cell the functions N_a are continued linearly from the last point.
*/
#include "transfer.h"
#include <abut/dense.h>

#define MOST_STEPS 30    /* of Newton's method; a straight cell needs one */
#define SMALL      1e-12 /* distance over the extent of the cell that counts as 0 */

/* A cell and the point that is sought. */
typedef struct {
  PetscInt         dim, nodes;
  const PetscReal *x; /* [nodes * dim] */
  const PetscReal *p; /* [dim] */
} Problem;

/* A trial point. */
typedef struct {
  PetscReal l[4], N[ABUT_MAX_NODES], D[3 * ABUT_MAX_NODES]; /* see AbutQuadraticShape() */
  PetscReal step[3];                                        /* Newton's step of l[1] to l[dim] */
  PetscReal dist2;                                          /* of p from x(l) */
} Trial;

/* Newton's step and distance of the trial point t->l; PETSC_FALSE if the Jacobian is not positive. */
static PetscBool Evaluate(const Problem *q, Trial *t)
{
  PetscReal r[3] = {0, 0, 0}, J[3][3] = {{0}}, n[3][3], det;

  if (q->dim == 2) J[2][2] = 1;
  AbutQuadraticShape(q->dim, t->l, t->N, t->D);
  for (PetscInt d = 0; d < q->dim; d++) {
    r[d] = q->p[d];
    for (PetscInt a = 0; a < q->nodes; a++) r[d] -= t->N[a] * q->x[q->dim * a + d];
    for (PetscInt k = 0; k < q->dim; k++)
      for (PetscInt a = 0; a < q->nodes; a++) J[k][d] += t->D[q->nodes * k + a] * q->x[q->dim * a + d];
  }
  for (PetscInt k = 0; k < 3; k++) AbutCross(J[(k + 1) % 3], J[(k + 2) % 3], n[k]);
  det      = AbutDot(3, J[0], n[0]);
  t->dist2 = AbutDot(3, r, r);
  if (!(det > 0)) return PETSC_FALSE;
  for (PetscInt k = 0; k < q->dim; k++) t->step[k] = AbutDot(3, n[k], r) / det;
  return PETSC_TRUE;
}

/* Coordinates after Newton's step, moved into the cell: negative ones become 0, and their sum 1. Returns the largest change. */
static PetscReal Advance(PetscInt dim, Trial *t)
{
  PetscReal next[4], sum = 0, change = 0;

  next[0] = t->l[0];
  for (PetscInt k = 0; k < dim; k++) {
    next[k + 1] = t->l[k + 1] + t->step[k];
    next[0] -= t->step[k];
  }
  for (PetscInt a = 0; a <= dim; a++) sum += next[a] = PetscMax(next[a], 0);
  for (PetscInt a = 0; a <= dim; a++) {
    next[a] /= sum;
    change  = PetscMax(change, PetscAbsReal(next[a] - t->l[a]));
    t->l[a] = next[a];
  }
  return change;
}

static PetscReal Extent(const Problem *q)
{
  PetscReal extent = 0;

  for (PetscInt a = 1; a < q->nodes; a++)
    for (PetscInt d = 0; d < q->dim; d++) extent = PetscMax(extent, PetscAbsReal(q->x[q->dim * a + d] - q->x[d]));
  return extent;
}

PetscBool AbutPlaceInQuadratic(PetscInt dim, const PetscReal x[], const PetscReal p[], PetscReal weight[], PetscReal *dist2)
{
  const Problem q     = {dim, dim + 1 + AbutNumCellEdges(dim), x, p};
  Trial         trial = {.l = {0}}, best = {.dist2 = PETSC_MAX_REAL};

  for (PetscInt a = 0; a <= dim; a++) trial.l[a] = 1 / (PetscReal)(dim + 1);
  for (PetscInt step = 0; step < MOST_STEPS; step++) {
    if (!Evaluate(&q, &trial)) break;
    if (trial.dist2 < best.dist2) best = trial;
    if (Advance(dim, &trial) < PETSC_MACHINE_EPSILON) break;
  }
  if (best.dist2 == PETSC_MAX_REAL) return PETSC_FALSE;
  *dist2 = best.dist2 <= PetscSqr(SMALL * Extent(&q)) ? 0 : best.dist2;
  for (PetscInt a = 0; a < q.nodes; a++) {
    weight[a] = best.N[a];
    for (PetscInt k = 0; k < dim; k++) weight[a] += best.D[q.nodes * k + a] * best.step[k];
  }
  return PETSC_TRUE;
}
