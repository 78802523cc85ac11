/*
  Barrier stiffness kappa [Li et al. 2020, supplement, adapted].

  If kappa is too small, gaps shrink to a tiny fraction of the activation distance, the CCD bound limits every step, and Newton's method
  needs thousands of iterations. If kappa is too large, contact forces act only just below the activation distance, and the line search
  reduces every step because contacts become active that the Hessian did not contain.

  At first kappa follows from masses and elasticity or, if contacts act, from the balance of contact forces with all other forces. From
  step to step it follows this balance slowly, because the balance includes inertia forces of moving bodies. It stays while no gap is small
  and the mean gap is wide: a stiffer barrier would widen the gaps further, the balance would then ask for more, and kappa would grow to its
  bound. It grows while gaps are tiny, up to a bound from elasticity. It shrinks when the line search reduces many steps while contacts
  act at wide gaps. A body at rest causes no such steps, so a change of kappa never moves it.
*/
#include "newtonimpl.h"

#define REACH 1e-3 /* displacement over the reference length that the softest barrier resists within a step, at a gap of dhat / 2 */
#define SOFTEST \
  10.8 /* factor of the softest barrier; this gives the bound of Li et al. (2020) for their potential and activation distance */
/*
  Share of the elastic resistance that the softest barrier opposes; the resistance of masses is opposed in full. Masses alone start too soft
  in large steps, and the stiffness then grows in the wrong iterations. Rods of Table 1, steps of 0.4 to 2 s, Newton + local iterations:
  0: 2277 + 2745; 5e-3: 1988 + 1628; 1e-2 and 2e-2: 10 to 30 % more. Twelve other scenes take 2 % fewer.
*/
#define ELASTIC_SHARE 5e-3
#define STIFFEST      100  /* stiffness of the stiffest barrier over the resistance of masses and elasticity */
#define TINY_GAP      1e-2 /* gap over the activation distance below which the barrier stiffness grows unless the gap grows */
#define GOOD_GAP      0.1  /* gap over the activation distance that this growth aims for */
#define GROWTH        10   /* largest factor of growth in one Newton iteration */
#define WIDE_GAP \
  0.6 /* mean gap over the activation distance, weighted by forces, above which the barrier stiffness may shrink and follows no forces */
#define DECAY  4   /* factor by which the barrier stiffness shrinks */
#define CUTS   20  /* steps that the energy reduces at one barrier stiffness before it may shrink */
#define FOLLOW 1.1 /* largest factor of growth towards the balance of forces from one time step to the next */

/*
  Stiffness from Young's modulus E: the contact force of a vertex at a gap of dhat / 2, divided by the squared mean surface edge (2D:
  by the edge), is relative_kappa * E. It depends on neither masses nor the time step, and for area-weighted potentials not on the mesh.
*/
PetscErrorCode AbutStiffnessSetUp(Stiffness *s, const Problem *problem)
{
  const AbutNewtonParts *p = &problem->parts;
  PetscReal              force, edge;

  PetscFunctionBegin;
  if (!(p->relative_kappa > 0)) PetscFunctionReturn(0);
  PetscCall(AbutPotentialGetReferenceForce(p->potential, p->dhat, &force));
  PetscCall(AbutMeshGetMeanEdge(p->mesh, PETSC_FALSE, &edge));
  s->relative = p->relative_kappa * AbutElasticGetLargestYoung(p->elastic) * (problem->ml->dim == 3 ? edge * edge : edge) / force;
  PetscFunctionReturn(0);
}

PetscBool AbutStiffnessIsGiven(const Stiffness *s, const Problem *problem)
{
  return (PetscBool)(problem->parts.kappa > 0 || s->relative > 0);
}

PetscReal AbutStiffnessGet(AbutNewton n)
{
  return n->stiffness.kappa;
}

PetscReal AbutStiffnessGetRelative(AbutNewton n)
{
  return n->stiffness.relative;
}

/*
  Bounds of kappa for a step. The lower bound is computed with the activation distance of primitives that are close at rest, which may be
  a tiny fraction of dhat: computed with dhat it would be too stiff for these primitives and would not adapt in time. It is the bound of a
  step of nominal length and scales with h^2 like kappa, so that shorter steps have the same barrier.
*/
static PetscErrorCode SetBounds(Stiffness *s, const Problem *problem)
{
  const AbutNewtonParts *p    = &problem->parts;
  const PetscReal        move = SOFTEST * REACH * p->length;
  PetscReal              dhat, force[2];

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetRestDhat(p->potential, &dhat));
  PetscCall(AbutPotentialGetReferenceForce(p->potential, dhat, &force[0]));
  PetscCall(AbutPotentialGetReferenceForce(p->potential, p->dhat, &force[1]));
  s->min = move / force[0] * (p->mass.mean * PetscSqr(problem->h / p->nominal_h) + ELASTIC_SHARE * problem->contact_c2 * p->mean_stiffness);
  s->max = STIFFEST * move / force[1] * (p->mass.mean + problem->contact_c2 * p->mean_stiffness);
  PetscFunctionReturn(0);
}

