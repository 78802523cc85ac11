/* Removes small intersections: surface vertices of bodies move inwards until an exact check finds none; the cells follow. */
#include "boundary.h"
#include "untangleimpl.h"

#define FLAT       0.3 /* fraction of its volume at the start below which a cell makes the inner vertices follow */
#define BISECTIONS 4   /* bisections of the depths when vertices move back outwards */
#define LAYERS     2   /* layers of cells around a moved vertex whose inner vertices follow */

#define FIRST 0.25 /* first displacement of a surface vertex that intersects [dhat] */

typedef struct {
  PetscReal most; /* [mean surface edge] largest displacement of a surface vertex */
} ShrinkConstants;

static const AbutOption options[] = {{"-abut_shrink_most", ABUT_OPTION_REAL, offsetof(ShrinkConstants, most), 1, 0, 10, "mean edges",
                                      "Largest displacement of a surface vertex that intersects after interpolation"}};
const AbutOptionTable   AbutUntangleShrinkOptions = {"Intersections after interpolation", PETSC_STATIC_ARRAY_LENGTH(options), options};

typedef struct {
  const AbutUntangleParts *parts;
  AbutContact              contact;
  AbutMesh                 mesh;
  const AbutMeshLocal     *m;
  PetscInt                 dim;
  PetscReal                first, most; /* [m] */
  PetscReal               *start;       /* [num_local * dim] positions at the start */
  PetscReal               *x;           /* [num_local * dim] */
  PetscReal               *normal;      /* [num_local * dim] unit, 0 off surfaces of bodies; ghosts are not current */
  PetscReal               *depth;       /* [num_local] displacement against the normal [m]; ghosts are current */
  PetscReal               *sum;         /* [num_local * 2] scratch */
  PetscBool               *marked;      /* [num_local] */
} Shrink;

/* ---- Life cycle */

/* Adds the normal of an element of a body to its vertices. */
static void AddNormal(Shrink *s, const PetscInt v[])
{
  PetscReal n[3];

  if (s->m->bodies[s->m->vertex_body[v[0]]].obstacle) return;
  AbutFacetNormal(s->dim, s->start, v, n);
  for (PetscInt i = 0; i < s->dim * s->dim; i++) s->normal[s->dim * v[i / s->dim] + i % s->dim] += n[i % s->dim];
}

static PetscErrorCode SetNormals(Shrink *s)
{
  const AbutMeshLocal *m   = s->m;
  const PetscInt       dim = s->dim;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < AbutNumFacets(m); i++) AddNormal(s, &AbutFacets(m)[dim * i]);
  PetscCall(AbutMeshReduceAdd(s->mesh, dim, s->normal));
  for (PetscInt v = 0; v < m->num_owned; v++) (void)AbutNormalize(dim, &s->normal[dim * v]);
  PetscFunctionReturn(0);
}

static PetscErrorCode Create(const PetscReal x[], PetscReal dhat, Shrink *s)
{
  const PetscInt  size = s->m->num_local * s->dim;
  ShrinkConstants constants;
  PetscReal       edge;

  PetscFunctionBegin;
  PetscCall(AbutOptionTableRead(AbutMeshGetComm(s->mesh), &AbutUntangleShrinkOptions, &constants));
  PetscCall(AbutMeshGetMeanEdge(s->mesh, PETSC_FALSE, &edge));
  s->first = FIRST * dhat;
  s->most  = constants.most * edge;
  PetscCall(PetscCalloc6(size, &s->start, size, &s->x, size, &s->normal, s->m->num_local, &s->depth, 2 * s->m->num_local, &s->sum,
                         s->m->num_local, &s->marked));
  PetscCall(PetscArraycpy(s->start, x, s->m->num_owned * s->dim));
  PetscCall(AbutMeshUpdateGhosts(s->mesh, s->dim, s->start));
  PetscCall(PetscArraycpy(s->x, s->start, size));
  PetscCall(SetNormals(s));
  PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(Shrink *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree6(s->start, s->x, s->normal, s->depth, s->sum, s->marked));
  PetscFunctionReturn(0);
}

