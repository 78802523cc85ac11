/* Quasi-static steps: bodies that nothing keeps from moving rigidly. */
#include "solveimpl.h"

/* What holds a body, summed over ranks: its vertices in contact, and where its prescribed vertices are, about a place of the body. */
enum { TOUCHING, PRESCRIBED, FIRST, SECOND = FIRST + 3, NUM_HOLDS = SECOND + 9 };

#define FLAT 1e-12 /* squared extents below this share of the largest are round-off */

static void AddPrescribed(AbutStepper s, PetscInt v, PetscReal holds[NUM_HOLDS])
{
  const AbutBody *body = &s->ml->bodies[s->ml->vertex_body[v]];
  PetscReal       r[3] = {0, 0, 0};

  for (PetscInt i = 0; i < s->dim; i++) r[i] = s->x[v * s->dim + i] - (body->box[0][i] + body->box[1][i]) / 2;
  holds[PRESCRIBED] += 1;
  for (int i = 0; i < 3; i++) {
    holds[FIRST + i] += r[i];
    for (int j = 0; j < 3; j++) holds[SECOND + 3 * i + j] += r[i] * r[j];
  }
}

/* Of every body, over all ranks. Collective. */
static PetscErrorCode SumHolds(AbutStepper s, PetscReal holds[][NUM_HOLDS])
{
  const AbutMeshLocal  *ml = s->ml;
  const AbutCandidates *candidates;
  const AbutStencil    *stencils;
  PetscInt              count;
  PetscMPIInt           num_sums;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(NUM_HOLDS * ml->num_bodies, &num_sums));
  PetscCall(PetscArrayzero(holds, ml->num_bodies));
  for (PetscInt v = 0; v < ml->num_owned; v++)
    if (s->boundary.state[v] != ABUT_BOUNDARY_FREE) AddPrescribed(s, v, holds[ml->vertex_body[v]]);
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(AbutPotentialGetStencils(s->potential, &count, &stencils));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt *v     = stencils[k].v;
    PetscBool       alone = (PetscBool)(stencils[k].plane < 0);
    for (PetscInt i = 1; i < stencils[k].n; i++)
      if (candidates->vertex_body[v[i]] != candidates->vertex_body[v[0]]) alone = PETSC_FALSE;
    for (PetscInt i = 0; i < stencils[k].n && !alone; i++) holds[candidates->vertex_body[v[i]]][TOUCHING] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, holds, num_sums, MPIU_REAL, MPIU_SUM, s->comm));
  PetscFunctionReturn(0);
}

/* Do the prescribed vertices keep a body from moving rigidly: two of them in 2D, three that are not on a line in 3D? */
static PetscBool IsHeld(PetscInt dim, const PetscReal holds[NUM_HOLDS])
{
  const PetscReal n = holds[PRESCRIBED];
  PetscReal       spread[9], extent[3], axes[9]; /* extents ascending */

  if (n < (PetscReal)dim) return PETSC_FALSE;
  for (int k = 0; k < 9; k++) spread[k] = holds[SECOND + k] / n - holds[FIRST + k / 3] * holds[FIRST + k % 3] / (n * n);
  AbutEigenSymmetric(3, spread, extent, axes);
  return (PetscBool)(dim == 2 || extent[1] > FLAT * extent[2]);
}

/*
  Error if a body can move rigidly at no cost: too few prescribed vertices to hold it, and no contact. Contact may hold a body or not; only
  a failed solve tells.
*/
PetscErrorCode AbutRigidCheck(AbutStepper s, PetscBool failed)
{
  const AbutMeshLocal *ml = s->ml;
  PetscReal(*holds)[NUM_HOLDS];
  PetscInt loose = -1;

  PetscFunctionBegin;
  if (s->spec.integrator != ABUT_INTEGRATOR_STATIC || s->spec.regularization > 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(ml->num_bodies, &holds));
  PetscCall(SumHolds(s, holds));
  for (PetscInt b = 0; b < ml->num_bodies && loose < 0; b++)
    if (!ml->bodies[b].obstacle && !IsHeld(s->dim, holds[b]) && (failed || holds[b][TOUCHING] == 0)) loose = b;
  PetscCall(PetscFree(holds));
  AbutCheck(loose < 0, ABUT_ERR_INPUT,
            "body '%s' %s: for quasi-static steps prescribe at least %s by motions, or give time.regularization above 0 [1/s^2]",
            ml->bodies[loose].name, failed ? "is held by contact alone and the step did not converge" : "can move freely as a rigid body",
            s->dim == 2 ? "2 of its vertices" : "3 of its vertices that are not on a line");
  PetscFunctionReturn(0);
}
