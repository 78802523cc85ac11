/*
  Quadratic cells from linear ones: a node on each edge. The rank whose block has the lower corner of an edge numbers its node. The nodes of
  a body follow its corners, in the order of the corners of their edges, so that ids of corners stay and no id depends on the number of
  ranks. The node of an edge is its midpoint, on the surface of a generated ball, cylinder or torus a point of the true surface; the vertex
  follows by AbutEdgeVertex().
*/
#include "blocks.h"
#include <stdlib.h>

/* Edge of a cell on its way to the rank that numbers its node. */
typedef struct {
  PetscInt low, high; /* corners */
  PetscInt surface;   /* whether it belongs to a side on the surface */
} Edge;

/* Edge of a simplex of a group. */
typedef struct {
  PetscInt group, low, high;
} GroupEdge;

/* An edge that has arrived; equal edges come from several cells. */
typedef struct {
  Edge     edge;
  PetscInt index; /* of the arrival */
} Arrival;

/* Vertex on its way to its new block. */
typedef struct {
  PetscInt  id;
  PetscReal x[3];
} VertexRecord;

typedef struct {
  AbutBlocks         *m;
  const AbutBodySpec *specs;
  PetscInt            num_sent, *sent; /* [num_sent] edge k of this rank sets entry sent[k] of m->middles, */
  PetscMPIInt        *to;              /* [num_sent] once rank to[k] has numbered its node */
  Edge               *received;        /* edges whose nodes this rank numbers, as they arrived */
  AbutExchange        exchange;
  PetscInt            num_edges;
  Edge               *edges;  /* [num_edges] of this rank, each once, ascending */
  PetscInt           *node;   /* [num_edges] new ids of their nodes */
  PetscReal          *x;      /* [3 * num_edges] their positions */
  PetscInt           *which;  /* [number of arrivals] index into edges */
  PetscInt           *shift;  /* [num_bodies + 1] nodes of all bodies before this one */
  AbutBlockGhosts     ghosts; /* higher corners in the blocks of other ranks */
} Raise;

/* Lists the edges of the linear cells of bodies of order 2; counts them if `edges` is NULL. */
static void ListEdges(Raise *r, PetscBT on_surface, Edge edges[])
{
  const AbutBlocks *m   = r->m;
  const PetscInt    dim = m->dim, n = AbutNumCellEdges(dim);
  PetscInt          body   = -1;
  PetscBool         raised = PETSC_FALSE;

  r->num_sent = 0;
  for (PetscInt c = 0; c < m->cells.n; c++) {
    const PetscInt *cell = &m->cells.vertex[c * (dim + 1)];

    if (body < 0 || m->cells.first + c >= m->bodies[body].cell_end) {
      body   = AbutBodyOf(m->num_bodies, m->bodies, PETSC_TRUE, m->cells.first + c);
      raised = (PetscBool)(AbutSpecOfBody(r->specs, body)->shape.order == 2);
    }
    if (!raised || m->middles.vertex[c * n] >= 0) continue;
    for (PetscInt e = 0; e < n; e++, r->num_sent++) {
      const PetscInt a = cell[AbutCellEdgeCorner(e, 0)], b = cell[AbutCellEdgeCorner(e, 1)];
      Edge           edge = {PetscMin(a, b), PetscMax(a, b), 0};

      if (!edges) continue;
      for (PetscInt s = 0; s <= dim; s++)
        if (PetscBTLookup(on_surface, (dim + 1) * c + s) && AbutSideHasEdge(dim, s, e)) edge.surface = 1;
      edges[r->num_sent]   = edge;
      r->sent[r->num_sent] = c * n + e;
      r->to[r->num_sent]   = AbutBlockOwner(m->num_vertices, edge.low, m->size);
    }
  }
}

static PetscErrorCode SendEdges(Raise *r, PetscBT on_surface)
{
  Edge *edges;

  PetscFunctionBegin;
  ListEdges(r, on_surface, NULL);
  PetscCall(PetscMalloc2(r->num_sent, &r->sent, r->num_sent, &r->to));
  PetscCall(PetscMalloc1(r->num_sent, &edges));
  ListEdges(r, on_surface, edges);
  PetscCall(AbutExchangeRecords(r->m->comm, sizeof(Edge), r->num_sent, r->to, edges, NULL, &r->exchange, &r->received));
  PetscCall(PetscFree(edges));
  PetscFunctionReturn(0);
}