/* ---- Passes */

/* Ids of the vertices in intersections of any rank, ascending. Collective. */
static PetscErrorCode GatherIds(MPI_Comm comm, PetscInt count, const AbutIntersection crossings[], PetscInt *num, PetscInt **ids)
{
  PetscInt *own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(5 * count, &own));
  for (PetscInt i = 0; i < count; i++) {
    PetscCall(PetscArraycpy(&own[5 * i], crossings[i].edge, 2));
    for (int k = 0; k < 3; k++) own[5 * i + 2 + k] = crossings[i].body[1] < 0 ? -1 : crossings[i].face[k]; /* a plane has no vertices */
  }
  PetscCall(AbutGatherRecords(comm, sizeof(*own), 5 * count, own, num, ids));
  PetscCall(PetscSortRemoveDupsInt(num, *ids));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(0);
}

/* Exact check: marks local vertices of intersecting elements of bodies. Collective. */
static PetscErrorCode Check(Shrink *s, PetscInt *count)
{
  AbutIntersection *crossings;
  PetscInt          local_count, num, *ids, at;

  PetscFunctionBegin;
  PetscCall(AbutContactCheck(s->contact, s->x, count, &local_count, &crossings));
  PetscCall(GatherIds(AbutMeshGetComm(s->mesh), local_count, crossings, &num, &ids));
  for (PetscInt v = 0; v < s->m->num_local; v++) {
    PetscCall(PetscFindInt(s->m->vertex_id[v], num, ids, &at));
    s->marked[v] = (PetscBool)(at >= 0 && !s->m->bodies[s->m->vertex_body[v]].obstacle);
  }
  PetscCall(PetscFree(ids));
  PetscCall(PetscFree(crossings));
  PetscFunctionReturn(0);
}

/* Increases the depth of marked vertices as far as they may move. *any: a vertex became deeper. Collective. */
static PetscErrorCode DeepenMarked(Shrink *s, PetscBool *any)
{
  PetscMPIInt changed = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->m->num_owned; v++) {
    const PetscReal depth = PetscMin(PetscMax(2 * s->depth[v], s->first), s->most);

    if (!s->marked[v] || depth <= s->depth[v]) continue;
    s->depth[v] = depth;
    changed     = 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, AbutMeshGetComm(s->mesh)));
  PetscCall(AbutMeshUpdateGhosts(s->mesh, 1, s->depth));
  *any = (PetscBool)changed;
  PetscFunctionReturn(0);
}

/* Neighbours of marked vertices along surface edges get at least half of their mean depth. Collective. */
static PetscErrorCode DeepenNeighbours(Shrink *s)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(s->sum, 2 * s->m->num_local));
  for (PetscInt i = 0; i < 2 * s->m->num_edges; i++) {
    const PetscInt from = s->m->edges[i], to = s->m->edges[i ^ 1];

    if (!s->marked[from]) continue;
    s->sum[2 * to] += s->depth[from];
    s->sum[2 * to + 1] += 1;
  }
  PetscCall(AbutMeshReduceAdd(s->mesh, 2, s->sum));
  for (PetscInt v = 0; v < s->m->num_owned; v++)
    if (s->sum[2 * v + 1] > 0) s->depth[v] = PetscMax(s->depth[v], s->sum[2 * v] / s->sum[2 * v + 1] / 2);
  PetscCall(AbutMeshUpdateGhosts(s->mesh, 1, s->depth));
  PetscFunctionReturn(0);
}

static PetscErrorCode Place(Shrink *s)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->m->num_owned * s->dim; i++) s->x[i] = s->start[i] - s->depth[i / s->dim] * s->normal[i];
  PetscCall(AbutMeshUpdateGhosts(s->mesh, s->dim, s->x));
  PetscFunctionReturn(0);
}

