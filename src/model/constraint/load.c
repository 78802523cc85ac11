/* Dead loads: by mass, by area of the surface at rest, or a resultant distributed by area over a face, by mass over other selections. */
#include <abut/constraint.h>

/* One dead load and the owned vertices that it acts on */
typedef struct {
  const AbutLoadSpec *spec;
  PetscInt            num_vertices, *vertices;
  PetscReal          *area;       /* [num_vertices] share of the loaded surface at rest [m^2, in 2D m]; NULL for accelerations */
  PetscReal           total_area; /* of the loaded surface [m^2, in 2D m] */
  PetscReal           mass;       /* of the selected vertices of all ranks [kg] */
  PetscBool           face;       /* the selection is a face: the resultant acts by area */
} Load;

struct _p_AbutLoads {
  MPI_Comm             comm;
  AbutMesh             mesh;
  const AbutMeshLocal *ml;
  AbutLumpedMass       mass;
  PetscInt             num;
  Load                *loads; /* [num] */
};

/*
  Distributes the area (2D: length) of each surface entity whose vertices are all marked equally to its vertices; exact for the parts of a
  plane face of a quadratic cell, too (ABUT_NODE_MIDDLE). The result is complete on owned vertices.
*/
static PetscErrorCode SpreadArea(AbutLoads s, const PetscReal marked[], PetscReal area[])
{
  const AbutMeshLocal *ml  = s->ml;
  const PetscInt       dim = s->ml->dim, num = AbutNumFacets(ml), *entities = AbutFacets(ml);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < num; k++) {
    const PetscInt *v       = entities + k * dim;
    PetscReal       e[2][3] = {{0}}, normal[3];
    PetscBool       inside  = (PetscBool)!ml->bodies[ml->vertex_body[v[0]]].obstacle;

    for (PetscInt i = 0; i < dim; i++) inside = (PetscBool)(inside && marked[v[i]] > 0);
    if (!inside) continue;
    e[1][2] = dim == 2; /* thickness 1 m */
    for (PetscInt i = 1; i < dim; i++)
      for (PetscInt d = 0; d < dim; d++) e[i - 1][d] = ml->rest[v[i] * dim + d] - ml->rest[v[0] * dim + d];
    AbutCross(e[0], e[1], normal);
    for (PetscInt i = 0; i < dim; i++) area[v[i]] += AbutNorm(3, normal) * (dim == 3 ? 0.5 : 1) / (PetscReal)dim;
  }
  PetscCall(AbutMeshReduceAdd(s->mesh, 1, area));
  PetscFunctionReturn(0);
}

/* Counts over all ranks that tell a face from a volume. */
enum { WHOLE_CELLS, INTERIOR, IN_NO_CELL, NUM_COUNTS };

/* Counts the cells all of whose vertices are marked, the marked vertices inside of bodies, and those in none of these cells. */
static PetscErrorCode CountMarked(AbutLoads s, const PetscReal marked[], PetscInt count[NUM_COUNTS])
{
  const AbutMeshLocal *ml = s->ml;
  PetscReal           *in_cell;
  PetscBool           *surface;

  PetscFunctionBegin;
  for (int k = 0; k < NUM_COUNTS; k++) count[k] = 0;
  PetscCall(PetscCalloc2(ml->num_local, &in_cell, ml->num_local, &surface));
  for (PetscInt c = 0; c < ml->num_cells; c++) {
    const PetscInt nodes = ml->dim + 1 + (AbutCellIsQuadratic(ml, c) ? AbutNumCellEdges(ml->dim) : 0);
    PetscBool      whole = PETSC_TRUE;

    for (PetscInt i = 0; i < nodes; i++) whole = (PetscBool)(whole && marked[AbutCellNode(ml, c, i)] > 0);
    for (PetscInt i = 0; i < nodes && whole; i++) in_cell[AbutCellNode(ml, c, i)] = 1;
    count[WHOLE_CELLS] += whole;
  }
  PetscCall(AbutMeshReduceAdd(s->mesh, 1, in_cell));
  for (PetscInt k = 0; k < ml->num_points; k++) surface[ml->points[k]] = PETSC_TRUE;
  for (PetscInt v = 0; v < ml->num_owned; v++) {
    count[INTERIOR] += marked[v] > 0 && !surface[v];
    count[IN_NO_CELL] += marked[v] > 0 && !(in_cell[v] > 0);
  }
  PetscCall(PetscFree2(in_cell, surface));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, NUM_COUNTS, MPIU_INT, MPI_SUM, s->comm));
  PetscFunctionReturn(0);
}

