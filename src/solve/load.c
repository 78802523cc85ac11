/* Dead loads: by mass, by area of the surface at rest, or a resultant spread by mass. */
#include "solveimpl.h"

/* Areas (2D: lengths) of the surface entities of bodies all of whose vertices are marked, an equal share to each vertex; owned entries are whole. */
static PetscErrorCode SpreadArea(AbutStepper s, const PetscReal marked[], PetscReal area[])
{
  const AbutMeshLocal *ml  = s->ml;
  const PetscInt       dim = s->dim, num = dim == 3 ? ml->num_faces : ml->num_edges, *entities = dim == 3 ? ml->faces : ml->edges;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v       = entities + k * dim;
    PetscReal       e[2][3] = {{0}}, normal[3];
    PetscBool       inside  = (PetscBool)!ml->bodies[ml->vertex_body[v[0]]].obstacle;

    for (PetscInt i = 0; i < dim; i++) inside = (PetscBool)(inside && marked[v[i]] > 0);
    if (!inside) continue;
    e[1][2] = dim == 2; /* a metre of thickness */
    for (PetscInt i = 1; i < dim; i++)
      for (PetscInt d = 0; d < dim; d++) e[i - 1][d] = ml->rest[v[i] * dim + d] - ml->rest[v[0] * dim + d];
    AbutCross(e[0], e[1], normal);
    for (PetscInt i = 0; i < dim; i++) area[v[i]] += PetscSqrtReal(AbutDot(3, normal, normal)) * (dim == 3 ? 0.5 : 1) / (PetscReal)dim;
  }
  PetscCall(AbutMeshReduceAdd(s->mesh, 1, area));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUpTraction(AbutStepper s, Load *load)
{
  PetscReal *marked, *area, total = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(s->ml->num_local, &marked, s->ml->num_local, &area));
  for (PetscInt k = 0; k < load->num_vertices; k++) marked[load->vertices[k]] = 1;
  PetscCall(AbutMeshHaloBegin(s->mesh, 1, marked));
  PetscCall(AbutMeshHaloEnd(s->mesh, 1, marked));
  PetscCall(SpreadArea(s, marked, area));
  PetscCall(PetscMalloc1(load->num_vertices, &load->area));
  for (PetscInt k = 0; k < load->num_vertices; k++) total += load->area[k] = area[load->vertices[k]];
  PetscCall(PetscFree2(marked, area));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_REAL, MPIU_SUM, s->comm));
  AbutCheck(total > 0, ABUT_ERR_INPUT,
            "%s: traction %g %g %g Pa has no area to act on: no surface %s of a body has all its vertices in the selection",
            load->spec->place, (double)load->spec->traction[0], (double)load->spec->traction[1], (double)load->spec->traction[2],
            s->dim == 3 ? "triangle" : "edge");
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUpLoad(AbutStepper s, const AbutLoadSpec *spec, Load *load)
{
  const PetscReal *a = spec->acceleration, *f = spec->force;

  PetscFunctionBegin;
  load->spec = spec;
  PetscCall(AbutMeshSelect(s->mesh, &spec->selection, spec->place, &load->num_vertices, &load->vertices));
  for (PetscInt k = 0; k < load->num_vertices; k++) load->mass += s->mass[load->vertices[k]];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &load->mass, 1, MPIU_REAL, MPIU_SUM, s->comm));
  AbutCheck(load->mass > 0 || AbutDot(3, a, a) + AbutDot(3, f, f) == 0, ABUT_ERR_INPUT,
            "%s: the load acts by mass, but the selection (body '%s') has none; obstacles cannot be loaded", spec->place,
            spec->selection.body);
  if (AbutDot(3, spec->traction, spec->traction) > 0) PetscCall(SetUpTraction(s, load));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLoadsCreate(AbutStepper s, PetscInt num_loads, const AbutLoadSpec loads[])
{
  PetscFunctionBegin;
  s->num_loads = num_loads;
  PetscCall(PetscCalloc1(num_loads, &s->loads));
  for (PetscInt k = 0; k < num_loads; k++) PetscCall(SetUpLoad(s, &loads[k], &s->loads[k]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLoadsDestroy(AbutStepper s)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->num_loads; k++) {
    PetscCall(PetscFree(s->loads[k].vertices));
    PetscCall(PetscFree(s->loads[k].area));
  }
  PetscCall(PetscFree(s->loads));
  PetscFunctionReturn(0);
}

/* A load that acts in a part of the step only acts with that share: the impulse is that of its window. */
PetscErrorCode AbutLoadsUpdate(AbutStepper s, PetscReal t)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->load, s->n));
  for (PetscInt k = 0; k < s->num_loads; k++) {
    const Load         *load  = &s->loads[k];
    const AbutLoadSpec *spec  = load->spec;
    const PetscReal     share = (PetscMin(t + s->h, spec->end) - PetscMax(t, spec->start)) / s->h;

    if (share < 1e-9) continue;
    for (PetscInt i = 0; i < load->num_vertices; i++) {
      const PetscInt  v = load->vertices[i];
      const PetscReal m = s->mass[v], area = load->area ? load->area[i] : 0, part = load->mass > 0 ? m / load->mass : 0;
      for (PetscInt d = 0; d < s->dim; d++)
        s->load[v * s->dim + d] +=
          (share > 1 - 1e-9 ? 1 : share) * (m * spec->acceleration[d] + area * spec->traction[d] + part * spec->force[d]);
    }
  }
  PetscFunctionReturn(0);
}
