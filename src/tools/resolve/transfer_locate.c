/*
  Locates points in the elements of another mesh at rest. Each rank broadcasts its elements in turn; all ranks search them with a bounding
  volume hierarchy. The elements are the cells of bodies and the triangles, edges or points of obstacles.
*/
#include "transfer.h"
#include <abut/bvh.h>
#include <abut/geom.h>

/* Elements of one rank. */
typedef struct {
  PetscInt   dim, num_vertices, num_elements;
  PetscInt   num_cells, first; /* elements that are cells, which come first; cells of the ranks before */
  PetscInt   width;  /* points of an element in the tree: 4 corners; with quadratic cells ABUT_MAX_NODES, with control points of edges */
  PetscReal *rest;   /* [num_vertices * dim] */
  PetscInt  *global; /* [num_vertices] global index */
  PetscInt  *table;  /* [num_elements * ROW] body in `to`, id, numbers of corners and nodes, nodes; unused nodes repeat the first one */
  int32_t   *point;  /* [num_elements * width] for the tree */
  AbutBox   *box;    /* [num_vertices], then [num_elements * (width - 4)] of the control points */
  PetscBool *has;    /* [bodies] an element is of this body; without one a search would visit all others */
  AbutBVH    tree;
} Slice;

enum { BODY, ID, NUM, NODES, NODE, ROW = NODE + ABUT_MAX_NODES };

/* One point that is located. */
typedef struct {
  const Slice     *slice;
  const PetscReal *p; /* rest position */
  PetscInt         body;
  Place           *place;
} Query;

/* ---- Coordinates in an element */

/*
  Barycentric coordinates of the point of the element's affine hull that is closest to p: least squares by the normal equations of the edges
  from corner 0. PETSC_FALSE for a degenerate element. corner: [num * dim].
*/
static PetscBool Barycentric(PetscInt dim, PetscInt num, const PetscReal corner[], const PetscReal p[], PetscReal weight[4])
{
  PetscReal e[4][3] = {{0}}, n[3][3], det;

  for (PetscInt j = 0; j < num; j++)
    for (PetscInt k = 0; k < dim; k++) e[j][k] = (j ? corner[dim * j + k] : p[k]) - corner[k]; /* e[0] leads to p */
  weight[0] = 1;
  if (num == 1) return PETSC_TRUE;
  if (num == 2) { /* dual vectors n: n[i] . e[j + 1] = det for i = j, else 0 */
    det = AbutDot(3, e[1], e[1]);
    for (int k = 0; k < 3; k++) n[0][k] = e[1][k];
  } else {
    if (num == 3) AbutCross(e[1], e[2], e[3]);
    AbutCross(e[2], e[3], n[0]);
    AbutCross(e[3], e[1], n[1]);
    AbutCross(e[1], e[2], n[2]);
    det = AbutDot(3, e[1], n[0]);
  }
  if (!(PetscAbsReal(det) > 0)) return PETSC_FALSE;
  for (PetscInt j = 1; j < num; j++) {
    weight[j] = AbutDot(3, n[j - 1], e[0]) / det;
    weight[0] -= weight[j];
  }
  return PETSC_TRUE;
}

/* Squared distance of p from an element that does not contain it: from the nearest of its sides if it has the dimension of space. */
static PetscReal Distance2(PetscInt dim, PetscInt num, const PetscReal corner[], const PetscReal p[])
{
  static const AbutPairKind kinds[] = {ABUT_PAIR_VV, ABUT_PAIR_VV, ABUT_PAIR_EV, ABUT_PAIR_FV};
  const PetscInt            side    = PetscMin(num, dim);
  PetscReal                 least   = PETSC_MAX_REAL, x[12];

  for (PetscInt omit = side; omit >= (num > dim ? 0 : side); omit--) { /* corner that the side lacks */
    PetscInt n = dim;

    for (PetscInt k = 0; k < dim; k++) x[k] = p[k];
    for (PetscInt j = 0; j < num; j++)
      for (PetscInt k = 0; k < dim && j != omit; k++) x[n++] = corner[dim * j + k];
    least = PetscMin(least, AbutPairDist2(kinds[side], dim, x));
  }
  return least;
}

