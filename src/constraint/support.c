/* Quasi-static steps: detection of bodies that can move as a rigid body without resistance. */
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
