/*
  Pairs kept from one search for the next ones.

  A search that finds pairs anew looks further than it was asked to: it keeps every pair whose swept boxes no axis separates by more than
  inflation + 2 margin. Let r be positions on that sweep. As long as no coordinate of a vertex is further from r than the margin, a pair
  that was left out stays separated along the same axis by more than the inflation; and what an axis separates is no candidate
  (separate.c). So searches that stay within the margin of r only test the kept pairs, and find exactly the candidates that a
  search from nothing would find. r is where the sweep was left, as the last call of AbutContactPositions() says.

  How large the margin is only decides how long pairs are kept and how many they are: both are balanced by their counts.
*/
#include "contactimpl.h"

#define FADING            0.9 /* of the pace from search to search, so that the last short directions of one step say little about the next */
#define GAIN_MOST         64 /* margin over pace */
#define GAIN_LEAST        0.0625
#define LIFE              4     /* searches that kept pairs should serve */
#define ROOM              65536 /* so many pairs may be kept, and so many for every entity and every candidate of the last search: */
#define ROOM_OF_ENTITY    12
#define ROOM_OF_CANDIDATE 6
#define PAUSE_MOST        64 /* searches without trying */

/* Boxes, trees and messages of a search, in tests of pairs; by measurement, a factor of two matters little */
#define COST_FIXED  2000
#define COST_ENTITY 30

PetscErrorCode AbutNearCreate(AbutContact contact)
{
  AbutNear *near = &contact->near;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(contact->num_surface * contact->m->dim, &near->x, contact->num_surface * contact->m->dim, &near->x_end));
  near->on = PETSC_TRUE;
  AbutNearForget(contact);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNearDestroy(AbutContact contact)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(contact->near.x, contact->near.x_end));
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    for (int set = 0; set < 3; set++) PetscCall(PetscFree(contact->near.list[kind][set].pair));
    for (int copies = 0; copies < 2; copies++) PetscCall(PetscFree(contact->near.box[copies][kind]));
  }
  PetscFunctionReturn(0);
}

void AbutNearForget(AbutContact contact)
{
  AbutNear *near = &contact->near;

  near->margin = near->pace = near->t = 0;
  near->gain                          = 1;
  near->candidates = near->pause = near->wait = 0;
}

/* r, once the sweep of the search that found the pairs has been left at t. */
static void SetReference(AbutNear *near, PetscInt n, PetscReal t)
{
  const PetscReal fraction = near->step > 0 ? PetscMin(PetscMax(t / near->step, 0), 1) : 0;

  for (PetscInt i = 0; i < n; i++) near->x[i] += fraction * (near->x_end[i] - near->x[i]);
  near->referred = PETSC_TRUE;
}

/* Whether both ends of a sweep are within the margin of r, with room for round-off; and the largest coordinate of the way. */
static PetscBool StaysNear(AbutContact contact, PetscReal step, PetscReal *move)
{
  const AbutNear  *near  = &contact->near;
  const AbutSweep *sweep = &contact->search;
  const PetscInt   dim   = contact->m->dim;
  const PetscReal  most  = (1 - 1e-6) * near->margin;
  PetscBool        stays = PETSC_TRUE;

  *move = 0;
  for (int32_t i = 0; i < contact->num_surface; i++) {
    const PetscReal *x = sweep->x + dim * contact->surface[i], *p = sweep->p + dim * contact->surface[i], *r = near->x + dim * i;

    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal way = step * p[k], from = x[k] - r[k], error = 4e-15 * (PetscAbsReal(r[k]) + near->margin);

      if (!(PetscAbsReal(from) + error <= most && PetscAbsReal(from + way) + error <= most)) stays = PETSC_FALSE;
      *move = PetscMax(*move, PetscAbsReal(way));
    }
  }
  return stays;
}

PetscErrorCode AbutNearServes(AbutContact contact, PetscReal step, PetscReal inflation, PetscBool *serves)
{
  AbutNear       *near = &contact->near;
  const PetscReal t    = near->t;
  PetscReal       mine[4], all[4];
  PetscBool       kept;

  PetscFunctionBegin;
  if (near->margin > 0 && !near->referred) SetReference(near, contact->num_surface * contact->m->dim, t);
  kept    = StaysNear(contact, step, &mine[0]);
  mine[1] = !(kept && near->margin > 0 && inflation <= near->inflation);
  mine[2] = t;
  mine[3] = -t;
  PetscCallMPI(MPI_Allreduce(mine, all, 4, MPIU_REAL, MPIU_MAX, contact->comm));
  if (!PetscIsInfOrNanReal(all[0])) near->pace = PetscMax(all[0], FADING * near->pace);
  *serves = (PetscBool)(all[1] == 0 && all[2] == -all[3]);
  PetscFunctionReturn(0);
}

static PetscInt NumEntities(AbutContact contact)
{
  PetscInt n = 0;

  for (int kind = 0; kind < NUM_KINDS; kind++) n += contact->local[kind].n;
  return n;
}

