/* Transfer of vectors and positions from a mesh to another mesh of the same bodies, for example a finer one. */
#include "transfer.h"
#include <abut/geom.h>
#include <string.h>

#define ROUND_OFF 1e-10 /* distance over the diagonal of a body up to which a vertex is not outside */

struct _p_AbutMeshTransfer {
  AbutMesh   from, to;
  PetscInt   dim, num; /* owned vertices of `to` */
  PetscInt   width;    /* vertices of a place: 4, with quadratic cells in `from` ABUT_MAX_NODES */
  Place     *places;   /* [num] */
  PetscSF    sf;       /* roots: owned vertices of `from`; leaves: `width` vertices of each place */
  PetscReal *point;    /* [num * dim] points of `to` that are located: nodes of quadratic cells, other vertices */
  PetscReal *rest;     /* [num * width * dim] vertices of `from` at rest */
  PetscReal *node;     /* [num * width * dim] scratch */
  PetscInt  *body_of;  /* number in `to` of each body of `from` */
  PetscInt   outside;
  PetscReal  distance;
};

/* ---- Set-up */

static const char *Kind(const AbutBody *body)
{
  static const char *const obstacles[] = {"an obstacle of points", "an obstacle of edges", "an obstacle of triangles"};

  return body->obstacle ? obstacles[body->surface_dim] : "a body";
}

/* Number of the body with this name, -1 if there is none. */
static PetscInt FindBody(const AbutMeshLocal *m, const char name[])
{
  PetscInt b = m->num_bodies - 1;

  while (b >= 0 && strcmp(m->bodies[b].name, name)) b--;
  return b;
}

static PetscErrorCode MatchBody(const AbutBody *from, const AbutMeshLocal *to, PetscInt *b)
{
  PetscFunctionBegin;
  *b = FindBody(to, from->name);
  AbutCheck(*b >= 0, ABUT_ERR_INPUT, "'%s' is in the mesh of the checkpoint but not in this scene", from->name);
  AbutCheck(Kind(from) == Kind(&to->bodies[*b]), ABUT_ERR_INPUT, "'%s' is %s in the mesh of the checkpoint, %s here", from->name,
            Kind(from), Kind(&to->bodies[*b]));
  PetscFunctionReturn(0);
}

/* body_of[a]: number in `to` of the body a of `from`. */
static PetscErrorCode MatchBodies(const AbutMeshLocal *from, const AbutMeshLocal *to, PetscInt body_of[])
{
  PetscFunctionBegin;
  AbutCheck(from->dim == to->dim, ABUT_ERR_INPUT, "a mesh in %" PetscInt_FMT "D cannot be interpolated to a mesh in %" PetscInt_FMT "D",
            from->dim, to->dim);
  for (PetscInt a = 0; a < from->num_bodies; a++) PetscCall(MatchBody(&from->bodies[a], to, &body_of[a]));
  for (PetscInt b = 0; b < to->num_bodies; b++)
    AbutCheck(FindBody(from, to->bodies[b].name) >= 0, ABUT_ERR_INPUT, "'%s' is missing in the mesh of the checkpoint", to->bodies[b].name);
  PetscFunctionReturn(0);
}

static PetscReal Diagonal(const AbutMeshLocal *m, PetscInt body)
{
  PetscReal edge[3] = {0, 0, 0}, diagonal;

  for (PetscInt k = 0; k < m->dim; k++) edge[k] = m->bodies[body].box[1][k] - m->bodies[body].box[0][k];
  diagonal = AbutNorm(3, edge);
  return diagonal > 0 ? diagonal : m->global.diagonal;
}

/* Error if a vertex of this rank has no element within the limit: names that of lowest id. Not collective. */
static PetscErrorCode CheckDistances(const AbutMeshLocal *m, const Place places[], const PetscReal limit[])
{
  PetscInt first = -1;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < m->num_owned; v++) {
    const PetscInt body = m->vertex_body[v];

    if (PetscSqrtReal(places[v].dist2) <= limit[body] + ROUND_OFF * Diagonal(m, body)) continue;
    if (first < 0 || m->vertex_id[v] < m->vertex_id[first]) first = v;
  }
  if (first < 0) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT,
                                   "vertex %" PetscInt_FMT
                                   " of '%s' is farther than %.3g m from that body in the mesh of the checkpoint: the rest shapes differ",
                                   m->vertex_id[first], m->bodies[m->vertex_body[first]].name, (double)limit[m->vertex_body[first]]));
}

static PetscErrorCode CountOutside(AbutMeshTransfer t)
{
  const AbutMeshLocal *m    = AbutMeshGetLocal(t->to);
  MPI_Comm             comm = AbutMeshGetComm(t->to);

  PetscFunctionBegin;
  for (PetscInt v = 0; v < m->num_owned; v++) {
    const PetscReal distance = PetscSqrtReal(t->places[v].dist2);

    if (m->bodies[m->vertex_body[v]].obstacle || distance <= ROUND_OFF * Diagonal(m, m->vertex_body[v])) continue;
    t->outside++;
    t->distance = PetscMax(t->distance, distance);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &t->outside, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &t->distance, 1, MPIU_REAL, MPIU_MAX, comm));
  PetscFunctionReturn(0);
}

