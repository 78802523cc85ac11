/*
  Writes surface entities as small XDMF files with inline data, for ParaView. Intersections: the edge and the triangle (2D: the other
  edge) that cross, or the vertex behind a plane. A failed step: the vertices of the pair that limited it, and the surface edges and
  triangles between them.
*/
#include "resultsimpl.h"

/* One entity. All members are PetscInt: it is gathered as FIELDS integers. */
typedef struct {
  PetscInt count, ids[3]; /* 1, 2 or 3 vertex ids */
  PetscInt crossing;      /* number of the intersection */
  PetscInt body, partner; /* body of the entity and of the entity it crosses; partner -1: a plane */
  PetscInt plane;         /* -1: none */
} Piece;
enum { FIELDS = (PetscInt)(sizeof(Piece) / sizeof(PetscInt)) };

/* Gathers the pieces of all ranks on rank 0. Collective. */
static PetscErrorCode GatherPieces(MPI_Comm comm, PetscInt count, const Piece mine[], PetscInt *total, Piece **all)
{
  PetscLayout layout;
  PetscSF     gather;
  PetscInt    num;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, count, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &gather));
  PetscCall(PetscSFSetGraphWithPattern(gather, layout, PETSCSF_PATTERN_GATHER));
  PetscCall(PetscLayoutGetSize(layout, &num));
  *total = AbutIsRoot(comm) ? num : 0;
  PetscCall(PetscMalloc1(*total, all));
  if (num) PetscCall(AbutSFBcastRows(gather, MPIU_INT, FIELDS, mine, *all)); /* Open MPI 4.1 does not end MPI_Igatherv() of nothing */
  PetscCall(PetscSFDestroy(&gather));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(0);
}

/* Fetches the positions of `count` vertex ids, as rows of three numbers; ranks other than 0 pass count 0. Collective. */
static PetscErrorCode FetchPositions(AbutMesh mesh, const PetscReal x[], PetscInt count, const PetscInt ids[], PetscReal points[])
{
  const AbutMeshLocal *m    = AbutMeshGetLocal(mesh);
  MPI_Comm             comm = AbutMeshGetComm(mesh);
  AbutSlices           owned, wanted;
  PetscReal           *slice, *rows;

  PetscFunctionBegin;
  PetscCall(AbutSlicesCreate(comm, m->num_global, m->num_owned, m->vertex_id, &owned));
  PetscCall(AbutSlicesCreate(comm, m->num_global, count, ids, &wanted));
  PetscCall(PetscMalloc2(owned.size * m->dim, &slice, count * m->dim, &rows));
  PetscCall(AbutSFReduceRows(owned.sf, MPIU_REAL, m->dim, x, slice));
  PetscCall(AbutSFBcastRows(wanted.sf, MPIU_REAL, m->dim, slice, rows));
  for (PetscInt i = 0; i < count; i++)
    for (PetscInt d = 0; d < 3; d++) points[3 * i + d] = d < m->dim ? rows[i * m->dim + d] : 0;
  PetscCall(PetscFree2(slice, rows));
  PetscCall(PetscSFDestroy(&owned.sf));
  PetscCall(PetscSFDestroy(&wanted.sf));
  PetscFunctionReturn(0);
}

/* Pieces of one kind, all with the same number of vertices, and their points. */
typedef struct {
  PetscInt         num, width; /* pieces, vertices of each */
  const Piece     *pieces;     /* [num] */
  const PetscInt  *ids;        /* [num * width] vertex ids of the points; each piece has points of its own */
  const PetscReal *points;     /* [num * width * 3] */
} Kind;

/* An attribute of `num` integers, each `stride` integers from the one before. */
static void Attribute(AbutText *t, const char name[], const char center[], PetscInt num, const PetscInt values[], PetscInt stride)
{
  AbutTextAppend(t, "    <Attribute Name=\"%s\" AttributeType=\"Scalar\" Center=\"%s\">", name, center);
  AbutXdmfItemBegin(t, "XML", "Int", 8, num, 1);
  for (PetscInt i = 0; i < num; i++) AbutTextAppend(t, "%s%" PetscInt_FMT, i ? " " : "", values[i * stride]);
  AbutTextAppend(t, "</DataItem></Attribute>\n");
}

static void Grid(AbutText *t, const Kind *kind)
{
  static const char *const names[] = {"vertices", "edges", "triangles"}, *const topologies[] = {"Polyvertex", "Polyline", "Triangle"};
  const PetscInt stride = FIELDS, num_points = kind->num * kind->width;

  AbutTextAppend(t, "   <Grid Name=\"%s\" GridType=\"Uniform\">\n    <Topology TopologyType=\"%s\" NumberOfElements=\"%" PetscInt_FMT "\"",
                 names[kind->width - 1], topologies[kind->width - 1], kind->num);
  if (kind->width < 3) AbutTextAppend(t, " NodesPerElement=\"%" PetscInt_FMT "\"", kind->width);
  AbutTextAppend(t, ">");
  AbutXdmfItemBegin(t, "XML", "Int", 8, kind->num, kind->width);
  for (PetscInt i = 0; i < num_points; i++) AbutTextAppend(t, "%s%" PetscInt_FMT, i ? " " : "", i);
  AbutTextAppend(t, "</DataItem></Topology>\n    <Geometry GeometryType=\"XYZ\">");
  AbutXdmfItemBegin(t, "XML", "Float", 8, num_points, 3);
  for (PetscInt i = 0; i < 3 * num_points; i++) AbutTextAppend(t, "%s%.17g", i ? " " : "", (double)kind->points[i]);
  AbutTextAppend(t, "</DataItem></Geometry>\n");
  Attribute(t, "vertex_id", "Node", num_points, kind->ids, 1);
  Attribute(t, "crossing", "Cell", kind->num, &kind->pieces->crossing, stride);
  Attribute(t, "body", "Cell", kind->num, &kind->pieces->body, stride);
  Attribute(t, "partner_body", "Cell", kind->num, &kind->pieces->partner, stride);
  Attribute(t, "plane", "Cell", kind->num, &kind->pieces->plane, stride);
  AbutTextAppend(t, "   </Grid>\n");
}