static int CompareGroupEdges(const void *a, const void *b)
{
  return AbutCompareInts(3, (const PetscInt *)a, (const PetscInt *)b);
}

/* Lists the edges that have arrived, each once. */
static PetscErrorCode UniteEdges(Raise *r)
{
  const PetscInt n = r->exchange.recv_start[r->exchange.num_recv];
  Arrival       *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &all));
  PetscCall(PetscMalloc1(n, &r->which));
  PetscCall(PetscMalloc1(n, &r->edges));
  for (PetscInt i = 0; i < n; i++) all[i] = (Arrival){r->received[i], i};
  PetscCall(AbutSortRecords(n, sizeof(*all), 2, all));
  for (PetscInt i = 0; i < n; i++) {
    if (!i || AbutCompareInts(2, (const PetscInt *)&all[i - 1], (const PetscInt *)&all[i])) r->edges[r->num_edges++] = all[i].edge;
    r->edges[r->num_edges - 1].surface |= all[i].edge.surface;
    r->which[all[i].index] = r->num_edges - 1;
  }
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(r->received));
  PetscFunctionReturn(0);
}

/* Numbers the nodes: the corners of a body, then its nodes. Sets the shifts of the bodies. */
static PetscErrorCode NumberNodes(Raise *r)
{
  const AbutBlocks *m = r->m;
  PetscInt         *counts, *before, *next, body = -1;
  PetscMPIInt       num;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(m->num_bodies, &num));
  PetscCall(PetscMalloc1(m->num_bodies + 1, &r->shift));
  PetscCall(PetscMalloc1(r->num_edges, &r->node));
  PetscCall(PetscCalloc3(m->num_bodies, &counts, m->num_bodies, &before, m->num_bodies, &next));
  for (PetscInt e = 0; e < r->num_edges; e++) counts[AbutBodyOf(m->num_bodies, m->bodies, PETSC_FALSE, r->edges[e].low)]++;
  PetscCallMPI(MPI_Exscan(counts, before, num, MPIU_INT, MPI_SUM, m->comm));
  if (!m->rank) PetscCall(PetscArrayzero(before, m->num_bodies));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, counts, num, MPIU_INT, MPI_SUM, m->comm));
  r->shift[0] = 0;
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    r->shift[b + 1] = r->shift[b] + counts[b];
    next[b]         = m->bodies[b].vertex_end + r->shift[b] + before[b];
  }
  for (PetscInt e = 0; e < r->num_edges; e++) {
    if (body < 0 || r->edges[e].low >= m->bodies[body].vertex_end)
      body = AbutBodyOf(m->num_bodies, m->bodies, PETSC_FALSE, r->edges[e].low);
    r->node[e] = next[body]++;
  }
  PetscCall(PetscFree3(counts, before, next));
  PetscFunctionReturn(0);
}

/* New id of a vertex. */
static PetscInt NewId(const Raise *r, PetscInt id)
{
  return id + r->shift[AbutBodyOf(r->m->num_bodies, r->m->bodies, PETSC_FALSE, id)];
}

/* Index of the copy of body b among the copies of its specification, along the axes. */
static void CopyOf(const AbutBodySpec specs[], PetscInt b, PetscInt ijk[3])
{
  const PetscInt *copies;

  while (b >= AbutNumCopies(specs)) b -= AbutNumCopies(specs++);
  copies = specs->shape.copies;
  ijk[0] = b / copies[2] / copies[1];
  ijk[1] = b / copies[2] % copies[1];
  ijk[2] = b % copies[2];
}

/* Finds the higher corners in the blocks of other ranks. */
static PetscErrorCode FindGhosts(Raise *r)
{
  const AbutBlocks *m   = r->m;
  AbutInts          ids = {0};

  PetscFunctionBegin;
  for (PetscInt e = 0; e < r->num_edges; e++)
    if (r->edges[e].high >= m->first + m->n) PetscCall(AbutIntsPush(&ids, 1, &r->edges[e].high));
  PetscCall(PetscSortRemoveDupsInt(&ids.n, ids.a));
  r->ghosts = (AbutBlockGhosts){.n = ids.n, .id = ids.a};
  PetscCall(AbutBlockGhostsConnect(m, &r->ghosts));
  PetscFunctionReturn(0);
}