/* limit[b]: largest distance of a vertex of body b [m]. Collective. */
static PetscErrorCode Locate(AbutMeshTransfer t, PetscReal fraction, PetscReal limit[])
{
  const AbutMeshLocal *from = AbutMeshGetLocal(t->from), *to = AbutMeshGetLocal(t->to);

  PetscFunctionBegin;
  PetscCall(MatchBodies(from, to, t->body_of));
  for (PetscInt b = 0; b < to->num_bodies; b++) limit[b] = fraction * Diagonal(to, b);
  PetscCall(AbutTransferLocate(t->from, t->body_of, limit, t->num, t->point, to->vertex_body, t->places));
  PetscCall(AbutAgree(AbutMeshGetComm(t->to), CheckDistances(to, t->places, limit)));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateForest(AbutMeshTransfer t)
{
  PetscInt *nodes;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(t->width * t->num, &nodes));
  for (PetscInt i = 0; i < t->width * t->num; i++) nodes[i] = t->places[i / t->width].node[i % t->width];
  PetscCall(AbutSFCreate(AbutMeshGetComm(t->to), AbutMeshGetLocal(t->from)->num_owned, t->width * t->num, nodes, &t->sf));
  PetscCall(PetscFree(nodes));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshTransferCreate(AbutMesh from, AbutMesh to, PetscReal limit, AbutMeshTransfer *transfer)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(to);
  AbutMeshTransfer     t;
  PetscReal           *limits;
  PetscErrorCode       code;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  *transfer = t;
  t->from   = from;
  t->to     = to;
  t->dim    = m->dim;
  t->num    = m->num_owned;
  t->width  = AbutMeshGetLocal(from)->middles ? ABUT_MAX_NODES : 4;
  PetscCall(PetscMalloc4(t->num, &t->places, t->num * t->dim, &t->point, t->width * t->num * t->dim, &t->rest, t->width * t->num * t->dim,
                         &t->node));
  PetscCall(AbutMeshVerticesToNodes(to, m->rest, t->point));
  PetscCall(PetscMalloc1(AbutMeshGetLocal(from)->num_bodies, &t->body_of));
  PetscCall(PetscMalloc1(m->num_bodies, &limits));
  code = Locate(t, limit, limits);
  PetscCall(PetscFree(limits));
  PetscCall(code);
  PetscCall(CountOutside(t));
  PetscCall(CreateForest(t));
  PetscCall(AbutSFBcastRows(t->sf, MPIU_REAL, t->dim, AbutMeshGetLocal(from)->rest, t->rest));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshTransferDestroy(AbutMeshTransfer *transfer)
{
  AbutMeshTransfer t = *transfer;

  PetscFunctionBegin;
  if (!t) PetscFunctionReturn(0);
  PetscCall(PetscSFDestroy(&t->sf));
  PetscCall(PetscFree4(t->places, t->point, t->rest, t->node));
  PetscCall(PetscFree(t->body_of));
  PetscCall(PetscFree(*transfer));
  PetscFunctionReturn(0);
}

const PetscInt *AbutMeshTransferBodies(AbutMeshTransfer t)
{
  return t->body_of;
}

/* ---- Interpolation */

/* Component k of the vectors of the vertices of a place, interpolated at point v of `to`. */
static PetscReal Interpolate(AbutMeshTransfer t, const PetscReal node[], PetscInt v, PetscInt k)
{
  PetscReal sum = 0;

  for (PetscInt j = 0; j < t->places[v].nodes; j++) sum += t->places[v].weight[j] * node[t->dim * (t->width * v + j) + k];
  return sum;
}

PetscErrorCode AbutMeshTransferVectors(AbutMeshTransfer t, const PetscReal values[], PetscReal result[])
{
  PetscFunctionBegin;
  PetscCall(AbutSFBcastRows(t->sf, MPIU_REAL, t->dim, values, t->node));
  for (PetscInt i = 0; i < t->num * t->dim; i++) result[i] = Interpolate(t, t->node, i / t->dim, i % t->dim);
  PetscCall(AbutMeshNodesToVertices(t->to, result, result));
  PetscFunctionReturn(0);
}

/* Unit vector that turns with an element: normal of a triangle, direction of an edge; PETSC_FALSE if it has none. corner: [num * dim] */
static PetscBool Direction(PetscInt dim, PetscInt num, const PetscReal corner[], PetscReal direction[3])
{
  for (PetscInt k = 0; k < 3; k++) direction[k] = num == 2 && k < dim ? corner[dim + k] - corner[k] : 0;
  if (num == 3) AbutTriangleNormal(corner, corner + 3, corner + 6, direction);
  return (PetscBool)(AbutNormalize(3, direction) > 0);
}

/* Adds the change of the offset of a vertex from its element when the element turns, by the smallest rotation of its direction. */
static void TurnOffset(PetscInt dim, PetscInt num, const PetscReal before[], const PetscReal after[], PetscReal offset[3], PetscReal u[])
{
  PetscReal a[3], b[3], axis[3], cross[3], c, along, sine2;

  if (!Direction(dim, num, before, a) || !Direction(dim, num, after, b)) return;
  AbutCross(a, b, axis);
  c = AbutDot(3, a, b);
  if (1 + c < 1e-12) return; /* reversed: the axis is undefined */
  AbutCross(axis, offset, cross);
  /* Rodrigues' formula: R o - o = axis x o + (axis axis^T - |axis|^2) o / (1 + c) */
  along = AbutDot(3, axis, offset);
  sine2 = AbutDot(3, axis, axis);
  for (PetscInt k = 0; k < dim; k++) u[k] += cross[k] + (along * axis[k] - sine2 * offset[k]) / (1 + c);
}

PetscErrorCode AbutMeshTransferPositions(AbutMeshTransfer t, const PetscReal x[], PetscReal result[])
{
  const PetscReal *rest = AbutMeshGetLocal(t->to)->rest;
  const PetscInt   dim  = t->dim;
  PetscReal       *u; /* displacements */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(t->num * dim, &u));
  PetscCall(AbutSFBcastRows(t->sf, MPIU_REAL, dim, x, t->node));
  for (PetscInt v = 0; v < t->num; v++) {
    PetscReal offset[3] = {0, 0, 0};

    for (PetscInt k = 0; k < dim; k++) {
      const PetscReal in_element = Interpolate(t, t->rest, v, k);

      offset[k]      = t->point[dim * v + k] - in_element;
      u[dim * v + k] = Interpolate(t, t->node, v, k) - in_element;
    }
    if (t->places[v].num <= dim)
      TurnOffset(dim, t->places[v].num, &t->rest[t->width * dim * v], &t->node[t->width * dim * v], offset, &u[dim * v]);
  }
  PetscCall(AbutMeshNodesToVertices(t->to, u, result));
  for (PetscInt i = 0; i < t->num * dim; i++) result[i] += rest[i];
  PetscCall(PetscFree(u));
  PetscFunctionReturn(0);
}

