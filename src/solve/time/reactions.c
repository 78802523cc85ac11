/* Reactions of obstacles, prescribed motions and loads: travel, rotation, force on the bodies and its moment. */
#include "timeimpl.h"
#include <stdio.h>
#include <string.h>

const char *const AbutReactionKinds[] = {"obstacle", "motion", "load", "AbutReactionKind", "ABUT_REACTION_", NULL};

/* ---- rows */

/* Appends a row with owned vertices, copied. */
static PetscErrorCode AddRow(Reactions *r, AbutReactionKind kind, const char name[], PetscInt subject, PetscInt count,
                             const PetscInt vertices[])
{
  AbutReaction *row;
  PetscInt      first = r->count ? r->start[r->count] : 0, same = 0;

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)(r->count + 1) * sizeof(*r->rows), &r->rows));
  PetscCall(PetscRealloc((size_t)(r->count + 1) * sizeof(*r->subject), &r->subject));
  PetscCall(PetscRealloc((size_t)(r->count + 2) * sizeof(*r->start), &r->start));
  PetscCall(PetscRealloc((size_t)(first + count + 1) * sizeof(*r->vertices), &r->vertices));
  PetscCall(PetscArraycpy(r->vertices + first, vertices, count));
  row = &r->rows[r->count];
  PetscCall(PetscMemzero(row, sizeof(*row)));
  row->kind = kind;
  PetscCall(PetscStrncpy(row->name, name, sizeof(row->name)));
  for (PetscInt k = 0; k < r->count; k++)
    if (!strcmp(r->rows[k].name, row->name)) {
      PetscCall(PetscSNPrintf(row->name, sizeof(row->name), "%.80s (%" PetscInt_FMT ")", name, ++same + 1));
      k = -1; /* the new name may be taken, too */
    }
  r->subject[r->count] = subject;
  r->start[r->count]   = first;
  r->start[++r->count] = first + count;
  r->motions += kind == ABUT_REACTION_MOTION;
  PetscFunctionReturn(0);
}

/* Name of a row from the selection of its vertices. */
static PetscErrorCode AddSelection(Reactions *r, AbutReactionKind kind, const AbutSelectionSpec *selection, PetscInt subject,
                                   PetscInt count, const PetscInt vertices[])
{
  char name[104];

  PetscFunctionBegin;
  PetscCall(
    PetscSNPrintf(name, sizeof(name), "%.60s%s%.40s", selection->body, *selection->body && *selection->group ? "/" : "", selection->group));
  PetscCall(AddRow(r, kind, *name ? name : AbutReactionKinds[kind], subject, count, vertices));
  PetscFunctionReturn(0);
}

/* Appends a motion with its vertices of bodies; vertices of obstacles have rows already. Collective. */
static PetscErrorCode AddMotion(AbutStepper s, PetscInt motion)
{
  const PetscInt *vertices;
  PetscInt        count, num = 0, all, *own;

  PetscFunctionBegin;
  AbutConstraintGetVertices(s->constraint, motion, &count, &vertices);
  PetscCall(PetscMalloc1(count, &own));
  for (PetscInt i = 0; i < count; i++)
    if (!s->ml->bodies[s->ml->vertex_body[vertices[i]]].obstacle) own[num++] = vertices[i];
  PetscCallMPI(MPI_Allreduce(&num, &all, 1, MPIU_INT, MPI_SUM, s->comm));
  if (all) PetscCall(AddSelection(&s->reactions, ABUT_REACTION_MOTION, &s->parts.motions[motion].selection, motion, num, own));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(0);
}