/* Writes a grid for each kind of pieces that there are; counts[k] pieces have k + 1 vertices. Not collective. */
static PetscErrorCode Write(const char path[], const PetscInt counts[3], const Piece pieces[], const PetscInt ids[],
                            const PetscReal points[])
{
  AbutText       t = {0};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  AbutTextAppend(&t, "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n <Domain>\n"
                     "  <Grid Name=\"abut\" GridType=\"Collection\" CollectionType=\"Spatial\">\n");
  for (PetscInt k = 0; k < 3; k++) {
    const Kind kind = {counts[k], k + 1, pieces, ids, points};

    if (counts[k]) Grid(&t, &kind);
    pieces += kind.num;
    ids += kind.num * kind.width;
    points += 3 * kind.num * kind.width;
  }
  AbutTextAppend(&t, "  </Grid>\n </Domain>\n</Xdmf>\n");
  ierr = AbutTextReplaceFile(&t, path, PETSC_FALSE);
  PetscCall(AbutTextDestroy(&t));
  PetscFunctionReturn(ierr);
}

/* Sorts pieces by their number of vertices, then by rank. */
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
  MPI_Comm       comm  = AbutMeshGetComm(mesh);
  PetscInt       total = 0, counts[3], num_points = 0, *ids;
  Piece         *all = NULL, *sorted;
  PetscReal     *points;
  PetscErrorCode local;

  PetscFunctionBegin;
  PetscCall(GatherPieces(comm, count, mine, &total, &all));
  PetscCall(PetscMalloc3(total, &sorted, 3 * total, &ids, 9 * total, &points));
  SortPieces(total, all, counts, sorted);
  for (PetscInt i = 0; i < total; i++)
    for (PetscInt k = 0; k < sorted[i].count; k++) ids[num_points++] = sorted[i].ids[k];
  PetscCall(FetchPositions(mesh, x, num_points, ids, points));
  local = AbutAgree(comm, AbutIsRoot(comm) ? Write(path, counts, sorted, ids, points) : 0);
  PetscCall(PetscFree3(sorted, ids, points));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(local);
}

PetscErrorCode AbutIntersectionsWrite(AbutMesh mesh, const char directory[], const PetscReal x[], PetscInt count,
                                      const AbutIntersection crossings[])
{
  MPI_Comm comm  = AbutMeshGetComm(mesh);
  PetscInt first = 0, n = 0;
  Piece   *pieces;
  char     path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(directory, "intersections.xdmf", path));
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

static PetscBool AllOfPair(PetscInt n, const PetscInt local[], const PetscInt vertex_id[], const AbutLimitingPair *pair, PetscInt ids[])
{
  PetscInt found = 0;

  for (PetscInt i = 0; i < n; i++) {
    ids[i] = vertex_id[local[i]];
    for (int k = 0; k < 4; k++) found += ids[i] == pair->vertex_id[k];
  }
  return (PetscBool)(found == n);
}

static Piece PieceOfPair(const AbutLimitingPair *pair, PetscInt count, const PetscInt ids[], PetscInt body)
{
  const PetscInt plane   = pair->body[1] < 0 ? -1 - pair->body[1] : -1;
  const PetscInt partner = plane >= 0 ? -1 : pair->body[pair->body[0] == body];

  return (Piece){count, {ids[0], count > 1 ? ids[1] : -1, count > 2 ? ids[2] : -1}, 0, body, partner, plane};
}

/* Surface entities of this rank whose vertices all belong to the pair, at most `room` of them. */
static PetscInt PiecesOfPair(const AbutMeshLocal *m, const AbutLimitingPair *pair, PetscInt room, Piece pieces[])
{
  const PetscInt *const entities[3] = {m->points, m->edges, m->faces};
  const PetscInt        num[3]      = {m->num_points, m->num_edges, m->num_faces};
  PetscInt              n           = 0, ids[3];

  for (PetscInt size = 1; size <= 3; size++)
    for (PetscInt i = 0; i < num[size - 1] && n < room; i++) {
      const PetscInt *v = &entities[size - 1][size * i];
      if (AllOfPair(size, v, m->vertex_id, pair, ids)) pieces[n++] = PieceOfPair(pair, size, ids, m->vertex_body[v[0]]);
    }
  return n;
}

PetscErrorCode AbutLimitingPairWrite(AbutMesh mesh, const char directory[], const PetscReal x[], const AbutLimitingPair *pair)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);
  Piece                pieces[14]; /* 4 vertices, 6 edges, 4 triangles */
  char                 path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(AbutPathJoin(directory, "failure.xdmf", path));
  PetscCall(WritePieces(mesh, path, x, PiecesOfPair(m, pair, 14, pieces), pieces));
  PetscFunctionReturn(0);
}
