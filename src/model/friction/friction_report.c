/* Friction for output: contacts, and resultant forces between bodies. */
#include "frictionimpl.h"

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
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, r->friction_force);
  }
  *count    = friction->count;
  *contacts = friction->report;
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

static void PairsOfPoints(const AbutFriction friction, const AbutCandidates *c, PetscInt count, const AbutContactPoint points[],
                          PetscReal scale, AbutPairForce out[])
{
  for (PetscInt i = 0; i < count; i++) {
    const AbutContactPoint *p = &points[i];
    PetscReal               sign;
    out[i]          = PairOf(friction, c->vertex_body[p->v[0]], p->plane < 0 ? c->vertex_body[p->v[p->first]] : -1 - p->plane, &sign);
    out[i].contacts = p->pairs;
    for (PetscInt k = 0; k < c->dim; k++) out[i].normal[k] = sign * scale * p->force_vector[k];
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
    }
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

PetscErrorCode AbutFrictionPairForces(AbutFriction friction, const AbutCandidates *candidates, PetscInt num_points,
                                      const AbutContactPoint points[], PetscReal scale, PetscReal t, PetscInt *count, AbutPairForce **pairs)
{
  AbutPairForce *single;

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  PetscCall(PetscMalloc1(num_points + friction->count, &single));
  PairsOfPoints(friction, candidates, num_points, points, scale, single);
  PairsOfFriction(friction, t, single + num_points);
  PetscCall(SumPairs(num_points + friction->count, single, count, pairs));
  PetscCall(PetscFree(single));
  PetscCall(SumOverRanks(friction->comm, count, pairs));
  PetscFunctionReturn(0);
}
