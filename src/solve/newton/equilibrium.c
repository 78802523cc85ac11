/*
  Force balance: the second half of Newton's stopping test.

  A short direction says nothing about forces: contact forces change by orders of magnitude over lengths far below the tolerance. So a
  solve also has to balance the forces on each body, lest a heavy or stiff body hide the imbalance of a light one. With the residual r_v
  of vertex v, the limit eps_F, and sums and maxima over the free unknowns of a body, the test is

      max |r_v| <= eps_F F    and, for each component,    |sum r_v| <= eps_F S / 2.

  F is the largest force on a vertex: of inertia, loads, pressure, contact, friction, ties or the rest. S = (sum of |contact forces| of
  other bodies and half spaces + sum of |friction| + sum of |forces of ties| + sum of |loads|) / 2; pressures are loads. In equilibrium
  contact forces and loads cancel, so S is the force that passes through the body, and a plate on either side feels S within eps_F. A
  component of S counts as at least WEAK |S|: beside a large weight, a small friction force need not be balanced to its own last percent.

  F is smaller in these cases:
  - A quasi-static solve, or a step so long that it might be one, must find the change of forces. Then F is the largest |r_v| at the start
    of the solve if that is smaller, but at least STEADY F. Where prescribed motion is incomplete at the start, F stays.
  - In such solves F is also at most the largest contact force of the weakest pair of bodies, and a component of S is at most the sum of
    |loads|. So a stop at the tip of a leaf is balanced beside the vise that holds the leaf with 5e5 times its force, and the weight of a
    clamped cube beside its clamp.

  Both tests do not depend on units, time step or mesh. They end at round-off: a position is known to half a unit in its last place, a
  force to this length times a stiffness.
*/
#include "newtonimpl.h"

#define STIFFNESS_ERRORS 8     /* round-off of the force on a vertex over the round-off of one position times the stiffness */
#define WEAK             0.02  /* least component of the force through a body over its length */
#define COARSE           1e-3  /* tolerance over the reference length above which it may exceed the displacement of a step */
#define STEADY           1e-5  /* change of forces over the largest force below which a step need not find it */
#define FAINT            1e-7  /* contact force over the largest force below which a contact need not be balanced */
#define PAIRS            65536 /* pairs of surfaces that are told apart */
#define CHANGES          8     /* iterations that a solve may spend on the change of forces once forces are balanced */
#define PATIENCE         30    /* iterations with short directions that do not halve the imbalance, after which the solve gives up */

/* Indices of the maxima over the vertices of a body, then of the sums over them, in units of the gradient of B [kg m]. */
enum { RESIDUAL, FORCE, CONTACT, INERTIA, FLATNESS, EXTENT, NUM_MOST }; /* CONTACT: on free unknowns; EXTENT: coordinate [m] */
enum { RESULTANT, FLOW = RESULTANT + 3, LOADS = FLOW + 3, FORCES = LOADS + 3, MASS, COUNT, HELD, NUM_SUMS };

typedef PetscReal Most[NUM_MOST];
typedef PetscReal Sums[NUM_SUMS];

PetscErrorCode AbutEquilibriumCreate(ForceBalance *b, const Problem *p)
{
  const PetscInt num_bodies = p->ml->num_bodies;

  PetscFunctionBegin;
  b->limit      = p->parts.balance;
  b->num_bodies = num_bodies;
  PetscCall(PetscMalloc2(num_bodies, &b->start, num_bodies, &b->weakest));
  PetscCall(PetscCalloc7(num_bodies * NUM_MOST, &b->most, num_bodies * NUM_SUMS, &b->sums, p->n, &b->contact, p->n, &b->friction, p->n,
                         &b->pressure, p->n, &b->tie, p->n, &b->share));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutEquilibriumDestroy(ForceBalance *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(b->start, b->weakest));
  PetscCall(PetscFree(b->pair));
  PetscCall(PetscFree7(b->most, b->sums, b->contact, b->friction, b->pressure, b->tie, b->share));
  PetscFunctionReturn(0);
}

void AbutEquilibriumBegin(ForceBalance *b)
{
  b->patience = PATIENCE;
  b->changes  = CHANGES;
  for (PetscInt k = 0; k < b->num_bodies; k++) b->start[k] = b->weakest[k] = PETSC_INFINITY;
  for (PetscInt k = 0; k < b->num_bodies * NUM_MOST; k++) b->most[k] = 0; /* forces of another solve choose no local iterations */
  b->best[0] = b->best[1] = PETSC_INFINITY;
}