void AbutNearBegin(AbutContact contact, PetscReal step, PetscReal inflation)
{
  AbutNear        *near  = &contact->near;
  const AbutSweep *sweep = &contact->search;
  const PetscInt   dim   = contact->m->dim;

  if (near->margin > 0 && near->light && near->served < LIFE) near->gain = PetscMin(2 * near->gain, GAIN_MOST);
  near->margin = 0;
  if (near->wait > 0) near->wait--;
  if (!near->on || near->wait > 0) return;
  near->margin    = PetscMax(near->gain * near->pace, inflation / 4);
  near->inflation = inflation;
  near->reach     = inflation + 2 * near->margin;
  near->step      = step;
  near->served    = 0;
  near->num       = 0;
  near->room      = PetscMin(contact->max_pairs, ROOM_OF_CANDIDATE * near->candidates + ROOM_OF_ENTITY * NumEntities(contact) + ROOM);
  near->fresh     = (PetscBool)(near->margin > 0);
  near->overflow = near->referred = PETSC_FALSE;
  for (int32_t i = 0; i < contact->num_surface; i++) {
    for (PetscInt k = 0; k < dim; k++) {
      const size_t j = (size_t)(dim * contact->surface[i] + k);

      near->x[dim * i + k]     = sweep->x[j];
      near->x_end[dim * i + k] = sweep->x[j] + step * sweep->p[j];
    }
  }
}

/* Brings positions and direction of the copies of vertices up to date. */
static PetscErrorCode RefreshCopies(AbutContact contact)
{
  AbutSweep          *sweep    = &contact->search;
  const AbutPartners *partners = &sweep->partners;
  const PetscInt      dim = contact->m->dim, num_send = partners->num ? partners->send_start[partners->num] : 0;
  const PetscInt      num_recv = partners->num ? partners->recv_start[partners->num] : 0;
  PetscReal          *send, *recv;

  PetscFunctionBegin;
  if (!partners->num) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(2 * dim * num_send, &send, 2 * dim * num_recv, &recv));
  for (PetscInt i = 0; i < num_send; i++) {
    PetscCall(PetscArraycpy(send + 2 * dim * i, sweep->x + dim * partners->send_vertex[i], dim));
    PetscCall(PetscArraycpy(send + 2 * dim * i + dim, sweep->p + dim * partners->send_vertex[i], dim));
  }
  PetscCall(AbutPartnersForward(contact, partners, 2 * dim, send, recv));
  for (PetscInt i = 0; i < num_recv; i++) {
    if (partners->recv_vertex[i] < 0) continue;
    PetscCall(PetscArraycpy(sweep->x + dim * partners->recv_vertex[i], recv + 2 * dim * i, dim));
    PetscCall(PetscArraycpy(sweep->p + dim * partners->recv_vertex[i], recv + 2 * dim * i + dim, dim));
  }
  PetscCall(PetscFree2(send, recv));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetEntityBoxes(AbutContact contact, const AbutEntities *entities, int32_t *capacity, AbutBox **boxes)
{
  const AbutBox *of_vertex = contact->search.box;

  PetscFunctionBegin;
  if (entities->n > *capacity) {
    *capacity = entities->n + entities->n / 4;
    PetscCall(PetscFree(*boxes));
    PetscCall(PetscMalloc1(*capacity, boxes));
  }
  for (int32_t i = 0; i < entities->n; i++) {
    const int32_t *v   = entities->v + (size_t)entities->nv * i;
    AbutBox        box = of_vertex[v[0]];

    for (int k = 1; k < entities->nv; k++) {
      box.lo = AbutMin4(box.lo, of_vertex[v[k]].lo);
      box.hi = AbutMax4(box.hi, of_vertex[v[k]].hi);
    }
    (*boxes)[i] = box;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNearSetBoxes(AbutContact contact, PetscReal step, PetscReal inflation)
{
  AbutNear  *near  = &contact->near;
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  AbutSweepPlaceVertices(contact, sweep, step, inflation);
  AbutSweepPlaceCopies(contact, sweep);
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    if (!sweep->meets[kind]) continue;
    PetscCall(SetEntityBoxes(contact, &contact->local[kind], &near->box_capacity[0][kind], &near->box[0][kind]));
    PetscCall(SetEntityBoxes(contact, &sweep->import[kind], &near->box_capacity[1][kind], &near->box[1][kind]));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutNearMove(AbutContact contact, PetscReal step, PetscReal inflation)
{
  PetscFunctionBegin;
  PetscCall(RefreshCopies(contact));
  PetscCall(AbutNearSetBoxes(contact, step, inflation));
  PetscFunctionReturn(0);
}

void AbutNearVerdict(AbutContact contact, AbutNearFlags *flags)
{
  const AbutNear *near = &contact->near;
  const PetscInt  cost = COST_FIXED + COST_ENTITY * NumEntities(contact);

  flags->overflow = near->margin > 0 && near->overflow;
  flags->heavy    = near->margin > 0 && near->num > 2 * cost;
  flags->weighty  = near->margin > 0 && 4 * near->num > PetscMin(cost, near->room);
}

void AbutNearEnd(AbutContact contact, PetscInt found, const AbutNearFlags *flags, PetscBool failed)
{
  AbutNear *near = &contact->near;

  near->served++;
  near->t = 0;
  if (flags->overflow) {
    near->pause = PetscMin(2 * near->pause + 1, PAUSE_MOST);
    near->wait  = near->pause + 1;
  } else {
    near->candidates = found;
  }
  if (near->fresh && (flags->overflow || flags->heavy)) near->gain = PetscMax(near->gain / 2, GAIN_LEAST);
  if (flags->overflow || failed) near->margin = 0;
  near->light = (PetscBool)!flags->weighty;
  near->fresh = PETSC_FALSE;
}
