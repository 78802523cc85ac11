/*
  Nodes and vertices on the edges of quadratic cells (ABUT_NODE_MIDDLE). Files have nodes, the mesh has vertices; corners are both.
*/
#include "blocks.h"

/* A node on an edge on its way to the rank whose block has it. */
typedef struct {
  PetscInt node, corner[2];
} Edge;

/* The edges of quadratic cells whose nodes are in the block of this rank, each once. */
static PetscErrorCode FindEdges(const AbutBlocks *m, PetscInt *num, Edge **edges)
{
  const PetscInt dim = m->dim, n = AbutNumCellEdges(dim);
  PetscInt       count = 0;
  PetscMPIInt   *to;
  Edge          *sent;
  AbutExchange   exchange;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->cells.n * n, &sent, m->cells.n * n, &to));
  for (PetscInt i = 0; i < m->cells.n * n; i++) {
    const PetscInt *cell = &m->cells.vertex[i / n * (dim + 1)], node = m->middles.vertex[i];

    if (node < 0) continue;
    sent[count] = (Edge){node, {cell[AbutCellEdgeCorner(i % n, 0)], cell[AbutCellEdgeCorner(i % n, 1)]}};
    to[count++] = AbutBlockOwner(m->num_vertices, node, m->size);
  }
  PetscCall(AbutExchangeRecords(m->comm, sizeof(Edge), count, to, sent, NULL, &exchange, edges));
  PetscCall(PetscFree2(sent, to));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(AbutSortRecords(*num, sizeof(**edges), 1, *edges));
  count = 0;
  for (PetscInt i = 0; i < *num; i++)
    if (!i || (*edges)[i].node != (*edges)[i - 1].node) (*edges)[count++] = (*edges)[i];
  *num = count;
  PetscFunctionReturn(0);
}

/* Enlarges the bounding box of a body. */
static void Enlarge(PetscInt dim, const PetscReal x[], AbutBody *body)
{
  for (PetscInt d = 0; d < dim; d++) {
    body->box[0][d] = PetscMin(body->box[0][d], x[d]);
    body->box[1][d] = PetscMax(body->box[1][d], x[d]);
  }
}

PetscErrorCode AbutBlocksNodesToVertices(AbutBlocks *m)
{
  AbutInts        ids = {0};
  AbutBlockGhosts ghosts;
  PetscReal      *x;
  PetscInt        num = 0, at[2];
  Edge           *edges;

  PetscFunctionBegin;
  PetscCall(FindEdges(m, &num, &edges));
  for (PetscInt i = 0; i < 2 * num; i++) {
    const PetscInt id = edges[i / 2].corner[i % 2];
    if (id < m->first || id >= m->first + m->n) PetscCall(AbutIntsPush(&ids, 1, &id));
  }
  PetscCall(PetscSortRemoveDupsInt(&ids.n, ids.a));
  ghosts = (AbutBlockGhosts){.n = ids.n, .id = ids.a};
  PetscCall(AbutBlockGhostsConnect(m, &ghosts));
  PetscCall(PetscMalloc1(3 * (m->n + ghosts.n), &x));
  PetscCall(PetscArraycpy(x, m->x, 3 * m->n));
  PetscCall(AbutSFBcastRows(ghosts.sf, MPIU_REAL, 3, m->x, x + 3 * m->n));
  for (PetscInt i = 0; i < num; i++) {
    const PetscInt v = edges[i].node - m->first;

    for (int end = 0; end < 2; end++) PetscCall(AbutBlockNumberOf(m, &ghosts, edges[i].corner[end], &at[end]));
    for (int d = 0; d < 3; d++) m->x[3 * v + d] = AbutEdgeVertex(x[3 * at[0] + d], x[3 * at[1] + d], x[3 * v + d]);
    Enlarge(m->dim, &m->x[3 * v], &m->bodies[AbutBodyOf(m->num_bodies, m->bodies, PETSC_FALSE, edges[i].node)]);
  }
  PetscCall(PetscFree(x));
  PetscCall(PetscFree(edges));
  PetscCall(AbutBlockGhostsFree(&ghosts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshConvertEdges(AbutMesh mesh, PetscReal (*convert)(PetscReal, PetscReal, PetscReal), const PetscReal owned[],
                                    PetscReal result[])
{
  const AbutMeshLocal *m   = &mesh->local;
  const PetscInt       dim = m->dim, n = AbutNumCellEdges(dim);
  PetscReal           *x, *found; /* component by component. The owner of a vertex may have none of its cells */

  PetscFunctionBegin;
  if (result != owned) PetscCall(PetscArraycpy(result, owned, m->num_owned * dim));
  if (!m->middles) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(m->num_local * dim, &x, m->num_local, &found));
  PetscCall(PetscArraycpy(x, owned, m->num_owned * dim));
  PetscCall(AbutMeshUpdateGhosts(mesh, dim, x));
  for (PetscInt d = 0; d < dim; d++) {
    for (PetscInt v = 0; v < m->num_local; v++) found[v] = -PETSC_MAX_REAL;
    for (PetscInt i = 0; i < m->num_cells * n; i++) {
      const PetscInt c = i / n, v = m->middles[i], a = AbutCellNode(m, c, AbutCellEdgeCorner(i % n, 0)),
                     b = AbutCellNode(m, c, AbutCellEdgeCorner(i % n, 1));

      if (v >= 0) found[v] = (*convert)(x[dim * a + d], x[dim * b + d], x[dim * v + d]); /* the same bits in all cells of the edge */
    }
    PetscCall(PetscSFReduceBegin(mesh->halo, MPIU_REAL, found + m->num_owned, found, MPIU_MAX));
    PetscCall(PetscSFReduceEnd(mesh->halo, MPIU_REAL, found + m->num_owned, found, MPIU_MAX));
    for (PetscInt v = 0; v < m->num_owned; v++)
      if (found[v] > -PETSC_MAX_REAL) result[dim * v + d] = found[v];
  }
  PetscCall(PetscFree2(x, found));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshVerticesToNodes(AbutMesh mesh, const PetscReal x[], PetscReal nodes[])
{
  return AbutMeshConvertEdges(mesh, AbutEdgeNode, x, nodes);
}

PetscErrorCode AbutMeshNodesToVertices(AbutMesh mesh, const PetscReal nodes[], PetscReal x[])
{
  return AbutMeshConvertEdges(mesh, AbutEdgeVertex, nodes, x);
}
