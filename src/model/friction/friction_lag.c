/*
  Lagging of friction: stores normal forces, tangents and closest points of the contacts of a state, and exchanges positions and gradients
  between the owners of vertices and the ranks that evaluate contacts.

  A contact stores its slip at x, measured from the start of the step, and the change of this slip along p. Evaluation at any point x + t p
  then needs no messages.
*/
#include "frictionimpl.h"
#include <abut/petsc_versions.h>
#include <stdlib.h>

#define LEAST_SHARE 1e-6 /* of its force, until which relaxation keeps a contact that the state does not have any more */

static inline PetscBool IsOwned(const AbutMeshLocal *local, PetscInt global)
{
  return (PetscBool)(global >= local->first && global < local->first + local->num_owned);
}

PetscErrorCode AbutFrictionDestroyForest(AbutFriction friction)
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&friction->exchange.forest));
  PetscCall(PetscFree2(friction->exchange.line, friction->exchange.sum));
  friction->exchange.num = 0;
  PetscFunctionReturn(0);
}

/* Sets a contact from a contact point. c->v holds global indices until NumberVertices() renumbers them. */
static void CopyContact(AbutFriction friction, const AbutCandidates *c, const AbutContactPoint *p, PetscReal scale,
                        AbutFrictionLagged *contact)
{
  const PetscInt body0 = c->vertex_body[p->v[0]], body1 = p->plane < 0 ? c->vertex_body[p->v[p->first]] : -1 - p->plane;
  const PetscInt surface = p->plane < 0 ? friction->local->bodies[body1].surface : friction->planes[p->plane].surface;
  const PetscInt entry   = friction->table.num_surfaces * friction->local->bodies[body0].surface + surface;
  PetscBool      used    = PETSC_FALSE;

  *contact = (AbutFrictionLagged){.body = {body0, body1}, .plane = p->plane, .pairs = p->pairs, .share = 1};
  AbutTangents(c->dim, p->normal, contact->point.tangent);
  contact->point.n            = p->n;
  contact->point.normal_force = scale * p->force;
  contact->point.mu_static    = friction->table.mu_static[entry];
  contact->point.mu_kinetic   = friction->table.mu_kinetic[entry];
  contact->point.peak         = friction->peak[entry];
  contact->point.primal_dual  = (PetscBool)(friction->primal_dual && contact->point.mu_static == contact->point.mu_kinetic);
  for (PetscInt a = 0; a < ABUT_POINT_VERTICES; a++) {
    used                     = (PetscBool)(a < p->n);
    contact->point.weight[a] = used ? p->weight[a] : 0;
    contact->id[a]           = used ? c->vertex_id[p->v[a]] : -1;
    contact->v[a]            = used ? c->vertex_global[p->v[a]] : -1;
  }
}

/* Adds a contact's bound of the friction force to the sums of its bodies. */
static void AddForce(const AbutFrictionLagged *c, PetscReal sums[])
{
  const PetscReal force = PetscMax(c->point.mu_static, c->point.mu_kinetic) * PetscAbsReal(c->point.normal_force);

  sums[2 * c->body[0]] += force;
  if (c->body[1] >= 0 && c->body[1] != c->body[0]) sums[2 * c->body[1]] += force;
}

PetscErrorCode AbutFrictionSumForces(AbutFriction friction, const AbutCandidates *candidates, PetscInt count,
                                     const AbutContactPoint points[], PetscReal scale, PetscReal sums[])
{
  const PetscInt num_bodies = friction->local->num_bodies;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sums, 2 * num_bodies));
  for (PetscInt i = 0; i < friction->count; i++) AddForce(&friction->contacts[i], sums);
  for (PetscInt i = 0; i < count; i++) {
    AbutFrictionLagged contact;
    CopyContact(friction, candidates, &points[i], scale, &contact);
    AddForce(&contact, sums + 1);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(2 * num_bodies), MPIU_REAL, MPIU_SUM, friction->comm));
  PetscFunctionReturn(0);
}

