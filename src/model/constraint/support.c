/* Quasi-static steps: detection of bodies that can move as a rigid body without resistance, and of bodies that have done so. */
#include "constraintimpl.h"
#include <abut/dense.h>

/*
  Sums over the vertices of a body: vertices in contact; prescribed vertices with their first and second moments about the centre of the
  body.
*/
enum { TOUCHING, PRESCRIBED, FIRST, SECOND = FIRST + 3, NUM_SUMS = SECOND + 9 };

#define FLAT 1e-12 /* squared extents below this share of the largest are round-off */

static void AddPrescribed(const AbutMeshLocal *ml, const PetscReal x[], PetscInt v, PetscReal sums[NUM_SUMS])
{
  const AbutBody *body = &ml->bodies[ml->vertex_body[v]];
  PetscReal       r[3] = {0, 0, 0};

  for (PetscInt i = 0; i < ml->dim; i++) r[i] = x[v * ml->dim + i] - (body->box[0][i] + body->box[1][i]) / 2;
  sums[PRESCRIBED] += 1;
  for (int i = 0; i < 3; i++) {
    sums[FIRST + i] += r[i];
    for (int j = 0; j < 3; j++) sums[SECOND + 3 * i + j] += r[i] * r[j];
  }
}

static PetscErrorCode SumBodies(AbutConstraint c, const PetscReal x[], PetscReal sums[][NUM_SUMS])
{
  const AbutMeshLocal  *ml         = c->motions.ml;
  const AbutCandidates *candidates = AbutContactGetCandidates(c->contact);
  const AbutStencil    *stencils;
  PetscInt              count;
  PetscMPIInt           num_sums;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(NUM_SUMS * ml->num_bodies, &num_sums));
  PetscCall(PetscArrayzero(sums, ml->num_bodies));
  for (PetscInt v = 0; v < ml->num_owned; v++)
    if (c->vertices.state[v] != ABUT_BOUNDARY_FREE) AddPrescribed(ml, x, v, sums[ml->vertex_body[v]]);
  PetscCall(AbutPotentialGetStencils(c->potential, &count, &stencils));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt *v    = stencils[k].v;
    PetscBool       self = (PetscBool)(stencils[k].plane < 0); /* a contact within one body supports nothing */
    for (PetscInt i = 1; i < stencils[k].n; i++)
      if (candidates->vertex_body[v[i]] != candidates->vertex_body[v[0]]) self = PETSC_FALSE;
    for (PetscInt i = 0; i < stencils[k].n && !self; i++) sums[candidates->vertex_body[v[i]]][TOUCHING] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, num_sums, MPIU_REAL, MPIU_SUM, c->motions.comm));
  PetscFunctionReturn(0);
}

/* Whether the prescribed vertices prevent rigid motion of a body: two vertices in 2D, three that are not on a line in 3D. */
static PetscBool IsHeld(PetscInt dim, const PetscReal sums[NUM_SUMS])
{
  const PetscReal n = sums[PRESCRIBED];
  PetscReal       spread[9], extent[3], axes[9]; /* extents ascending */

  if (n < (PetscReal)dim) return PETSC_FALSE;
  for (int k = 0; k < 9; k++) spread[k] = sums[SECOND + k] / n - sums[FIRST + k / 3] * sums[FIRST + k % 3] / (n * n);
  AbutEigenSymmetric(3, spread, extent, axes);
  return (PetscBool)(dim == 2 || extent[1] > FLAT * extent[2]);
}

