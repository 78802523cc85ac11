/* Surfaces of follower pressure and gas: faces, border, what closes the border in a step; life cycle. See pressure.h. */
#include "pressureimpl.h"

#define SAME 1e-9 /* distance over the diagonal of all bodies below which places are equal */

/* Part of the border of a face: an edge (2D: a vertex, low = high) by global indices, its direction, and its place in the list of faces. */
typedef struct {
  PetscInt low, high, sign, face, corner;
} Part;

static int Compare(const void *a, const void *b)
{
  const Part *p = (const Part *)a, *q = (const Part *)b;

  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return p->high == q->high ? 0 : p->high < q->high ? -1 : 1;
}

/* Keeps the parts of sorted ones whose directions do not cancel; returns their number. */
static PetscInt Cancel(PetscInt num, Part part[])
{
  PetscInt kept = 0;

  for (PetscInt k = 0, end; k < num; k = end) {
    PetscInt sum = 0;
    for (end = k; end < num && !Compare(&part[k], &part[end]); end++) sum += part[end].sign;
    for (PetscInt i = k; i < end && sum != 0; i++) part[kept++] = part[i];
  }
  return kept;
}

/* Cancels parts across ranks. *num: number of parts of this rank, on entry and on return. Collective. */
static PetscErrorCode CancelAcross(AbutPressures s, PetscInt *num, Part part[])
{
  Part    *all;
  PetscInt total, kept = 0;

  PetscFunctionBegin;
  PetscCall(AbutGatherRecords(s->comm, sizeof(Part), *num, part, &total, &all));
  if (total) qsort(all, (size_t)total, sizeof(Part), Compare);
  total = Cancel(total, all);
  for (PetscInt k = 0; k < *num; k++)
    if (total && bsearch(&part[k], all, (size_t)total, sizeof(Part), Compare)) part[kept++] = part[k];
  *num = kept;
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

/* Finds the border of a surface. Collective. */
static PetscErrorCode FindBorder(AbutPressures s, Surface *surface)
{
  const PetscInt dim = s->ml->dim, *global = s->ml->vertex_global;
  PetscInt       num = surface->num * dim, open;
  Part          *part;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num, &part));
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v = surface->face + k / dim * dim, a = global[v[k % dim]], b = dim == 3 ? global[v[(k + 1) % dim]] : a;
    part[k] = (Part){PetscMin(a, b), PetscMax(a, b), dim == 3 ? (a < b ? 1 : -1) : (k % dim ? -1 : 1), k / dim, k % dim};
  }
  if (num) qsort(part, (size_t)num, sizeof(Part), Compare);
  num = Cancel(num, part);
  PetscCall(CancelAcross(s, &num, part));
  surface->num_border = num;
  PetscCall(PetscMalloc2(num * (dim - 1), &surface->border, num, &surface->sign));
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v = surface->face + part[k].face * dim;
    for (PetscInt i = 0; i < dim - 1; i++) surface->border[k * (dim - 1) + i] = v[(part[k].corner + i) % dim];
    surface->sign[k] = part[k].sign;
  }
  PetscCall(PetscFree(part));
  PetscCallMPI(MPI_Allreduce(&num, &open, 1, MPIU_INT, MPI_MAX, s->comm));
  surface->open = (PetscBool)(open > 0);
  PetscFunctionReturn(0);
}

/* Lists the faces of bodies all of whose vertices are selected, and sets the origin to the mean of their places. Collective. */
static PetscErrorCode FindFaces(AbutPressures s, const AbutLoadSpec *spec, Surface *surface)
{
  const AbutMeshLocal *ml  = s->ml;
  const PetscInt       dim = ml->dim, num = AbutNumFacets(ml), *entities = AbutFacets(ml);
  const PetscReal     *start = AbutMeshGetStart(s->mesh);
  PetscReal           *marked, sums[4] = {0, 0, 0, 0};
  PetscInt             count, *vertices;

  PetscFunctionBegin;
  surface->spec = spec;
  PetscCall(AbutMeshSelect(s->mesh, &spec->selection, spec->place, &count, &vertices));
  PetscCall(PetscCalloc1(ml->num_local, &marked));
  for (PetscInt k = 0; k < count; k++) marked[vertices[k]] = 1;
  PetscCall(AbutMeshUpdateGhosts(s->mesh, 1, marked));
  PetscCall(PetscMalloc1(num * dim, &surface->face));
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v      = entities + k * dim;
    PetscBool       inside = (PetscBool)!ml->bodies[ml->vertex_body[v[0]]].obstacle;
    for (PetscInt a = 0; a < dim; a++) inside = (PetscBool)(inside && marked[v[a]] > 0);
    for (PetscInt a = 0; a < dim && inside; a++) surface->face[dim * surface->num + a] = v[a];
    for (PetscInt i = 0; i < dim && inside; i++) sums[i] += start[v[0] * dim + i];
    surface->num += inside;
  }
  sums[3] = surface->num;
  PetscCall(PetscFree(vertices));
  PetscCall(PetscFree(marked));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 4, MPIU_REAL, MPIU_SUM, s->comm));
  AbutCheck(sums[3] > 0, ABUT_ERR_INPUT,
            "%s: the load has no area to act on: no surface %s of a body has all its vertices in the selection", spec->place,
            dim == 3 ? "triangle" : "edge");
  for (PetscInt i = 0; i < dim; i++) surface->origin[i] = sums[i] / sums[3];
  PetscFunctionReturn(0);
}