/* Gets the forces of contact, friction, pressure and ties at the iterate. Other forces follow from these and the gradient. Collective. */
static PetscErrorCode GetForces(ForceBalance *b, const Problem *p)
{
  const PetscReal *g;

  PetscFunctionBegin;
  PetscCall(AbutObjectiveGradientOf(p->parts.objective, 1U << ABUT_ENERGY_CONTACT, &g));
  PetscCall(PetscArraycpy(b->contact, g, p->n));
  PetscCall(PetscArrayzero(b->friction, p->n));
  if (p->parts.friction) {
    PetscCall(AbutObjectiveGradientOf(p->parts.objective, 1U << ABUT_ENERGY_FRICTION, &g));
    PetscCall(PetscArraycpy(b->friction, g, p->n));
  }
  if (p->parts.pressure && p->parts.pressure->pressures) {
    PetscCall(AbutObjectiveGradientOf(p->parts.objective, 1U << ABUT_ENERGY_PRESSURE, &g));
    PetscCall(PetscArraycpy(b->pressure, g, p->n));
  }
  if (p->parts.tie_stiffness) {
    PetscCall(AbutObjectiveGradientOf(p->parts.objective, 1U << ABUT_ENERGY_TIE, &g));
    PetscCall(PetscArraycpy(b->tie, g, p->n));
  }
  PetscFunctionReturn(0);
}

/* Adds the forces on the free unknowns of an owned vertex to the sums and maxima of its body. */
static void AddVertex(const ForceBalance *b, const Problem *p, PetscInt v, Most *most, Sums *sums)
{
  const AbutInertiaPart *in  = p->parts.inertia;
  const PetscInt         dim = p->ml->dim, body = p->ml->vertex_body[v];
  PetscReal              square[8] = {0}, largest = 0; /* residual, load, contact, friction, inertia, pressure, tie, others */

  for (PetscInt i = v * dim; i < (v + 1) * dim; i++) {
    const PetscReal r = p->at->gradient[i], contact = b->contact[i], friction = b->friction[i];
    const PetscBool free = (PetscBool)(in->state[i] == ABUT_BOUNDARY_FREE);
    const PetscReal load = free ? in->load[i] : 0, net = free ? in->inertia[v] * (p->at->x[i] - in->x_tilde[i]) - in->impulse[i] : 0;
    const PetscReal pressure = b->pressure[i], tie = b->tie[i];
    const PetscReal part[8] = {r, load, contact, friction, net + load, pressure, tie, r - contact - friction - net - pressure - tie};
    if (p->motion->fixed[i]) {
      sums[body][HELD] = 1;
      continue;
    }
    for (int k = 0; k < 8; k++) square[k] += part[k] * part[k];
    most[body][EXTENT] = PetscMax(most[body][EXTENT], PetscAbsReal(p->at->x[i]));
    sums[body][RESULTANT + i - v * dim] += r;
    sums[body][FLOW + i - v * dim] += (PetscAbsReal(load) + PetscAbsReal(friction) + PetscAbsReal(pressure) + PetscAbsReal(tie)) / 2;
    sums[body][LOADS + i - v * dim] += PetscAbsReal(load) + PetscAbsReal(pressure);
  }
  for (int k = 1; k < 8; k++) largest = PetscMax(largest, square[k]);
  largest              = PetscSqrtReal(largest);
  most[body][RESIDUAL] = PetscMax(most[body][RESIDUAL], PetscSqrtReal(square[0]));
  most[body][FORCE]    = PetscMax(most[body][FORCE], largest);
  most[body][CONTACT]  = PetscMax(most[body][CONTACT], PetscSqrtReal(square[2]));
  most[body][INERTIA]  = PetscMax(most[body][INERTIA], in->inertia[v]);
  sums[body][FORCES] += largest;
  sums[body][MASS] += in->inertia[v];
  sums[body][COUNT] += 1;
}

