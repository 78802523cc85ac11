/*
  Friction of all contacts: the lag, the star forest that carries displacements to the contacts and gradients back, the sums.

  Contacts need displacements since the start of the step only, and of these their slips at x and along p: two numbers each in 3D, from
  which everything on the line x + t p follows without messages.
*/
#include "frictionimpl.h"

#define SLOW 0.5 /* of a slip that is left by a direction too short */
#define EASE 2   /* by which the curvature that made it so is divided */

/* ---- life ---- */

static PetscErrorCode CheckTable(const AbutFrictionTable *table)
{
  const PetscInt n = table->num_surfaces;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n * n; i++) {
    const PetscReal mu[2] = {table->mu_static[i], table->mu_kinetic[i]};
    const PetscInt  other = n * (i % n) + i / n;
    for (int k = 0; k < 2; k++) {
      AbutCheck(mu[k] >= 0 && !PetscIsInfOrNanReal(mu[k]), ABUT_ERR_INPUT,
                "friction coefficient %g between surfaces %" PetscInt_FMT " and %" PetscInt_FMT "; it must be at least 0 and finite",
                (double)mu[k], i / n, i % n);
    }
    AbutCheck(table->mu_static[other] == mu[0] && table->mu_kinetic[other] == mu[1], ABUT_ERR_INPUT,
              "friction between surfaces %" PetscInt_FMT " and %" PetscInt_FMT " depends on their order; it must not", i / n, i % n);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckSurface(const char name[], PetscInt surface, PetscInt count)
{
  PetscFunctionBegin;
  AbutCheck(surface >= 0 && surface < count, ABUT_ERR_INPUT,
            "surface %" PetscInt_FMT " of \"%s\" is not in the table of friction coefficients, which has %" PetscInt_FMT, surface, name,
            count);
  PetscFunctionReturn(0);
}

static PetscErrorCode CopyTable(AbutFriction friction, const AbutFrictionTable *table)
{
  const PetscInt entries = table->num_surfaces * table->num_surfaces;

  PetscFunctionBegin;
  friction->table.num_surfaces = table->num_surfaces;
  PetscCall(PetscMalloc2(entries, &friction->table.mu_static, entries, &friction->table.mu_kinetic));
  PetscCall(PetscArraycpy(friction->table.mu_static, table->mu_static, entries));
  PetscCall(PetscArraycpy(friction->table.mu_kinetic, table->mu_kinetic, entries));
  for (PetscInt i = 0; i < entries; i++) {
    if (table->mu_static[i] > 0 || table->mu_kinetic[i] > 0) friction->active = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[], const AbutFrictionTable *table,
                                  AbutFriction *friction)
{
  const AbutMeshLocal *local;
  AbutFriction         f;

  PetscFunctionBegin;
  *friction = NULL;
  PetscCall(AbutMeshGetLocal(mesh, &local));
  PetscCall(CheckTable(table));
  for (PetscInt b = 0; b < local->num_bodies && table->num_surfaces; b++)
    PetscCall(CheckSurface(local->bodies[b].name, local->bodies[b].surface, table->num_surfaces));
  for (PetscInt k = 0; k < num_planes && table->num_surfaces; k++)
    PetscCall(CheckSurface(planes[k].name, planes[k].surface, table->num_surfaces));
  PetscCall(PetscNew(&f));
  f->local = local;
  PetscCall(AbutMeshGetComm(mesh, &f->comm));
  PetscCallMPI(MPI_Comm_size(f->comm, &f->size));
  PetscCall(CopyTable(f, table));
  f->num_planes = num_planes;
  PetscCall(PetscMalloc1(num_planes, &f->planes));
  PetscCall(PetscArraycpy(f->planes, planes, num_planes));
  if (f->active) PetscCall(PetscMalloc2(local->num_owned * local->dim, &f->start, local->num_owned * local->dim * 2, &f->line));
  for (int k = 0; k < 2; k++) {
    PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)local->dim * (k + 1), MPIU_REAL, &f->unit[k]));
    PetscCallMPI(MPI_Type_commit(&f->unit[k]));
  }
  *friction = f;
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroyForest(AbutFriction friction)
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&friction->forest));
  PetscCall(PetscFree2(friction->remote_line, friction->remote_sum));
  friction->num_remote = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionDestroy(AbutFriction *friction)
{
  AbutFriction f = *friction;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(0);
  PetscCall(DestroyForest(f));
  for (int k = 0; k < 2; k++) PetscCallMPI(MPI_Type_free(&f->unit[k]));
  PetscCall(PetscFree2(f->start, f->line));
  PetscCall(PetscFree2(f->table.mu_static, f->table.mu_kinetic));
  PetscCall(PetscFree(f->planes));
  PetscCall(PetscFree(f->motions));
  PetscCall(PetscFree(f->ahead));
  PetscCall(PetscFree(f->contacts));
  PetscCall(PetscFree2(f->stencil_start, f->stencils));
  PetscCall(PetscFree(f->report));
  PetscCall(PetscFree(*friction));
  PetscFunctionReturn(0);
}

