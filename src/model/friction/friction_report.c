/* Friction for output: contacts, slips of vertices, forces of half spaces, and resultant forces between bodies. */
#include "frictionimpl.h"
#include <math.h>

PetscErrorCode AbutFrictionGetContacts(AbutFriction friction, PetscReal t, PetscInt *count, const AbutFrictionContact **contacts)
{
  const PetscInt dim = friction->local->dim;

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  PetscCall(AbutReserve(friction->count, &friction->report_capacity, &friction->report));
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    AbutFrictionContact      *r = &friction->report[i];
    PetscReal                 u[2];
    AbutFrictionSlipAt(c, t, u);
    *r = (AbutFrictionContact){.body = {c->body[0], c->body[1]}, .normal_force = c->point.normal_force};
    (void)PetscArraycpy(r->vertex_id, c->id, ABUT_POINT_VERTICES);
    r->slip     = PetscSqrtReal(AbutDot(dim - 1, u, u));
    r->sticking = (PetscBool)(r->slip < friction->threshold);
    r->kept     = (PetscBool)(c->share < 1);
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, r->friction_force);
  }
  *count    = friction->count;
  *contacts = friction->report;
  PetscFunctionReturn(0);
}

/* ---- vertices and half spaces ---- */

/* Sums over the contacts of a vertex: weights, weights times slips. */
enum { WEIGHT, SLIP, NUM_SUMS };

PetscErrorCode AbutFrictionGetVertexSlips(AbutFriction friction, PetscReal t, PetscReal slip[], PetscReal stick[])
{
  const PetscInt owned = friction->local->num_owned;
  PetscReal     *sums, *remote = friction->exchange.sum; /* has dim >= NUM_SUMS entries a vertex */

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  PetscCall(PetscCalloc1(NUM_SUMS * owned, &sums));
  if (friction->exchange.forest) PetscCall(PetscArrayzero(remote, NUM_SUMS * friction->exchange.num));
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal                 u[2];
    if (c->share < 1) continue;
    AbutFrictionSlipAt(c, t, u);
    for (PetscInt a = 0; a < c->point.n; a++) {
      PetscReal      *sum    = c->v[a] < owned ? sums + NUM_SUMS * c->v[a] : remote + NUM_SUMS * (c->v[a] - owned);
      const PetscReal weight = PetscAbsReal(c->point.weight[a] * c->point.normal_force);
      sum[WEIGHT] += weight;
      sum[SLIP] += weight * AbutFrictionNorm(friction->local->dim, u);
    }
  }
  if (friction->exchange.forest) PetscCall(AbutSFAddRows(friction->exchange.forest, MPIU_REAL, NUM_SUMS, remote, sums));
  for (PetscInt v = 0; v < owned; v++) {
    const PetscReal *sum = sums + NUM_SUMS * v;
    slip[v]              = sum[WEIGHT] > 0 ? sum[SLIP] / sum[WEIGHT] : 0;
    stick[v]             = !(sum[WEIGHT] > 0) ? ABUT_STICK_OPEN : slip[v] < friction->threshold ? ABUT_STICK_STICKS : ABUT_STICK_SLIDES;
  }
  PetscCall(PetscFree(sums));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionAddPlaneForces(AbutFriction friction, PetscReal t, const PetscReal center[], PetscReal force[],
                                          PetscReal moment[])
{
  const PetscInt dim = friction->local->dim;

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal                 u[2], f[3], r[3] = {0, 0, 0}, turn[3];
    if (c->plane < 0) continue;
    AbutFrictionSlipAt(c, t, u);
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, f);
    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal *line = &friction->line[2 * dim * c->v[0]];
      r[k]                  = friction->start[dim * c->v[0] + k] + line[k] + t * line[dim + k] - center[3 * c->plane + k];
    }
    AbutCross(r, f, turn);
    for (int k = 0; k < 3; k++) {
      force[3 * c->plane + k] += f[k];
      moment[3 * c->plane + k] += turn[k];
    }
  }
  PetscFunctionReturn(0);
}

/* ---- resultants ---- */

/*
  Returns a zero resultant for the two bodies of a contact. *sign: +1 if the first side of the contact is on the first body, -1 if it is
  on the second body, 0 if both sides are on one body.
*/
static AbutPairForce PairOf(const AbutFriction friction, PetscInt body0, PetscInt body1, PetscReal *sign)
{
  const PetscInt other = body1 < 0 ? friction->local->num_bodies - 1 - body1 : body1;

  *sign = body0 < other ? 1 : (body0 > other ? -1 : 0);
  return (AbutPairForce){.body = {PetscMin(body0, other), PetscMax(body0, other)}};
}

/* Values of vertices at a contact point, interpolated on the sides that are on the first and on the second body of a pair. */
static void Interpolate(const PetscReal value[], const AbutContactPoint *p, PetscReal sign, PetscReal result[2])
{
  result[0] = result[1] = 0;
  for (PetscInt a = 0; a < p->n; a++) result[(a >= p->first) != (sign < 0)] += PetscAbsReal(p->weight[a]) * value[p->v[a]];
}