/* Order of contacts by half space and vertices. */
static int CompareContacts(const void *first, const void *second)
{
  const AbutFrictionLagged *a = first, *b = second;
  int                       order = (a->plane > b->plane) - (a->plane < b->plane);

  for (int k = 0; k < ABUT_POINT_VERTICES && !order; k++) order = (a->id[k] > b->id[k]) - (a->id[k] < b->id[k]);
  return order;
}

/* Replaces contacts of equal order, such as pairs with the same closest vertices, by the newest of them with the sum of their forces. */
static PetscInt MergeEqual(PetscInt count, AbutFrictionLagged contacts[])
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < count; i++) {
    PetscReal force = contacts[i].point.normal_force;
    if (!n || CompareContacts(&contacts[n - 1], &contacts[i])) {
      contacts[n++] = contacts[i];
      continue;
    }
    force += contacts[n - 1].point.normal_force;
    if (contacts[i].share > contacts[n - 1].share) contacts[n - 1] = contacts[i];
    contacts[n - 1].point.normal_force = force;
  }
  return n;
}

/* The lagged contacts with a share of their forces, in order, with global indices; none if the share is 0. The caller frees them. */
static PetscErrorCode TakeShare(const AbutFriction friction, PetscReal share, PetscInt *count, AbutFrictionLagged **contacts)
{
  PetscFunctionBegin;
  *count    = 0;
  *contacts = NULL;
  if (share == 0 || friction->count == 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(friction->count, contacts));
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c = &(*contacts)[i];
    *c                    = friction->contacts[i];
    c->point.normal_force *= share;
    c->point.majorizer = 0;
    c->share *= share;
    c->pairs = 0;
    PetscCall(PetscArraycpy(c->v, friction->stencils.a + friction->stencil_start.a[i], c->point.n));
  }
  qsort(*contacts, (size_t)friction->count, sizeof(**contacts), CompareContacts);
  *count = MergeEqual(friction->count, *contacts);
  PetscFunctionReturn(0);
}

/* Moves the force of the same contact, if it is kept, to a contact. */
static void Join(PetscInt num_kept, AbutFrictionLagged kept[], AbutFrictionLagged *contact)
{
  AbutFrictionLagged *same = num_kept ? bsearch(contact, kept, (size_t)num_kept, sizeof(*kept), CompareContacts) : NULL;

  if (!same) return;
  contact->point.normal_force += same->point.normal_force;
  same->point.normal_force = 0;
}

/* Appends a contact unless it has no friction. Space is reserved. */
static PetscErrorCode AppendContact(AbutFriction friction, const AbutFrictionLagged *contact)
{
  PetscFunctionBegin;
  if (!(PetscAbsReal(contact->point.normal_force) > 0) || !(contact->point.mu_static > 0 || contact->point.mu_kinetic > 0))
    PetscFunctionReturn(0);
  PetscCheck(contact->plane < 0 || IsOwned(friction->local, contact->v[0]), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "Vertex %" PetscInt_FMT " meets a plane on a rank that does not own it", contact->id[0]);
  friction->contacts[friction->count++] = *contact;
  PetscCall(AbutIntsPush(&friction->stencils, contact->point.n, contact->v));
  PetscCall(AbutIntsPush(&friction->stencil_start, 1, &friction->stencils.n));
  PetscFunctionReturn(0);
}

