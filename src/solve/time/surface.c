/* Contact surface at the end of a step: areas, tractions, gaps and slips of the vertices; resultants, areas and centres of pairs. */
#include "timeimpl.h"

/* Least pressure of the neighbours of a vertex within a contact, over its own; the edge of a contact has more than ABUT_AREA_LEAST. */
#define INNER_LEAST 0.1

/* Tributary areas of the owned vertices under their contact forces [num_owned * dim]. Collective. */
static PetscErrorCode Areas(AbutStepper s, const PetscReal contact[], PetscReal area[])
{
  const PetscInt dim = s->ml->dim, n = s->ml->num_owned * dim;
  PetscReal     *x, *force;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->ml->num_local * dim, &x, s->ml->num_local * dim, &force));
  PetscCall(PetscArraycpy(x, s->state.x, n));
  PetscCall(PetscArraycpy(force, contact, n));
  PetscCall(AbutMeshUpdateGhosts(s->parts.mesh, dim, x));
  PetscCall(AbutMeshUpdateGhosts(s->parts.mesh, dim, force));
  PetscCall(AbutMeshGetVertexAreas(s->parts.mesh, x, force, area));
  PetscCall(PetscFree2(x, force));
  PetscFunctionReturn(0);
}

/* Divides the forces by the areas, in place; pressure: lengths of the results. Vertices without area get 0. */
static void DivideByArea(AbutStepper s, const PetscReal area[], PetscReal force[], PetscReal pressure[])
{
  const PetscInt dim = s->ml->dim;

  for (PetscInt v = 0; v < s->ml->num_owned; v++) {
    for (PetscInt i = v * dim; i < (v + 1) * dim; i++) force[i] = area[v] > 0 ? force[i] / area[v] : 0;
    if (pressure) pressure[v] = AbutNorm(dim, force + v * dim);
  }
}

/* Smallest distance of the active contacts of each owned vertex; dhat without contact. Collective. */
static PetscErrorCode Gaps(AbutStepper s, PetscReal gap[])
{
  const AbutCandidates   *c = AbutContactGetCandidates(s->parts.contact);
  const AbutContactPoint *points;
  PetscInt                count;
  PetscReal              *local;
  PetscSF                 forest;

  PetscFunctionBegin;
  PetscCall(AbutPotentialGetContactPoints(s->parts.potential, &count, &points));
  PetscCall(PetscMalloc1(c->num_vertices, &local));
  for (PetscInt v = 0; v < c->num_vertices; v++) local[v] = s->scales.dhat;
  for (PetscInt i = 0; i < count; i++)
    for (PetscInt a = 0; a < points[i].n; a++)
      if (points[i].weight[a] != 0) local[points[i].v[a]] = PetscMin(local[points[i].v[a]], points[i].dist);
  PetscCall(AbutContactCreateForest(s->parts.contact, &forest));
  PetscCall(AbutSFMinReals(forest, local, gap));
  PetscCall(PetscSFDestroy(&forest));
  PetscCall(PetscFree(local));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceAccumulateSlip(AbutStepper s)
{
  PetscReal *slip, *stick;

  PetscFunctionBegin;
  if (!s->lag.active) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(s->ml->num_owned, &slip, s->ml->num_owned, &stick));
  PetscCall(AbutFrictionGetVertexSlips(s->lag.friction, s->at->t, slip, stick));
  for (PetscInt v = 0; v < s->ml->num_owned; v++) s->state.slip[v] += slip[v];
  PetscCall(PetscFree2(slip, stick));
  PetscFunctionReturn(0);
}