/* Adds the contact forces between bodies, and the largest ratio of force to distance, which bounds the round-off of contact forces. */
static PetscErrorCode AddContacts(const Problem *problem, Most *most, Sums *sums)
{
  const AbutCandidates   *candidates = AbutContactGetCandidates(problem->parts.barrier->contact);
  const AbutContactPoint *points;
  PetscInt                count;

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetContactPoints(problem->parts.potential, &count, &points));
  for (PetscInt k = 0; k < count; k++) {
    const AbutContactPoint *p        = &points[k];
    const PetscReal         force    = AbutNorm(3, p->force_vector);
    const PetscInt          sides    = p->plane >= 0 ? 1 : 2;
    const PetscInt          body[2]  = {candidates->vertex_body[p->v[0]], p->plane >= 0 ? -1 : candidates->vertex_body[p->v[p->first]]};
    const PetscReal         flatness = force / p->dist;
    for (PetscInt side = 0; side < sides; side++) {
      most[body[side]][FLATNESS] = PetscMax(most[body[side]][FLATNESS], flatness);
      for (int i = 0; i < 3 && body[0] != body[1]; i++) sums[body[side]][FLOW + i] += PetscAbsReal(p->force_vector[i]) / 2;
    }
  }
  PetscFunctionReturn(0);
}

/* Number of the pair of surfaces of a contact. Beyond PAIRS, pairs share numbers, and the stronger one counts for both. */
static PetscInt PairOf(const Problem *problem, const AbutContactPoint *p)
{
  const AbutCandidates *candidates = AbutContactGetCandidates(problem->parts.barrier->contact);
  const PetscInt        a          = candidates->vertex_body[p->v[0]];
  const PetscInt        b          = p->plane >= 0 ? problem->ml->num_bodies + p->plane : candidates->vertex_body[p->v[p->first]];

  return (PetscInt)(((PetscInt64)PetscMax(a, b) * problem->ml->num_bodies + PetscMin(a, b)) % PAIRS);
}

/* Finds the largest contact force of the weakest pair of each body. Collective. */
static PetscErrorCode FindWeakest(ForceBalance *b, const Problem *p)
{
  const AbutCandidates   *candidates = AbutContactGetCandidates(p->parts.barrier->contact);
  const AbutContactPoint *points;
  PetscInt                count;
  PetscMPIInt             num_bodies, num_pairs;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(b->num_bodies, &num_bodies));
  num_pairs = (PetscMPIInt)PetscMin((PetscInt64)PAIRS, (PetscInt64)num_bodies * (num_bodies + candidates->num_planes));
  if (!b->pair) PetscCall(PetscMalloc1(PAIRS, &b->pair));
  PetscCall(PetscArrayzero(b->pair, num_pairs));
  for (PetscInt k = 0; k < b->num_bodies; k++) b->weakest[k] = PETSC_INFINITY;
  PetscCall(AbutPotentialGetContactPoints(p->parts.potential, &count, &points));
  for (PetscInt k = 0; k < count; k++) {
    PetscReal *most = &b->pair[PairOf(p, &points[k])];
    *most           = PetscMax(*most, AbutNorm(3, points[k].force_vector));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, b->pair, num_pairs, MPIU_REAL, MPIU_MAX, p->comm));
  for (PetscInt k = 0; k < count; k++) {
    const PetscReal most    = b->pair[PairOf(p, &points[k])];
    const PetscInt  body[2] = {candidates->vertex_body[points[k].v[0]],
                              points[k].plane >= 0 ? -1 : candidates->vertex_body[points[k].v[points[k].first]]};
    for (int side = 0; side < 2; side++)
      if (body[side] >= 0) b->weakest[body[side]] = PetscMin(b->weakest[body[side]], most);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, b->weakest, num_bodies, MPIU_REAL, MPIU_MIN, p->comm));
  PetscFunctionReturn(0);
}

/* Collects the forces of all bodies over all ranks. Collective. */
static PetscErrorCode Collect(ForceBalance *b, const Problem *p)
{
  Most       *most       = (Most *)b->most;
  Sums       *sums       = (Sums *)b->sums;
  const int   num_bodies = (int)p->ml->num_bodies;
  PetscMPIInt num_most, num_sums;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast((PetscInt)num_bodies * NUM_MOST, &num_most));
  PetscCall(PetscMPIIntCast((PetscInt)num_bodies * NUM_SUMS, &num_sums));
  PetscCall(PetscArrayzero(most, num_bodies));
  PetscCall(PetscArrayzero(sums, num_bodies));
  PetscCall(GetForces(b, p));
  for (PetscInt v = 0; v < p->ml->num_owned; v++)
    if (!p->ml->bodies[p->ml->vertex_body[v]].obstacle) AddVertex(b, p, v, most, sums);
  PetscCall(AddContacts(p, most, sums));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, num_most, MPIU_REAL, MPIU_MAX, p->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, num_sums, MPIU_REAL, MPIU_SUM, p->comm));
  if (AbutProblemIsCoarse(p)) PetscCall(FindWeakest(b, p));
  PetscFunctionReturn(0);
}