static PetscErrorCode CopyContacts(AbutFriction friction, const AbutCandidates *candidates, PetscInt count, const AbutContactPoint points[],
                                   PetscReal scale, PetscReal relaxation)
{
  AbutFrictionLagged *kept, contact;
  PetscInt            num_kept;

  PetscFunctionBegin;
  PetscCall(TakeShare(friction, 1 - relaxation, &num_kept, &kept));
  PetscCall(AbutReserve(count + num_kept, &friction->capacity, &friction->contacts));
  friction->count = friction->stencil_start.n = friction->stencils.n = 0;
  PetscCall(AbutIntsPush(&friction->stencil_start, 1, (PetscInt[]){0}));
  for (PetscInt i = 0; i < count; i++) {
    CopyContact(friction, candidates, &points[i], relaxation * scale, &contact);
    Join(num_kept, kept, &contact);
    PetscCall(AppendContact(friction, &contact));
  }
  for (PetscInt i = 0; i < num_kept; i++)
    if (kept[i].share >= LEAST_SHARE) PetscCall(AppendContact(friction, &kept[i]));
  PetscCall(PetscFree(kept));
  PetscFunctionReturn(0);
}

/* Lists the remote vertices in ascending order, and renumbers the vertices of contacts as AbutFrictionLagged.v documents. */
static PetscErrorCode NumberVertices(AbutFriction friction, AbutInts *remote)
{
  const AbutMeshLocal *local = friction->local;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < friction->stencils.n; i++)
    if (!IsOwned(local, friction->stencils.a[i])) PetscCall(AbutIntsPush(remote, 1, &friction->stencils.a[i]));
  PetscCall(PetscSortRemoveDupsInt(&remote->n, remote->a));
  for (PetscInt i = 0; i < friction->count; i++) {
    for (PetscInt a = 0; a < friction->contacts[i].point.n; a++) {
      PetscInt *v = &friction->contacts[i].v[a], index;
      if (IsOwned(local, *v)) {
        *v -= local->first;
      } else {
        PetscCall(PetscFindInt(*v, remote->n, remote->a, &index));
        *v = local->num_owned + index;
      }
    }
  }
  PetscFunctionReturn(0);
}

/* Creates the star forest. PetscSF adds contributions in the order of ranks after all have arrived, so sums are reproducible. */
static PetscErrorCode CreateForest(AbutFriction friction, const AbutInts *remote)
{
  const AbutMeshLocal *local  = friction->local;
  PetscBool            needed = (PetscBool)(remote->n > 0), any;

  PetscFunctionBegin;
  PetscCall(AbutFrictionDestroyForest(friction));
  if (friction->size == 1) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Allreduce(&needed, &any, 1, AbutMPIBool, MPI_LOR, friction->comm));
  if (!any) PetscFunctionReturn(0);
  friction->exchange.num = remote->n;
  PetscCall(PetscMalloc2(remote->n * local->dim * 2, &friction->exchange.line, remote->n * local->dim, &friction->exchange.sum));
  PetscCall(AbutSFCreate(friction->comm, local->num_owned, remote->n, remote->a, &friction->exchange.forest));
  PetscFunctionReturn(0);
}

void AbutFrictionAddPlaneDisplacement(const AbutFriction friction, const AbutFrictionLagged *c, const AbutRigidMotion motions[],
                                      PetscReal scale, PetscReal d[3])
{
  const PetscInt dim  = friction->local->dim;
  PetscReal      x[3] = {0, 0, 0};

  if (!motions) return;
  for (PetscInt i = 0; i < dim; i++) x[i] = friction->start[dim * c->v[0] + i];
  AbutRigidMove(dim, &motions[c->plane], x);
  for (PetscInt i = 0; i < dim; i++) d[i] += scale * (x[i] - friction->start[dim * c->v[0] + i]);
}

static void UpdateSlips(AbutFriction friction)
{
  const PetscInt dim = friction->local->dim, owned = friction->local->num_owned;

  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c    = &friction->contacts[i];
    PetscReal           d[3] = {0, 0, 0}, dp[3] = {0, 0, 0};
    for (PetscInt a = 0; a < c->point.n; a++) {
      const PetscReal *line = c->v[a] < owned ? friction->line + 2 * dim * c->v[a] : friction->exchange.line + 2 * dim * (c->v[a] - owned);
      for (PetscInt k = 0; k < dim; k++) {
        d[k] += c->point.weight[a] * line[k];
        dp[k] += c->point.weight[a] * line[dim + k];
      }
    }
    if (c->plane >= 0) AbutFrictionAddPlaneDisplacement(friction, c, friction->motions, -1, d);
    if (c->plane >= 0 && friction->ahead) {
      AbutFrictionAddPlaneDisplacement(friction, c, friction->ahead, -1, dp);
      AbutFrictionAddPlaneDisplacement(friction, c, friction->motions, 1, dp);
    }
    AbutFrictionSlip(dim, &c->point, d, c->u);
    AbutFrictionSlip(dim, &c->point, dp, c->du);
  }
}

