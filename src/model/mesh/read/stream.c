/* Rows of a mesh file: rank 0 sends them to all ranks in blocks, so that no rank holds the whole mesh. */
#include "blocks.h"
#include "read.h"
#include <string.h>

#define ROWS 65536 /* largest number of rows in a message */

PetscErrorCode AbutRowStreamBegin(MPI_Comm comm, AbutRowStream *stream)
{
  PetscFunctionBegin;
  *stream = (AbutRowStream){.comm = comm};
  PetscCallMPI(MPI_Comm_rank(comm, &stream->rank));
  PetscCallMPI(MPI_Comm_size(comm, &stream->size));
  PetscCall(PetscCommGetNewTag(comm, &stream->tag));
  PetscFunctionReturn(0);
}

/* Adds the vertices of simplices to their groups, each once. */
static PetscErrorCode Mark(const AbutRowsHead *head, const PetscInt v[], AbutInts *marks)
{
  PetscInt n = head->num * head->width, most = 0, *unique;

  PetscFunctionBegin;
  if (!head->num_groups) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(n, &unique));
  PetscCall(PetscArraycpy(unique, v, n));
  for (PetscInt i = 0; i < n; i++) most = PetscMax(most, v[i]);
  PetscCall(AbutUniqueTuples(&n, 1, most + 1, unique));
  for (PetscInt g = 0; g < head->num_groups; g++)
    for (PetscInt i = 0; i < n; i++) PetscCall(AbutIntsPush(marks, 2, (PetscInt[]){head->group[g], unique[i]}));
  PetscCall(PetscFree(unique));
  PetscFunctionReturn(0);
}

/* Adds the edges of linear simplices to their groups, each once. */
static PetscErrorCode AddEdges(const AbutRowsHead *head, const PetscInt v[], AbutInts *edges)
{
  const PetscInt w = head->width;
  PetscInt       n = 0, most = 0, *pairs;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(head->num * w * (w - 1), &pairs));
  for (PetscInt i = 0; i < head->num * w; i++)
    for (PetscInt k = i % w + 1; k < w; k++) {
      const PetscInt a = v[i], b = v[i / w * w + k];

      pairs[2 * n]       = PetscMin(a, b);
      pairs[2 * n++ + 1] = PetscMax(a, b);
      most               = PetscMax(most, pairs[2 * n - 1]);
    }
  PetscCall(AbutUniqueTuples(&n, 2, most + 1, pairs));
  for (PetscInt g = 0; g < head->num_groups; g++)
    for (PetscInt i = 0; i < n; i++) PetscCall(AbutIntsPush(edges, 3, (PetscInt[]){head->group[g], pairs[2 * i], pairs[2 * i + 1]}));
  PetscCall(PetscFree(pairs));
  PetscFunctionReturn(0);
}

/* Adds simplices that are kept, of which the first gets the number `first`, to their groups. */
static PetscErrorCode AddCells(const AbutRowsHead *head, PetscInt first, AbutInts *cells)
{
  PetscFunctionBegin;
  for (PetscInt g = 0; g < head->num_groups; g++)
    for (PetscInt i = 0; i < head->num; i++) PetscCall(AbutIntsPush(cells, 2, (PetscInt[]){head->group[g], first + i}));
  PetscFunctionReturn(0);
}

/* Adds rows to this rank. */
static PetscErrorCode Keep(AbutRowStream *stream, const AbutRowsHead *head, const PetscReal x[], const PetscInt v[])
{
  PetscFunctionBegin;
  if (!head->width) {
    PetscCall(AbutRealsPush(&stream->rows.x, 3 * head->num, x));
  } else {
    if (stream->keep[head->width] && stream->cells)
      PetscCall(AddCells(head, stream->rows.simplices[head->width].n / head->width, &stream->rows.cells));
    if (stream->keep[head->width]) PetscCall(AbutIntsPush(&stream->rows.simplices[head->width], head->num * head->width, v));
    PetscCall(Mark(head, v, &stream->rows.marks));
    if (stream->edges && head->num_groups && head->width <= 4) PetscCall(AddEdges(head, v, &stream->rows.edges));
  }
  PetscFunctionReturn(0);
}

/* Sends or keeps the buffered rows. */
static PetscErrorCode Flush(AbutRowStream *stream)
{
  AbutRowsHead *head = &stream->head;

  PetscFunctionBegin;
  if (!head->num) PetscFunctionReturn(0);
  if (!stream->to) {
    PetscCall(Keep(stream, head, stream->x.a, stream->v.a));
  } else {
    PetscCallMPI(MPI_Send(head, (PetscMPIInt)sizeof(*head), MPI_BYTE, stream->to, stream->tag, stream->comm));
    if (!head->width)
      PetscCallMPI(MPI_Send(stream->x.a, (PetscMPIInt)stream->x.n, MPIU_REAL, stream->to, stream->tag, stream->comm));
    else
      PetscCallMPI(MPI_Send(stream->v.a, (PetscMPIInt)stream->v.n, MPIU_INT, stream->to, stream->tag, stream->comm));
  }
  head->num = stream->x.n = stream->v.n = 0;
  PetscFunctionReturn(0);
}