/* Moves the surfaces inwards until they do not intersect, or as far as they may move. Collective. */
static PetscErrorCode MoveInwards(Shrink *s, AbutUntangleShrinkReport *report)
{
  PetscBool any = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(Check(s, &report->left));
  report->crossings = report->left;
  while (report->left && any) {
    PetscCall(DeepenMarked(s, &any));
    if (!any) break;
    PetscCall(DeepenNeighbours(s));
    PetscCall(Place(s));
    report->passes++;
    PetscCall(Check(s, &report->left));
  }
  PetscFunctionReturn(0);
}

/* Gives marked vertices their safe depth and stores their depth, at which they intersect, in low. *any: a depth changed. Collective. */
static PetscErrorCode Restore(Shrink *s, PetscReal low[], const PetscReal safe[], PetscBool *any)
{
  PetscMPIInt changed = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->m->num_owned; v++) {
    if (!s->marked[v] || s->depth[v] == safe[v]) continue;
    low[v]      = s->depth[v];
    s->depth[v] = safe[v];
    changed     = 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, AbutMeshGetComm(s->mesh)));
  *any = (PetscBool)changed;
  PetscFunctionReturn(0);
}

/*
  Tries the mean of each vertex's safe depth and its depth `low`, at which it intersects (0: none known). Vertices that intersect at the
  mean keep the safe depth. Collective.
*/
static PetscErrorCode Bisect(Shrink *s, PetscReal low[], PetscReal safe[])
{
  PetscInt  count;
  PetscBool any = PETSC_TRUE;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->m->num_owned; v++) s->depth[v] = (low[v] + safe[v]) / 2;
  PetscCall(Place(s));
  PetscCall(Check(s, &count));
  while (count && any) {
    PetscCall(Restore(s, low, safe, &any));
    if (!any) PetscCall(PetscArraycpy(s->depth, safe, s->m->num_owned));
    PetscCall(Place(s));
    if (any) PetscCall(Check(s, &count));
  }
  PetscCall(PetscArraycpy(safe, s->depth, s->m->num_owned));
  PetscFunctionReturn(0);
}

/* Moves the surfaces back outwards as far as they do not intersect. Collective. */
static PetscErrorCode MoveOutwards(Shrink *s)
{
  PetscReal *low, *safe;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(s->m->num_owned, &low, s->m->num_owned, &safe));
  PetscCall(PetscArraycpy(safe, s->depth, s->m->num_owned));
  for (int k = 0; k < BISECTIONS; k++) PetscCall(Bisect(s, low, safe));
  PetscCall(AbutMeshUpdateGhosts(s->mesh, 1, s->depth));
  PetscCall(PetscFree2(low, safe));
  PetscFunctionReturn(0);
}

/* ---- Cells */

/* *needs: a cell is flat at x compared with the start. *can: no cell was inverted at the start. Collective. */
static PetscErrorCode NeedsFollow(const Shrink *s, PetscBool *needs, PetscBool *can)
{
  PetscMPIInt found[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt c = 0; c < s->m->num_cells; c++) {
    if (AbutCellStretch(s->m, c, s->m->rest, s->start) <= 0)
      found[0] = found[1] = 1;
    else if (AbutCellStretch(s->m, c, s->start, s->x) < FLAT)
      found[0] = 1;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_INT, MPI_MAX, AbutMeshGetComm(s->mesh)));
  *needs = (PetscBool)found[0];
  *can   = (PetscBool)!found[1];
  PetscFunctionReturn(0);
}

