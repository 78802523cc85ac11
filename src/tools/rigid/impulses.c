/*
  Contact impulses by projected Gauss-Seidel on proximal maps. A visit of a contact solves its normal equation, then takes one projected
  step in its friction disc. The r-factors are blocked: r_n is the inverse of the diagonal entry of J M^-1 J^T, r_t the inverse of the
  largest eigenvalue of its 2 x 2 tangential block. Without friction each visit is therefore exact, and friction steps are contractive.
*/
#include "rigidimpl.h"

static const AbutOption options[] = {
  {"-rigid_friction", ABUT_OPTION_REAL, offsetof(ImpulseOptions, friction), 0.5, 0, 1e6, "",
   "Coulomb friction coefficient of all contacts"},
  {"-rigid_iterations", ABUT_OPTION_INT, offsetof(ImpulseOptions, iterations), 1000, 1, 1e9, "",
   "Iterations of projected Gauss-Seidel in a step, at most"},
  {"-rigid_tolerance", ABUT_OPTION_REAL, offsetof(ImpulseOptions, tolerance), 0, 0, PETSC_MAX_REAL, "N s",
   "Largest change of an impulse in an iteration that ends the iterations"},
  {"-rigid_r_scale", ABUT_OPTION_REAL, offsetof(ImpulseOptions, r_scale), 1, 1e-6, 2, "",
   "r-factors relative to the inverse of the diagonal blocks"},
  {"-rigid_r_decrease", ABUT_OPTION_REAL, offsetof(ImpulseOptions, r_decrease), 1, 1e-6, 1, "",
   "Factor on all r-factors after an iteration whose residual is larger than that of the iteration before"}};
const AbutOptionTable AbutRigidOptions = {"Contact impulses of rigid bodies", PETSC_STATIC_ARRAY_LENGTH(options), options};

/* Entry (i, j) of the diagonal block of J M^-1 J^T. */
static PetscReal Entry(const ContactBlock *k, int i, int j)
{
  PetscReal sum = 0;

  for (int s = 0; s < 2; s++)
    sum += (s ? 1 : -1) * AbutDot(3, k->direction[i], k->response[s][j]) + AbutDot(3, k->moment[s][i], k->response[s][j] + 3);
  return sum;
}

static void SetFactors(PetscReal scale, ContactBlock *k)
{
  const PetscReal a = Entry(k, 1, 1), b = Entry(k, 1, 2), c = Entry(k, 2, 2), normal = Entry(k, 0, 0);
  const PetscReal largest = (a + c) / 2 + PetscSqrtReal(PetscSqr((a - c) / 2) + b * b);

  k->r_normal  = normal > 0 ? scale / normal : 0;
  k->r_tangent = largest > 0 ? scale / largest : 0;
}

static void SetBlock(const AbutPointContact *contact, const AbutRigidState state[], const MovingBody body[], ContactBlock *k)
{
  for (int i = 0; i < 3; i++) k->direction[0][i] = contact->normal[i];
  AbutTangents(3, contact->normal, k->direction + 1);
  for (int s = 0; s < 2; s++) {
    const MovingBody *b    = &body[contact->body[s]];
    const PetscReal   sign = s ? 1 : -1;
    PetscReal         arm[3];
    k->body[s] = contact->body[s];
    for (int i = 0; i < 3; i++) arm[i] = contact->position[i] - state[k->body[s]].center[i];
    for (int row = 0; row < 3; row++) {
      AbutCross(arm, k->direction[row], k->moment[s][row]);
      for (int i = 0; i < 3; i++) {
        k->moment[s][row][i] *= sign;
        k->response[s][row][i] = sign * b->inverse_mass * k->direction[row][i];
      }
      for (int i = 0; i < 3; i++) k->response[s][row][3 + i] = AbutDot(3, b->inverse_inertia + 3 * i, k->moment[s][row]);
    }
  }
  for (int row = 0; row < 3; row++) k->impulse[row] = 0;
}

void AbutImpulseSetBlocks(const ImpulseOptions *o, const AbutPointContacts *contacts, const AbutRigidState state[], const MovingBody body[],
                          ContactBlock block[])
{
  for (PetscInt i = 0; i < contacts->n; i++) {
    SetBlock(&contacts->a[i], state, body, &block[i]);
    SetFactors(o->r_scale, &block[i]);
  }
}

/* Relative velocity of the two bodies at the contact along one row: body[1] minus body[0]. */
static inline PetscReal RelativeVelocity(const ContactBlock *k, int row, const PetscReal u[6], const PetscReal v[6])
{
  const PetscReal *d = k->direction[row], *a = k->moment[0][row], *b = k->moment[1][row];

  return (d[0] * (v[0] - u[0]) + d[1] * (v[1] - u[1]) + d[2] * (v[2] - u[2])) + (a[0] * u[3] + a[1] * u[4] + a[2] * u[5]) +
         (b[0] * v[3] + b[1] * v[4] + b[2] * v[5]);
}

/* Adds to the impulse of one row and to the velocities of both bodies. Returns the size of the change. */
static inline PetscReal ChangeImpulse(ContactBlock *k, int row, PetscReal impulse, PetscReal u[6], PetscReal v[6])
{
  const PetscReal change = impulse - k->impulse[row];

  k->impulse[row] = impulse;
  for (int i = 0; i < 6; i++) {
    u[i] += change * k->response[0][row][i];
    v[i] += change * k->response[1][row][i];
  }
  return PetscAbsReal(change);
}

/* Visits one contact: normal impulse, then both tangential impulses. Returns the largest change of an impulse. */
static inline PetscReal VisitContact(ContactBlock *k, PetscReal friction, PetscReal factor, MovingBody body[])
{
  PetscReal *u = body[k->body[0]].velocity, *v = body[k->body[1]].velocity;
  PetscReal  normal = k->impulse[0] - factor * k->r_normal * RelativeVelocity(k, 0, u, v), tangent[2], change[3], radius, length;

  change[0] = ChangeImpulse(k, 0, PetscMax(0, normal), u, v);
  radius    = friction * k->impulse[0];
  for (int t = 0; t < 2; t++) tangent[t] = k->impulse[1 + t] - factor * k->r_tangent * RelativeVelocity(k, 1 + t, u, v);
  length = PetscSqrtReal(PetscSqr(tangent[0]) + PetscSqr(tangent[1]));
  if (length > radius)
    for (int t = 0; t < 2; t++) tangent[t] *= radius / length;
  for (int t = 0; t < 2; t++) change[1 + t] = ChangeImpulse(k, 1 + t, tangent[t], u, v);
  return PetscMax(change[0], PetscMax(change[1], change[2]));
}

void AbutImpulseSolve(const ImpulseOptions *o, PetscInt n, ContactBlock block[], MovingBody body[], AbutRigidReport *report)
{
  PetscReal factor = 1, before = PETSC_MAX_REAL;

  report->residual   = 0;
  report->iterations = 0;
  while (n > 0 && report->iterations < o->iterations) {
    PetscReal largest = 0;
    for (PetscInt i = 0; i < n; i++) {
      const PetscReal change = block[i].r_normal > 0 ? VisitContact(&block[i], o->friction, factor, body) : 0;
      largest                = PetscMax(largest, change);
    }
    report->residual = largest;
    report->iterations++;
    if (largest <= o->tolerance) break;
    if (largest > before) factor *= o->r_decrease;
    before = largest;
  }
}