static PetscErrorCode SendLine(AbutFriction friction)
{
  PetscFunctionBegin;
  if (friction->exchange.forest) {
    PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
    PetscCall(AbutSFBcastRows(friction->exchange.forest, MPIU_REAL, 2 * friction->local->dim, friction->line, friction->exchange.line));
    PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  }
  UpdateSlips(friction);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionLag(AbutFriction friction, const AbutCandidates *candidates, PetscInt count, const AbutContactPoint points[],
                               PetscReal scale, PetscReal threshold, PetscReal relaxation)
{
  AbutInts remote = {0};

  PetscFunctionBegin;
  if (!friction->active) PetscFunctionReturn(0);
  AbutCheck(threshold > 0 && !PetscIsInfOrNanReal(threshold), ABUT_ERR_INPUT,
            "slip at which sticking ends is %g m; it must be positive and finite", (double)threshold);
  friction->threshold = threshold;
  PetscCall(CopyContacts(friction, candidates, count, points, scale, relaxation));
  PetscCall(NumberVertices(friction, &remote));
  PetscCall(CreateForest(friction, &remote));
  PetscCall(PetscFree(remote.a));
  if (friction->has_line) PetscCall(SendLine(friction));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionSetStart(AbutFriction friction, const PetscReal x_start[])
{
  PetscFunctionBegin;
  if (!friction->active) PetscFunctionReturn(0);
  PetscCall(PetscArraycpy(friction->start, x_start, friction->local->num_owned * friction->local->dim));
  friction->has_start = PETSC_TRUE;
  friction->has_line  = PETSC_FALSE;
  PetscFunctionReturn(0);
}

static PetscErrorCode CopyMotions(AbutFriction friction, const AbutRigidMotion from[], AbutRigidMotion **to)
{
  PetscFunctionBegin;
  if (!from) {
    PetscCall(PetscFree(*to));
    PetscFunctionReturn(0);
  }
  if (!*to) PetscCall(PetscMalloc1(friction->num_planes, to));
  PetscCall(PetscArraycpy(*to, from, friction->num_planes));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionSetPlaneMotions(AbutFriction friction, const AbutRigidMotion motions[], const AbutRigidMotion ahead[])
{
  PetscFunctionBegin;
  if (!friction->active) PetscFunctionReturn(0);
  PetscCall(CopyMotions(friction, motions, &friction->motions));
  PetscCall(CopyMotions(friction, ahead, &friction->ahead));
  if (friction->has_line) UpdateSlips(friction);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionSetLine(AbutFriction friction, const PetscReal x[], const PetscReal p[])
{
  const PetscInt dim = friction->local->dim;

  PetscFunctionBegin;
  if (!friction->active) PetscFunctionReturn(0);
  PetscCheck(friction->has_start, friction->comm, PETSC_ERR_ORDER, "Call AbutFrictionSetStart() first");
  for (PetscInt v = 0; v < friction->local->num_owned; v++) {
    for (PetscInt k = 0; k < dim; k++) {
      friction->line[2 * dim * v + k]       = x[dim * v + k] - friction->start[dim * v + k];
      friction->line[2 * dim * v + dim + k] = p ? p[dim * v + k] : 0;
    }
  }
  friction->has_line = PETSC_TRUE;
  PetscCall(SendLine(friction));
  PetscFunctionReturn(0);
}
