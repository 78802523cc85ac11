/*
  Barrier stiffness kappa. What it has to be follows from the forces that contact bears: far too soft, gaps become a tiny share of dhat and
  Newton's method creeps, as every step ends where a gap would close; far too stiff, all forces lie within a tiny share of dhat and every step
  ends where contacts that it did not see begin to act. So it starts from what the masses need or from the balance with the other forces and
  follows these slowly, as the momentum of what moves counts as one of them. It grows when gaps become tiny, up to what elasticity may ask for,
  and shrinks when energy cuts many steps short with most of dhat to spare, but not for a body at rest, which would move with it.
*/
#include "solveimpl.h"

#define REACH    1e-3 /* of l: at half its range the softest barrier bears about what moves a vertex so far in a step */
#define SOFTEST  10.8 /* as in IPC's supplement, whose bounds these are for its potential and default range, which is the reach */
#define RANGE    100  /* of the stiffest to what masses and elasticity alike resist with */
#define TINY_GAP 1e-2 /* of the range of a pair: smaller gaps that do not grow ask for more, */
#define GOOD_GAP 0.1  /* which would widen them to this: at a given force they are proportional to kappa */
#define GROWTH   10   /* at most at once */
#define WIDE_GAP 0.6  /* of their ranges, in the mean over forces: less stiffness will do, */
#define DECAY    4    /* this many times */
#define CUTS     20   /* after so many steps cut short by energy at a stiffness */
#define FOLLOW   1.1  /* most growth from step to step with other forces */

/*
  From what bodies are made of: a vertex stands for the square of the mean edge of surfaces (2D: for the edge), and its force at half the range,
  spread over that, is to be a share of Young's modulus. Neither masses nor the step are in it, and what a potential by area makes of it does not
  change with the mesh.
*/
static PetscErrorCode SetFromModuli(AbutStepper s)
{
  PetscReal force, edge;

  PetscFunctionBegin;
  s->kappa_moduli = 0;
  if (!(s->spec.relative_kappa > 0)) PetscFunctionReturn(0);
  PetscCall(AbutPotentialGetReferenceForce(s->potential, s->dhat, &force));
  PetscCall(AbutMeshGetMeanEdge(s->mesh, PETSC_FALSE, &edge));
  s->kappa_moduli = s->spec.relative_kappa * AbutElasticGetLargestYoung(s->elastic) * (s->dim == 3 ? edge * edge : edge) / force;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperGetRelativeStiffness(AbutStepper s, PetscReal *kappa)
{
  PetscFunctionBegin;
  *kappa = s->kappa_moduli;
  PetscFunctionReturn(0);
}

/*
  The mean elastic stiffness. Quasi-static steps have no inertia that would relate the units of mass and stiffness, on which penalties rest:
  their factor of forces is the square of the time in which elastic forces at rest move the mass of a vertex.
*/
PetscErrorCode AbutStiffnessCreate(AbutStepper s)
{
  enum { MASS, STIFFNESS, LOGARITHM, COUNT, NUM_SUMS };
  PetscReal          sums[NUM_SUMS] = {0};
  const PetscScalar *diagonal;
  PetscBool          rebuilt;
  Mat                A;

  PetscFunctionBegin;
  PetscCall(AbutAssemblerUpdatePattern(s->assembler, 0, NULL, NULL, &rebuilt));
  PetscCall(AbutAssemblerBegin(s->assembler));
  PetscCall(AbutElasticAddHessian(s->elastic, s->ml->rest, 1, ABUT_PSD_CLAMP, s->assembler));
  PetscCall(AbutAssemblerEnd(s->assembler, NULL));
  PetscCall(AbutAssemblerGetMat(s->assembler, &A));
  PetscCall(MatGetDiagonal(A, s->F));
  PetscCall(VecGetArrayRead(s->F, &diagonal));
  for (PetscInt v = 0; v < s->ml->num_owned; v++)
    for (PetscInt i = 0; i < s->dim && s->mass[v] > 0; i++) {
      const PetscReal stiffness = PetscRealPart(diagonal[v * s->dim + i]);
      sums[MASS] += s->mass[v];
      sums[STIFFNESS] += stiffness;
      sums[LOGARITHM] += PetscLogReal(stiffness);
      sums[COUNT] += 1;
    }
  PetscCall(VecRestoreArrayRead(s->F, &diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, NUM_SUMS, MPIU_REAL, MPIU_SUM, s->comm));
  s->mean_stiffness = sums[COUNT] > 0 ? PetscExpReal(sums[LOGARITHM] / sums[COUNT]) : 0;
  s->static_c2      = sums[STIFFNESS] > 0 ? sums[MASS] / sums[STIFFNESS] : 1;
  PetscCall(AbutAssemblerForgetPattern(s->assembler));
  PetscCall(SetFromModuli(s));
  PetscFunctionReturn(0);
}

/* Whether the scene says what kappa is, once for all. */
static inline PetscBool IsGiven(AbutStepper s)
{
  return (PetscBool)(s->spec.kappa > 0 || s->kappa_moduli > 0);
}

/*
  Bounds for a step with the coefficients at hand, whatever the unit of kappa. The softest is that of what lies close at rest, whose range may be a
  tiny share of dhat: as stiff as dhat asks for, all its force would lie within a tiny share of that, and nothing would lower it in time.
*/
static PetscErrorCode SetBounds(AbutStepper s)
{
  const PetscReal move = SOFTEST * REACH * s->length;
  PetscReal       range, force[2];

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetRestDhat(s->potential, &range));
  PetscCall(AbutPotentialGetReferenceForce(s->potential, range, &force[0]));
  PetscCall(AbutPotentialGetReferenceForce(s->potential, s->dhat, &force[1]));
  s->kappa_min = move / force[0] * s->mean_mass;
  s->kappa_max = RANGE * move / force[1] * (s->mean_mass + s->contact_c2 * s->mean_stiffness);
  PetscFunctionReturn(0);
}