/* Sets the middle of the closest points of a contact point, weighted by its force [N], and its pressures. */
static void SetPlace(const AbutPointForces *n, const AbutContactPoint *p, PetscReal sign, AbutPairForce *out)
{
  const PetscInt  dim   = n->candidates->dim;
  const PetscReal force = n->scale * p->force;

  out->normal_sum = force;
  Interpolate(n->pressure, p, sign, out->peak);
  for (PetscInt k = 0; k < dim; k++) {
    for (PetscInt a = 0; a < p->first; a++) out->center[k] += force * p->weight[a] * n->x[dim * p->v[a] + k];
    out->center[k] -= force * p->dist / 2 * p->normal[k];
  }
}

static void PairsOfPoints(const AbutFriction friction, const AbutPointForces *n, AbutPairForce out[])
{
  const AbutCandidates *c = n->candidates;

  for (PetscInt i = 0; i < n->count; i++) {
    const AbutContactPoint *p = &n->points[i];
    PetscReal               sign;
    out[i]          = PairOf(friction, c->vertex_body[p->v[0]], p->plane < 0 ? c->vertex_body[p->v[p->first]] : -1 - p->plane, &sign);
    out[i].contacts = p->pairs;
    for (PetscInt k = 0; k < c->dim; k++) out[i].normal[k] = sign * n->scale * p->force_vector[k];
    if (n->x) SetPlace(n, p, sign, &out[i]);
  }
}

static void PairsOfFriction(const AbutFriction friction, PetscReal t, AbutPairForce out[])
{
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal                 u[2], force[3], sign;
    AbutFrictionSlipAt(c, t, u);
    AbutFrictionPointForce(friction->local->dim, &c->point, friction->threshold, u, force);
    out[i]          = PairOf(friction, c->body[0], c->body[1], &sign);
    out[i].sticking = AbutDot(friction->local->dim - 1, u, u) < PetscSqr(friction->threshold) ? c->pairs : 0;
    for (int k = 0; k < 3; k++) out[i].friction[k] = sign * force[k];
    out[i].friction_sum = (c->point.normal_force < 0 ? -1 : 1) * AbutNorm(3, force);
  }
}

/* Sums the resultants of each pair of bodies, in the given order. The caller frees `pairs`, which ascend by bodies. */
static PetscErrorCode SumPairs(PetscInt count, const AbutPairForce in[], PetscInt *num_pairs, AbutPairForce **pairs)
{
  PetscInt(*key)[2], *perm, largest = 0, n = 0;
  AbutPairForce *out;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(count, &key, count, &perm));
  PetscCall(PetscMalloc1(count, &out));
  for (PetscInt i = 0; i < count; i++) {
    for (int k = 0; k < 2; k++) key[i][k] = in[i].body[k];
    largest = PetscMax(largest, PetscMax(key[i][0], key[i][1]));
  }
  PetscCall(AbutSortTuples(count, 2, largest + 1, (const PetscInt *)key, perm));
  for (PetscInt i = 0; i < count; i++) {
    const AbutPairForce *add = &in[perm[i]];
    if (!n || out[n - 1].body[0] != add->body[0] || out[n - 1].body[1] != add->body[1]) {
      out[n++] = *add;
      continue;
    }
    out[n - 1].contacts += add->contacts;
    out[n - 1].sticking += add->sticking;
    for (int k = 0; k < 3; k++) {
      out[n - 1].normal[k] += add->normal[k];
      out[n - 1].friction[k] += add->friction[k];
      out[n - 1].center[k] += add->center[k];
    }
    out[n - 1].normal_sum += add->normal_sum;
    out[n - 1].friction_sum += add->friction_sum;
    for (int k = 0; k < 2; k++) out[n - 1].peak[k] = PetscMax(out[n - 1].peak[k], add->peak[k]);
  }
  PetscCall(PetscFree2(key, perm));
  *num_pairs = n;
  *pairs     = out;
  PetscFunctionReturn(0);
}

/* Adds the resultants that another rank sends; sums of pairs of bodies on both sides are own + received. */
static PetscErrorCode ReceivePairs(MPI_Comm comm, PetscMPIInt tag, PetscMPIInt from, PetscInt *count, AbutPairForce **pairs)
{
  AbutPairForce *both;
  MPI_Status     status;
  PetscMPIInt    bytes;
  PetscInt       more;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Probe(from, tag, comm, &status));
  PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  more = (PetscInt)((size_t)bytes / sizeof(**pairs));
  PetscCall(PetscMalloc1(*count + more, &both));
  PetscCall(PetscArraycpy(both, *pairs, *count));
  PetscCallMPI(MPI_Recv(both + *count, bytes, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE));
  PetscCall(PetscFree(*pairs));
  PetscCall(SumPairs(*count + more, both, count, pairs));
  PetscCall(PetscFree(both));
  PetscFunctionReturn(0);
}