/* Appends meshes, whose owned vertices are sorted by body first, then half spaces. */
static PetscErrorCode AddObstacles(AbutStepper s)
{
  const AbutMeshLocal *m = s->ml;
  PetscInt            *end, *vertices; /* of each body: one past its last entry in `vertices` */

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(m->num_bodies + 1, &end, m->num_owned, &vertices));
  for (PetscInt v = 0; v < m->num_owned; v++) end[m->vertex_body[v] + 1]++;
  for (PetscInt b = 0; b < m->num_bodies; b++) end[b + 1] += end[b];
  for (PetscInt v = 0; v < m->num_owned; v++) vertices[end[m->vertex_body[v]]++] = v;
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    const PetscInt first = b ? end[b - 1] : 0;
    if (!m->bodies[b].obstacle) continue;
    PetscCall(AddRow(&s->reactions, ABUT_REACTION_OBSTACLE, m->bodies[b].name, b, end[b] - first, vertices + first));
  }
  PetscCall(PetscFree2(end, vertices));
  for (PetscInt k = 0; k < s->parts.num_planes; k++)
    PetscCall(AddRow(&s->reactions, ABUT_REACTION_OBSTACLE, s->parts.planes[k].name, -1 - k, 0, NULL));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutReactionsCreate(AbutStepper s)
{
  const PetscInt *vertices;
  PetscInt        count;

  PetscFunctionBegin;
  PetscCall(AddObstacles(s));
  for (PetscInt m = 0; m < s->parts.num_motions; m++)
    if (s->parts.motions[m].plane < 0) PetscCall(AddMotion(s, m));
  for (PetscInt k = 0; k < s->parts.num_loads; k++) {
    if (s->parts.loads[k].kind == ABUT_LOAD_PLANE) continue; /* it acts on the half space, which has a row */
    AbutLoadsGetVertices(s->loads, k, &count, &vertices);
    PetscCall(AddSelection(&s->reactions, ABUT_REACTION_LOAD, &s->parts.loads[k].selection, k, count, vertices));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutReactionsDestroy(AbutStepper s)
{
  Reactions *r = &s->reactions;

  PetscFunctionBegin;
  PetscCall(PetscFree(r->rows));
  PetscCall(PetscFree(r->subject));
  PetscCall(PetscFree(r->start));
  PetscCall(PetscFree(r->vertices));
  PetscFunctionReturn(0);
}

/* ---- forces */

/*
  Forces that hold prescribed vertices [num_owned * dim], 0 at free ones. On an obstacle they oppose contact and friction. Elastic and
  damping forces are computed only if motions have rows. Collective.
*/
static PetscErrorCode HoldingForces(AbutStepper s, PetscReal force[])
{
  const AbutState         *now  = &s->state;
  const AbutBoundaryState *held = AbutConstraintGetMotion(s->constraint)->state;
  const PetscInt           n = s->ml->num_owned * s->ml->dim, dim = s->ml->dim;
  const unsigned           kinds = 1U << ABUT_ENERGY_ELASTIC | 1U << ABUT_ENERGY_DAMPING | 1U << ABUT_ENERGY_OTHER | 1U << ABUT_ENERGY_TIE;
  const PetscBool          still = (PetscBool)(s->spec.integrator == ABUT_INTEGRATOR_STATIC);
  const PetscReal         *gradient = NULL;
  PetscReal               *contact, *friction, *pressure;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &contact, n, &friction));
  PetscCall(PetscCalloc1(n, &pressure));
  PetscCall(AbutStepperGetContactForce(s, contact, friction));
  PetscCall(AbutPressuresAddForces(s->terms.pressure.pressures, -1, pressure));
  if (s->reactions.motions) PetscCall(AbutObjectiveGradientOf(s->objective, kinds, &gradient));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt v = i / dim;
    force[i]         = held[i] == ABUT_BOUNDARY_FREE ? 0 : -contact[i] - friction[i];
    if (!gradient || held[i] == ABUT_BOUNDARY_FREE) continue;
    force[i] += gradient[i] / s->integrator.c2 - s->integrator.load[i] - pressure[i] - s->scales.vertex_mass[v] * s->spec.gravity[i % dim];
    if (!still) force[i] += s->scales.vertex_mass[v] * (now->v[i] - now->v_old[i]) / now->dt_old + s->scales.damping[v] * now->v[i];
  }
  PetscCall(PetscFree2(contact, friction));
  PetscCall(PetscFree(pressure));
  PetscFunctionReturn(0);
}

/* Adds the forces of half spaces on bodies about their points to the sums of their rows; this rank's part. Not collective. */
static PetscErrorCode PlaneForces(AbutStepper s, PetscReal force[], PetscReal moment[])
{
  const AbutContactPoint *points;
  const PetscInt          dim    = s->ml->dim;
  const PetscReal        *center = s->state.plane_point;
  PetscInt                count;

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetContactPoints(s->parts.potential, &count, &points));
  for (PetscInt i = 0; i < count; i++) {
    const PetscInt plane = points[i].plane, v = points[i].v[0]; /* owned by this rank */
    PetscReal      r[3] = {0, 0, 0}, f[3] = {0, 0, 0}, turn[3];
    if (plane < 0) continue;
    for (PetscInt k = 0; k < dim; k++) {
      r[k] = s->state.x[v * dim + k] - center[3 * plane + k];
      f[k] = points[i].force_vector[k] / s->integrator.contact_c2;
    }
    AbutCross(r, f, turn);
    for (int k = 0; k < 3; k++) {
      force[3 * plane + k] += f[k];
      moment[3 * plane + k] += turn[k];
    }
  }
  PetscCall(AbutFrictionAddPlaneForces(s->lag.friction, s->at->t, center, force, moment));
  PetscFunctionReturn(0);
}

/* ---- travel */