/* Sets kappa to the minimizer of |g + kappa g_C|^2 over the free unknowns, g_C the contact gradient for kappa = 1. Collective. */
static PetscErrorCode Balance(const Problem *p, PetscReal *kappa)
{
  const unsigned   contact = 1U << ABUT_ENERGY_CONTACT;
  const PetscReal *g;
  PetscReal        dots[2] = {0, 0}, *rest = p->at->gradient;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveGradientOf(p->parts.objective, ~contact, &g));
  PetscCall(PetscArraycpy(rest, g, p->n));
  PetscCall(AbutPotentialSetStiffness(p->parts.potential, 1));
  PetscCall(AbutObjectiveGradientOf(p->parts.objective, contact, &g));
  for (PetscInt i = 0; i < p->n; i++)
    if (!p->motion->fixed[i]) dots[0] += g[i] * rest[i], dots[1] += PetscSqr(g[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, dots, 2, MPIU_REAL, MPIU_SUM, p->comm));
  *kappa = dots[1] > 0 ? -dots[0] / dots[1] : 0;
  PetscFunctionReturn(0);
}

/* Whether the mean of gap / dhat, weighted by contact forces, exceeds WIDE_GAP. Collective. */
static PetscErrorCode AreGapsWide(const Problem *p, PetscBool *wide)
{
  const AbutContactPoint *points;
  PetscInt                count;
  PetscReal               sums[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetContactPoints(p->parts.potential, &count, &points));
  for (PetscInt i = 0; i < count; i++) sums[0] += points[i].force, sums[1] += points[i].force * (points[i].dist / points[i].dhat);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, p->comm));
  *wide = (PetscBool)(sums[0] > 0 && sums[1] > WIDE_GAP * sums[0]);
  PetscFunctionReturn(0);
}

/* Whether a stiffer barrier would only widen gaps: no gap is below GOOD_GAP, and their mean is wide. Collective. */
static PetscErrorCode KeepsDistance(const Problem *p, PetscReal kappa, PetscBool *keeps)
{
  PetscFunctionBegin;
  *keeps = (PetscBool)(p->parts.barrier->min_relative_gap >= GOOD_GAP);
  if (!*keeps) PetscFunctionReturn(0);
  PetscCall(AbutPotentialSetStiffness(p->parts.potential, kappa));
  PetscCall(AreGapsWide(p, keeps));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStiffnessBeginStep(AbutNewton n, PetscReal kappa, PetscReal c2)
{
  const Problem         *problem = &n->problem;
  const AbutNewtonParts *p       = &problem->parts;
  Stiffness             *s       = &n->stiffness;
  const PetscInt         active  = p->barrier->contacts;
  const PetscReal        carried = c2 > 0 ? kappa * (problem->contact_c2 / c2) : 0; /* exact in equal steps */
  PetscReal              balance = 0;
  PetscBool              keeps   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(SetBounds(s, problem));
  s->cuts = 0;
  if (p->kappa > 0) {
    s->kappa = p->kappa * (AbutPotentialGetInfo(p->potential)->physical ? problem->contact_c2 : 1);
  } else if (s->relative > 0) {
    s->kappa = s->relative * problem->contact_c2;
  } else if (p->conserve && c2 > 0 && active > 0) {
    s->kappa = carried;
  } else if (active > 0 && carried > 0) { /* even the bounds must not change kappa, or bodies at rest would move */
    PetscCall(KeepsDistance(problem, carried, &keeps));
    if (!keeps) PetscCall(Balance(problem, &balance));
    s->kappa = PetscMin(PetscMax(balance, carried), PetscMax(PetscMin(FOLLOW * carried, s->max), carried));
  } else {
    if (active > 0) PetscCall(Balance(problem, &balance));
    s->kappa = PetscMin(PetscMax(PetscMax(balance, carried), s->min), s->max);
  }
  s->carried = (PetscBool)(c2 > 0);
  PetscCall(AbutPotentialSetStiffness(p->potential, s->kappa));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStiffnessUpdate(Stiffness *s, const Problem *p, PetscReal gap_before, PetscBool cut, PetscBool *changed)
{
  const PetscReal kappa = s->kappa, gap = p->parts.barrier->min_relative_gap;
  const PetscBool keep = (PetscBool)(p->parts.conserve && s->carried && p->parts.barrier->contacts > 0);
  PetscBool       wide = PETSC_FALSE;

  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  if (AbutStiffnessIsGiven(s, p)) PetscFunctionReturn(0);
  s->cuts += cut;
  if (gap_before < TINY_GAP && gap <= gap_before) {
    s->kappa = PetscMax(kappa, PetscMin(PetscMin(GOOD_GAP / gap, GROWTH) * kappa, s->max));
  } else if (s->cuts >= CUTS && !keep) {
    s->cuts = 0;
    PetscCall(AreGapsWide(p, &wide));
    if (wide) s->kappa = PetscMin(kappa, PetscMax(kappa / DECAY, s->min));
  }
  *changed = (PetscBool)(s->kappa != kappa);
  if (*changed) {
    s->cuts = 0;
    PetscCall(AbutPotentialSetStiffness(p->parts.potential, s->kappa));
  }
  PetscFunctionReturn(0);
}