/* Makes the buffer ready for row i of `total` rows of a kind. A file that states too few rows gives the last rank the rest. */
static PetscErrorCode Prepare(AbutRowStream *stream, PetscInt i, PetscInt total, PetscInt width, PetscInt num_groups,
                              const PetscInt groups[])
{
  AbutRowsHead     *head = &stream->head;
  const PetscMPIInt to   = i < total ? AbutBlockOwner(total, i, stream->size) : stream->size - 1;
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(PetscArraycmp(head->group, groups, num_groups, &same));
  if (head->num < ROWS && to == stream->to && head->width == width && head->num_groups == num_groups && same) PetscFunctionReturn(0);
  PetscCall(Flush(stream));
  stream->to = to;
  *head      = (AbutRowsHead){.width = width, .num_groups = num_groups};
  PetscCall(PetscArraycpy(head->group, groups, num_groups));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRowStreamPutVertex(AbutRowStream *stream, PetscInt i, PetscInt total, const PetscReal x[3])
{
  PetscFunctionBegin;
  PetscCall(Prepare(stream, i, total, 0, 0, stream->head.group));
  PetscCall(AbutRealsPush(&stream->x, 3, x));
  stream->head.num++;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRowStreamPutSimplex(AbutRowStream *stream, PetscInt i, PetscInt total, PetscInt n, const PetscInt v[],
                                       PetscInt num_groups, const PetscInt groups[])
{
  PetscFunctionBegin;
  if (!stream->marks) num_groups = 0;
  if (!stream->keep[n] && !num_groups) PetscFunctionReturn(0);
  PetscCall(Prepare(stream, i, total, n, num_groups, groups));
  PetscCall(AbutIntsPush(&stream->v, n, v));
  stream->head.num++;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRowStreamEnd(AbutRowStream *stream)
{
  const AbutRowsHead end = {.width = -1};

  PetscFunctionBegin;
  PetscCall(Flush(stream));
  for (PetscMPIInt r = 1; r < stream->size; r++)
    PetscCallMPI(MPI_Send(&end, (PetscMPIInt)sizeof(end), MPI_BYTE, r, stream->tag, stream->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRowStreamReceive(AbutRowStream *stream)
{
  AbutRowsHead head;
  PetscReal   *x;
  PetscInt    *v;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * ROWS, &x, ABUT_MAX_ROW_NODES * ROWS, &v));
  for (;;) {
    PetscCallMPI(MPI_Recv(&head, (PetscMPIInt)sizeof(head), MPI_BYTE, 0, stream->tag, stream->comm, MPI_STATUS_IGNORE));
    if (head.width < 0) break;
    if (!head.width)
      PetscCallMPI(MPI_Recv(x, (PetscMPIInt)(3 * head.num), MPIU_REAL, 0, stream->tag, stream->comm, MPI_STATUS_IGNORE));
    else
      PetscCallMPI(MPI_Recv(v, (PetscMPIInt)(head.width * head.num), MPIU_INT, 0, stream->tag, stream->comm, MPI_STATUS_IGNORE));
    PetscCall(Keep(stream, &head, x, v));
  }
  PetscCall(PetscFree2(x, v));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRowStreamFinish(AbutRowStream *stream, PetscInt dim, AbutInts *dropped, AbutShape *shape)
{
  const PetscInt nodes = dim + 1 + AbutNumCellEdges(dim);
  AbutRows      *rows  = &stream->rows;
  PetscInt       first = rows->x.n / 3, first_cell = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&dropped->n, 1, MPIU_INT, 0, stream->comm));
  if (stream->rank) PetscCall(PetscMalloc1(dropped->n, &dropped->a));
  PetscCallMPI(MPI_Bcast(dropped->a, (PetscMPIInt)dropped->n, MPIU_INT, 0, stream->comm));
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_SUM, stream->comm));
  first -= rows->x.n / 3;
  if (rows->simplices[nodes].n)
    PetscCall(AbutShapeSetQuadraticCells(dim, rows->simplices[nodes].n / nodes, rows->simplices[nodes].a, shape));
  shape->num_vertices = rows->x.n / 3;
  shape->x            = rows->x.a;
  shape->num_edges    = rows->simplices[2].n / 2;
  shape->edges        = rows->simplices[2].a;
  if (dim == 3 || rows->simplices[3].n) AbutShapeSetTriangles(dim, &rows->simplices[3], shape);
  if (dim == 3 && rows->simplices[4].n) {
    shape->num_cells = rows->simplices[4].n / 4;
    shape->cells     = rows->simplices[4].a;
  }
  PetscCallMPI(MPI_Exscan(&shape->num_cells, &first_cell, 1, MPIU_INT, MPI_SUM, stream->comm));
  for (PetscInt i = 1; i < rows->cells.n; i += 2) rows->cells.a[i] += first_cell;
  shape->groups.marks = rows->marks;
  shape->groups.cells = rows->cells;
  shape->groups.edges = rows->edges;
  AbutShapeDrop(dim, first, dropped, shape);
  PetscCall(PetscFree(rows->simplices[nodes].a));
  *rows = (AbutRows){0};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRowStreamFree(AbutRowStream *stream)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(stream->x.a));
  PetscCall(PetscFree(stream->v.a));
  PetscCall(PetscFree(stream->rows.x.a));
  for (PetscInt n = 0; n <= ABUT_MAX_ROW_NODES; n++) PetscCall(PetscFree(stream->rows.simplices[n].a));
  PetscCall(PetscFree(stream->rows.marks.a));
  PetscCall(PetscFree(stream->rows.edges.a));
  PetscCall(PetscFree(stream->rows.cells.a));
  PetscFunctionReturn(0);
}