/* Round-off of the force on a vertex of a body, and of the resultant, in which internal forces cancel only to their last digits. */
static void RoundOff(const ForceBalance *b, const Problem *p, PetscInt body, PetscReal *vertex, PetscReal *resultant)
{
  const PetscReal *most = ((Most *)b->most)[body], *sums = ((Sums *)b->sums)[body];
  const PetscReal  place = PETSC_MACHINE_EPSILON * most[EXTENT], tie = p->parts.tie_stiffness ? p->parts.tie_stiffness[body] : 0;
  const PetscReal  stiffness = p->parts.c2 ? *p->parts.c2 * (p->parts.body_stiffness[body] + tie) : 0;

  *vertex    = place * (most[INERTIA] / 2 + STIFFNESS_ERRORS * (stiffness + most[FLATNESS]));
  *resultant = place * sums[MASS] / 2 + STIFFNESS_ERRORS * PETSC_MACHINE_EPSILON * sums[FORCES];
  if (sums[HELD] > 0 || most[FLATNESS] > 0) *resultant += *vertex * PetscSqrtReal(sums[COUNT]);
}

/* The smaller of the largest force on a vertex of a body and the contact force of its weakest pair. */
static PetscReal LeastForce(const ForceBalance *b, PetscInt body)
{
  const PetscReal force = ((const Most *)b->most)[body][FORCE];

  return PetscMin(force, PetscMax(b->weakest[body], FAINT * force));
}

/* Force to which the residual of a vertex is compared. */
static PetscReal Reference(const ForceBalance *b, PetscInt body)
{
  return PetscMin(LeastForce(b, body), PetscMax(b->start[body], STEADY * ((const Most *)b->most)[body][FORCE]));
}

/* Force through the body to which a component of the resultant is compared. */
static PetscReal Flow(const Problem *p, const PetscReal sums[], int i)
{
  const PetscReal length = AbutNorm(3, sums + FLOW), flow = PetscMax(sums[FLOW + i], WEAK * length);

  return AbutProblemIsCoarse(p) && sums[LOADS + i] > 0 ? PetscMin(flow, PetscMax(sums[LOADS + i], FAINT * length)) : flow;
}

/* Tests the balance of one body. */
static void TestBody(const ForceBalance *b, const Problem *p, PetscInt body, BodyBalance *t)
{
  const PetscReal *most = ((Most *)b->most)[body], *sums = ((Sums *)b->sums)[body];
  PetscReal        vertex_error, sum_error, resultant = 0, share[2] = {0, 0};

  RoundOff(b, p, body, &vertex_error, &sum_error);
  for (int i = 0; i < 3; i++) {
    const PetscReal component = PetscAbsReal(sums[RESULTANT + i]), half = Flow(p, sums, i) / 2;
    resultant = PetscMax(resultant, component);
    if (half > sum_error) share[1] = PetscMax(share[1], component > sum_error ? component / half : 0);
  }
  t->rest = (PetscBool)(most[RESIDUAL] <= vertex_error && resultant <= sum_error);
  /* without forces above round-off there is nothing to balance; without contact and loads no resultant, and round-off is no imbalance */
  share[0]     = most[FORCE] > vertex_error ? most[RESIDUAL] / LeastForce(b, body) : 0;
  t->excess    = PetscMax(most[RESIDUAL] > vertex_error ? most[RESIDUAL] / Reference(b, body) : 0, share[1]);
  t->imbalance = PetscMax(Flow(p, sums, 0) > 0 || most[RESIDUAL] > vertex_error ? share[0] : 0, share[1]);
  t->round_off = (PetscBool)(b->limit > 0 && ((t->imbalance > b->limit && t->excess <= b->limit) ||
                                              (vertex_error > 0 && most[CONTACT] > 0 && !(most[FORCE] > vertex_error))));
}