/* ---- Fields of cells */

/* Barycentric coordinates of a point in its cell; of a point outside the ones of a point of the cell. */
static void CellCoordinates(PetscInt dim, const Place *place, PetscReal l[4])
{
  PetscReal sum = 0;

  for (PetscInt a = 0; a <= dim; a++) l[a] = place->weight[a];
  for (PetscInt e = 0; e < place->nodes - dim - 1; e++)
    for (PetscInt end = 0; end < 2; end++) l[AbutCellEdgeCorner(e, end)] += place->weight[dim + 1 + e] / 2;
  for (PetscInt a = 0; a <= dim; a++) sum += l[a] = PetscMax(l[a], 0);
  for (PetscInt a = 0; a <= dim; a++) l[a] /= sum;
}

/* Places of points in cells, at any distance. Collective. */
static PetscErrorCode LocateInCells(AbutMeshTransfer t, PetscInt num, const PetscReal points[], const PetscInt body[], Place places[])
{
  const PetscInt num_bodies = AbutMeshGetLocal(t->to)->num_bodies;
  PetscReal     *limit;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num_bodies, &limit));
  for (PetscInt b = 0; b < num_bodies; b++) limit[b] = PETSC_MAX_REAL;
  PetscCall(AbutTransferLocate(t->from, t->body_of, limit, num, points, body, places));
  PetscCall(PetscFree(limit));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshTransferCells(AbutMeshTransfer t, PetscInt width, const PetscReal corners[], PetscInt num, const PetscReal points[],
                                     const PetscInt body[], PetscReal values[])
{
  const PetscInt row = width * (t->dim + 1);
  PetscInt      *cells;
  PetscReal     *rows;
  Place         *places;
  PetscSF        sf;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(num, &places, num, &cells, num * row, &rows));
  PetscCall(LocateInCells(t, num, points, body, places));
  for (PetscInt i = 0; i < num; i++) cells[i] = places[i].cell;
  PetscCall(AbutSFCreate(AbutMeshGetComm(t->to), AbutMeshGetLocal(t->from)->num_cells, num, cells, &sf));
  PetscCall(AbutSFBcastRows(sf, MPIU_REAL, row, corners, rows));
  for (PetscInt i = 0; i < num; i++) {
    PetscReal l[4];

    CellCoordinates(t->dim, &places[i], l);
    for (PetscInt k = 0; k < width; k++) {
      values[width * i + k] = 0;
      for (PetscInt a = 0; a <= t->dim; a++) values[width * i + k] += l[a] * rows[row * i + width * a + k];
    }
  }
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscFree3(places, cells, rows));
  PetscFunctionReturn(0);
}

void AbutMeshTransferGetOutside(AbutMeshTransfer t, PetscInt *count, PetscReal *distance)
{
  *count    = t->outside;
  *distance = t->distance;
}