PetscErrorCode AbutConstraintCheckSupport(AbutConstraint c, const PetscReal x[], PetscBool failed)
{
  const AbutMeshLocal *ml = c->motions.ml;
  PetscReal(*sums)[NUM_SUMS];
  PetscInt free_body = -1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(ml->num_bodies, &sums));
  PetscCall(SumBodies(c, x, sums));
  for (PetscInt b = 0; b < ml->num_bodies && free_body < 0; b++)
    if (!ml->bodies[b].obstacle && !IsHeld(ml->dim, sums[b]) && (failed || sums[b][TOUCHING] == 0)) free_body = b;
  PetscCall(PetscFree(sums));
  AbutCheck(free_body < 0, ABUT_ERR_INPUT,
            "body '%s' %s: for quasi-static steps prescribe at least %s by motions, or give time.regularization above 0 [1/s^2]",
            ml->bodies[free_body].name,
            failed ? "is held by contact alone and the step did not converge" : "can move freely as a rigid body",
            ml->dim == 2 ? "2 of its vertices" : "3 of its vertices that are not on a line");
  PetscFunctionReturn(0);
}

#define DRIFT 0.5 /* of its diagonal: the farthest that a body without prescribed support moves beyond the prescribed motion */

/* Longest displacement that motions prescribe in the step, of vertices and half spaces [m]. Collective. */
static PetscErrorCode LongestMotion(AbutConstraint c, PetscReal *longest)
{
  const Kinematics *k = &c->motions;
  PetscReal         approach;

  PetscFunctionBegin;
  AbutPlaneMotionLongest(c, &approach, longest);
  for (PetscInt v = 0; v < k->ml->num_owned; v++) {
    PetscReal square = 0;
    for (PetscInt i = v * k->dim; i < (v + 1) * k->dim && c->vertices.state[v] == ABUT_BOUNDARY_MOVING; i++)
      square += PetscSqr(c->vertices.target[i] - k->start.x[i]);
    *longest = PetscMax(*longest, PetscSqrtReal(square));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, longest, 1, MPIU_REAL, MPIU_MAX, k->comm));
  PetscFunctionReturn(0);
}

/* Mean displacement of the vertices of each body: shift[num_bodies] [m]. Collective. */
static PetscErrorCode MeanShifts(AbutConstraint c, const PetscReal x[], PetscReal shift[])
{
  const Kinematics *k = &c->motions;
  PetscReal(*sums)[4];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(k->ml->num_bodies, &sums));
  for (PetscInt v = 0; v < k->ml->num_owned; v++) {
    PetscReal *sum = sums[k->ml->vertex_body[v]];
    for (PetscInt i = 0; i < k->dim; i++) sum[i] += x[v * k->dim + i] - k->start.x[v * k->dim + i];
    sum[3] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(4 * k->ml->num_bodies), MPIU_REAL, MPIU_SUM, k->comm));
  for (PetscInt b = 0; b < k->ml->num_bodies; b++) shift[b] = PetscSqrtReal(AbutDot(3, sums[b], sums[b])) / PetscMax(sums[b][3], 1);
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConstraintFindDrift(AbutConstraint c, const PetscReal x[], PetscInt *body, PetscReal *shift)
{
  const AbutMeshLocal *ml = c->motions.ml;
  PetscReal            longest, *shifts;
  PetscReal(*sums)[NUM_SUMS];

  PetscFunctionBegin;
  PetscCall(LongestMotion(c, &longest));
  PetscCall(PetscMalloc2(ml->num_bodies, &sums, ml->num_bodies, &shifts));
  PetscCall(SumBodies(c, x, sums));
  PetscCall(MeanShifts(c, x, shifts));
  *body = -1;
  for (PetscInt b = 0; b < ml->num_bodies && *body < 0; b++) {
    PetscReal diagonal = 0;
    for (PetscInt i = 0; i < ml->dim; i++) diagonal += PetscSqr(ml->bodies[b].box[1][i] - ml->bodies[b].box[0][i]);
    if (ml->bodies[b].obstacle || IsHeld(ml->dim, sums[b]) || shifts[b] <= DRIFT * PetscSqrtReal(diagonal) + longest) continue;
    *body  = b;
    *shift = shifts[b];
  }
  PetscCall(PetscFree2(sums, shifts));
  PetscFunctionReturn(0);
}