PetscErrorCode AbutEquilibriumTest(ForceBalance *b, const Problem *p, AbutNewtonResult *r, PetscBool *balanced, PetscBool *rest)
{
  PetscReal extent = 0, excess = 0, residual = 0, drive;
  PetscBool round_off = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Collect(b, p));
  r->imbalance      = 0;
  r->imbalance_body = -1;
  *rest             = PETSC_TRUE;
  for (PetscInt body = 0; body < p->ml->num_bodies; body++) {
    BodyBalance t;
    if (p->ml->bodies[body].obstacle) continue;
    TestBody(b, p, body, &t);
    extent = PetscMax(extent, ((Most *)b->most)[body][EXTENT]);
    *rest  = (PetscBool)(*rest && t.rest);
    excess = PetscMax(excess, t.excess);
    if (t.excess > b->limit) residual = PetscMax(residual, ((Most *)b->most)[body][RESIDUAL]);
    round_off = (PetscBool)(round_off || t.round_off);
    if (t.imbalance <= r->imbalance) continue;
    r->imbalance      = t.imbalance;
    r->imbalance_body = body;
  }
  PetscCall(AbutConstraintDriveImbalance(p->parts.constraint, &drive));
  *rest  = (PetscBool)(*rest && drive == 0);
  excess = PetscMax(excess, drive);
  if (drive > r->imbalance) r->imbalance_body = -1;
  r->imbalance    = PetscMax(r->imbalance, drive);
  b->excess       = excess;
  b->residual     = residual;
  b->resolution   = 2 * PETSC_MACHINE_EPSILON * extent;
  *balanced       = (PetscBool)(b->limit == 0 || excess <= b->limit);
  r->at_round_off = (PetscBool)(round_off && *balanced);
  r->unbalanced   = PETSC_FALSE;
  PetscFunctionReturn(0);
}

PetscBool AbutProblemIsCoarse(const Problem *p)
{
  return (PetscBool)(p->parts.balance > 0 && (p->parts.quasi_static || p->parts.tolerance * p->h > COARSE * p->parts.length));
}

PetscErrorCode AbutEquilibriumTestStart(ForceBalance *b, const Problem *p, AbutNewtonResult *r, PetscBool *rest)
{
  PetscBool balanced;

  PetscFunctionBegin;
  PetscCall(AbutEquilibriumTest(b, p, r, &balanced, rest));
  if (!AbutProblemIsCoarse(p)) PetscFunctionReturn(0);
  for (PetscInt body = 0; body < p->ml->num_bodies; body++) b->start[body] = ((Most *)b->most)[body][RESIDUAL];
  PetscFunctionReturn(0);
}

PetscBool AbutNewtonTouches(AbutNewton newton, PetscInt body)
{
  return (PetscBool)(((Most *)newton->balance.most)[body][FLATNESS] > 0);
}

void AbutEquilibriumShares(ForceBalance *b, const Problem *p)
{
  const PetscInt dim = p->ml->dim;

  for (PetscInt i = 0; i < p->n; i++) {
    const PetscReal allowed = b->limit * Reference(b, p->ml->vertex_body[i / dim]);
    b->share[i]             = allowed > 0 ? p->at->gradient[i] / allowed : 0;
  }
}

PetscBool AbutEquilibriumGivesUp(ForceBalance *b, PetscReal step, PetscReal moved, AbutNewtonResult *r)
{
  const PetscBool exact  = (PetscBool)(moved <= b->resolution); /* a step below the last digit of positions changes nothing */
  const PetscBool missed = (PetscBool)(r->imbalance > b->limit && b->excess > b->limit);

  if (step == 0 || exact) {
    r->at_round_off = (PetscBool)(r->at_round_off || (exact && missed));
    r->unbalanced   = (PetscBool)(!exact && missed);
    return PETSC_TRUE;
  }
  if (b->excess <= b->best[0] / 2 || b->residual <= b->best[1] / 2) {
    b->best[0]  = PetscMin(b->best[0], b->excess);
    b->best[1]  = PetscMin(b->best[1], b->residual);
    b->patience = PATIENCE;
  }
  if (r->imbalance <= b->limit) return (PetscBool)(--b->changes <= 0);
  r->unbalanced = (PetscBool)(--b->patience <= 0);
  return r->unbalanced;
}
