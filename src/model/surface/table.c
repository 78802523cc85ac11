/* Faces and edges that this rank knows, each with one number, and the lists of faces and edges at vertices and edges. */
#include "surfaceimpl.h"

enum { FACE_COLUMNS = 4, NUM_COLUMNS = 6 };

/* Arrays of the faces, then of the edges. */
static void Columns(AbutTable *t, AbutColumn column[NUM_COLUMNS])
{
  column[0] = (AbutColumn){&t->faces, sizeof(*t->faces)};
  column[1] = (AbutColumn){&t->face_edge, sizeof(*t->face_edge)};
  column[2] = (AbutColumn){&t->face_id, sizeof(*t->face_id)};
  column[3] = (AbutColumn){&t->face_dhat, sizeof(*t->face_dhat)};
  column[4] = (AbutColumn){&t->edges, sizeof(*t->edges)};
  column[5] = (AbutColumn){&t->edge_dhat, sizeof(*t->edge_dhat)};
}

PetscErrorCode AbutTableReserve(AbutTable *t, PetscInt num_faces, PetscInt num_edges)
{
  AbutColumn column[NUM_COLUMNS];

  PetscFunctionBegin;
  Columns(t, column);
  PetscCall(AbutReserveColumns(num_faces, &t->face_capacity, FACE_COLUMNS, column));
  PetscCall(AbutReserveColumns(num_edges, &t->edge_capacity, NUM_COLUMNS - FACE_COLUMNS, column + FACE_COLUMNS));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutVertexTableReserve(AbutVertexTable *v, PetscInt num)
{
  const AbutColumn column[] = {{&v->complete, sizeof(*v->complete)}, {&v->oriented, sizeof(*v->oriented)}, {&v->dhat, sizeof(*v->dhat)}};

  PetscFunctionBegin;
  PetscCall(AbutReserveColumns(num, &v->capacity, 3, column));
  v->num = num;
  PetscFunctionReturn(0);
}

static PetscInt AppendEdge(AbutTable *t, const PetscInt v[2])
{
  for (int k = 0; k < 2; k++) t->edges[t->num_edges][k] = v[k];
  t->edge_dhat[t->num_edges] = PETSC_INFINITY;
  return t->num_edges++;
}

/* Number of an edge, added to the copies unless it is known. */
PetscErrorCode AbutSurfaceAddEdge(AbutSurface s, PetscInt a, PetscInt b, PetscInt *edge)
{
  AbutTable           *t    = &s->table;
  const PetscBool      turn = (PetscBool)(s->m->dim == 3 && s->vertices.id[a] > s->vertices.id[b]);
  const PetscInt       v[2] = {turn ? b : a, turn ? a : b};
  const PetscHashIJKey key  = {v[0], v[1]};
  PetscHashIter        at;
  PetscBool            missing;

  PetscFunctionBegin;
  PetscCall(PetscHMapIJGet(t->fixed_edge, key, edge));
  if (*edge >= 0) PetscFunctionReturn(0);
  PetscCall(PetscHMapIJPut(t->copied_edge, key, &at, &missing));
  if (missing) PetscCall(PetscHMapIJIterSet(t->copied_edge, at, AppendEdge(t, v)));
  PetscCall(PetscHMapIJIterGet(t->copied_edge, at, edge));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceAddFace(AbutSurface s, PetscInt id, const PetscInt v[3], PetscInt *face)
{
  AbutTable    *t = &s->table;
  PetscHashIter at;
  PetscBool     missing;

  PetscFunctionBegin;
  PetscCall(PetscHMapIGet(t->fixed_face, id, face));
  if (*face >= 0) PetscFunctionReturn(0);
  PetscCall(PetscHMapIPut(t->copied_face, id, &at, &missing));
  if (!missing) {
    PetscCall(PetscHMapIIterGet(t->copied_face, at, face));
    PetscFunctionReturn(0);
  }
  *face = t->num_faces++;
  PetscCall(PetscHMapIIterSet(t->copied_face, at, *face));
  t->face_id[*face]   = id;
  t->face_dhat[*face] = PETSC_INFINITY;
  for (int k = 0; k < 3; k++) {
    t->faces[*face][k] = v[k];
    PetscCall(AbutSurfaceAddEdge(s, v[k], v[(k + 1) % 3], &t->face_edge[*face][k]));
  }
  PetscFunctionReturn(0);
}

/* Edges of the mesh keep their numbers, whether or not two of them have the same vertices. */
static PetscErrorCode AddMeshEdges(AbutSurface s)
{
  AbutTable *t = &s->table;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->m->num_edges; i++) {
    const PetscInt *v = s->m->edges + 2 * i;
    PetscHashIter   at;
    PetscBool       missing;

    PetscCall(PetscHMapIJPut(t->copied_edge, (PetscHashIJKey){v[0], v[1]}, &at, &missing));
    if (missing) PetscCall(PetscHMapIJIterSet(t->copied_edge, at, t->num_edges));
    (void)AppendEdge(t, v);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AddPart(AbutSurface s, const AbutSurfacePart *part)
{
  PetscInt v[3], number;

  PetscFunctionBegin;
  for (int k = 0; k < 3 && part->v[k] >= 0; k++) PetscCall(AbutSurfaceFindVertex(s, part->v[k], &v[k]));
  if (part->v[2] >= 0)
    PetscCall(AbutSurfaceAddFace(s, part->id, v, &number));
  else
    PetscCall(AbutSurfaceAddEdge(s, v[0], v[1], &number));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTableCreate(AbutSurface s, PetscInt n, const AbutSurfacePart parts[])
{
  AbutTable           *t     = &s->table;
  const AbutMeshLocal *m     = s->m;
  const PetscInt       faces = m->num_faces + n;

  PetscFunctionBegin;
  PetscCall(PetscHMapICreate(&t->fixed_face));
  PetscCall(PetscHMapICreate(&t->copied_face));
  PetscCall(PetscHMapIJCreate(&t->fixed_edge));
  PetscCall(PetscHMapIJCreate(&t->copied_edge));
  PetscCall(AbutTableReserve(t, faces, m->num_edges + 3 * faces));
  PetscCall(AddMeshEdges(s));
  for (PetscInt i = 0; i < m->num_faces; i++) {
    PetscInt number;
    PetscCall(AbutSurfaceAddFace(s, m->face_id[i], m->faces + 3 * i, &number));
  }
  for (PetscInt i = 0; i < n; i++) PetscCall(AddPart(s, &parts[i]));
  t->num_fixed_faces         = t->num_faces;
  t->num_fixed_edges         = t->num_edges;
  const PetscHMapI  face_map = t->fixed_face; /* all of this is the fixed part; copies start empty */
  const PetscHMapIJ edge_map = t->fixed_edge;
  t->fixed_face              = t->copied_face;
  t->fixed_edge              = t->copied_edge;
  t->copied_face             = face_map;
  t->copied_edge             = edge_map;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTableDestroy(AbutTable *t)
{
  AbutColumn column[NUM_COLUMNS];

  PetscFunctionBegin;
  Columns(t, column);
  PetscCall(AbutFreeColumns(NUM_COLUMNS, column));
  PetscCall(PetscHMapIDestroy(&t->fixed_face));
  PetscCall(PetscHMapIDestroy(&t->copied_face));
  PetscCall(PetscHMapIJDestroy(&t->fixed_edge));
  PetscCall(PetscHMapIJDestroy(&t->copied_edge));
  PetscCall(AbutCSRDestroy(&t->vertex_face));
  PetscCall(AbutCSRDestroy(&t->vertex_edge));
  PetscCall(AbutCSRDestroy(&t->edge_face));
  PetscFunctionReturn(0);
}

/* Whether item a comes before item b in the list of a row: the face with the lower id; the edge with the lower id at its other end. */
static inline PetscBool Precedes(const PetscInt id[], PetscInt (*edges)[2], PetscInt row, PetscInt a, PetscInt b)
{
  const PetscInt first = edges ? id[edges[a][0] + edges[a][1] - row] : id[a], second = edges ? id[edges[b][0] + edges[b][1] - row] : id[b];

  if (first != second || !edges) return (PetscBool)(first < second);
  return (PetscBool)(edges[a][0] != row && edges[b][0] == row); /* 2D: of two opposite edges, the one that ends at the vertex */
}

/* Sorts each list; `edges` is given for edges at a vertex. Insertion: lists are short and nearly sorted. */
static void SortLists(const PetscInt id[], PetscInt (*edges)[2], AbutCSR *lists)
{
  for (PetscInt row = 0; row < lists->num_rows; row++) {
    PetscInt *item = lists->item + lists->start[row];

    for (PetscInt i = 1; i < lists->start[row + 1] - lists->start[row]; i++) {
      const PetscInt own = item[i];
      PetscInt       j   = i;

      for (; j > 0 && Precedes(id, edges, row, own, item[j - 1]); j--) item[j] = item[j - 1];
      item[j] = own;
    }
  }
}

PetscErrorCode AbutTableBuildLists(AbutSurface s)
{
  AbutTable     *t = &s->table;
  const PetscInt n = s->vertices.num;

  PetscFunctionBegin;
  PetscCall(AbutCSRSetPairs(n, t->num_faces, 3, (const PetscInt *)t->faces, NULL, &t->vertex_face));
  PetscCall(AbutCSRSetPairs(n, t->num_edges, 2, (const PetscInt *)t->edges, NULL, &t->vertex_edge));
  PetscCall(AbutCSRSetPairs(t->num_edges, t->num_faces, 3, (const PetscInt *)t->face_edge, NULL, &t->edge_face));
  SortLists(t->face_id, NULL, &t->vertex_face);
  SortLists(t->face_id, NULL, &t->edge_face);
  SortLists(s->vertices.id, t->edges, &t->vertex_edge);
  PetscFunctionReturn(0);
}