/* Position of the node of an edge between a and b of body `body`; `mean` of the generated shape, if it is centred. */
static void PlaceNode(const Raise *r, const Edge *edge, PetscInt body, const PetscReal mean[3], const PetscReal a[3], const PetscReal b[3],
                      PetscReal x[3])
{
  const AbutBodySpec *spec = AbutSpecOfBody(r->specs, body);
  PetscReal           shift[3], p[3][3];
  PetscInt            ijk[3];

  for (PetscInt d = 0; d < 3; d++) x[d] = (a[d] + b[d]) / 2;
  if (!edge->surface || spec->shape.kind == ABUT_SHAPE_FILE || spec->shape.kind == ABUT_SHAPE_BOX) return;
  CopyOf(r->specs, body, ijk);
  for (PetscInt d = 0; d < 3; d++) shift[d] = (PetscReal)ijk[d] * spec->shape.spacing[d];
  for (PetscInt d = 0; d < 3; d++) {
    p[0][d] = a[d] - shift[d];
    p[1][d] = b[d] - shift[d];
    p[2][d] = x[d] - shift[d];
  }
  for (PetscInt i = 0; i < 3; i++) AbutShapeUnplace(spec, r->m->dim, mean, p[i]);
  AbutShapeCurve(&spec->shape, r->m->dim, p[0], p[1], p[2]);
  AbutShapePlacePoint(spec, r->m->dim, mean, p[2]);
  for (PetscInt d = 0; d < 3; d++) x[d] = AbutEdgeVertex(a[d], b[d], p[2][d] + shift[d]);
}

/* Positions of the nodes. */
static PetscErrorCode PlaceNodes(Raise *r)
{
  AbutBlocks *m = r->m;
  PetscReal  *x, mean[3] = {0, 0, 0};
  PetscInt    body = -1, low, high;

  PetscFunctionBegin;
  PetscCall(FindGhosts(r));
  PetscCall(PetscMalloc1(3 * (m->n + r->ghosts.n), &x));
  PetscCall(PetscMalloc1(3 * r->num_edges, &r->x));
  PetscCall(PetscArraycpy(x, m->x, 3 * m->n));
  PetscCall(AbutSFBcastRows(r->ghosts.sf, MPIU_REAL, 3, m->x, x + 3 * m->n));
  for (PetscInt e = 0; e < r->num_edges; e++) {
    if (body < 0 || r->edges[e].low >= m->bodies[body].vertex_end) {
      const AbutBodySpec *spec;

      body = AbutBodyOf(m->num_bodies, m->bodies, PETSC_FALSE, r->edges[e].low);
      spec = AbutSpecOfBody(r->specs, body);
      if (spec->shape.center && spec->shape.kind != ABUT_SHAPE_FILE) PetscCall(AbutShapeGenerateMean(spec, m->dim, mean));
    }
    PetscCall(AbutBlockNumberOf(m, &r->ghosts, r->edges[e].low, &low));
    PetscCall(AbutBlockNumberOf(m, &r->ghosts, r->edges[e].high, &high));
    PlaceNode(r, &r->edges[e], body, mean, &x[3 * low], &x[3 * high], &r->x[3 * e]);
    for (PetscInt d = 0; d < m->dim; d++) {
      m->bodies[body].box[0][d] = PetscMin(m->bodies[body].box[0][d], r->x[3 * e + d]);
      m->bodies[body].box[1][d] = PetscMax(m->bodies[body].box[1][d], r->x[3 * e + d]);
    }
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Answers to the ranks that have the cells: m->middles gets new ids. */
static PetscErrorCode ReturnNodes(Raise *r)
{
  const PetscInt n = r->exchange.recv_start[r->exchange.num_recv];
  PetscInt      *nodes, *answers, *to;
  AbutCSR        order = {0};

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &nodes, r->num_sent, &answers, r->num_sent, &to));
  for (PetscInt i = 0; i < n; i++) nodes[i] = r->node[r->which[i]];
  for (PetscInt i = 0; i < r->num_sent; i++) to[i] = r->to[i];
  PetscCall(AbutExchangeReverse(&r->exchange, sizeof(PetscInt), nodes, answers));
  PetscCall(AbutCSRSetPairs(r->m->size, r->num_sent, 1, to, NULL, &order)); /* records were sent in this order */
  for (PetscInt i = 0; i < r->num_sent; i++) r->m->middles.vertex[r->sent[order.item[i]]] = answers[i];
  PetscCall(AbutCSRDestroy(&order));
  PetscCall(PetscFree3(nodes, answers, to));
  PetscFunctionReturn(0);
}