/* kappa that best balances the other forces: least squares of g_E + kappa g_C over the free unknowns. Collective. */
static PetscErrorCode Balance(AbutStepper s, PetscReal *kappa)
{
  const AbutCandidates *candidates;
  PetscReal             dots[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(AbutObjectiveCollect(s, PETSC_FALSE));
  AbutBoundaryAddGradient(s, s->x, s->gc);
  PetscCall(PetscArraycpy(s->gradient, s->gc, s->n));
  PetscCall(AbutContactGetCandidates(s->contact, &candidates));
  PetscCall(PetscArrayzero(s->gc, candidates->num_vertices * s->dim));
  PetscCall(AbutPotentialSetStiffness(s->potential, 1));
  PetscCall(AbutPotentialAddGradient(s->potential, 1, s->gc));
  PetscCall(AbutContactReduceAdd(s->contact, s->dim, s->gc));
  for (PetscInt i = 0; i < s->n; i++)
    if (!s->boundary.constrained[i]) dots[0] += s->gc[i] * s->gradient[i], dots[1] += PetscSqr(s->gc[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dots, 2, MPIU_REAL, MPIU_SUM, s->comm));
  *kappa = dots[1] > 0 ? -dots[0] / dots[1] : 0;
  PetscFunctionReturn(0);
}

/* Whether the forces of contact are borne far from the surfaces: the mean gap with forces as weights. Collective. */
static PetscErrorCode AreGapsWide(AbutStepper s, PetscBool *wide)
{
  const AbutContactPoint *points;
  PetscInt                count;
  PetscReal               sums[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetContactPoints(s->potential, &count, &points));
  for (PetscInt i = 0; i < count; i++) sums[0] += points[i].force, sums[1] += points[i].force * (points[i].dist / points[i].range);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, s->comm));
  *wide = (PetscBool)(sums[0] > 0 && sums[1] > WIDE_GAP * sums[0]);
  PetscFunctionReturn(0);
}

/* Newmark's rule keeps energy, and a barrier has a part in it: while there is contact no step may give or take energy with its stiffness. */
static PetscBool Keeps(AbutStepper s)
{
  return (PetscBool)(s->spec.integrator == ABUT_INTEGRATOR_NEWMARK && s->state.c2 > 0 && s->contacts > 0);
}

PetscErrorCode AbutStiffnessBegin(AbutStepper s)
{
  const PetscReal carried = s->state.c2 > 0 ? s->state.kappa * (s->contact_c2 / s->state.c2) : 0; /* exact in equal steps */
  PetscReal       balance = 0;

  PetscFunctionBegin;
  PetscCall(SetBounds(s));
  s->cuts = 0;
  if (s->spec.kappa > 0) {
    s->state.kappa = s->spec.kappa * (AbutPotentialIsPhysical(s->potential) ? s->contact_c2 : 1);
  } else if (s->kappa_moduli > 0) {
    s->state.kappa = s->kappa_moduli * s->contact_c2;
  } else if (Keeps(s)) {
    s->state.kappa = carried;
  } else {
    if (s->contacts > 0) PetscCall(Balance(s, &balance));
    if (carried > 0) balance = PetscMin(PetscMax(balance, carried), FOLLOW * carried);
    s->state.kappa = PetscMin(PetscMax(balance, s->kappa_min), s->kappa_max);
  }
  PetscCall(AbutPotentialSetStiffness(s->potential, s->state.kappa));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStiffnessUpdate(AbutStepper s, PetscReal min_share_before, PetscBool cut, PetscBool *changed)
{
  const PetscReal kappa = s->state.kappa;
  PetscBool       wide  = PETSC_FALSE;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (IsGiven(s)) PetscFunctionReturn(0);
  s->cuts += cut;
  if (min_share_before < TINY_GAP && s->min_share <= min_share_before) {
    s->state.kappa = PetscMax(kappa, PetscMin(PetscMin(GOOD_GAP / s->min_share, GROWTH) * kappa, s->kappa_max));
  } else if (s->cuts >= CUTS && !Keeps(s)) {
    s->cuts = 0;
    PetscCall(AreGapsWide(s, &wide));
    if (wide) s->state.kappa = PetscMin(kappa, PetscMax(kappa / DECAY, s->kappa_min));
  }
  *changed = (PetscBool)(s->state.kappa != kappa);
  if (*changed) {
    s->cuts = 0;
    PetscCall(AbutPotentialSetStiffness(s->potential, s->state.kappa));
  }
  PetscFunctionReturn(0);
}