/* Sets the volume at the start: given, or of a closed surface. Collective. */
static PetscErrorCode SetStartVolume(AbutPressures s, Surface *surface)
{
  const AbutLoadSpec *spec     = surface->spec;
  PetscReal           measured = AbutSurfaceVolume(s, surface, AbutMeshGetStart(s->mesh));

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &measured, 1, MPIU_REAL, MPIU_SUM, s->comm));
  if (spec->kind == ABUT_LOAD_GAS) {
    for (PetscInt i = 0; i < spec->table.num; i++)
      AbutCheck(spec->table.points[2 * i + 1] >= 0, ABUT_ERR_INPUT, "%s: the factor %g at %g s of a gas is negative", spec->place,
                (double)spec->table.points[2 * i + 1], (double)spec->table.points[2 * i]);
    AbutCheck(spec->gas.volume > 0 || !surface->open, ABUT_ERR_INPUT,
              "%s: the surface of the gas is open, so that it does not tell the volume; give gas.volume", spec->place);
    AbutCheck(
      spec->gas.volume > 0 || measured > 0, ABUT_ERR_INPUT,
      "%s: the selected surface encloses its body, not a cavity; select the inner surface, or give gas.volume for the gas around it",
      spec->place);
    surface->start_volume = spec->gas.volume > 0 ? spec->gas.volume : measured;
  }
  surface->offset = surface->start_volume - measured;
  PetscFunctionReturn(0);
}

static PetscErrorCode ListStencils(AbutPressures s)
{
  const PetscInt dim = s->ml->dim;
  PetscInt       n   = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->num; k++) s->num_stencils += s->surface[k].num;
  PetscCall(PetscMalloc2(s->num_stencils + 1, &s->stencil_start, s->num_stencils * dim, &s->stencil));
  for (PetscInt k = 0; k < s->num; k++)
    for (PetscInt i = 0; i < s->surface[k].num * dim; i++) s->stencil[n++] = s->ml->vertex_global[s->surface[k].face[i]];
  for (PetscInt k = 0; k <= s->num_stencils; k++) s->stencil_start[k] = k * dim;
  PetscFunctionReturn(0);
}

static PetscBool ActsOnSurface(const AbutLoadSpec *spec)
{
  return (PetscBool)(spec->kind == ABUT_LOAD_PRESSURE || spec->kind == ABUT_LOAD_GAS);
}