/* Edges of the simplices of groups on this rank, sent to the owners of both corners; ascending. Free with PetscFree(). */
static PetscErrorCode ReceiveGroupEdges(const AbutBlocks *m, PetscInt *num, GroupEdge **edges)
{
  const PetscInt n = m->groups.edges.n / 3;
  PetscMPIInt   *to;
  GroupEdge     *sent;
  AbutExchange   exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * n, &sent, 2 * n, &to));
  for (PetscInt i = 0; i < 2 * n; i++) {
    const PetscInt *edge = &m->groups.edges.a[i / 2 * 3];

    sent[i] = (GroupEdge){edge[0], edge[1], edge[2]};
    to[i]   = AbutBlockOwner(m->num_vertices, edge[1 + i % 2], m->size);
  }
  PetscCall(AbutExchangeRecords(m->comm, sizeof(GroupEdge), 2 * n, to, sent, NULL, &exchange, edges));
  PetscCall(PetscFree2(sent, to));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(AbutSortRecords(*num, sizeof(**edges), 3, *edges));
  PetscFunctionReturn(0);
}

static PetscBool HasEdge(PetscInt num, const GroupEdge edges[], PetscInt group, const Edge *edge)
{
  const GroupEdge key = {group, edge->low, edge->high};

  return (PetscBool)(num && bsearch(&key, edges, (size_t)num, sizeof(*edges), CompareGroupEdges));
}

/*
  Marks the node of an edge as a member of the groups of which a simplex has this edge, or that list its corners alone. So a group of the
  two faces of a plate does not have the nodes inside the plate.
*/
static PetscErrorCode MarkNodes(Raise *r)
{
  AbutBlocks    *m = r->m;
  const PetscInt n = m->n + r->ghosts.n, groups = m->groups.num_names;
  PetscInt       num = m->groups.marks.n / 2, num_edges = 0, low, high, *member;
  GroupEdge     *group_edges;
  PetscInt      *marks;
  PetscMPIInt   *to;
  AbutExchange   exchange;

  PetscFunctionBegin;
  if (!groups) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(num, &to));
  for (PetscInt i = 0; i < num; i++) to[i] = AbutBlockOwner(m->num_vertices, m->groups.marks.a[2 * i + 1], m->size);
  PetscCall(AbutExchangeRecords(m->comm, 2 * sizeof(PetscInt), num, to, m->groups.marks.a, NULL, &exchange, &marks));
  num = exchange.recv_start[exchange.num_recv];
  PetscCall(ReceiveGroupEdges(m, &num_edges, &group_edges));
  PetscCall(PetscMalloc1(n, &member));
  for (PetscInt g = 0; g < groups; g++) {
    PetscCall(PetscArrayzero(member, n));
    for (PetscInt i = 0; i < num; i++)
      if (marks[2 * i] == g) member[marks[2 * i + 1] - m->first] = 1;
    for (PetscInt i = 0; i < num_edges; i++)
      for (int end = 0; end < 2 && group_edges[i].group == g; end++) {
        const PetscInt v = (end ? group_edges[i].high : group_edges[i].low) - m->first;
        if (v >= 0 && v < m->n) member[v] = 0;
      }
    PetscCall(AbutSFBcastRows(r->ghosts.sf, MPIU_INT, 1, member, member + m->n));
    for (PetscInt e = 0; e < r->num_edges; e++) {
      PetscCall(AbutBlockNumberOf(m, &r->ghosts, r->edges[e].low, &low));
      PetscCall(AbutBlockNumberOf(m, &r->ghosts, r->edges[e].high, &high));
      /* as a negative number, because other marks have old ids */
      if ((member[low] && member[high]) || HasEdge(num_edges, group_edges, g, &r->edges[e]))
        PetscCall(AbutIntsPush(&m->groups.marks, 2, (PetscInt[]){g, -1 - r->node[e]}));
    }
  }
  PetscCall(PetscFree(member));
  PetscCall(PetscFree(group_edges));
  PetscCall(PetscFree(marks));
  PetscCall(PetscFree(to));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