PetscBool AbutFrictionIsActive(AbutFriction friction)
{
  return friction->active;
}

/* ---- the lag ---- */

static inline PetscBool IsOwned(const AbutMeshLocal *local, PetscInt global)
{
  return (PetscBool)(global >= local->first && global < local->first + local->num_owned);
}

/* The contact of a point, vertices as yet by global index. */
static void Keep(AbutFriction friction, const AbutCandidates *c, const AbutContactPoint *p, PetscReal scale, AbutFrictionLagged *contact)
{
  const PetscInt body0 = c->vertex_body[p->v[0]], body1 = p->plane < 0 ? c->vertex_body[p->v[p->first]] : -1 - p->plane;
  const PetscInt surface = p->plane < 0 ? friction->local->bodies[body1].surface : friction->planes[p->plane].surface;
  const PetscInt entry   = friction->table.num_surfaces * friction->local->bodies[body0].surface + surface;
  PetscBool      used    = PETSC_FALSE;

  *contact = (AbutFrictionLagged){.body = {body0, body1}, .plane = p->plane, .pairs = p->pairs};
  AbutFrictionTangents(c->dim, p->normal, contact->point.tangent);
  contact->point.n            = p->n;
  contact->point.normal_force = scale * p->force;
  contact->point.mu_static    = friction->table.mu_static[entry];
  contact->point.mu_kinetic   = friction->table.mu_kinetic[entry];
  contact->point.hold         = AbutFrictionPeakSlip(contact->point.mu_static, contact->point.mu_kinetic);
  for (PetscInt a = 0; a < ABUT_POINT_VERTICES; a++) {
    used                     = (PetscBool)(a < p->n);
    contact->point.weight[a] = used ? p->weight[a] : 0;
    contact->id[a]           = used ? c->vertex_id[p->v[a]] : -1;
    contact->v[a]            = used ? c->vertex_global[p->v[a]] : -1;
  }
}

static PetscErrorCode KeepContacts(AbutFriction friction, const AbutCandidates *candidates, PetscInt count, const AbutContactPoint points[],
                                   PetscReal scale)
{
  PetscFunctionBegin;
  if (count > friction->capacity) {
    friction->capacity = count + count / 2 + 64;
    PetscCall(PetscFree(friction->contacts));
    PetscCall(PetscFree2(friction->stencil_start, friction->stencils));
    PetscCall(PetscMalloc1(friction->capacity, &friction->contacts));
    PetscCall(
      PetscMalloc2(friction->capacity + 1, &friction->stencil_start, ABUT_POINT_VERTICES * friction->capacity, &friction->stencils));
  }
  friction->count = 0;
  for (PetscInt i = 0; i < count; i++) {
    AbutFrictionLagged *contact = &friction->contacts[friction->count];
    Keep(friction, candidates, &points[i], scale, contact);
    if (!(PetscAbsReal(contact->point.normal_force) > 0) || !(contact->point.mu_static > 0 || contact->point.mu_kinetic > 0)) continue;
    PetscCheck(contact->plane < 0 || IsOwned(friction->local, contact->v[0]), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "Vertex %" PetscInt_FMT " meets a plane on a rank that does not own it", contact->id[0]);
    friction->count++;
  }
  if (friction->capacity) friction->stencil_start[0] = 0;
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *contact = &friction->contacts[i];
    PetscInt                 *start   = friction->stencil_start + i;
    PetscCall(PetscArraycpy(friction->stencils + start[0], contact->v, contact->point.n));
    start[1] = start[0] + contact->point.n;
  }
  PetscFunctionReturn(0);
}

/* The distinct vertices of contacts that other ranks own, ascending; vertices of contacts become places. */
static PetscErrorCode NumberVertices(AbutFriction friction, PetscInt *num_remote, PetscInt **remote)
{
  const AbutMeshLocal *local = friction->local;
  PetscInt             n     = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < friction->count; i++) {
    for (PetscInt a = 0; a < friction->contacts[i].point.n; a++) n += !IsOwned(local, friction->contacts[i].v[a]);
  }
  PetscCall(PetscMalloc1(n, remote));
  n = 0;
  for (PetscInt i = 0; i < friction->count; i++) {
    for (PetscInt a = 0; a < friction->contacts[i].point.n; a++) {
      if (!IsOwned(local, friction->contacts[i].v[a])) (*remote)[n++] = friction->contacts[i].v[a];
    }
  }
  PetscCall(PetscSortRemoveDupsInt(&n, *remote));
  for (PetscInt i = 0; i < friction->count; i++) {
    for (PetscInt a = 0; a < friction->contacts[i].point.n; a++) {
      PetscInt *v = &friction->contacts[i].v[a], place;
      if (IsOwned(local, *v)) {
        *v -= local->first;
      } else {
        PetscCall(PetscFindInt(*v, n, *remote, &place));
        *v = local->num_owned + place;
      }
    }
  }
  *num_remote = n;
  PetscFunctionReturn(0);
}