PetscErrorCode AbutPressuresCreate(AbutMesh mesh, PetscInt num_loads, const AbutLoadSpec specs[], AbutPressures *pressures)
{
  const AbutMeshLocal *ml  = AbutMeshGetLocal(mesh);
  const PetscInt       n   = ml->num_local * ml->dim;
  PetscInt             num = 0;
  AbutPressures        s;

  PetscFunctionBegin;
  *pressures = NULL;
  for (PetscInt k = 0; k < num_loads; k++) num += ActsOnSurface(&specs[k]);
  if (!num) PetscFunctionReturn(0);
  PetscCall(PetscNew(&s));
  *pressures = s;
  s->comm    = AbutMeshGetComm(mesh);
  s->mesh    = mesh;
  s->ml      = ml;
  PetscCall(PetscCalloc4(num, &s->surface, num, &s->report, num, &s->volume, num, &s->trial));
  PetscCall(PetscCalloc4(n, &s->x, n, &s->gradient, n, &s->anchor, n, &s->prescribed));
  PetscCall(PetscArraycpy(s->anchor, AbutMeshGetStart(mesh), n));
  for (PetscInt k = 0; k < num_loads; k++) {
    Surface *surface = &s->surface[s->num];
    if (!ActsOnSurface(&specs[k])) continue;
    s->report[s->num++] = (AbutPressureReport){.kind = specs[k].kind, .load = k};
    s->num_gases += specs[k].kind == ABUT_LOAD_GAS;
    PetscCall(FindFaces(s, &specs[k], surface));
    PetscCall(FindBorder(s, surface));
    PetscCall(SetStartVolume(s, surface));
  }
  PetscCall(ListStencils(s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPressuresDestroy(AbutPressures *pressures)
{
  AbutPressures s = *pressures;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < s->num; k++) {
    PetscCall(PetscFree(s->surface[k].face));
    PetscCall(PetscFree2(s->surface[k].border, s->surface[k].sign));
  }
  PetscCall(PetscFree4(s->surface, s->report, s->volume, s->trial));
  PetscCall(PetscFree4(s->x, s->gradient, s->anchor, s->prescribed));
  PetscCall(PetscFree2(s->stencil_start, s->stencil));
  PetscCall(PetscFree(*pressures));
  PetscFunctionReturn(0);
}

/* Sets the places to which borders are closed: targets of prescribed unknowns, otherwise places at the start. Collective. */
static PetscErrorCode SetAnchors(AbutPressures s, const AbutPrescribedMotion *motion)
{
  const PetscInt   dim   = s->ml->dim;
  const PetscReal *start = AbutMeshGetStart(s->mesh);

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->ml->num_owned * dim; i++) {
    s->prescribed[i] = motion->state[i] != ABUT_BOUNDARY_FREE;
    s->anchor[i]     = s->prescribed[i] > 0 ? motion->target[i] : start[i];
  }
  PetscCall(AbutMeshUpdateGhosts(s->mesh, dim, s->prescribed));
  PetscCall(AbutMeshUpdateGhosts(s->mesh, dim, s->anchor));
  PetscFunctionReturn(0);
}

/* Whether both ends of an edge of the border (2D: its only one) are fixed, or slide in one plane. */
static PetscBool IsClosed(AbutPressures s, const PetscInt v[], PetscReal near)
{
  const PetscInt dim = s->ml->dim, other = dim == 3 ? v[1] : v[0];
  PetscBool      fixed = PETSC_TRUE, slides = PETSC_FALSE;

  for (PetscInt i = 0; i < dim; i++) {
    const PetscInt  a = v[0] * dim + i, b = other * dim + i;
    const PetscBool both = (PetscBool)(s->prescribed[a] > 0 && s->prescribed[b] > 0);
    fixed                = (PetscBool)(fixed && both);
    slides               = (PetscBool)(slides || (both && PetscAbsReal(s->anchor[a] - s->anchor[b]) <= near));
  }
  return (PetscBool)(fixed || slides);
}

/* Error if a border of this rank is not closed, or if the border of a gas moves. */
static PetscErrorCode CheckBorder(AbutPressures s, const Surface *surface)
{
  const PetscInt   dim   = s->ml->dim;
  const PetscReal *start = AbutMeshGetStart(s->mesh), near = SAME * s->ml->global.diagonal;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < surface->num_border; k++) {
    const PetscInt *v = surface->border + k * (dim - 1), id = s->ml->vertex_id[v[0]];
    const AbutBody *body  = &s->ml->bodies[s->ml->vertex_body[v[0]]];
    PetscReal       at[3] = {0, 0, 0}, moved = 0;

    for (PetscInt i = 0; i < dim; i++) {
      at[i] = s->ml->rest[v[0] * dim + i];
      moved = PetscMax(moved, PetscAbsReal(s->anchor[v[0] * dim + i] - start[v[0] * dim + i]));
    }
    AbutCheck(IsClosed(s, v, near), ABUT_ERR_INPUT,
              "%s: the surface is open, and its border at vertex %" PetscInt_FMT
              " of '%s' (%g %g %g) is free: the work of a follower pressure would depend on the path; select a closed surface, prescribe "
              "the border, or its component normal to a symmetry plane, or use a traction",
              surface->spec->place, id - body->vertex_start, body->name, (double)at[0], (double)at[1], (double)at[2]);
    AbutCheck(surface->spec->kind != ABUT_LOAD_GAS || moved <= near, ABUT_ERR_INPUT,
              "%s: the border of the surface at vertex %" PetscInt_FMT
              " of '%s' (%g %g %g) is moved by a motion, so that the volume of the gas is not known; its prescribed components must rest",
              surface->spec->place, id - body->vertex_start, body->name, (double)at[0], (double)at[1], (double)at[2]);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPressuresBeginStep(AbutPressures s, const AbutPrescribedMotion *motion, PetscReal t, PetscReal h, PetscBool at_end)
{
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(SetAnchors(s, motion));
  for (PetscInt k = 0; k < s->num; k++) {
    Surface  *surface = &s->surface[k];
    PetscReal part;
    surface->factor  = AbutLoadFactor(surface->spec, t, h, at_end, &part);
    surface->ambient = part * surface->spec->gas.ambient;
    if (part > 0 && !code) code = CheckBorder(s, surface);
  }
  PetscFunctionReturn(AbutAgree(s->comm, code));
}