/* Gives simplices the new ids of their vertices. */
static void Renumber(const Raise *r, AbutSimplices *simplices)
{
  for (PetscInt i = 0; i < simplices->n * simplices->width; i++) simplices->vertex[i] = NewId(r, simplices->vertex[i]);
}

static void RenumberAll(Raise *r)
{
  AbutBlocks *m = r->m;

  Renumber(r, &m->cells);
  Renumber(r, &m->obstacle_sides);
  Renumber(r, &m->edges);
  Renumber(r, &m->points);
  for (PetscInt i = 0; i < m->middles.n * m->middles.width; i++) /* nodes of quadratic cells from files; others get their numbers later */
    if (m->middles.vertex[i] >= 0) m->middles.vertex[i] = NewId(r, m->middles.vertex[i]);
  for (PetscInt i = 1; i < m->groups.marks.n; i += 2) {
    PetscInt *v = &m->groups.marks.a[i];
    *v          = *v < 0 ? -1 - *v : NewId(r, *v);
  }
}

/* Sends all vertices to blocks of the new ids. */
static PetscErrorCode SendVertices(Raise *r)
{
  AbutBlocks    *m     = r->m;
  const PetscInt total = m->num_vertices + r->shift[m->num_bodies], n = m->n + r->num_edges;
  VertexRecord  *records, *received;
  PetscMPIInt   *to;
  AbutExchange   exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &records, n, &to));
  for (PetscInt v = 0; v < m->n; v++) records[v] = (VertexRecord){NewId(r, m->first + v), {m->x[3 * v], m->x[3 * v + 1], m->x[3 * v + 2]}};
  for (PetscInt e = 0; e < r->num_edges; e++)
    records[m->n + e] = (VertexRecord){r->node[e], {r->x[3 * e], r->x[3 * e + 1], r->x[3 * e + 2]}};
  for (PetscInt i = 0; i < n; i++) to[i] = AbutBlockOwner(total, records[i].id, m->size);
  PetscCall(AbutExchangeRecords(m->comm, sizeof(VertexRecord), n, to, records, NULL, &exchange, &received));
  PetscCall(PetscFree2(records, to));
  m->num_vertices = total;
  m->first        = AbutBlockStart(total, m->rank, m->size);
  m->n            = exchange.recv_start[exchange.num_recv];
  PetscCall(PetscFree(m->x));
  PetscCall(PetscFree(m->on_surface));
  PetscCall(PetscMalloc1(3 * m->n, &m->x));
  PetscCall(PetscCalloc1(m->n, &m->on_surface));
  for (PetscInt i = 0; i < m->n; i++) PetscCall(PetscArraycpy(&m->x[3 * (received[i].id - m->first)], received[i].x, 3));
  PetscCall(PetscFree(received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

/* Replaces the numbering of vertices by one with the nodes. */
static PetscErrorCode InsertNodes(Raise *r)
{
  AbutBlocks *m = r->m;

  PetscFunctionBegin;
  PetscCall(MarkNodes(r));
  RenumberAll(r);
  PetscCall(ReturnNodes(r));
  PetscCall(SendVertices(r));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    m->bodies[b].vertex_start += r->shift[b];
    m->bodies[b].vertex_end += r->shift[b + 1];
  }
  PetscCall(AbutBlocksReduceBoxes(m));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBlocksRaise(AbutBlocks *m, const AbutBodySpec specs[], PetscBT on_surface)
{
  Raise r = {.m = m, .specs = specs};

  PetscFunctionBegin;
  if (!m->middles.width) PetscFunctionReturn(0);
  if (m->from_files) PetscCall(AbutBlocksNodesToVertices(m));
  PetscCall(SendEdges(&r, on_surface));
  PetscCall(UniteEdges(&r));
  PetscCall(NumberNodes(&r));
  PetscCall(PlaceNodes(&r));
  PetscCall(InsertNodes(&r));
  PetscCall(AbutBlockGhostsFree(&r.ghosts));
  PetscCall(AbutExchangeDestroy(&r.exchange));
  PetscCall(PetscFree2(r.sent, r.to));
  PetscCall(PetscFree(r.edges));
  PetscCall(PetscFree(r.node));
  PetscCall(PetscFree(r.x));
  PetscCall(PetscFree(r.which));
  PetscCall(PetscFree(r.shift));
  PetscFunctionReturn(0);
}