/* Rotation vector of a rotation matrix, by way of its quaternion; length in [0, pi]. */
static void RotationVector(const PetscReal R[9], PetscReal vector[3])
{
  const PetscReal trace = R[0] + R[4] + R[8];
  PetscReal       q[4], length, angle; /* vector part, scalar part */
  int             most = 3;

  for (int k = 0; k < 3; k++)
    if (R[4 * k] > (most == 3 ? trace : R[4 * most])) most = k;
  if (most == 3) {
    for (int k = 0; k < 3; k++) q[k] = R[3 * ((k + 2) % 3) + (k + 1) % 3] - R[3 * ((k + 1) % 3) + (k + 2) % 3];
    q[3] = 1 + trace;
  } else {
    const int j = (most + 1) % 3, l = (most + 2) % 3;
    q[most] = 1 + 2 * R[4 * most] - trace;
    q[j]    = R[3 * most + j] + R[3 * j + most];
    q[l]    = R[3 * most + l] + R[3 * l + most];
    q[3]    = R[3 * l + j] - R[3 * j + l];
  }
  length = AbutNorm(3, q);
  angle  = 2 * PetscAtan2Real(length, PetscAbsReal(q[3]));
  for (int k = 0; k < 3; k++) vector[k] = length > 0 ? (q[3] < 0 ? -angle : angle) * q[k] / length : 0;
}

/* Least-squares rotation from the moments H = sum X x^T of centred points X at the start and x now; 0 if they do not determine it. */
static void FitRotation(PetscInt dim, const PetscReal H[9], PetscReal rotation[3])
{
  PetscReal U[9], V[9], s[3], R[9] = {0};

  rotation[0] = rotation[1] = rotation[2] = 0;
  if (dim == 2) {
    rotation[2] = PetscAtan2Real(H[1] - H[3], H[0] + H[4]);
    return;
  }
  AbutSVD(3, H, U, s, V);
  if (!(s[1] + s[2] > 1e-12 * s[0])) return;
  for (int i = 0; i < 9; i++)
    for (int k = 0; k < 3; k++) R[i] += V[3 * (i / 3) + k] * U[3 * (i % 3) + k];
  RotationVector(R, rotation);
}

enum { NUMBER, PLACE, TRAVEL = PLACE + 3, NUM_MEANS = TRAVEL + 3 };                     /* first sums over the vertices of a row */
enum { COVARIANCE, FORCE = COVARIANCE + 9, MOMENT = FORCE + 3, NUM_SUMS = MOMENT + 3 }; /* second ones, about the mean */

/* Sets travel and centre of all rows. Collective. */
static PetscErrorCode SetMeans(AbutStepper s)
{
  const Reactions *r     = &s->reactions;
  const PetscReal *start = AbutMeshGetStart(s->parts.mesh), *x = s->state.x;
  const PetscInt   dim = s->ml->dim;
  PetscReal       *sums;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(r->count * NUM_MEANS, &sums));
  for (PetscInt row = 0; row < r->count; row++)
    for (PetscInt i = r->start[row]; i < r->start[row + 1]; i++) {
      const PetscInt v = dim * r->vertices[i];
      sums[NUM_MEANS * row + NUMBER] += 1;
      for (PetscInt k = 0; k < dim; k++) {
        sums[NUM_MEANS * row + PLACE + k] += x[v + k];
        sums[NUM_MEANS * row + TRAVEL + k] += x[v + k] - start[v + k];
      }
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(r->count * NUM_MEANS), MPIU_REAL, MPIU_SUM, s->comm));
  for (PetscInt row = 0; row < r->count; row++)
    for (PetscInt k = 0; k < 3; k++) {
      const PetscReal *sum   = &sums[NUM_MEANS * row];
      const PetscInt   plane = -1 - r->subject[row];
      r->rows[row].center[k] = plane >= 0 ? s->state.plane_point[3 * plane + k] : sum[PLACE + k] / sum[NUMBER];
      r->rows[row].travel[k] =
        plane >= 0 ? s->state.plane_point[3 * plane + k] - s->parts.planes[plane].point[k] : sum[TRAVEL + k] / sum[NUMBER];
    }
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}

