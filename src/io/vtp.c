/* Crossings as VTK polygonal data, for ParaView: the edge and the triangle (2D: the other edge) of each, or the vertex behind a plane. */
#include "ioimpl.h"
#include <string.h>

enum { FIELDS = (PetscInt)(sizeof(AbutIntersection) / sizeof(PetscInt)) }; /* a crossing is ids only and travels as such */

/* Crossings of all ranks on rank 0. */
static PetscErrorCode GatherCrossings(MPI_Comm comm, PetscInt count, const AbutIntersection mine[], PetscInt *total, AbutIntersection **all)
{
  PetscMPIInt  rank, size, n, sum = 0, *counts, *starts;
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(count, &n));
  PetscCall(PetscMalloc2(size, &counts, size, &starts));
  PetscCallMPI(MPI_Gather(&n, 1, MPI_INT, counts, 1, MPI_INT, 0, comm));
  for (PetscMPIInt r = 0; !rank && r < size; r++) {
    starts[r] = sum;
    sum += counts[r];
  }
  PetscCall(PetscMalloc1(sum, all));
  PetscCallMPI(MPI_Type_contiguous(FIELDS, MPIU_INT, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Gatherv(mine, n, type, *all, counts, starts, type, 0, comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscCall(PetscFree2(counts, starts));
  *total = sum;
  PetscFunctionReturn(0);
}

/* Fetches positions by vertex id, as rows of three, on the rank that asks; the others ask for none. */
static PetscErrorCode FetchPositions(AbutMesh mesh, const PetscReal x[], PetscInt count, const PetscInt ids[], PetscReal points[])
{
  const AbutMeshLocal *m;
  MPI_Comm             comm;
  PetscSF              order, fetch;
  PetscLayout          layout;
  PetscInt             start, end;
  PetscReal           *slice, *rows;
  MPI_Datatype         row;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(AbutMeshGetLocal(mesh, &m));
  PetscCall(AbutMeshGetInputOrder(mesh, &order, &start, &end));
  PetscCall(PetscMalloc2((end - start) * m->dim, &slice, count * m->dim, &rows));
  PetscCall(AbutVertexRowsToSlice(mesh, MPIU_REAL, m->dim, x, slice));
  PetscCall(PetscLayoutCreateFromSizes(comm, end - start, m->num_global, 1, &layout));
  PetscCall(PetscSFCreate(comm, &fetch));
  PetscCall(PetscSFSetGraphLayout(fetch, layout, count, NULL, PETSC_COPY_VALUES, ids));
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)m->dim, MPIU_REAL, &row));
  PetscCallMPI(MPI_Type_commit(&row));
  PetscCall(PetscSFBcastBegin(fetch, row, slice, rows, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(fetch, row, slice, rows, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&row));
  for (PetscInt i = 0; i < count; i++)
    for (PetscInt d = 0; d < 3; d++) points[3 * i + d] = d < m->dim ? rows[i * m->dim + d] : 0;
  PetscCall(PetscSFDestroy(&fetch));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscCall(PetscFree2(slice, rows));
  PetscFunctionReturn(0);
}

/* One drawn entity of a crossing: 1, 2 or 3 vertices. */
typedef struct {
  PetscInt count, ids[3], crossing, body, partner, plane;
} Piece;

/* VTK wants vertices first, then lines, then polygons: pieces of `size` vertices in the order of the crossings. */
static PetscInt Pieces(PetscInt total, const AbutIntersection all[], PetscInt size, Piece pieces[])
{
  PetscInt n = 0;

  for (PetscInt i = 0; i < total; i++) {
    const AbutIntersection *c      = &all[i];
    const PetscBool         behind = (PetscBool)(c->edge[1] < 0);
    const PetscInt          plane = behind ? c->face[0] : -1, first = behind ? 1 : 2, second = behind ? 0 : c->face[2] < 0 ? 2 : 3;

    if (first == size) pieces[n++] = (Piece){first, {c->edge[0], c->edge[1], -1}, i, c->body[0], c->body[1], plane};
    if (second == size) pieces[n++] = (Piece){second, {c->face[0], c->face[1], c->face[2]}, i, c->body[1], c->body[0], plane};
  }
  return n;
}

static PetscErrorCode IntegerArray(AbutText *t, const char name[], PetscInt n, const PetscInt values[], PetscInt stride)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "    <DataArray type=\"Int64\" Name=\"%s\" format=\"ascii\">", name));
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutTextAppend(t, " %" PetscInt_FMT, values[i * stride]));
  PetscCall(AbutTextAppend(t, "</DataArray>\n"));
  PetscFunctionReturn(0);
}