static PetscBool IsInside(PetscInt num, const PetscReal weight[])
{
  for (PetscInt j = 0; j < num; j++)
    if (weight[j] < 0) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Places the point in an element if that is nearer than its place so far. */
static void Hit(void *ctx, int32_t element)
{
  const Query    *q   = (const Query *)ctx;
  const Slice    *s   = q->slice;
  const PetscInt *row = &s->table[ROW * element], num = row[NUM];
  Place           place = {.cell = s->first + element, .id = row[ID], .num = num, .nodes = row[NODES]};
  PetscReal       node[3 * ABUT_MAX_NODES];

  if (row[BODY] != q->body) return;
  for (PetscInt j = 0; j < ABUT_MAX_NODES; j++) {
    place.node[j] = s->global[row[NODE + j]];
    for (PetscInt k = 0; k < s->dim; k++) node[s->dim * j + k] = s->rest[s->dim * row[NODE + j] + k];
  }
  if (place.nodes > num) {
    if (!AbutPlaceInQuadratic(s->dim, node, q->p, place.weight, &place.dist2)) return;
  } else {
    if (!Barycentric(s->dim, num, node, q->p, place.weight)) return;
    if (num <= s->dim || !IsInside(num, place.weight)) place.dist2 = Distance2(s->dim, num, node, q->p);
  }
  if (place.dist2 < q->place->dist2 || (place.dist2 == q->place->dist2 && place.id < q->place->id)) *q->place = place;
}

static void Visit(Query *q, PetscReal radius)
{
  AbutBVHOverlapBox(&q->slice->tree, AbutBoxAround(q->slice->dim, q->p, radius), Hit, q);
}

/* Searches boxes of growing size until no element outside of the box can be nearer, or have a lower id at the same distance. */
static void Search(Query *q, PetscReal limit)
{
  PetscReal most = limit;

  Visit(q, 0);
  for (PetscReal radius = q->slice->tree.extent; q->place->dist2 > 0; radius *= 2) {
    most = PetscMin(limit, PetscSqrtReal(q->place->dist2));
    Visit(q, PetscMin(radius, most));
    if (radius >= most || !(radius > 0)) return;
  }
}

/* ---- Slices */

static void SetRow(const PetscInt num, const PetscInt corners[], PetscInt body, PetscInt id, PetscInt row[ROW])
{
  row[BODY]  = body;
  row[ID]    = id;
  row[NUM]   = num;
  row[NODES] = num;
  for (PetscInt j = 0; j < ABUT_MAX_NODES; j++) row[NODE + j] = corners[j < num ? j : 0];
}

/* Adds the nodes on the edges of cell c, if it is quadratic. */
static void SetMiddles(const AbutMeshLocal *m, PetscInt c, PetscInt row[ROW])
{
  if (!AbutCellIsQuadratic(m, c)) return;
  row[NODES] += AbutNumCellEdges(m->dim);
  for (PetscInt j = row[NUM]; j < row[NODES]; j++) row[NODE + j] = AbutCellNode(m, c, j);
}

/* Appends the surface elements of obstacles whose surface has this dimension. */
static void AppendObstacles(const AbutMeshLocal *m, const PetscInt body_of[], PetscInt surface_dim, Slice *s)
{
  const PetscInt  n        = surface_dim == 2 ? m->num_faces : surface_dim == 1 ? m->num_edges : m->num_points;
  const PetscInt *elements = surface_dim == 2 ? m->faces : surface_dim == 1 ? m->edges : m->points;

  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *v    = &elements[(surface_dim + 1) * i];
    const PetscInt  body = m->vertex_body[v[0]];
    const PetscInt  id   = surface_dim == 2 ? m->face_id[i] : surface_dim == 1 ? m->edge_id[i] : m->vertex_id[v[0]];

    if (m->bodies[body].obstacle && m->bodies[body].surface_dim == surface_dim)
      SetRow(surface_dim + 1, v, body_of[body], id, &s->table[ROW * s->num_elements++]);
  }
}

/* Fills the slice with the elements of this rank. */
static void FillSlice(const AbutMeshLocal *m, const PetscInt body_of[], Slice *s)
{
  const PetscInt corners = m->dim + 1;

  for (PetscInt i = 0; i < m->num_local * m->dim; i++) s->rest[i] = m->rest[i];
  for (PetscInt v = 0; v < m->num_local; v++) s->global[v] = m->vertex_global[v];
  s->num_elements = 0;
  for (PetscInt c = 0; c < m->num_cells; c++) {
    PetscInt *row = &s->table[ROW * s->num_elements++];

    SetRow(corners, &m->cells[corners * c], body_of[m->cell_body[c]], m->cell_id[c], row);
    SetMiddles(m, c, row);
  }
  for (PetscInt d = 0; d < m->dim; d++) AppendObstacles(m, body_of, d, s);
}

static PetscErrorCode Broadcast(MPI_Comm comm, PetscMPIInt root, PetscInt n, MPI_Datatype type, void *values)
{
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCallMPI(MPI_Bcast(values, count, type, root, comm));
  PetscFunctionReturn(0);
}

