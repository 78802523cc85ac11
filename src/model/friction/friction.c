/* Friction between surfaces: creation and checks of the coefficients, stick states, energy, gradient and Hessian of all contacts. */
#include "frictionimpl.h"

#define REMAINDER_MAX 0.5 /* if a direction leaves more than this fraction of a slip, the curvature of the majorizer is reduced */
#define REDUCTION     2   /* factor of that reduction */

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
  PetscCall(PetscMalloc3(entries, &friction->table.mu_static, entries, &friction->table.mu_kinetic, entries, &friction->peak));
  PetscCall(PetscArraycpy(friction->table.mu_kinetic, table->mu_kinetic, entries));
  for (PetscInt i = 0; i < entries; i++) {
    friction->table.mu_static[i] = AbutFrictionCoefficientAtRest(table->mu_static[i], table->mu_kinetic[i]);
    friction->peak[i]            = AbutFrictionPeakSlip(friction->table.mu_static[i], table->mu_kinetic[i]);
    if (table->mu_static[i] > 0 || table->mu_kinetic[i] > 0) friction->active = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionCreate(AbutMesh mesh, PetscInt num_planes, const AbutPlaneSpec planes[], const AbutFrictionTable *table,
                                  AbutFriction *friction)
{
  const AbutMeshLocal *local = AbutMeshGetLocal(mesh);
  AbutFriction         f;

  PetscFunctionBegin;
  *friction = NULL;
  PetscCall(CheckTable(table));
  for (PetscInt b = 0; b < local->num_bodies && table->num_surfaces; b++)
    PetscCall(CheckSurface(local->bodies[b].name, local->bodies[b].surface, table->num_surfaces));
  for (PetscInt k = 0; k < num_planes && table->num_surfaces; k++)
    PetscCall(CheckSurface(planes[k].name, planes[k].surface, table->num_surfaces));
  PetscCall(PetscNew(&f));
  f->local = local;
  f->comm  = AbutMeshGetComm(mesh);
  PetscCallMPI(MPI_Comm_size(f->comm, &f->size));
  PetscCall(CopyTable(f, table));
  f->num_planes = num_planes;
  PetscCall(PetscMalloc1(num_planes, &f->planes));
  PetscCall(PetscArraycpy(f->planes, planes, num_planes));
  if (f->active) PetscCall(PetscMalloc2(local->num_owned * local->dim, &f->start, local->num_owned * local->dim * 2, &f->line));
  *friction = f;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionDestroy(AbutFriction *friction)
{
  AbutFriction f = *friction;

  PetscFunctionBegin;
  if (!f) PetscFunctionReturn(0);
  PetscCall(AbutFrictionDestroyForest(f));
  PetscCall(PetscFree2(f->start, f->line));
  PetscCall(PetscFree3(f->table.mu_static, f->table.mu_kinetic, f->peak));
  PetscCall(PetscFree(f->planes));
  PetscCall(PetscFree(f->motions));
  PetscCall(PetscFree(f->ahead));
  PetscCall(PetscFree(f->contacts));
  PetscCall(PetscFree(f->stencil_start.a));
  PetscCall(PetscFree(f->stencils.a));
  PetscCall(PetscFree(f->report));
  PetscCall(PetscFree(*friction));
  PetscFunctionReturn(0);
}

void AbutFrictionUsePrimalDual(AbutFriction friction)
{
  friction->primal_dual = PETSC_TRUE;
}

PetscBool AbutFrictionIsActive(AbutFriction friction)
{
  return friction->active;
}

/* ---- stick states and majorizers ---- */

/* Norm of the slip of a contact at x + t p [m]. */
static PetscReal SlipLength(const AbutFriction friction, const AbutFrictionLagged *c, PetscReal t)
{
  PetscReal u[2];

  AbutFrictionSlipAt(c, t, u);
  return AbutFrictionNorm(friction->local->dim, u);
}

PetscErrorCode AbutFrictionSetStickState(AbutFriction friction, PetscReal t, PetscReal most)
{
  const PetscReal none[2] = {0, 0};

  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal           u[2];
    c->point.sticks = (PetscBool)(c->point.peak < 1 && SlipLength(friction, c, t) < most);
    if (!c->point.primal_dual) continue;
    AbutFrictionSlipAt(c, t, u);
    c->point.dual[0] = c->point.dual[1] = 0;
    AbutFrictionUpdateDual(friction->threshold, u, none, c->point.dual);
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
    if (!c->point.sticks || SlipLength(friction, c, t) <= c->point.peak * friction->threshold) continue;
    c->point.sticks = PETSC_FALSE;
    ++*count;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFrictionUpdateMajorizers(AbutFriction friction)
{
  PetscFunctionBegin;
  AbutFrictionCheckLine(friction);
  for (PetscInt i = 0; i < friction->count; i++) {
    AbutFrictionLagged *c    = &friction->contacts[i];
    const PetscReal     size = AbutDot(2, c->u, c->u), ahead = size + AbutDot(2, c->u, c->du);
    if (AbutDot(2, c->du, c->du) == 0) continue; /* the contact did not move, for instance because its vertices are held */
    if (c->point.primal_dual) AbutFrictionUpdateDual(friction->threshold, c->u, c->du, c->point.dual);
    if (ahead < 0)
      c->point.majorizer = 1;
    else if (ahead > size)
      c->point.majorizer = 0;
    else if (ahead > REMAINDER_MAX * size)
      c->point.majorizer /= REDUCTION;
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
  if (friction->exchange.forest) PetscCall(PetscArrayzero(friction->exchange.sum, friction->exchange.num * dim));
  for (PetscInt i = 0; i < friction->count; i++) {
    const AbutFrictionLagged *c = &friction->contacts[i];
    PetscReal                 u[2], force[3];
    AbutFrictionSlipAt(c, t, u);
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, force);
    for (PetscInt a = 0; a < c->point.n; a++) {
      PetscReal *sum = c->v[a] < owned ? g + dim * c->v[a] : friction->exchange.sum + dim * (c->v[a] - owned);
      for (PetscInt k = 0; k < dim; k++) sum[k] -= scale * c->point.weight[a] * force[k];
    }
  }
  if (friction->exchange.forest) {
    PetscCall(AbutPhaseBegin(ABUT_PHASE_HALO));
    PetscCall(AbutSFAddRows(friction->exchange.forest, MPIU_REAL, dim, friction->exchange.sum, g));
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
    const PetscInt   *v     = friction->stencils.a + friction->stencil_start.a[i];
    PetscReal         u[2], H[9 * ABUT_POINT_VERTICES * ABUT_POINT_VERTICES];
    if (!AbutAssemblerNeeds(as, point.n, v)) continue;
    AbutFrictionSlipAt(&friction->contacts[i], t, u);
    point.normal_force *= scale;
    AbutFrictionPointHessian(friction->local->dim, &point, friction->threshold, projection, u, H);
    PetscCall(AbutAssemblerAdd(as, point.n, v, H));
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
    PetscReal                 u[2], force[3], move[3] = {0, 0, 0}, K[3][3];
    if (c->plane < 0) continue;
    AbutFrictionAddPlaneDisplacement(friction, c, ahead, 1, move);
    AbutFrictionAddPlaneDisplacement(friction, c, friction->motions, -1, move);
    AbutFrictionSlipAt(c, t, u);
    AbutFrictionPointForce(dim, &c->point, friction->threshold, u, force);
    AbutFrictionTangentialHessian(dim, &c->point, friction->threshold, projection, u, K);
    *first += scale * AbutDot(3, force, move);
    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal force_rate = scale * AbutDot(3, K[k], move);
      *second += force_rate * move[k];
      mixed[dim * c->v[0] + k] -= force_rate;
    }
  }
  PetscFunctionReturn(0);
}

void AbutFrictionGetPattern(AbutFriction friction, AbutStencilList *stencils)
{
  *stencils = (AbutStencilList){friction->count, friction->stencil_start.a, friction->stencils.a};
}
