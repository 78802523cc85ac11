/*
  Crossings as VTK polygonal data, for ParaView: the edge and the triangle (2D: the other edge) of each, or the vertex behind a plane;
  and the pair that a failed step blames: its vertices, with the surface edges and triangles between them.
*/
#include "resultsimpl.h"
#include <string.h>

/* One drawn entity: 1, 2 or 3 vertices. Integers only: it travels as such. */
typedef struct {
  PetscInt count, ids[3], crossing, body, partner, plane;
} Piece;
enum { FIELDS = (PetscInt)(sizeof(Piece) / sizeof(PetscInt)) };

/* Pieces of all ranks on rank 0. */
static PetscErrorCode GatherPieces(MPI_Comm comm, PetscInt count, const Piece mine[], PetscInt *total, Piece **all)
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

/* VTK wants vertices first, then lines, then polygons, each in the order of the ranks. */
static void SortPieces(PetscInt total, const Piece all[], PetscInt counts[3], Piece sorted[])
{
  PetscInt n = 0;

  for (PetscInt size = 1; size <= 3; size++) {
    counts[size - 1] = -n;
    for (PetscInt i = 0; i < total; i++)
      if (all[i].count == size) sorted[n++] = all[i];
    counts[size - 1] += n;
  }
}

/* Writes the pieces of all ranks at positions x of owned vertices. Collective. */
static PetscErrorCode WritePieces(AbutMesh mesh, const char path[], const PetscReal x[], PetscInt count, const Piece mine[])
{
  MPI_Comm       comm;
  PetscMPIInt    rank;
  PetscInt       total = 0, counts[3], num_points = 0, *ids;
  Piece         *all = NULL, *sorted;
  PetscReal     *points;
  PetscErrorCode local = 0;

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(GatherPieces(comm, count, mine, &total, &all));
  PetscCall(PetscMalloc3(total, &sorted, 3 * total, &ids, 9 * total, &points));
  SortPieces(total, all, counts, sorted);
  for (PetscInt i = 0; i < total; i++)
    for (PetscInt k = 0; k < sorted[i].count; k++) ids[num_points++] = sorted[i].ids[k];
  PetscCall(FetchPositions(mesh, x, num_points, ids, points));
  if (!rank) local = Write(path, counts, sorted, num_points, ids, points);
  PetscCall(PetscFree3(sorted, ids, points));
  PetscCall(PetscFree(all));
  PetscCall(AbutAgree(comm, local));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutIntersectionsWrite(AbutMesh mesh, const char directory[], const PetscReal x[], PetscInt count,
                                      const AbutIntersection crossings[])
{
  MPI_Comm comm;
  PetscInt first = 0, n = 0;
  Piece   *pieces;
  char     path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(AbutPathJoin(directory, "intersections.vtp", path));
  PetscCallMPI(MPI_Exscan(&count, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscMalloc1(2 * count, &pieces));
  for (PetscInt i = 0; i < count; i++) {
    const AbutIntersection *c      = &crossings[i];
    const PetscBool         behind = (PetscBool)(c->edge[1] < 0); /* a vertex behind a plane */
    const PetscInt          number = first + i, plane = behind ? c->face[0] : -1;

    pieces[n++] = (Piece){behind ? 1 : 2, {c->edge[0], c->edge[1], -1}, number, c->body[0], c->body[1], plane};
    if (!behind) pieces[n++] = (Piece){c->face[2] < 0 ? 2 : 3, {c->face[0], c->face[1], c->face[2]}, number, c->body[1], c->body[0], plane};
  }
  PetscCall(WritePieces(mesh, path, x, n, pieces));
  PetscCall(PetscFree(pieces));
  PetscFunctionReturn(0);
}

static PetscBool AllBlamed(PetscInt n, const PetscInt local[], const PetscInt vertex_id[], const AbutLimitingPair *blame, PetscInt ids[])
{
  PetscInt found = 0;

  for (PetscInt i = 0; i < n; i++) {
    ids[i] = vertex_id[local[i]];
    for (int k = 0; k < 4; k++) found += ids[i] == blame->vertex_id[k];
  }
  return (PetscBool)(found == n);
}

static Piece BlamedPiece(const AbutLimitingPair *blame, PetscInt count, const PetscInt ids[], PetscInt body)
{
  const PetscInt plane   = blame->body[1] < 0 ? -1 - blame->body[1] : -1;
  const PetscInt partner = plane >= 0 ? -1 : blame->body[blame->body[0] == body];

  return (Piece){count, {ids[0], count > 1 ? ids[1] : -1, count > 2 ? ids[2] : -1}, 0, body, partner, plane};
}

/* Surface entities of this rank all of whose vertices are blamed: a handful, as there are four vertices. */
static PetscInt BlamedPieces(const AbutMeshLocal *m, const AbutLimitingPair *blame, PetscInt room, Piece pieces[])
{
  PetscInt n = 0, ids[3];

  for (PetscInt i = 0; i < m->num_points && n < room; i++)
    if (AllBlamed(1, &m->points[i], m->vertex_id, blame, ids)) pieces[n++] = BlamedPiece(blame, 1, ids, m->vertex_body[m->points[i]]);
  for (PetscInt i = 0; i < m->num_edges && n < room; i++)
    if (AllBlamed(2, &m->edges[2 * i], m->vertex_id, blame, ids)) pieces[n++] = BlamedPiece(blame, 2, ids, m->vertex_body[m->edges[2 * i]]);
  for (PetscInt i = 0; i < m->num_faces && n < room; i++)
    if (AllBlamed(3, &m->faces[3 * i], m->vertex_id, blame, ids)) pieces[n++] = BlamedPiece(blame, 3, ids, m->vertex_body[m->faces[3 * i]]);
  return n;
}

PetscErrorCode AbutBlameWrite(AbutMesh mesh, const char directory[], const PetscReal x[], const AbutLimitingPair *blame)
{
  const AbutMeshLocal *m;
  Piece                pieces[14]; /* 4 vertices, 6 edges, 4 triangles */
  char                 path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(AbutMeshGetLocal(mesh, &m));
  PetscCall(AbutPathJoin(directory, "failure.vtp", path));
  PetscCall(WritePieces(mesh, path, x, BlamedPieces(m, blame, 14, pieces), pieces));
  PetscFunctionReturn(0);
}