/* Boxes of the control points 2 m - (a + b) / 2 of edges with corners a, b and nodes m. Their hull with the corners contains the cell. */
static void AddControlPoints(Slice *s, PetscInt element)
{
  const PetscInt *row = &s->table[ROW * element];

  for (PetscInt e = 0; e < row[NODES] - row[NUM]; e++) {
    const PetscInt at = s->num_vertices + (s->width - 4) * element + e, a = row[NODE + AbutCellEdgeCorner(e, 0)],
                   b = row[NODE + AbutCellEdgeCorner(e, 1)], m = row[NODE + row[NUM] + e];
    PetscReal x[3];

    for (PetscInt k = 0; k < s->dim; k++) {
      const PetscReal low = s->rest[s->dim * a + k], high = s->rest[s->dim * b + k];

      x[k] = 2 * AbutEdgeNode(low, high, s->rest[s->dim * m + k]) - (low + high) / 2;
    }
    s->box[at]                                  = AbutBoxAround(s->dim, x, 0);
    s->point[s->width * element + row[NUM] + e] = (int32_t)at;
  }
}

static PetscErrorCode BuildTree(Slice *s)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < s->num_vertices; v++) s->box[v] = AbutBoxAround(s->dim, &s->rest[s->dim * v], 0);
  for (PetscInt i = 0; i < s->width * s->num_elements; i++) s->point[i] = (int32_t)s->table[ROW * (i / s->width) + NODE + i % s->width];
  for (PetscInt i = 0; i < s->num_elements; i++) AddControlPoints(s, i);
  PetscCall(AbutBVHSetUp(&s->tree, s->num_elements, s->width, s->point, s->box));
  PetscFunctionReturn(0);
}

/* The elements of rank `root` on all ranks. Collective. */
static PetscErrorCode CreateSlice(AbutMesh from, PetscMPIInt root, const PetscInt body_of[], Slice *s)
{
  const AbutMeshLocal *m       = AbutMeshGetLocal(from);
  MPI_Comm             comm    = AbutMeshGetComm(from);
  PetscInt             size[3] = {m->num_local, m->num_cells + m->num_faces + m->num_edges + m->num_points, m->num_cells};
  PetscMPIInt          rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(Broadcast(comm, root, 3, MPIU_INT, size));
  *s = (Slice){.dim = m->dim, .num_vertices = size[0], .num_cells = size[2], .width = m->middles ? ABUT_MAX_NODES : 4};
  PetscCall(PetscMalloc3(size[0] * m->dim, &s->rest, size[0], &s->global, size[0] + size[1] * (s->width - 4), &s->box));
  PetscCall(PetscMalloc2(size[1] * ROW, &s->table, size[1] * s->width, &s->point));
  if (rank == root) FillSlice(m, body_of, s);
  PetscCall(Broadcast(comm, root, 1, MPIU_INT, &s->num_elements));
  PetscCall(Broadcast(comm, root, s->num_vertices * s->dim, MPIU_REAL, s->rest));
  PetscCall(Broadcast(comm, root, s->num_vertices, MPIU_INT, s->global));
  PetscCall(Broadcast(comm, root, s->num_elements * ROW, MPIU_INT, s->table));
  PetscCall(PetscCalloc1(m->num_bodies, &s->has));
  for (PetscInt i = 0; i < s->num_elements; i++) s->has[s->table[ROW * i + BODY]] = PETSC_TRUE;
  PetscCall(BuildTree(s));
  PetscFunctionReturn(0);
}

static PetscErrorCode DestroySlice(Slice *s)
{
  PetscFunctionBegin;
  PetscCall(AbutBVHDestroy(&s->tree));
  PetscCall(PetscFree3(s->rest, s->global, s->box));
  PetscCall(PetscFree2(s->table, s->point));
  PetscCall(PetscFree(s->has));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTransferLocate(AbutMesh from, const PetscInt body_of[], const PetscReal limit[], PetscInt num, const PetscReal points[],
                                  const PetscInt body[], Place places[])
{
  const PetscInt dim   = AbutMeshGetLocal(from)->dim;
  PetscInt       first = 0;
  PetscMPIInt    ranks;
  Slice          slice;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(AbutMeshGetComm(from), &ranks));
  for (PetscInt i = 0; i < num; i++) places[i] = (Place){.dist2 = PETSC_MAX_REAL};
  for (PetscMPIInt root = 0; root < ranks; root++) {
    PetscCall(CreateSlice(from, root, body_of, &slice));
    slice.first = first;
    first += slice.num_cells;
    for (PetscInt i = 0; i < num; i++) {
      Query query = {.slice = &slice, .p = &points[dim * i], .body = body[i], .place = &places[i]};

      if (slice.has[query.body]) Search(&query, limit[query.body]);
    }
    PetscCall(DestroySlice(&slice));
  }
  PetscFunctionReturn(0);
}