/* Connectivity of the pieces of one kind; each has points of its own, from `*point` on. */
static PetscErrorCode Cells(AbutText *t, const char name[], PetscInt n, PetscInt size, PetscInt *point)
{
  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "   <%s>\n    <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">", name));
  for (PetscInt i = 0; i < n * size; i++) PetscCall(AbutTextAppend(t, " %" PetscInt_FMT, (*point)++));
  PetscCall(AbutTextAppend(t, "</DataArray>\n    <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">"));
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutTextAppend(t, " %" PetscInt_FMT, (i + 1) * size));
  PetscCall(AbutTextAppend(t, "</DataArray>\n   </%s>\n", name));
  PetscFunctionReturn(0);
}

static PetscErrorCode CellData(AbutText *t, PetscInt n, const Piece pieces[])
{
  const PetscInt stride = (PetscInt)(sizeof(Piece) / sizeof(PetscInt));

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(t, "   <CellData>\n"));
  PetscCall(IntegerArray(t, "crossing", n, &pieces->crossing, stride));
  PetscCall(IntegerArray(t, "body", n, &pieces->body, stride));
  PetscCall(IntegerArray(t, "partner_body", n, &pieces->partner, stride));
  PetscCall(IntegerArray(t, "plane", n, &pieces->plane, stride));
  PetscCall(AbutTextAppend(t, "    <DataArray type=\"Int64\" Name=\"kind\" format=\"ascii\">"));
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutTextAppend(t, " %" PetscInt_FMT, pieces[i].count - 1));
  PetscCall(AbutTextAppend(t, "</DataArray>\n   </CellData>\n"));
  PetscFunctionReturn(0);
}

static PetscErrorCode Write(const char path[], const PetscInt counts[3], const Piece pieces[], PetscInt num_points, const PetscInt ids[],
                            const PetscReal points[])
{
  const PetscInt n     = counts[0] + counts[1] + counts[2];
  AbutText       t     = {0};
  PetscInt       point = 0;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(AbutTextAppend(
    &t, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"));
  PetscCall(AbutTextAppend(&t,
                           " <PolyData>\n  <Piece NumberOfPoints=\"%" PetscInt_FMT "\" NumberOfVerts=\"%" PetscInt_FMT
                           "\" NumberOfLines=\"%" PetscInt_FMT "\" NumberOfStrips=\"0\" NumberOfPolys=\"%" PetscInt_FMT "\">\n",
                           num_points, counts[0], counts[1], counts[2]));
  PetscCall(AbutTextAppend(&t, "   <PointData>\n"));
  PetscCall(IntegerArray(&t, "vertex_id", num_points, ids, 1));
  PetscCall(AbutTextAppend(&t, "   </PointData>\n"));
  PetscCall(CellData(&t, n, pieces));
  PetscCall(AbutTextAppend(&t, "   <Points>\n    <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">"));
  for (PetscInt i = 0; i < 3 * num_points; i++) PetscCall(AbutTextAppend(&t, " %.17g", (double)points[i]));
  PetscCall(AbutTextAppend(&t, "</DataArray>\n   </Points>\n"));
  PetscCall(Cells(&t, "Verts", counts[0], 1, &point));
  PetscCall(Cells(&t, "Lines", counts[1], 2, &point));
  PetscCall(Cells(&t, "Polys", counts[2], 3, &point));
  PetscCall(AbutTextAppend(&t, "  </Piece>\n </PolyData>\n</VTKFile>\n"));
  ierr = AbutTextReplaceFile(&t, path, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutIntersectionsWrite(AbutMesh mesh, const char directory[], const PetscReal x[], PetscInt count,
                                      const AbutIntersection crossings[])
{
  MPI_Comm          comm;
  PetscMPIInt       rank;
  PetscInt          total = 0, counts[3] = {0, 0, 0}, n = 0, num_points = 0, *ids;
  AbutIntersection *all;
  Piece            *pieces;
  PetscReal        *points;
  char              path[PETSC_MAX_PATH_LEN];
  PetscErrorCode    local = 0;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(AbutPathJoin(directory, "intersections.vtp", path));
  PetscCall(GatherCrossings(comm, count, crossings, &total, &all));
  PetscCall(PetscMalloc3(2 * total, &pieces, 5 * total, &ids, 15 * total, &points));
  for (PetscInt size = 1; size <= 3; size++) {
    counts[size - 1] = Pieces(total, all, size, pieces + n);
    n += counts[size - 1];
  }
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < pieces[i].count; k++) ids[num_points++] = pieces[i].ids[k];
  PetscCall(FetchPositions(mesh, x, num_points, ids, points));
  if (!rank) local = Write(path, counts, pieces, num_points, ids, points);
  PetscCall(PetscFree3(pieces, ids, points));
  PetscCall(PetscFree(all));
  PetscCall(AbutAgree(comm, local));
  PetscFunctionReturn(0);
}
