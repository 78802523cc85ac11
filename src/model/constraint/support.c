/* Quasi-static steps: detection of bodies that can move as a rigid body without resistance, and of bodies that have done so. */
#include "constraintimpl.h"
#include <abut/dense.h>

/*
  Sums over the vertices of a body: vertices in contact; prescribed unknowns, their places relative to the centre of the body, and the sum
  of the matrices w w^T. w are the displacements of the unknown in the rigid motions: three translations, then rotations about three axes.
*/
enum { MODES = 6, TOUCHING = 0, PRESCRIBED, FIRST, GRAM = FIRST + 3, NUM_SUMS = GRAM + MODES * MODES };

#define FLAT 1e-12 /* eigenvalues below this share of the largest are round-off */

/* body: of v, or the first body that ties connect with it. */
static void AddPrescribed(const AbutMeshLocal *ml, const AbutBody *body, const PetscReal x[], PetscInt v, PetscInt component,
                          PetscReal sums[NUM_SUMS])
{
  PetscReal r[3] = {0, 0, 0}, w[MODES] = {0};

  for (PetscInt i = 0; i < ml->dim; i++) r[i] = x[v * ml->dim + i] - (body->box[0][i] + body->box[1][i]) / 2;
  w[component]               = 1;
  w[3 + (component + 1) % 3] = r[(component + 2) % 3];
  w[3 + (component + 2) % 3] = -r[(component + 1) % 3];
  sums[PRESCRIBED] += 1;
  for (int i = 0; i < 3; i++) sums[FIRST + i] += r[i];
  for (int k = 0; k < MODES * MODES; k++) sums[GRAM + k] += w[k / MODES] * w[k % MODES];
}

static PetscInt FirstOf(AbutConstraint c, const AbutCandidates *candidates, PetscInt v)
{
  return AbutTiesGetFirstBody(c->ties, candidates->vertex_body[v]);
}

/* Sums of bodies; bodies that ties connect count as the first of them. */
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
  for (PetscInt i = 0; i < ml->num_owned * ml->dim; i++) {
    const PetscInt b = AbutTiesGetFirstBody(c->ties, ml->vertex_body[i / ml->dim]);
    if (c->vertices.state[i] != ABUT_BOUNDARY_FREE) AddPrescribed(ml, &ml->bodies[b], x, i / ml->dim, i % ml->dim, sums[b]);
  }
  PetscCall(AbutPotentialGetStencils(c->potential, &count, &stencils));
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt *v    = stencils[k].v;
    PetscBool       self = (PetscBool)(stencils[k].plane < 0); /* a contact within one body supports nothing */
    for (PetscInt i = 1; i < stencils[k].n; i++)
      if (FirstOf(c, candidates, v[i]) != FirstOf(c, candidates, v[0])) self = PETSC_FALSE;
    for (PetscInt i = 0; i < stencils[k].n && !self; i++) sums[FirstOf(c, candidates, v[i])][TOUCHING] += 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, num_sums, MPIU_REAL, MPIU_SUM, c->motions.comm));
  PetscFunctionReturn(0);
}

/*
  Whether the prescribed unknowns prevent every rigid motion: the matrix of the motions that exist in `dim` dimensions is regular. Rotations
  are taken about the mean of the places, and scaled by the distance of the unknowns from it.
*/
static PetscBool IsHeld(PetscInt dim, const PetscReal sums[NUM_SUMS])
{
  static const int modes[2][MODES]     = {{0, 1, 5}, {0, 1, 2, 3, 4, 5}};
  const PetscInt   num                 = dim == 2 ? 3 : MODES;
  PetscReal        about[MODES][MODES] = {{0}}, half[MODES][MODES] = {{0}}, moved[MODES][MODES] = {{0}}, scale[MODES], A[MODES * MODES],
            values[MODES], axes[MODES * MODES], turns                                           = 0, c[3];

  if (sums[PRESCRIBED] < (PetscReal)num) return PETSC_FALSE;
  for (int i = 0; i < 3; i++) c[i] = sums[FIRST + i] / sums[PRESCRIBED];
  for (int i = 0; i < MODES; i++) about[i][i] = 1;
  for (int i = 0; i < 3; i++) { /* a rotation about the axis a moves the centre c by a x c */
    about[3 + i][(i + 1) % 3] = c[(i + 2) % 3];
    about[3 + i][(i + 2) % 3] = -c[(i + 1) % 3];
  }
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < MODES; i++)
      for (int j = 0; j < MODES; j++)
        for (int k = 0; k < MODES; k++)
          (pass ? moved : half)[i][j] += pass ? half[i][k] * about[j][k] : about[i][k] * sums[GRAM + MODES * k + j];
  for (int i = 0; i < 3; i++) turns += moved[3 + i][3 + i];
  for (int i = 0; i < MODES; i++) scale[i] = i < 3 || turns <= 0 ? 1 : PetscSqrtReal(sums[PRESCRIBED] / turns);
  for (PetscInt k = 0; k < num * num; k++) {
    const int i = modes[dim - 2][k / num], j = modes[dim - 2][k % num];
    A[k] = scale[i] * scale[j] * moved[i][j];
  }
  AbutEigenSymmetric(num, A, values, axes);
  return (PetscBool)(values[0] > FLAT * values[num - 1]);
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
    if (!ml->bodies[b].obstacle && AbutTiesGetFirstBody(c->ties, b) == b && !IsHeld(ml->dim, sums[b]) && (failed || sums[b][TOUCHING] == 0))
      free_body = b;
  PetscCall(PetscFree(sums));
  AbutCheck(free_body < 0, ABUT_ERR_INPUT,
            "body '%s' %s: for quasi-static steps prescribe at least %s by motions, or single components that prevent every rigid motion, "
            "or give time.regularization above 0 [1/s^2]",
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
    for (PetscInt i = v * k->dim; i < (v + 1) * k->dim; i++)
      square += c->vertices.state[i] == ABUT_BOUNDARY_MOVING ? PetscSqr(c->vertices.target[i] - k->start.x[i]) : 0;
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
  for (PetscInt b = 0; b < k->ml->num_bodies; b++) shift[b] = AbutNorm(3, sums[b]) / PetscMax(sums[b][3], 1);
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
    if (ml->bodies[b].obstacle || IsHeld(ml->dim, sums[AbutTiesGetFirstBody(c->ties, b)]) ||
        shifts[b] <= DRIFT * AbutBodyDiagonal(ml->dim, &ml->bodies[b]) + longest)
      continue;
    *body  = b;
    *shift = shifts[b];
  }
  PetscCall(PetscFree2(sums, shifts));
  PetscFunctionReturn(0);
}
