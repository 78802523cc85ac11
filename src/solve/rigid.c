/* Quasi-static steps: what stands in for inertia, and bodies that nothing keeps from moving rigidly. */
#include "solveimpl.h"

/*
  Without inertia nothing relates the units of mass and stiffness, on which barrier stiffness and penalties rest: the factor of forces is
  the square of the time in which elastic forces at rest move the mass of a vertex.
*/
PetscErrorCode AbutRigidScale(AbutStepper s)
{
  PetscReal          sums[2] = {0, 0};
  const PetscScalar *diagonal;
  PetscBool          rebuilt;
  Mat                A;

  PetscFunctionBegin;
  if (s->spec.integrator != ABUT_INTEGRATOR_STATIC) PetscFunctionReturn(0);
  PetscCall(AbutAssemblerUpdatePattern(s->assembler, 0, NULL, 0, NULL, &rebuilt));
  PetscCall(AbutAssemblerBegin(s->assembler));
  PetscCall(AbutElasticAddHessian(s->elastic, s->ml->rest, 1, ABUT_PSD_CLAMP, s->assembler));
  PetscCall(AbutAssemblerEnd(s->assembler, NULL));
  PetscCall(AbutAssemblerGetMat(s->assembler, &A));
  PetscCall(MatGetDiagonal(A, s->F));
  PetscCall(VecGetArrayRead(s->F, &diagonal));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    for (PetscInt i = 0; i < s->dim && s->mass[v] > 0; i++) sums[0] += s->mass[v], sums[1] += PetscRealPart(diagonal[v * s->dim + i]);
  PetscCall(VecRestoreArrayRead(s->F, &diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, s->comm));
  s->c2 = s->static_c2 = sums[1] > 0 ? sums[0] / sums[1] : 1;
  PetscCall(AbutAssemblerForgetPattern(s->assembler));
  PetscFunctionReturn(0);
}

/* What holds a body: its vertices that are prescribed, and its vertices in contact. */
enum { PRESCRIBED, TOUCHING, NUM_HOLDS };

/* Of every body, over all ranks. */
static PetscErrorCode CountHolds(AbutStepper s, PetscInt holds[][NUM_HOLDS])
{
  const AbutMeshLocal  *ml = s->ml;
  const AbutCandidates *candidates;
  const AbutStencil    *stencils;
  PetscInt              count;
  PetscMPIInt           num_counts;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(NUM_HOLDS * ml->num_bodies, &num_counts));
  PetscCall(PetscArrayzero(holds, ml->num_bodies));
  for (PetscInt v = 0; v < ml->num_owned; v++)
    if (s->boundary.state[v] != ABUT_BOUNDARY_FREE) holds[ml->vertex_body[v]][PRESCRIBED]++;
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(AbutPotentialGetStencils(s->potential, &count, &stencils));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt *v     = stencils[k].v;
    PetscBool       alone = (PetscBool)(stencils[k].plane < 0);
    for (PetscInt i = 1; i < stencils[k].n; i++)
      if (candidates->vertex_body[v[i]] != candidates->vertex_body[v[0]]) alone = PETSC_FALSE;
    for (PetscInt i = 0; i < stencils[k].n && !alone; i++) holds[candidates->vertex_body[v[i]]][TOUCHING]++;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, holds, num_counts, MPIU_INT, MPI_SUM, s->comm));
  PetscFunctionReturn(0);
}

/*
  Error if a body can move rigidly at no cost: fewer prescribed vertices than it takes to hold it, and no contact. Contact may hold a
  body or not; only a failed solve tells.
*/
PetscErrorCode AbutRigidCheck(AbutStepper s, PetscBool failed)
{
  const AbutMeshLocal *ml = s->ml;
  PetscInt(*holds)[NUM_HOLDS];

  PetscFunctionBegin;
  if (s->spec.integrator != ABUT_INTEGRATOR_STATIC || s->spec.regularization > 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(ml->num_bodies, &holds));
  PetscCall(CountHolds(s, holds));
  for (PetscInt b = 0; b < ml->num_bodies; b++) {
    const PetscBool loose = (PetscBool)(!ml->bodies[b].obstacle && holds[b][PRESCRIBED] < s->dim && (failed || holds[b][TOUCHING] == 0));
    if (!loose) continue;
    PetscCall(PetscFree(holds));
    PetscFunctionReturn(AbutErrorSet(
      ABUT_ERR_INPUT,
      "body '%s' %s: a quasi-static step needs at least %" PetscInt_FMT
      " of its vertices prescribed by motions, or time.regularization above 0 [1/s^2]",
      ml->bodies[b].name, failed ? "is held by contact alone and the step did not converge" : "can move freely as a rigid body", s->dim));
  }
  PetscCall(PetscFree(holds));
  PetscFunctionReturn(0);
}