/* Forests sum what arrives rank by rank in ascending order, after all of it has arrived: the same sums every time. */
static PetscErrorCode PlantForest(AbutFriction friction, PetscInt num_remote, const PetscInt remote[])
{
  const AbutMeshLocal *local  = friction->local;
  PetscBool            needed = (PetscBool)(num_remote > 0), any;
  PetscLayout          layout;

  PetscFunctionBegin;
  PetscCall(DestroyForest(friction));
  if (friction->size == 1) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Allreduce(&needed, &any, 1, MPIU_BOOL, MPI_LOR, friction->comm));
  if (!any) PetscFunctionReturn(0);
  friction->num_remote = num_remote;
  PetscCall(PetscMalloc2(num_remote * local->dim * 2, &friction->remote_line, num_remote * local->dim, &friction->remote_sum));
  PetscCall(PetscLayoutCreateFromSizes(friction->comm, local->num_owned, local->num_global, 1, &layout));
  PetscCall(PetscSFCreate(friction->comm, &friction->forest));
  PetscCall(PetscSFSetGraphLayout(friction->forest, layout, num_remote, NULL, PETSC_COPY_VALUES, remote));
  PetscCall(PetscSFSetUp(friction->forest));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}

/* ---- the line ---- */

/* d += scale * displacement of the plane of a contact, by its motion, at the place where the contact was at the start. */
static void AddPlaneDisplacement(const AbutFriction friction, const AbutFrictionLagged *c, const AbutRigidMotion motions[], PetscReal scale,
                                 PetscReal d[3])
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
      const PetscReal *line = c->v[a] < owned ? friction->line + 2 * dim * c->v[a] : friction->remote_line + 2 * dim * (c->v[a] - owned);
      for (PetscInt k = 0; k < dim; k++) {
        d[k] += c->point.weight[a] * line[k];
        dp[k] += c->point.weight[a] * line[dim + k];
      }
    }
    if (c->plane >= 0) AddPlaneDisplacement(friction, c, friction->motions, -1, d);
    if (c->plane >= 0 && friction->ahead) {
      AddPlaneDisplacement(friction, c, friction->ahead, -1, dp);
      AddPlaneDisplacement(friction, c, friction->motions, 1, dp);
    }
    AbutFrictionSlip(dim, &c->point, d, c->u);
    AbutFrictionSlip(dim, &c->point, dp, c->du);
  }
}