/*
  Finds the loaded surface of a selection, and whether the selection is a face: it has a whole surface entity and no whole cell. Cells in
  the corners of a body have all their vertices on its surface; they do not count if all selected vertices are on the surface and some are
  in no whole cell.
*/
static PetscErrorCode SetUpArea(AbutLoads s, Load *load)
{
  PetscReal *marked, *area;
  PetscInt   count[NUM_COUNTS];

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(s->ml->num_local, &marked, s->ml->num_local, &area));
  for (PetscInt k = 0; k < load->num_vertices; k++) marked[load->vertices[k]] = 1;
  PetscCall(AbutMeshUpdateGhosts(s->mesh, 1, marked));
  PetscCall(SpreadArea(s, marked, area));
  PetscCall(CountMarked(s, marked, count));
  PetscCall(PetscMalloc1(load->num_vertices, &load->area));
  for (PetscInt k = 0; k < load->num_vertices; k++) load->total_area += load->area[k] = area[load->vertices[k]];
  PetscCall(PetscFree2(marked, area));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &load->total_area, 1, MPIU_REAL, MPIU_SUM, s->comm));
  load->face = (PetscBool)(load->total_area > 0 && (!count[WHOLE_CELLS] || (!count[INTERIOR] && count[IN_NO_CELL])));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetUpLoad(AbutLoads s, const AbutLoadSpec *spec, Load *load)
{
  const PetscReal *a = spec->acceleration, *f = spec->force, *t = spec->traction;

  PetscFunctionBegin;
  load->spec = spec;
  if (spec->kind == ABUT_LOAD_PLANE) PetscFunctionReturn(0);
  PetscCall(AbutMeshSelect(s->mesh, &spec->selection, spec->place, &load->num_vertices, &load->vertices));
  for (PetscInt k = 0; k < load->num_vertices; k++) load->mass += s->mass.vertex[load->vertices[k]];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &load->mass, 1, MPIU_REAL, MPIU_SUM, s->comm));
  AbutCheck(load->mass > 0 || AbutDot(3, a, a) + AbutDot(3, f, f) == 0, ABUT_ERR_INPUT,
            "%s: the load acts by mass, but the selection (body '%s') has none; obstacles cannot be loaded", spec->place,
            spec->selection.body);
  if (AbutDot(3, t, t) + AbutDot(3, f, f) > 0) PetscCall(SetUpArea(s, load));
  AbutCheck(load->total_area > 0 || AbutDot(3, t, t) == 0, ABUT_ERR_INPUT,
            "%s: traction %g %g %g Pa has no area to act on: no surface %s of a body has all its vertices in the selection", spec->place,
            (double)t[0], (double)t[1], (double)t[2], s->ml->dim == 3 ? "triangle" : "edge");
  PetscFunctionReturn(0);
}

PetscErrorCode AbutLoadsCreate(AbutMesh mesh, const AbutLumpedMass *mass, PetscInt num_loads, const AbutLoadSpec specs[], AbutLoads *loads)
{
  AbutLoads s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *loads  = s;
  s->mesh = mesh;
  s->mass = *mass;
  s->num  = num_loads;
  s->comm = AbutMeshGetComm(mesh);
  s->ml   = AbutMeshGetLocal(mesh);
  PetscCall(PetscCalloc1(num_loads, &s->loads));
  for (PetscInt k = 0; k < num_loads; k++) PetscCall(SetUpLoad(s, &specs[k], &s->loads[k]));
  PetscFunctionReturn(0);
}

PetscBool AbutLoadsHaveForces(AbutLoads s)
{
  for (PetscInt i = 0; i < s->num; i++) {
    const AbutLoadSpec *spec = s->loads[i].spec;
    if (spec->kind != ABUT_LOAD_DEAD || AbutDot(3, spec->force, spec->force) + AbutDot(3, spec->traction, spec->traction) > 0)
      return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscErrorCode AbutLoadsDestroy(AbutLoads *loads)
{
  AbutLoads s = *loads;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < s->num; k++) {
    PetscCall(PetscFree(s->loads[k].vertices));
    PetscCall(PetscFree(s->loads[k].area));
  }
  PetscCall(PetscFree(s->loads));
  PetscCall(PetscFree(*loads));
  PetscFunctionReturn(0);
}

static void AddLoad(const AbutLoads s, const Load *load, PetscReal part, PetscReal force[])
{
  const AbutLoadSpec *spec = load->spec;
  const PetscInt      dim  = s->ml->dim;

  for (PetscInt i = 0; i < load->num_vertices; i++) {
    const PetscInt  v = load->vertices[i];
    const PetscReal m = s->mass.vertex[v], area = load->area ? load->area[i] : 0;
    const PetscReal share = load->face ? area / load->total_area : load->mass > 0 ? m / load->mass : 0;

    for (PetscInt d = 0; d < dim; d++)
      force[v * dim + d] += part * (m * spec->acceleration[d] + area * spec->traction[d] + share * spec->force[d]);
  }
}

PetscReal AbutLoadFactor(const AbutLoadSpec *spec, PetscReal t, PetscReal h, PetscBool at_end, PetscReal *part)
{
  const PetscReal from = PetscMax(t, spec->start), to = PetscMin(t + h, spec->end);

  *part = (to - from) / h;
  if (*part < 1e-9) return *part = 0;
  if (*part > 1 - 1e-9) *part = 1;
  if (!spec->table.num) return *part;
  return *part * (at_end ? AbutTimeTableValue(&spec->table, to) : AbutTimeTableIntegral(&spec->table, from, to) / (to - from));
}

void AbutLoadsAddOne(AbutLoads s, PetscInt load, PetscReal t, PetscReal h, PetscBool at_end, PetscReal force[])
{
  PetscReal       part;
  const PetscReal factor = AbutLoadFactor(s->loads[load].spec, t, h, at_end, &part);

  if (factor != 0) AddLoad(s, &s->loads[load], factor, force);
}

PetscErrorCode AbutLoadsEvaluate(AbutLoads s, PetscReal t, PetscReal h, PetscBool at_end, PetscReal force[])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(force, s->ml->num_owned * s->ml->dim));
  for (PetscInt k = 0; k < s->num; k++) AbutLoadsAddOne(s, k, t, h, at_end, force);
  PetscFunctionReturn(0);
}

void AbutLoadsGetVertices(AbutLoads s, PetscInt load, PetscInt *count, const PetscInt **vertices)
{
  *count    = s->loads[load].num_vertices;
  *vertices = s->loads[load].vertices;
}