/*
  Replaces the resultants of each rank by their sums over ranks, added up a binary tree: rank r takes the sums of the ranks r + 1, r + 2,
  r + 4, ... Each rank holds one resultant of a pair of bodies at a time, not one of every rank.
*/
static PetscErrorCode SumOverRanks(MPI_Comm comm, PetscInt *count, AbutPairForce **pairs)
{
  PetscMPIInt bytes, rank, size, tag;
  PetscBool   sent = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCommGetNewTag(comm, &tag));
  for (PetscMPIInt stride = 1; stride < size && !sent; stride *= 2) {
    sent = (PetscBool)((rank & stride) != 0);
    PetscCall(PetscMPIIntCast(*count * (PetscInt)sizeof(**pairs), &bytes));
    if (sent)
      PetscCallMPI(MPI_Send(*pairs, bytes, MPI_BYTE, rank - stride, tag, comm));
    else if (rank + stride < size)
      PetscCall(ReceivePairs(comm, tag, rank + stride, count, pairs));
  }
  PetscCallMPI(MPI_Bcast(count, 1, MPIU_INT, 0, comm));
  if (rank > 0) PetscCall(PetscFree(*pairs));
  if (rank > 0) PetscCall(PetscMalloc1(*count, pairs));
  PetscCall(PetscMPIIntCast(*count * (PetscInt)sizeof(**pairs), &bytes));
  PetscCallMPI(MPI_Bcast(*pairs, bytes, MPI_BYTE, 0, comm));
  PetscFunctionReturn(0);
}

/* Area of a pair; area: of each side, then the parts of inner vertices. */
static PetscReal SelectArea(const PetscReal area[4])
{
  const int less = area[0] < area[1] ? 0 : 1, more = 1 - less;

  return area[less] > area[2 + more] ? area[less] : area[more];
}

/* Index of a pair of bodies. */
static PetscInt FindPair(PetscInt count, const AbutPairForce pairs[], const PetscInt body[2])
{
  PetscInt low = 0, high = count - 1;

  while (low < high) {
    const PetscInt       middle = (low + high) / 2;
    const AbutPairForce *pair   = &pairs[middle];
    if (pair->body[0] < body[0] || (pair->body[0] == body[0] && pair->body[1] < body[1]))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Sets areas of contact, and divides sums of places by sums of forces. Collective. */
static PetscErrorCode FinishPairs(const AbutFriction friction, const AbutPointForces *n, PetscInt count, AbutPairForce pairs[])
{
  const AbutCandidates *c = n->candidates;
  PetscReal(*areas)[4]; /* with the pressures of each side; parts of inner vertices */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(count, &areas));
  for (PetscInt i = 0; i < n->count && n->x; i++) {
    const AbutContactPoint *p = &n->points[i];
    PetscReal               sign, pressure[2], outer[2] = {1, 1};
    const AbutPairForce     key =
      PairOf(friction, c->vertex_body[p->v[0]], p->plane < 0 ? c->vertex_body[p->v[p->first]] : -1 - p->plane, &sign);
    const PetscInt at = FindPair(count, pairs, key.body);
    Interpolate(n->pressure, p, sign, pressure);
    if (n->outer) Interpolate(n->outer, p, sign, outer);
    for (int k = 0; k < 2; k++) {
      const PetscReal area = pressure[k] > ABUT_AREA_LEAST * pairs[at].peak[k] ? n->scale * p->force / pressure[k] : 0;
      areas[at][k] += area;
      areas[at][2 + k] += outer[k] > 0 ? 0 : area;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, areas, (PetscMPIInt)(4 * count), MPIU_REAL, MPIU_SUM, friction->comm));
  for (PetscInt i = 0; i < count; i++) {
    pairs[i].area = SelectArea(areas[i]);
    for (int k = 0; k < 3; k++) pairs[i].center[k] = pairs[i].normal_sum > 0 ? pairs[i].center[k] / pairs[i].normal_sum : NAN;
  }
  PetscCall(PetscFree(areas));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionPairForces(AbutFriction friction, const AbutPointForces *normal, PetscReal t, PetscInt *count,
                                      AbutPairForce **pairs)
{
  AbutPairForce *single;

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  PetscCall(PetscMalloc1(normal->count + friction->count, &single));
  PairsOfPoints(friction, normal, single);
  PairsOfFriction(friction, t, single + normal->count);
  PetscCall(SumPairs(normal->count + friction->count, single, count, pairs));
  PetscCall(PetscFree(single));
  PetscCall(SumOverRanks(friction->comm, count, pairs));
  PetscCall(FinishPairs(friction, normal, *count, *pairs));
  PetscFunctionReturn(0);
}