/* Marks the owned vertices within LAYERS layers of cells around the moved ones. Collective. */
static PetscErrorCode MarkNear(Shrink *s)
{
  const PetscInt nodes = s->dim + 1 + AbutNumCellEdges(s->dim);
  PetscReal     *near  = s->sum;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->m->num_local; v++) s->marked[v] = (PetscBool)(s->depth[v] > 0);
  for (int layer = 0; layer < LAYERS; layer++) {
    PetscCall(PetscArrayzero(near, s->m->num_local));
    for (PetscInt c = 0; c < s->m->num_cells; c++) {
      PetscBool any = PETSC_FALSE;

      for (PetscInt k = 0; k < nodes && AbutCellNode(s->m, c, k) >= 0; k++) any = (PetscBool)(any || s->marked[AbutCellNode(s->m, c, k)]);
      for (PetscInt k = 0; k < nodes && AbutCellNode(s->m, c, k) >= 0 && any; k++) near[AbutCellNode(s->m, c, k)] = 1;
    }
    PetscCall(AbutMeshReduceAdd(s->mesh, 1, near));
    PetscCall(AbutMeshUpdateGhosts(s->mesh, 1, near));
    for (PetscInt v = 0; v < s->m->num_local; v++) s->marked[v] = (PetscBool)(s->marked[v] || near[v] > 0);
  }
  PetscFunctionReturn(0);
}

/* Moves the vertices inside of bodies near moved surface vertices. On success x has all positions. Collective. */
static PetscErrorCode Follow(Shrink *s, AbutUntangleShrinkReport *report)
{
  AbutUntangleFollowReport follow;
  AbutElastic              elastic;
  PetscBool               *prescribed;
  PetscErrorCode           code;

  PetscFunctionBegin;
  PetscCall(MarkNear(s));
  PetscCall(CellsCreateElastic(s->mesh, s->parts->num_materials, s->parts->materials, &elastic));
  PetscCall(PetscMalloc1(s->m->num_owned, &prescribed));
  for (PetscInt v = 0; v < s->m->num_owned; v++) prescribed[v] = (PetscBool)!s->marked[v];
  for (PetscInt i = 0; i < s->m->num_points; i++) prescribed[s->m->points[i]] = PETSC_TRUE;
  code = AbutUntangleFollow(s->mesh, elastic, s->x, prescribed, 0, NULL, s->start, &follow);
  PetscCall(PetscFree(prescribed));
  PetscCall(AbutElasticDestroy(&elastic));
  PetscCall(code);
  report->follow = follow.reached ? 1 : follow.fraction;
  PetscCall(PetscArraycpy(s->x, s->start, s->m->num_owned * s->dim));
  PetscFunctionReturn(0);
}

static PetscErrorCode MoveCells(Shrink *s, AbutUntangleShrinkReport *report)
{
  PetscBool needs = PETSC_FALSE, can = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(NeedsFollow(s, &needs, &can));
  report->follow = needs && !can ? 0 : 1;
  if (needs && can) PetscCall(Follow(s, report));
  PetscFunctionReturn(0);
}

/* ---- All */

static PetscErrorCode Report(const Shrink *s, AbutUntangleShrinkReport *report)
{
  MPI_Comm comm = AbutMeshGetComm(s->mesh);

  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->m->num_owned; v++) {
    report->num_moved += s->depth[v] > 0;
    report->displacement = PetscMax(report->displacement, s->depth[v]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &report->num_moved, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &report->displacement, 1, MPIU_REAL, MPIU_MAX, comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutUntangleShrink(const AbutUntangleParts *parts, AbutContact contact, PetscReal dhat, PetscReal x[],
                                  AbutUntangleShrinkReport *report)
{
  Shrink         s = {.parts = parts, .contact = contact, .mesh = parts->mesh, .m = AbutMeshGetLocal(parts->mesh)};
  PetscErrorCode code;

  PetscFunctionBegin;
  *report = (AbutUntangleShrinkReport){.follow = 1};
  s.dim   = s.m->dim;
  PetscCall(Create(x, dhat, &s));
  code = MoveInwards(&s, report);
  if (!code && !report->left && report->passes) code = MoveOutwards(&s);
  if (!code && !report->left && report->passes) code = MoveCells(&s, report);
  if (!code && !report->left && report->follow == 1) PetscCall(PetscArraycpy(x, s.x, s.m->num_owned * s.dim));
  if (!code) PetscCall(Report(&s, report));
  PetscCall(Destroy(&s));
  PetscFunctionReturn(code);
}