/* Fields that the contacts of the last step determine. Collective. */
static PetscErrorCode Contacts(AbutStepper s, AbutSurfaceFields *f)
{
  PetscFunctionBegin;
  PetscCall(AbutStepperGetContactForce(s, f->traction, f->friction_traction));
  PetscCall(Areas(s, f->traction, f->area));
  DivideByArea(s, f->area, f->traction, f->pressure);
  DivideByArea(s, f->area, f->friction_traction, NULL);
  PetscCall(Gaps(s, f->gap));
  if (!s->lag.active) PetscFunctionReturn(0);
  PetscCall(AbutFrictionGetVertexSlips(s->lag.friction, s->at->t, f->slip_rate, f->stick));
  for (PetscInt v = 0; v < s->ml->num_owned; v++) f->slip_rate[v] /= s->state.dt_old;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperGetSurface(AbutStepper s, AbutSurfaceFields *f)
{
  const PetscInt n = s->ml->num_owned, dim = s->ml->dim;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &f->area));
  PetscCall(PetscMalloc1(n, &f->gap));
  PetscCall(PetscCalloc1(n, &f->pressure));
  PetscCall(PetscCalloc1(n * dim, &f->traction));
  PetscCall(PetscCalloc1(n * dim, &f->friction_traction));
  PetscCall(PetscCalloc1(n, &f->slip_rate));
  PetscCall(PetscMalloc1(n, &f->slip));
  PetscCall(PetscCalloc1(n, &f->stick));
  for (PetscInt v = 0; v < n; v++) f->gap[v] = s->scales.dhat;
  if (s->state.c2 > 0)
    PetscCall(Contacts(s, f));
  else
    PetscCall(Areas(s, f->traction, f->area));
  PetscCall(PetscArraycpy(f->slip, s->state.slip, n));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceFieldsFree(AbutSurfaceFields *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(f->area));
  PetscCall(PetscFree(f->gap));
  PetscCall(PetscFree(f->pressure));
  PetscCall(PetscFree(f->traction));
  PetscCall(PetscFree(f->friction_traction));
  PetscCall(PetscFree(f->slip_rate));
  PetscCall(PetscFree(f->slip));
  PetscCall(PetscFree(f->stick));
  PetscFunctionReturn(0);
}

/* Contact pressures of the owned vertices. Collective. */
static PetscErrorCode Pressures(AbutStepper s, PetscReal pressure[])
{
  PetscReal *area, *force;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(s->ml->num_owned, &area, s->ml->num_owned * s->ml->dim, &force));
  PetscCall(AbutStepperGetContactForce(s, force, NULL));
  PetscCall(Areas(s, force, area));
  DivideByArea(s, area, force, pressure);
  PetscCall(PetscFree2(area, force));
  PetscFunctionReturn(0);
}

/* Owned vertices of deformable bodies that share all their facets with vertices under a pressure: 0, others 1. Collective. */
static PetscErrorCode Outer(AbutStepper s, const PetscReal pressure[], PetscReal outer[])
{
  const AbutMeshLocal *m = s->ml;
  PetscReal           *p, *free;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(m->num_local, &p, m->num_local, &free));
  PetscCall(PetscArraycpy(p, pressure, m->num_owned));
  PetscCall(AbutMeshUpdateGhosts(s->parts.mesh, 1, p));
  for (PetscInt k = 0; k < AbutNumFacets(m); k++) {
    const PetscInt *v = AbutFacets(m) + k * m->dim;
    for (PetscInt a = 0; a < m->dim; a++)
      for (PetscInt b = 0; b < m->dim; b++)
        if (p[v[b]] <= INNER_LEAST * p[v[a]]) free[v[a]] = 1;
  }
  PetscCall(AbutMeshReduceAdd(s->parts.mesh, 1, free));
  for (PetscInt v = 0; v < m->num_owned; v++) outer[v] = free[v] > 0 || m->bodies[m->vertex_body[v]].obstacle ? 1 : 0;
  PetscCall(PetscFree2(p, free));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutStepperGetPairForces(AbutStepper s, PetscInt *count, AbutPairForce **pairs)
{
  const AbutCandidates *c      = AbutContactGetCandidates(s->parts.contact);
  AbutPointForces       normal = {.candidates = c, .scale = 1 / s->integrator.contact_c2};
  PetscReal            *x, *owned, *pressure, *outer;
  PetscSF               forest;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(c->num_vertices * c->dim, &x, c->num_vertices, &pressure, c->num_vertices, &outer, 2 * s->ml->num_owned, &owned));
  PetscCall(AbutContactPositions(s->parts.contact, s->at->t, x));
  PetscCall(Pressures(s, owned));
  PetscCall(Outer(s, owned, owned + s->ml->num_owned));
  PetscCall(AbutContactCreateForest(s->parts.contact, &forest));
  PetscCall(AbutSFBcastRows(forest, MPIU_REAL, 1, owned, pressure));
  PetscCall(AbutSFBcastRows(forest, MPIU_REAL, 1, owned + s->ml->num_owned, outer));
  PetscCall(PetscSFDestroy(&forest));
  PetscCall(AbutPotentialGetContactPoints(s->parts.potential, &normal.count, &normal.points));
  normal.x        = x;
  normal.pressure = pressure;
  normal.outer    = outer;
  PetscCall(AbutFrictionPairForces(s->lag.friction, &normal, s->at->t, count, pairs));
  PetscCall(PetscFree4(x, pressure, outer, owned));
  PetscFunctionReturn(0);
}