/*
  Forces on the vertices of a row [num_owned * dim]: of its load, or taken out of the forces of all motions and obstacles. A motion takes
  the components that it prescribes in the step, as far as no motion before it has taken them: the rows have each force once.
*/
static PetscErrorCode RowForces(AbutStepper s, PetscInt row, PetscReal holding[], PetscReal force[])
{
  const Reactions *r   = &s->reactions;
  const PetscInt   dim = s->ml->dim, subject = r->subject[row];
  const PetscBool  motion = (PetscBool)(r->rows[row].kind == ABUT_REACTION_MOTION);
  PetscBool        prescribes;

  PetscFunctionBegin;
  if (r->rows[row].kind == ABUT_REACTION_LOAD) {
    const AbutLoadKind kind = s->parts.loads[subject].kind;
    PetscCall(PetscArrayzero(force, s->ml->num_owned * dim));
    AbutLoadsAddOne(s->loads, subject, s->state.time - s->size.h, s->size.h, AbutLoadsActAtEnd(s), force);
    if (kind == ABUT_LOAD_PRESSURE || kind == ABUT_LOAD_GAS) PetscCall(AbutPressuresAddForces(s->terms.pressure.pressures, subject, force));
    PetscFunctionReturn(0);
  }
  prescribes = (PetscBool)(motion && AbutConstraintPrescribes(s->constraint, subject));
  for (PetscInt i = r->start[row]; i < r->start[row + 1]; i++)
    for (PetscInt k = 0; k < dim; k++) {
      const PetscInt  j     = dim * r->vertices[i] + k;
      const PetscBool taken = (PetscBool)(!motion || (prescribes && AbutMotionHas(&s->parts.motions[subject], k)));
      force[j]              = taken ? holding[j] : 0;
      if (taken) holding[j] = 0;
    }
  PetscFunctionReturn(0);
}

/* Adds the vertices of a row, on which the forces act, to its sums. */
static void AddVertices(AbutStepper s, PetscInt row, const PetscReal force[], PetscReal sums[NUM_SUMS])
{
  const Reactions    *r     = &s->reactions;
  const AbutReaction *mean  = &r->rows[row];
  const PetscReal    *start = AbutMeshGetStart(s->parts.mesh);
  const PetscInt      dim   = s->ml->dim;

  for (PetscInt i = r->start[row]; i < r->start[row + 1]; i++) {
    const PetscInt v    = dim * r->vertices[i];
    PetscReal      x[3] = {0, 0, 0}, X[3] = {0, 0, 0}, f[3] = {0, 0, 0}, turn[3];
    for (PetscInt k = 0; k < dim; k++) {
      x[k] = s->state.x[v + k] - mean->center[k];
      X[k] = start[v + k] - (mean->center[k] - mean->travel[k]);
      f[k] = force[v + k];
    }
    AbutCross(x, f, turn);
    for (int k = 0; k < 9; k++) sums[COVARIANCE + k] += X[k / 3] * x[k % 3];
    for (int k = 0; k < 3; k++) {
      sums[FORCE + k] += f[k];
      sums[MOMENT + k] += turn[k];
    }
  }
}

/* Sums over this rank's vertices and contacts. Collective. */
static PetscErrorCode CollectSums(AbutStepper s, PetscReal sums[])
{
  const Reactions *r = &s->reactions;
  const PetscInt   n = s->ml->num_owned * s->ml->dim, num_planes = s->parts.num_planes;
  PetscReal       *holding, *own, *force, *moment;

  PetscFunctionBegin;
  PetscCall(PetscCalloc4(n, &holding, n, &own, 3 * num_planes, &force, 3 * num_planes, &moment));
  PetscCall(HoldingForces(s, holding));
  PetscCall(PlaneForces(s, force, moment));
  for (PetscInt row = 0; row < r->count; row++) {
    PetscReal     *sum   = &sums[NUM_SUMS * row];
    const PetscInt plane = -1 - r->subject[row];
    PetscCall(RowForces(s, row, holding, own));
    AddVertices(s, row, own, sum);
    for (PetscInt k = 0; k < 3 && plane >= 0; k++) {
      sum[FORCE + k]  = force[3 * plane + k];
      sum[MOMENT + k] = moment[3 * plane + k];
    }
  }
  PetscCall(PetscFree4(holding, own, force, moment));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperGetReactions(AbutStepper s, PetscInt *count, const AbutReaction **reactions)
{
  const Reactions *r = &s->reactions;
  PetscReal       *sums;

  PetscFunctionBegin;
  *count     = r->count;
  *reactions = r->rows;
  if (!r->count) PetscFunctionReturn(0);
  PetscCall(SetMeans(s));
  PetscCall(PetscCalloc1(r->count * NUM_SUMS, &sums));
  PetscCall(CollectSums(s, sums));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(r->count * NUM_SUMS), MPIU_REAL, MPIU_SUM, s->comm));
  for (PetscInt row = 0; row < r->count; row++) {
    const PetscReal *sum   = &sums[NUM_SUMS * row];
    const PetscInt   plane = -1 - r->subject[row];
    if (plane < 0) FitRotation(s->ml->dim, sum + COVARIANCE, r->rows[row].rotation);
    for (int k = 0; k < 3; k++) {
      if (plane >= 0) r->rows[row].rotation[k] = s->state.plane_turn[3 * plane + k];
      r->rows[row].force[k]  = sum[FORCE + k];
      r->rows[row].moment[k] = sum[MOMENT + k];
    }
  }
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}