static PetscErrorCode Travel(AbutFriction friction)
{
  PetscFunctionBegin;
  if (friction->forest) {
    PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
    PetscCall(PetscSFBcastBegin(friction->forest, friction->unit[1], friction->line, friction->remote_line, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(friction->forest, friction->unit[1], friction->line, friction->remote_line, MPI_REPLACE));
    PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  }
  UpdateSlips(friction);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionLag(AbutFriction friction, const AbutCandidates *candidates, PetscInt count, const AbutContactPoint points[],
                               PetscReal scale, PetscReal threshold)
{
  PetscInt num_remote = 0, *remote;

  PetscFunctionBegin;
  if (!friction->active) PetscFunctionReturn(0);
  AbutCheck(threshold > 0 && !PetscIsInfOrNanReal(threshold), ABUT_ERR_INPUT,
            "slip at which sticking ends is %g m; it must be positive and finite", (double)threshold);
  friction->threshold = threshold;
  PetscCall(KeepContacts(friction, candidates, count, points, scale));
  PetscCall(NumberVertices(friction, &num_remote, &remote));
  PetscCall(PlantForest(friction, num_remote, remote));
  PetscCall(PetscFree(remote));
  if (friction->has_line) PetscCall(Travel(friction));
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
  PetscCall(Travel(friction));
  PetscFunctionReturn(0);
}

/* ---- contacts that hold ---- */

/* How far a contact has slipped at x + t p [m]. */
static PetscReal SlipLength(const AbutFriction friction, const AbutFrictionLagged *c, PetscReal t)
{
  PetscReal u[2];

  AbutFrictionSlipAt(c, t, u);
  return AbutFrictionNorm(friction->local->dim, u);
}

PetscErrorCode AbutFrictionSetStickState(AbutFriction friction, PetscReal t, PetscReal most)
{
  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c = &friction->contacts[i];
    c->point.holds        = (PetscBool)(c->point.hold < 1 && SlipLength(friction, c, t) < most);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionRelease(AbutFriction friction, PetscReal t, PetscInt *count)
{
  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  *count = 0;
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c = &friction->contacts[i];
    if (!c->point.holds || SlipLength(friction, c, t) <= c->point.hold * friction->threshold) continue;
    c->point.holds = PETSC_FALSE;
    ++*count;
  }
  PetscFunctionReturn(0);
}

/* ---- contacts that turn round ---- */

PetscErrorCode AbutFrictionUpdateMajorizers(AbutFriction friction)
{
  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c    = &friction->contacts[i];
    const PetscReal     size = AbutDot(2, c->u, c->u), ahead = size + AbutDot(2, c->u, c->du);
    if (ahead < 0)
      c->point.bend = 1;
    else if (ahead > size)
      c->point.bend = 0;
    else if (ahead > SLOW * size)
      c->point.bend /= EASE;
  }
  PetscFunctionReturn(0);
}

/* ---- energy and derivatives ---- */

PetscErrorCode AbutFrictionEnergy(AbutFriction friction, PetscReal t, PetscReal *energy)
{
  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  *energy = 0;
  for (PetscInt i = 0; i < friction->count; i++) {
    PetscReal u[2];
    AbutFrictionSlipAt(&friction->contacts[i], t, u);
    *energy += AbutFrictionPointEnergy(friction->local->dim, &friction->contacts[i].point, friction->threshold, u);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionAddGradient(AbutFriction friction, PetscReal t, PetscReal scale, PetscReal g[])
{
  const PetscInt dim = friction->local->dim, owned = friction->local->num_owned;

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  if (friction->forest) PetscCall(PetscArrayzero(friction->remote_sum, friction->num_remote * dim));
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal                 u[2], force[3];
    AbutFrictionSlipAt(c, t, u);
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, force);
    for (PetscInt a = 0; a < c->point.n; a++) {
      PetscReal *sum = c->v[a] < owned ? g + dim * c->v[a] : friction->remote_sum + dim * (c->v[a] - owned);
      for (PetscInt k = 0; k < dim; k++) sum[k] -= scale * c->point.weight[a] * force[k];
    }
  }
  if (friction->forest) {
    PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
    PetscCall(PetscSFReduceBegin(friction->forest, friction->unit[0], friction->remote_sum, g, MPI_SUM));
    PetscCall(PetscSFReduceEnd(friction->forest, friction->unit[0], friction->remote_sum, g, MPI_SUM));
    PetscCall(AbutPhaseEnd(ABUT_PHASE_HALO));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionAddHessian(AbutFriction friction, PetscReal t, PetscReal scale, AbutProjection projection, AbutAssembler as)
{
  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionPoint point = friction->contacts[i].point;
    PetscReal         u[2], H[9 * ABUT_POINT_VERTICES * ABUT_POINT_VERTICES];
    AbutFrictionSlipAt(&friction->contacts[i], t, u);
    point.normal_force *= scale;
    AbutFrictionPointHessian(friction->local->dim, &point, friction->threshold, projection, u, H);
    PetscCall(AbutAssemblerAdd(as, point.n, friction->stencils + friction->stencil_start[i], H));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionAddPlaneDerivatives(AbutFriction friction, PetscReal t, PetscReal scale, AbutProjection projection,
                                               const AbutRigidMotion ahead[], PetscReal *first, PetscReal *second, PetscReal mixed[])
{
  const PetscInt dim = friction->local->dim;

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal                 u[2], force[3], way[3] = {0, 0, 0}, K[3][3];
    if (c->plane < 0) continue;
    AddPlaneDisplacement(friction, c, ahead, 1, way);
    AddPlaneDisplacement(friction, c, friction->motions, -1, way);
    AbutFrictionSlipAt(c, t, u);
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, force);
    AbutFrictionTangentialHessian(dim, &c->point, friction->threshold, projection, u, K);
    *first += scale * AbutDot(3, force, way);
    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal pull = scale * AbutDot(3, K[k], way);
      *second += pull * way[k];
      mixed[dim * c->v[0] + k] -= pull;
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionGetPattern(AbutFriction friction, AbutStencilList *stencils)
{
  PetscFunctionBegin;
  *stencils = (AbutStencilList){friction->count, friction->stencil_start, friction->stencils};
  PetscFunctionReturn(0);
}
