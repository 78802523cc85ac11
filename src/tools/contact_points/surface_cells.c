/*
  Cells with a face on the surface: faces that only one cell has. A face of two cells of this rank is inside; the others are compared on the
  rank that owns their vertex of lowest global index.
*/
#include "contact_pointsimpl.h"
#include <abut/containers.h>

/* A face: its vertices by global index, ascending. */
typedef struct {
  PetscInt v[3];
} Face;

static Face FaceOf(const AbutMeshLocal *m, PetscInt cell, int k)
{
  Face face;

  for (int i = 0; i < 3; i++) face.v[i] = m->vertex_global[m->cells[4 * cell + AbutTetFace[k][i]]];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      if (face.v[j] > face.v[j + 1]) {
        const PetscInt swap = face.v[j];
        face.v[j]           = face.v[j + 1];
        face.v[j + 1]       = swap;
      }
  return face;
}

/* Sets single[i] if no other face has the vertices of face[i]. */
static PetscErrorCode FindSingle(PetscInt num_vertices, PetscInt n, const Face face[], PetscBool single[])
{
  PetscInt *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &order));
  PetscCall(AbutSortTuples(n, 3, num_vertices, n ? face[0].v : NULL, order));
  for (PetscInt i = 0; i < n; i++) single[i] = PETSC_TRUE;
  for (PetscInt i = 0; i + 1 < n; i++) {
    PetscBool same;

    PetscCall(PetscMemcmp(&face[order[i]], &face[order[i + 1]], sizeof(*face), &same));
    if (same) single[order[i]] = single[order[i + 1]] = PETSC_FALSE;
  }
  PetscCall(PetscFree(order));
  PetscFunctionReturn(0);
}

/* Asks the owners of the first vertices which of the n faces, sorted by vertices, are single over all ranks. Collective. */
static PetscErrorCode AskOwners(AbutContactPoints points, PetscInt n, const Face face[], PetscBool single[])
{
  PetscLayout  layout;
  PetscMPIInt *to;
  Face        *asked;
  AbutExchange exchange;
  PetscBool   *answer;
  PetscInt     num;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(points->comm, points->m->num_owned, PETSC_DECIDE, 1, &layout));
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) PetscCall(PetscLayoutFindOwner(layout, face[i].v[0], &to[i]));
  PetscCall(AbutExchangeRecords(points->comm, sizeof(*face), n, to, face, NULL, &exchange, &asked));
  num = exchange.recv_start[exchange.num_recv];
  PetscCall(PetscMalloc1(num, &answer));
  PetscCall(FindSingle(points->m->num_global, num, asked, answer));
  PetscCall(PetscFree(asked));
  PetscCall(PetscFree(to));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(AbutExchangeReverse(&exchange, sizeof(*answer), answer, single));
  PetscCall(PetscFree(answer));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscFunctionReturn(0);
}

/* Faces of cells that are single on this rank, sorted by vertices: number 4 cell + k. */
static PetscErrorCode ListSingle(const AbutMeshLocal *m, PetscInt *num, PetscInt number[], Face single[])
{
  const PetscInt n = 4 * m->num_cells;
  Face          *face;
  PetscInt      *order;
  PetscBool     *is_single;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &face, n, &order, n, &is_single));
  for (PetscInt i = 0; i < n; i++) face[i] = FaceOf(m, i / 4, (int)(i % 4));
  PetscCall(FindSingle(m->num_global, n, face, is_single));
  PetscCall(AbutSortTuples(n, 3, m->num_global, n ? face[0].v : NULL, order));
  *num = 0;
  for (PetscInt i = 0; i < n; i++) {
    if (!is_single[order[i]]) continue;
    number[*num]     = order[i];
    single[(*num)++] = face[order[i]];
  }
  PetscCall(PetscFree3(face, order, is_single));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPointsFindSurfaceCells(AbutContactPoints points)
{
  const AbutMeshLocal *m = points->m;
  PetscInt             num, *number;
  Face                *face;
  PetscBool           *single;
  unsigned            *surface;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(4 * m->num_cells, &number, 4 * m->num_cells, &face, 4 * m->num_cells, &single));
  PetscCall(PetscCalloc1(m->num_cells, &surface));
  PetscCall(ListSingle(m, &num, number, face));
  PetscCall(AskOwners(points, num, face, single));
  for (PetscInt i = 0; i < num; i++)
    if (single[i]) surface[number[i] / 4] |= 1u << number[i] % 4;
  for (PetscInt c = 0; c < m->num_cells; c++) points->num_cells += surface[c] != 0;
  PetscCall(PetscMalloc2(points->num_cells, &points->cells, points->num_cells, &points->surface));
  for (PetscInt c = 0, n = 0; c < m->num_cells; c++) {
    if (!surface[c]) continue;
    points->cells[n]     = c;
    points->surface[n++] = surface[c];
  }
  PetscCall(PetscFree(surface));
  PetscCall(PetscFree3(number, face, single));
  PetscFunctionReturn(0);
}
